"""The literal that holds the arguments of a call, followed to its end by its own grammar as it comes."""

from __future__ import annotations as _annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal

from .finding import any_of, partial
from .source import Reading, Source

__all__ = ('Ending', 'follow', 'follow_string', 'skip_broken')

Ending = Literal['', 'cut', 'broken']
"""How a literal ended: whole, with the text, or by a bracket that closes nothing."""

_PAIRS = {'}': '{', ']': '[', ')': '('}
_CONTROL = re.compile('[\x00-\x1f]')
_CONTROLS = {'\n': r'\n', '\r': r'\r', '\t': r'\t', '\b': r'\b', '\f': r'\f'}


def escaped(text: str) -> str:
    """A piece of a JSON string with the control characters escaped that stand in it raw."""
    return _CONTROL.sub(lambda found: _CONTROLS.get(found[0]) or f'\\u{ord(found[0]):04x}', text)


@cache
def _outside(mark: str, ends: str) -> re.Pattern[str]:
    """What counts outside of strings: brackets, what opens a string, and what ends the literal."""
    if mark == '"':
        return re.compile(r'["{}\[\]]')
    words = f'{re.escape(mark)}|' if mark else ''
    quotes = '"' if mark else '"\''
    return re.compile(f'{words}[{re.escape("{}[]()" + quotes + ends)}]')


def follow(source: Source, give: Callable[[str], None], *, mark: str = '', ends: str = '') -> Reading[Ending]:
    """Read one literal.

    Args:
        source: The text, whose position is at the beginning of the literal.
        give: Takes the literal, in pieces. Control characters in JSON strings are escaped in it.
        mark: What stands on both sides of a string besides `"`; if it is `"`, the literal is JSON.
        ends: Characters that end the literal where no bracket is open; they are not read. Without any, the literal is
            in brackets, and ends with the one that closes the first.

    Returns:
        How it ended.
    """
    is_json = mark == '"'
    pattern = _outside(mark, ends)
    stack: list[str] = []
    while True:
        found = pattern.search(source.text, source.position)
        if found is None:
            keep = 0 if is_json or not mark or source.ended else partial(source.text, source.position, (mark,))
            give(source.take(len(source.text) - keep))
            if source.ended:
                return 'cut'
            yield
            continue
        what = found[0]
        if what in '{[(':
            stack.append(what)
        elif what in ends and (not stack or what not in _PAIRS):
            if not stack:
                give(source.take(found.start()))
                return ''
        elif what in _PAIRS:
            if not stack or stack.pop() != _PAIRS[what]:
                give(source.take(found.start()))
                return 'broken'
        else:
            give(source.take(found.start()))
            if not (yield from follow_string(source, give, what, mark)):
                return 'cut'
            continue
        give(source.take(found.end()))
        if not stack and not ends:
            return ''


def follow_string(source: Source, give: Callable[[str], None], quote: str, mark: str = '"') -> Reading[bool]:
    """Read a string, whose quotation mark or mark comes next; whether it ended."""
    if quote in '"\'' and mark != '"' and (yield from source.peek(3)) == quote * 3:
        quote *= 3
    give(source.take(source.position + len(quote)))
    if quote == mark and mark != '"':
        ended = yield from source.through(mark, give)
        if ended:
            give(mark)
        return ended
    pattern = re.compile(rf'\\|{quote}')
    clean = escaped if mark == '"' else str
    while True:
        found = pattern.search(source.text, source.position)
        if found is not None and found[0] != '\\':
            give(clean(source.take(found.end())))
            return True
        if found is not None and found.end() < len(source.text):
            give(clean(source.take(found.end())))
            give(clean(source.take(source.position + 1)))
            continue
        keep = 0 if source.ended else len(source.text) - found.start() if found else len(quote) - 1
        keep = min(keep, source.waiting)
        if found is None and keep:
            keep = partial(source.text, source.position, (quote,))
        give(clean(source.take(len(source.text) - keep)))
        if source.ended:
            return False
        yield


def skip_broken(
    source: Source, give: Callable[[str], None], terminals: Sequence[str], item_keys: Sequence[str] = ()
) -> Reading[bool]:
    """Read what is left of a broken call: up to the mark that closes it, or to the end of the text.

    Args:
        source: The text.
        give: Takes what is read.
        terminals: The marks that end it; they are not read.
        item_keys: The keys with which an item of a list can begin; the comma before such an item ends the call, too.

    Returns:
        Whether there is more of its envelope.
    """
    marks = tuple(mark for mark in (*terminals, *([','] if item_keys else [])) if mark)
    pattern = any_of(marks)
    while True:
        found = pattern.search(source.text, source.position) if marks else None
        if found is not None:
            give(source.take(found.start()))
            if found[0] != ',' or (yield from _item_begins(source, item_keys)):
                return True
            give(source.take(source.position + 1))
            continue
        keep = 0 if source.ended or not marks else partial(source.text, source.position, marks)
        give(source.take(len(source.text) - keep))
        if source.ended:
            return False
        yield


def _item_begins(source: Source, keys: Sequence[str]) -> Reading[bool]:
    """Whether an item of a list begins behind the comma that stands here."""
    length = 1 + (yield from source.spaces_ahead(1))
    if not (yield from source.looking_at(['{'], length)):
        return False
    length += 1 + (yield from source.spaces_ahead(length + 1))
    return bool((yield from source.looking_at([f'"{key}"' for key in keys], length)))
