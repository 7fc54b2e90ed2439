"""Calls as in Python, in a list or one a line."""

from __future__ import annotations as _annotations

from .call import OpenTextCall
from .read_named import read_name
from .read_pairs import read_pairs
from .schema import Tools
from .source import NoCall, Reading, Source
from .table import Dialect

__all__ = ('read_python_calls',)


def read_python_calls(source: Source, table: Dialect, tools: Tools) -> Reading[None]:
    """Read an envelope with calls.

    Raises:
        NoCall: It is none.
    """
    yield from source.mark(table.open)
    yield from source.space()
    if table.brackets and not (yield from source.match(['['])):
        raise NoCall
    while True:
        yield from _read_call(source, table, tools)
        if not (yield from _goes_on(source, table)):
            break
    if table.brackets and not (yield from source.after_space([']'])) and source.is_open and source.waiting:
        raise NoCall
    yield from source.maybe(table.close)
    source.commit()


def _goes_on(source: Source, table: Dialect) -> Reading[bool]:
    """Read up to the next call; whether there may be one."""
    length = yield from source.spaces_ahead()
    comma = yield from source.looking_at([','], length)
    after = length + len(comma) + (yield from source.spaces_ahead(length + len(comma)))
    ends = [part.strip() for part in table.close] + [']'] * table.brackets
    if (table.brackets and not comma) or (yield from source.looking_at(ends, after)):
        source.take(source.position + length + len(comma))
        return False
    if source.ended and source.waiting <= after:
        return False
    if not table.all_or_nothing:
        source.hold()
    source.take(source.position + after)
    return True


def _read_call(source: Source, table: Dialect, tools: Tools) -> Reading[None]:
    call = OpenTextCall(source, table, tools)
    call.declare((yield from read_name(source, tools)))
    if not (yield from source.match(['('])):
        raise NoCall
    yield from read_pairs(source, call, ')', '=', close=table.close)
