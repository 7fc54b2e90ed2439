"""What every subcommand prints through: colour and tables on a terminal, plain text in a pipe.

Most of what is printed was written by others: servers, models, chat templates, files. No other module of the command
line prints, so none of it reaches a terminal with its control characters.
"""

from __future__ import annotations as _annotations

import re
from bisect import bisect_left
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import NoReturn

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Span, Text
from typing_extensions import override

__all__ = ('busy', 'echo', 'fail', 'make_console', 'printable')

# C0, DEL and C1 but for the tab and the line break; the marks that turn the direction of text around; the separators of
# lines and paragraphs. https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
_CONTROL = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]')
_SPELLED_LENGTH = len(r'\u001b')


def printable(text: str) -> str:
    r"""The text with control characters spelled out as `\u001b`: what others wrote is not to steer the terminal.

    JSON, and YAML between double quotes, mean the same as before.
    """
    return _CONTROL.sub(lambda found: f'\\u{ord(found[0]):04x}', text)


class _Console(Console):
    """A console that prints no control character but its own, wherever in a table or a panel a text stands."""

    @override
    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        if isinstance(renderable, str):
            renderable = printable(renderable)
        elif isinstance(renderable, Text):
            renderable = _printable_text(renderable)
        return super().render(renderable, options)


def make_console(*, stderr: bool = False) -> Console:
    """A console on the process's standard output (or error output) as it is now.

    Made anew by each subcommand, so that a test or a caller that redirects the stream is honoured. `soft_wrap` output
    is left to the caller: a table folds to the terminal's width, and a pipe gets plain text without escape codes.
    """
    return _Console(stderr=stderr, highlight=False, emoji=False, markup=False)


def echo(text: str, *, nl: bool = True) -> None:
    """Print text as it is, unfolded and without colour: JSON, or YAML to be pasted."""
    typer.echo(printable(text), nl=nl)


def fail(message: str) -> NoReturn:
    """Print one line on the error output and exit with status 1."""
    make_console(stderr=True).print(Text.assemble(('error: ', 'bold red'), message), soft_wrap=True)
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


def _printable_text(text: Text) -> Text:
    places = [found.start() for found in _CONTROL.finditer(text.plain)]
    if not places:
        return text

    def moved(offset: int) -> int:
        return offset + (_SPELLED_LENGTH - 1) * bisect_left(places, offset)

    spelled = text.blank_copy(printable(text.plain))
    spelled.spans = [Span(moved(start), moved(end), style) for start, end, style in text.spans]
    return spelled
