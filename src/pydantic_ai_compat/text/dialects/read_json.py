"""Calls in JSON that holds the name and the arguments."""

from __future__ import annotations as _annotations

from .call import OpenTextCall
from .json_arguments import ARGUMENTS_KEYS, read_arguments, read_string
from .payload import follow, skip_broken
from .schema import Tools
from .source import MAX_HELD_ARGUMENTS, NoCall, Reading, Source
from .table import Dialect

__all__ = ('read_json_calls',)

_NAME_KEYS = ('name', 'tool_name', 'function')
_ID_KEYS = ('id', 'tool_call_id')
_ARGUMENTS_OPENINGS = ('{', '"', "'", 'n', 'N')
"""How arguments begin: an object, a string that holds one, `null` or `None`."""

_OTHER_KEYS = ('type', 'index')
"""Keys that a call may have besides, also where nothing but its keys tells it from an answer in JSON."""


_ITEM_KEYS = (*_NAME_KEYS, *ARGUMENTS_KEYS, *_ID_KEYS, *_OTHER_KEYS)
"""The keys with which a call can begin."""


def read_json_calls(source: Source, table: Dialect, tools: Tools) -> Reading[None]:
    """Read an envelope with one object, several, or an array of them.

    Raises:
        NoCall: It is none.
    """
    yield from source.mark(table.open)
    reader = _Envelope(source, table, tools)
    if table.open:
        yield from source.maybe(table.open)
    yield from source.space()
    opening = yield from source.peek()
    if opening not in ('{', '[') or (not table.open and opening != ('[' if table.several == 'array' else '{')):
        raise NoCall
    if opening == '[':
        yield from reader.array()
    else:
        yield from reader.objects()
    if table.close or table.other_close:
        if (yield from source.looking_at(['}'])):
            # One brace too many before the closing mark, as small models of Qwen2.5 write.
            source.take(source.position + 1)
        if not table.whole:
            yield from source.maybe(table.close or table.other_close)
        elif not (yield from source.after_space([table.close[0].strip()])):
            yield from source.space()
            if source.waiting:
                raise NoCall
    source.commit()


