"""Calls whose arguments stand in tags, each as bare text that the tool's schema gives a type."""

from __future__ import annotations as _annotations

import re
from collections.abc import Mapping

from .call import OpenTextCall
from .json_arguments import ARGUMENTS_KEYS
from .literals import as_json, read_json
from .nested import read_nested
from .payload import Ending, follow, skip_broken
from .schema import Tools, parameter_schema, typed, types_of
from .section import read_section
from .source import NoCall, Reading, Source
from .table import Dialect
from .tagged_value import TaggedValue

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
        self.followers = [self.opening, *self.closings]
        self.quotes = ('"', "'", '') if table.quote else ('',)
        self.given: set[str] = set()
        """The keys that came."""
        self.unsure: set[str] = set()
        """Those of them whose opening stood in a value that was not closed."""

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
            # Marks around the name alone are mentioned in a text, too; a call that begins with another is not.
            if (call.begun or not self.table.name_end) and (yield from self._next_call(0)):
                break
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

    def _openings_to_come(self) -> dict[str, str]:
        """How each argument begins that the tool has and that has not come, with its key."""
        if self.table.parameter_close[0].strip().startswith(self.opening):
            # Each element of a value begins like an argument, and the closing mark does.
            return {}
        end = self.table.key_end[0].strip()
        return {
            f'{self.opening}{quote}{key}{quote or end}': key
            for key in self.call.schema.get('properties') or ()
            if key not in self.given
            for quote in self.quotes
        }

    def _follows(self, length: int) -> Reading[bool]:
        """Whether what stands behind a closing mark of this length may follow one."""
        source = self.source
        after = length + (yield from source.spaces_ahead(length))
        if (yield from source.looking_at(self.followers, after)) or (source.ended and source.waiting <= after):
            return True
        return (yield from self._next_call(after))

    def _next_call(self, offset: int) -> Reading[bool]:
        """Whether the next call begins here, or so many characters further, so that this one lacks its closing mark."""
        source, table = self.source, self.table
        if table.section is not None and table.section_per_call:
            offset += len((yield from source.looking_at([table.section[0][0].strip()], offset)))
            offset += yield from source.spaces_ahead(offset)
        found = yield from source.looking_at([table.open[0].strip()], offset)
        if not found or len(table.open) > 1:
            return bool(found)
        offset += len(found)
        offset += yield from source.spaces_ahead(offset)
        names = [f'{quote}{name}' for name in self.call.tools for quote in self.quotes]
        return bool((yield from source.looking_at(names, offset)))

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
        is_key = key and len(key) <= _LONGEST_KEY and (yield from self._key_end())
        comes_again = key.strip() in self.unsure & self.given
        if not is_key or comes_again:
            yield from self._give_up(key)
            return False
        key = key.strip()
        schema = parameter_schema(call.schema, key)
        may_wrap = not self.given and schema in (None, False) and 'properties' in call.schema and key in ARGUMENTS_KEYS
        self.given.add(key)
        value = TaggedValue(
            source, self.table, key, self._follows, self._openings_to_come(), is_unsure=key in self.unsure
        )
        if may_wrap:
            ending = yield from self._wrapped(value, key, said)
        else:
            call.give_key(key)
            ending = yield from self._typed(value, schema, said)
        self.unsure.add(value.next_key)
        if ending == 'cut':
            call.end('cut')
        elif ending:
            yield from self._close(ending)
        return not ending

    def _wrapped(self, value: TaggedValue, key: str, said: str) -> Reading[Ending]:
        """Read the value of the one argument in which a model may write all of them, as one object."""
        call = self.call
        pieces: list[str] = []
        ending = yield from value.read(pieces.append)
        text = ''.join(pieces)
        try:
            wrapped = isinstance(read_json(text.strip()), dict)
        except ValueError:
            wrapped = False
        if wrapped and not ending:
            call.give_all(text.strip())
        else:
            call.give_key(key)
            call.give(as_json(typed(text, _said_types(said, _STRING))))
        return ending

    def _typed(self, value: TaggedValue, schema: object, said: str) -> Reading[Ending]:
        call = self.call
        types = _said_types(said, types_of(schema))
        if types == _STRING:
            call.give('"')
            ending = yield from value.read(lambda piece: call.give(as_json(piece)[1:-1]))
            if not ending:
                call.give('"')
            return ending
        pieces: list[str] = []
        ending = yield from value.read(pieces.append)
        if not ending:
            text = ''.join(pieces)
            nested = self.table.nested
            call.give(as_json(read_nested(text, schema, nested) if nested else typed(text, types)))
        return ending

    def _key_end(self) -> Reading[bool]:
        try:
            return (yield from self.source.mark(self.table.key_end))
        except NoCall:
            return False


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
