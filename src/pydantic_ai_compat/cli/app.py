"""The subcommands, gathered."""

from __future__ import annotations as _annotations

import importlib.metadata
from typing import Annotated

import typer

from .check import check
from .console import echo
from .demo import demo
from .explain import explain
from .inspect import inspect
from .probe import probe
from .record import record
from .render import render
from .replay import replay
from .schema import schema
from .variants import variants

__all__ = ('app',)

app = typer.Typer(
    name='pydantic-ai-compat',
    help='Run pydantic-ai agents on endpoints that only nearly speak OpenAI.',
    no_args_is_help=True,
    # Paragraphs of docstrings flow, and brackets in them are no markup.
    rich_markup_mode='markdown',
    pretty_exceptions_enable=False,
    context_settings={'help_option_names': ['-h', '--help']},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        echo(importlib.metadata.version('pydantic-ai-compat'))
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option('--version', help='Show the version and exit.', callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Run pydantic-ai agents on endpoints that only nearly speak OpenAI."""


app.command()(demo)
app.command()(schema)
app.command()(variants)
app.command()(check)
app.command()(explain)
app.command()(inspect)
app.command()(probe)
app.command()(record)
app.command()(render)
app.command()(replay)
