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
    invoke_without_command=True,
    # Plain text, in a pipe as on a terminal: no boxes, flags without a value, and no import of rich for it.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={'help_option_names': ['-h', '--help']},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        echo(importlib.metadata.version('pydantic-ai-compat'))
        raise typer.Exit


_FIRST_STEPS = """\b
Where to begin:
  pydantic-ai-compat demo                    see what becomes of a list that a tool returns (extra [demo])
  pydantic-ai-compat probe --base-url http://localhost:8000/v1 --model NAME
                                             find out what an endpoint does, and get its YAML entry
  pydantic-ai-compat explain "ERROR TEXT"    the rule behind a refusal, and the option that helps
  pydantic-ai-compat variants models.yaml    what the options in a YAML file became

\b
Exit status: 0 fine, 1 it found or met something wrong, 2 it cannot be run like this.
Completion of commands and options in your shell: pydantic-ai-compat --install-completion
"""


@app.callback(epilog=_FIRST_STEPS)
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option('--version', help='Show the version and exit.', callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Run pydantic-ai agents on endpoints that only nearly speak OpenAI."""
    if context.invoked_subcommand is None:
        echo(context.get_help())


_EXAMPLES = {
    demo: 'pydantic-ai-compat demo --chat-template my-model/chat_template.jinja',
    schema: 'pydantic-ai-compat schema > models.schema.json',
    variants: 'pydantic-ai-compat variants models.yaml',
    check: 'pydantic-ai-compat check history.json --policy deepseek',
    explain: "pydantic-ai-compat explain \"Unexpected role 'user' after role 'tool'\"",
    inspect: 'pydantic-ai-compat inspect http://localhost:8080/v1 --model my-model',
    probe: 'pydantic-ai-compat probe --base-url http://localhost:8000/v1 --model my-model --yes',
    record: 'pydantic-ai-compat record --base-url http://localhost:8000/v1 --model my-model --prompt hi -o bug.sse',
    render: 'pydantic-ai-compat render my-model/ history.json --server vllm --html prompts.html',
    replay: 'pydantic-ai-compat replay bug.sse',
}
for _command, _example in _EXAMPLES.items():
    app.command(epilog=f'\b\nExample:\n  {_example}')(_command)
