"""Calls with the name before a literal that holds the arguments."""

from __future__ import annotations as _annotations

import re

from .call import OpenTextCall
from .payload import follow, skip_broken
from .read_pairs import read_pairs
from .schema import Tools
from .section import read_section
from .source import NoCall, Reading, Source
from .table import Dialect

__all__ = ('read_name', 'read_named_calls')

_WORD = re.compile(r"""[^\s"'<>{}()\[\]]*""")
_ID = re.compile(r'[^\s<>{}\[\]"]*')
_NUMBER = re.compile(r':\d+$')
_LONGEST_ID = 256


def read_named_calls(source: Source, table: Dialect, tools: Tools) -> Reading[None]:
    """Read a section with calls, or one call without a section.

    Raises:
        NoCall: It is none.
    """
    yield from read_section(source, table, tools, _read_call)


def read_name(source: Source, tools: Tools, *, more: int = 0) -> Reading[str]:
    """Read what stands where a name does, which is not longer than the longest name and what may stand around it."""
    yield from source.space()
    name = yield from source.word(_WORD, max(map(len, tools), default=0) + more)
    yield from source.space()
    return name


def _read_call(source: Source, table: Dialect, tools: Tools) -> Reading[None]:
    call = OpenTextCall(source, table, tools)
    if table.id_end:
        call.id = yield from source.word(_ID, _LONGEST_ID)
        if not (yield from source.match([table.id_end])):
            raise NoCall
    name = yield from read_name(source, tools, more=len(table.name_prefix) + 16)
    if table.name_is_id:
        call.id = name
        name = _NUMBER.sub('', name)
    call.declare(name if name in tools else name.removeprefix(table.name_prefix))
    if table.id_open and (yield from source.match([table.id_open])):
        call.id = yield from source.word(_ID, _LONGEST_ID)
    if not (yield from _name_end(source, table)):
        raise NoCall
    yield from source.space()
    if (yield from source.peek()) != '{':
        raise NoCall
    call.begin()
    if table.string_mark:
        source.take(source.position + 1)
        yield from read_pairs(source, call, '}', ':', mark=table.string_mark, close=table.close)
    else:
        ending = yield from follow(source, call.give, mark='"')
        if ending == 'broken':
            yield from skip_broken(source, call.give, table.close)
        call.end(ending)
    yield from source.maybe(table.close)


def _name_end(source: Source, table: Dialect) -> Reading[bool]:
    for parts in (table.name_end, *table.other_name_ends):
        if (yield from source.mark(parts)):
            return True
    return not table.name_end
