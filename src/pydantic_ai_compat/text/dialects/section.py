"""The section around calls that have marks of their own."""

from __future__ import annotations as _annotations

from collections.abc import Callable

from .schema import Tools
from .source import NoCall, Reading, Source
from .table import Dialect

__all__ = ('read_section',)


def read_section(
    source: Source, table: Dialect, tools: Tools, read_call: Callable[[Source, Dialect, Tools], Reading[None]]
) -> Reading[None]:
    """Read a section with calls, or one call without a section.

    Args:
        source: The text, at the opening.
        table: The table.
        tools: The declared tools.
        read_call: Reads what stands behind the opening of a call.

    Raises:
        NoCall: It is none, or what stands where the next call would is none.
    """
    inside = False
    if table.section is not None:
        inside = yield from source.mark(table.section[0])
        yield from source.space()
    if not (yield from source.mark(table.open)):
        raise NoCall
    yield from read_call(source, table, tools)
    opening = table.open[0].strip() if table.open else ''
    while table.section is not None:
        # A closing mark without the opening one is left behind by models that forget the first.
        if (yield from source.after_space([table.section[1][0].strip()])):
            yield from source.maybe(table.section[1][1:])
            return
        length = yield from source.spaces_ahead()
        if not inside or not (yield from source.looking_at([opening], length)):
            return
        source.hold()
        yield from source.space()
        yield from source.mark(table.open)
        yield from read_call(source, table, tools)
