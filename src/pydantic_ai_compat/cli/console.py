"""What every subcommand prints through: colour and tables on a terminal, plain text in a pipe."""

from __future__ import annotations as _annotations

import unicodedata
from collections.abc import Generator
from contextlib import contextmanager
from typing import NoReturn

import typer
from rich.console import Console
from rich.text import Text

__all__ = ('busy', 'fail', 'make_console', 'printable')


def make_console(*, stderr: bool = False) -> Console:
    """A console on the process's standard output (or error output) as it is now.

    Made anew by each subcommand, so that a test or a caller that redirects the stream is honoured. `soft_wrap` output
    is left to the caller: a table folds to the terminal's width, and a pipe gets plain text without escape codes.
    """
    return Console(stderr=stderr, highlight=False, emoji=False, markup=False)


def fail(message: str) -> NoReturn:
    """Print one line on the error output and exit with status 1."""
    make_console(stderr=True).print(Text.assemble(('error: ', 'bold red'), printable(message)), soft_wrap=True)
    raise typer.Exit(1)


@contextmanager
def busy(doing: str) -> Generator[None]:
    """Say on a terminal's error output what takes a while, until it is done; say nothing elsewhere."""
    console = make_console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(f'{doing} ...'):
        yield


def printable(text: str) -> str:
    """The text with control characters spelled out: what a server or a model says is not to steer the terminal."""
    return ''.join(
        f'\\x{ord(character):02x}' if unicodedata.category(character) == 'Cc' and character not in '\n\t' else character
        for character in text
    )