class _Envelope:
    def __init__(self, source: Source, table: Dialect, tools: Tools) -> None:
        self.source = source
        self.table = table
        self.tools = tools
        self.item_keys: tuple[str, ...] = ()
        """The keys with which an item can begin, if it stands in an array between marks."""

    def objects(self) -> Reading[None]:
        source = self.source
        yield from self.object()
        while (yield from self._next_object()):
            source.hold()
            yield from source.space()
            if (yield from source.match([';', ','])):
                yield from source.space()
            yield from self.object()

    def _next_object(self) -> Reading[bool]:
        length = yield from self.source.spaces_ahead()
        if (yield from self.source.looking_at([';', ','], length)) and not self.table.close:
            length += 1 + (yield from self.source.spaces_ahead(length + 1))
        return bool((yield from self.source.looking_at(['{'], length)))

    def array(self) -> Reading[None]:
        source = self.source
        source.take(source.position + 1)
        commits, found = source.commits, False
        if not self.table.all_or_nothing:
            self.item_keys = tuple(self.tools) if self.table.single_key else _ITEM_KEYS
        while True:
            yield from source.space()
            if (yield from source.match([']'])):
                if not found and source.commits == commits:
                    raise NoCall
                if source.is_open and not self.table.all_or_nothing:
                    source.commit()
                return
            if (yield from source.peek()) != '{':
                if source.is_open:
                    raise NoCall
                return
            if self.table.all_or_nothing:
                yield from self.object()
                found = True
                yield from source.space()
                if not (yield from source.match([','])) and (yield from source.peek()) not in (']', ''):
                    raise NoCall
                continue
            yield from self._item()
            if source.ended and not source.waiting:
                return
            yield from self._comma()

    def _item(self) -> Reading[None]:
        """Read an item of an array between marks; one that is no call is text, and spoils no other."""
        source = self.source
        source.begin_item()
        commits = source.commits
        try:
            yield from self.object()
        except NoCall:
            if source.commits != commits:
                raise
            source.again()
            ending = yield from follow(source, lambda _: None)
            if ending == 'broken' and (yield from skip_broken(source, lambda _: None, (), self.item_keys)):
                ending = ''
            if ending:
                raise
            source.pass_item()

    def _comma(self) -> Reading[None]:
        source = self.source
        length = yield from source.spaces_ahead()
        if (yield from source.looking_at([','], length)):
            if not source.is_open:
                source.hold()
            yield from source.after_space([','])

    def object(self) -> Reading[None]:
        source = self.source
        source.take(source.position + 1)
        if self.table.single_key:
            yield from self._single_key()
            return
        call = OpenTextCall(source, self.table, self.tools)
        early: list[str] = []
        keys = _Keys(source)
        while (key := (yield from keys.next(lenient=call.begun))) is not None:
            if key in _NAME_KEYS and not call.name:
                call.declare((yield from read_string(source)))
                if early:
                    call.begin()
                    for piece in early:
                        call.give(piece)
            elif key in ARGUMENTS_KEYS and not call.begun and not early:
                if call.name:
                    yield from self._arguments(call, keys)
                else:
                    if (yield from source.peek()) not in _ARGUMENTS_OPENINGS:
                        raise NoCall
                    source.limit = MAX_HELD_ARGUMENTS
                    yield from read_arguments(source, early.append, python=keys.python)
            elif key in _ID_KEYS:
                call.give_id((yield from _scalar(source)))
            else:
                if not call.begun and key not in _OTHER_KEYS and not self.table.open:
                    raise NoCall
                yield from _skip(source)
        self._end(call)

    def _arguments(self, call: OpenTextCall, keys: _Keys) -> Reading[None]:
        if (yield from self.source.peek()) not in _ARGUMENTS_OPENINGS:
            raise NoCall
        call.begin()
        yield from read_arguments(
            self.source, call.give, python=keys.python, close=self.table.close, item_keys=self.item_keys
        )

    def _end(self, call: OpenTextCall) -> None:
        if not call.name or (not call.begun and not self.table.open):
            raise NoCall
        if not call.begun:
            call.begin()
            call.give('{}')
        call.end()

    def _single_key(self) -> Reading[None]:
        keys = _Keys(self.source)
        first = True
        while (key := (yield from keys.next(lenient=not first))) is not None:
            call = OpenTextCall(self.source, self.table, self.tools)
            call.declare(key)
            yield from self._arguments(call, keys)
            call.end()
            first = False
        if first:
            raise NoCall


class _Keys:
    """The keys of one object."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.python = False
        """Whether it is a Python dict."""
        self._first = True

    def next(self, *, lenient: bool) -> Reading[str | None]:
        """The next key, up to the beginning of its value; `None` at the end of the object.

        Args:
            lenient: Whether something else ends the object, too: a brace may be missing.

        Raises:
            NoCall: It is no object.
        """
        source = self.source
        yield from source.space()
        if (yield from source.match(['}'])):
            return None
        if not self._first and not (yield from source.match([','])):
            if lenient:
                return None
            raise NoCall
        self._first = False
        yield from source.space()
        quote = yield from source.peek()
        if quote not in ('"', "'") or not quote:
            if lenient:
                return None
            raise NoCall
        self.python = self.python or quote == "'"
        key = yield from read_string(source)
        yield from source.space()
        if not (yield from source.match([':'])):
            raise NoCall
        yield from source.space()
        return key


def _scalar(source: Source) -> Reading[str]:
    if (yield from source.peek()) in ('"', "'"):
        return (yield from read_string(source))
    pieces: list[str] = []
    yield from follow(source, pieces.append, ends=',}')
    word = ''.join(pieces).strip()
    return '' if word in ('null', 'None') else word


def _skip(source: Source) -> Reading[None]:
    """Read the value of a key that says nothing."""
    ending = yield from follow(source, lambda _: None, ends=',}')
    if ending == 'broken' and source.is_open:
        raise NoCall
