"""What every subcommand prints through: colour and tables on a terminal, plain text in a pipe.

Most of what is printed was written by others: servers, models, chat templates, files. No other module of the command
line prints, so none of it reaches a terminal with its control characters.
"""

from __future__ import annotations as _annotations

import re
from bisect import bisect_left
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

import typer
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Span, Text
from typing_extensions import override

__all__ = ('Rows', 'busy', 'echo', 'fail', 'make_console', 'print_line', 'printable', 'wrong_use')

# C0, DEL and C1 but for the tab and the line break; the marks that turn the direction of text around; the separators of
# lines and paragraphs; halves of surrogate pairs, which no output can hold.
# https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
_CONTROL = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]')
_SPELLED_LENGTH = len(r'\u001b')
_READABLE = 30
"""How many cells the last column of a table needs for its text to be read with ease."""


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

    Made anew by each subcommand, so that a test or a caller that redirects the stream is honoured.
    """
    return _Console(stderr=stderr, highlight=False, emoji=False, markup=False)


def echo(text: str, *, nl: bool = True) -> None:
    """Print text as it is, unfolded and without colour: JSON, or YAML to be pasted."""
    typer.echo(printable(text), nl=nl)


def print_line(console: Console, *parts: str | tuple[str, str]) -> None:
    """Print a line of texts, each with its style if it has one; a terminal folds it, and a pipe gets it whole."""
    console.print(Text.assemble(*parts), soft_wrap=True)


@dataclass
class Rows:
    """A table: on a terminal laid out in columns, or as a list where the columns do not fit; plain lines in a pipe."""

    headings: Sequence[str]
    """The headings; the last column is the one whose text may be long."""

    title: str = ''
    rows: list[list[Text]] = field(default_factory=list[list[Text]], init=False)

    def add(self, *cells: str | Text) -> None:
        """Add a row."""
        self.rows.append([Text(cell) if isinstance(cell, str) else cell for cell in cells])

    def print(self, console: Console) -> None:
        """Print all of it: no cell is cropped, and a pipe gets no box and no line that is folded."""
        if self.title:
            print_line(console, (self.title, 'bold'))
        if not console.is_terminal:
            for line in self._plain_lines():
                print_line(console, line)
        elif sum(self._widths()) + 2 * len(self.headings) + min(self._last_width(), _READABLE) <= console.width:
            console.print(self._table())
        else:
            for row in self.rows:
                self._print_list(console, row)

    def _widths(self) -> list[int]:
        """How wide each column is but the last."""
        columns = list(zip(map(Text, self.headings), *self.rows, strict=True))
        return [max(map(_width, cells)) for cells in columns[:-1]]

    def _last_width(self) -> int:
        return max((_width(row[-1]) for row in self.rows), default=0)

    def _table(self) -> Table:
        *short, last = self.headings
        columns = [*(Column(heading, no_wrap=True) for heading in short), Column(last, overflow='fold')]
        table = Table(*columns, box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for row in self.rows:
            table.add_row(*row)
        return table

    def _print_list(self, console: Console, row: list[Text]) -> None:
        console.print(row[0], style='bold', overflow='fold')
        for heading, cell in zip(self.headings[1:], row[1:], strict=True):
            if cell.plain:
                entry = Text.assemble((f'{heading}: ', 'dim'), cell)
                entry.overflow = 'fold'
                console.print(Padding(entry, (0, 0, 0, 2), expand=False))

    def _plain_lines(self) -> Iterable[str]:
        widths = self._widths()
        for row in (map(Text, self.headings), *self.rows):
            *short, last = (cell.plain for cell in row)
            cells = [cell + ' ' * (width - _width(Text(cell))) for cell, width in zip(short, widths, strict=True)]
            yield '  '.join([*cells, last]).rstrip().replace('\n', '\n    ')


def fail(message: str) -> NoReturn:
    """Print one line on the error output and exit with status 1: something wrong was found or met."""
    print_line(make_console(stderr=True), ('error: ', 'bold red'), message)
    raise typer.Exit(1)


def wrong_use(message: str) -> NoReturn:
    """Print one line on the error output and exit with status 2: the command cannot be run with these arguments."""
    print_line(make_console(stderr=True), ('error: ', 'bold red'), message)
    raise typer.Exit(2)


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


def _width(text: Text) -> int:
    """The cells that a text takes, in its longest line."""
    return max((cell_len(line) for line in printable(text.plain).split('\n')), default=0)
