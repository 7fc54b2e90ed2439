"""Calls whose arguments stand in tags, each as bare text that the tool's schema gives a type."""

from __future__ import annotations as _annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from .call import OpenTextCall
from .literals import as_json
from .nested import read_nested
from .payload import Ending, follow, skip_broken
from .schema import Tools, parameter_schema, typed, types_of
from .section import read_section
from .source import NoCall, Reading, Source, partial
from .table import Dialect

__all__ = ('read_tagged_calls',)

_NAME = re.compile(r"""[^\s"'<>{}()\[\]/]*""")
_KEY = re.compile(r"""[^\n"'<>|]*""")
_LONGEST_KEY = 256
_ATTRIBUTE = re.compile(r'[\w="\' ]*')
_ATTRIBUTES = re.compile(r"""(\w+)\s*=\s*["']?([^"']*)["']?""")
_ENTITIES = (('&quot;', '"'), ('&lt;', '<'), ('&gt;', '>'), ('&amp;', '&'))


def read_tagged_calls(source: Source, table: Dialect, tools: Tools) -> Reading[None]:
    """Read a section with calls, or one call without a section.

    Raises:
        NoCall: It is none.
    """
    yield from read_section(source, table, tools, _read_call)


def _read_call(source: Source, table: Dialect, tools: Tools) -> Reading[None]:
    call = OpenTextCall(source, table, tools)
    yield from source.space()
    quote = yield from source.match(['"', "'"] if table.quote else [])
    name = yield from source.word(_NAME, max(map(len, tools), default=0) + len(table.name_prefix))
    call.declare(name if name in tools else name.removeprefix(table.name_prefix))
    if quote and not (yield from source.match([quote])):
        raise NoCall
    if table.number_attribute:
        yield from source.word(_ATTRIBUTE, _LONGEST_KEY)
    if table.quote and (yield from source.match(['/>'])):
        call.begin()
        call.give_end()
        call.end()
        return
    if table.name_end and not (yield from source.mark(table.name_end)):
        raise NoCall
    yield from source.space()
    yield from _Arguments(source, table, call).read()


class _Arguments:
    """The arguments of one call, behind its name."""

    def __init__(self, source: Source, table: Dialect, call: OpenTextCall) -> None:
        self.source = source
        self.table = table
        self.call = call
        self.opening = table.parameter_open[0].strip()
        self.section_close = '' if table.section is None else table.section[1][0].strip()
        self.closings = [part for part in (table.close[0].strip(), self.section_close) if part]

    def read(self) -> Reading[None]:
        source, call = self.source, self.call
        if (yield from source.peek()) == '{':
            if not self.table.quote:
                raise NoCall
            call.begin()
            ending = yield from follow(source, call.give, mark='"')
            yield from self._close(ending)
            return
        while not (yield from source.looking_at(self.closings)):
            if not (yield from source.looking_at([self.opening])):
                yield from self._give_up('')
                return
            call.begin()
            source.take(source.position + len(self.opening))
            if not (yield from self._argument()):
                return
            yield from source.space()
        call.begin()
        call.give_end()
        yield from self._close('')

    def _close(self, ending: Ending) -> Reading[None]:
        if ending == 'broken':
            yield from skip_broken(self.source, self.call.give, tuple(self.closings))
        self.call.end(ending)
        yield from self.source.maybe(self.table.close)

    def _give_up(self, key: str) -> Reading[None]:
        source, call = self.source, self.call
        if not call.begun:
            raise NoCall
        if source.ended and not source.waiting:
            call.end('cut')
            return
        call.give_broken(key)
        yield from self._close('broken')

    def _argument(self) -> Reading[bool]:
        """Read one argument, behind its opening; whether the call goes on."""
        source, call = self.source, self.call
        quote = yield from source.match(['"', "'"] if self.table.quote else [])
        key = yield from source.word(_KEY, 1 << 20)
        if quote:
            yield from source.match([quote])
        said = ''
        if self.table.attribute:
            said = dict(_ATTRIBUTES.findall((yield from source.word(_ATTRIBUTE, 1 << 20)))).get(
                self.table.attribute, ''
            )
            if self.table.number_attribute:
                key = _decoded(key)
        if not key or len(key) > _LONGEST_KEY or not (yield from self._key_end()):
            yield from self._give_up(key)
            return False
        schema = parameter_schema(call.schema, key.strip())
        types = _said_types(said, types_of(schema))
        call.give_key(key.strip())
        value = _Value(source, self.table, key, [self.opening, *self.closings])
        if types == _STRING:
            call.give('"')
            ended = yield from value.read(lambda piece: call.give(as_json(piece)[1:-1]))
            if ended:
                call.give('"')
        else:
            pieces: list[str] = []
            ended = yield from value.read(pieces.append)
            if ended:
                text = ''.join(pieces)
                call.give(
                    as_json(read_nested(text, schema, self.table.nested) if self.table.nested else typed(text, types))
                )
        if not ended:
            call.end('cut')
        return ended

    def _key_end(self) -> Reading[bool]:
        try:
            return (yield from self.source.mark(self.table.key_end))
        except NoCall:
            return False


class _Value:
    """The text of one value, which ends at a mark that counts."""

    def __init__(self, source: Source, table: Dialect, key: str, followers: list[str]) -> None:
        self.source = source
        self.close = ''.join(table.parameter_close).strip().replace('{key}', key)
        self.followers = followers
        self.trims = table.trims
        self.may_lack_breaks = not table.key_end[-1].endswith('\n')

    def read(self, give: Callable[[str], None]) -> Reading[bool]:
        """Read it; whether it ended."""
        trimmed = self.trims and bool((yield from self.source.match(['\n'])))
        if not trimmed or not self.may_lack_breaks:
            return (yield from self._read(give, trimmed=trimmed))
        # Only the end tells whether this line break has a counterpart.
        pieces: list[str] = []
        ended = yield from self._read(pieces.append, trimmed=False)
        text = ''.join(pieces)
        give(text[:-1] if text.endswith('\n') else f'\n{text}' if text else '')
        return ended

    def _read(self, give: Callable[[str], None], *, trimmed: bool) -> Reading[bool]:
        source = self.source
        terminals = (f'\n{self.close}', self.close) if trimmed else (self.close,)
        pattern = _closing(terminals)
        while True:
            found = pattern.search(source.text, source.position)
            if found is None:
                keep = 0 if source.ended else partial(source.text, source.position, terminals)
                give(source.take(len(source.text) - keep))
                if source.ended:
                    return False
                yield
                continue
            give(source.take(found.start()))
            length = len(found[0])
            after = length + (yield from source.spaces_ahead(length))
            if (yield from source.looking_at(self.followers, after)) or (source.ended and source.waiting <= after):
                source.take(source.position + length)
                return True
            give(source.take(source.position + length))


@cache
def _closing(terminals: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile('|'.join(map(re.escape, terminals)))


def _said_types(said: str, types: frozenset[str]) -> frozenset[str]:
    """The types of a value whose tag says what it is, or, if that says nothing, those of the schema."""
    if said == 'true' or said == 'string':
        return _STRING
    if said == 'false':
        return frozenset(('null', 'integer', 'number', 'boolean', 'object', 'array', 'string'))
    return frozenset({said, 'string'}) if said in _TYPES else types


_STRING = frozenset({'string'})
_TYPES: Mapping[str, None] = dict.fromkeys(('null', 'integer', 'number', 'boolean', 'object', 'array'))


def _decoded(text: str) -> str:
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    return text
