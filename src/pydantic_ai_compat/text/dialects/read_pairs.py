"""Arguments as pairs of a bare key and a literal, in Python's call or Gemma's braces."""

from __future__ import annotations as _annotations

import re
from typing import Any

from .call import OpenTextCall
from .literals import as_json, read_literal
from .payload import follow, skip_broken
from .schema import parameter_schema, typed, types_of
from .source import NoCall, Reading, Source

__all__ = ('read_pairs',)

_KEY = re.compile(r'\w*')
_LONGEST_KEY = 256


def read_pairs(
    source: Source, call: OpenTextCall, end: str, equals: str, *, mark: str = '', close: tuple[str, ...] = ()
) -> Reading[None]:
    """Read the arguments of a call, up to and with what ends them.

    Args:
        source: The text, behind what opens the arguments.
        call: The call that they belong to; it begins with the first key, or with the end, if it has not begun.
        end: What ends the arguments.
        equals: What stands between key and value.
        mark: What stands on both sides of a string.
        close: The mark that ends a broken call.

    Raises:
        NoCall: What should be the first key is none, and the call has not begun.
    """
    while True:
        yield from source.space()
        if (yield from source.match([end])):
            call.begin()
            call.give_end()
            call.end()
            return
        key = yield from _key(source, mark)
        yield from source.space()
        if not key or not (yield from source.match([equals])):
            if not call.begun:
                raise NoCall
            yield from _give_up(source, call, key, close)
            return
        call.begin()
        call.give_key(key)
        if not (yield from _value(source, call, key, end, mark)):
            yield from skip_broken(source, call.give, close)
            call.end('cut' if source.ended and not source.waiting else 'broken')
            return
        yield from source.match([','])


def _key(source: Source, mark: str) -> Reading[str]:
    marked = yield from source.match([mark, '"'] if mark else [])
    key = yield from source.word(_KEY, _LONGEST_KEY if source.is_open else 1 << 20)
    if marked:
        yield from source.match([marked])
    return key


def _give_up(source: Source, call: OpenTextCall, key: str, close: tuple[str, ...]) -> Reading[None]:
    if source.ended and not source.waiting:
        call.end('cut')
        return
    call.give_broken(key)
    yield from skip_broken(source, call.give, close)
    call.end('broken')


def _value(source: Source, call: OpenTextCall, key: str, end: str, mark: str) -> Reading[bool]:
    """Read a value; whether it is one."""
    pieces: list[str] = []
    ending = yield from follow(source, pieces.append, mark=mark, ends=f',{end}')
    text = ''.join(pieces).strip()
    if ending == 'cut':
        return False
    try:
        if ending:
            raise ValueError
        value: Any = read_literal(text, mark)
    except ValueError:
        call.give(f'{text}…')
        return False
    types = types_of(parameter_schema(call.schema, key))
    if mark and isinstance(value, str) and (call.table.typed_strings or 'string' not in types):
        # FunctionGemma's template at vLLM puts every value between marks.
        value = typed(value, types)
    call.give(as_json(value))
    return True
