"""A well-formed list of calls, cut and disguised by every quirk in any combination that stays unambiguous."""

from __future__ import annotations as _annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from generated import generated
from hypothesis import given, strategies as st
from streaming.streams import TOOLS, as_stock_reads, call, calls_chunk, chunk, parse

from pydantic_ai_compat.streaming import ToolCallEvent

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('a"\\{}[]:, é', max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text('a"{:', max_size=1), inner, max_size=2),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(st.text('ab"{:\\', max_size=2), JSON_VALUES, max_size=3)


class Call(NamedTuple):
    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Disguise:
    """How a server labels the deltas of a stream."""

    index: str
    id: str
    name: str
    arguments: str
    again: str
    finish_on_every_chunk: bool
    together: bool
    interleaved: bool

    def is_unambiguous(self) -> bool:
        """Whether a reader can know which delta belongs to which call; the rest is left to the tie-breaks."""
        if self.id == 'new' and (self.name != 'first' or self.again != 'never' or self.index == 'moves'):
            return False  # a new id with a name is a new call
        if self.id in ('late', 'never') and self.index != 'counted':
            return False  # nothing is left to tell the calls apart
        if self.index == 'moves' and self.id != 'repeated':
            return False
        if self.index != 'counted' and self.name == 'late':
            return False  # a name on a used index is a new call
        if self.again != 'never' and self.id not in ('first', 'repeated'):
            return False
        return not self.interleaved or self.index == 'counted'


DISGUISES = st.builds(
    Disguise,
    index=st.sampled_from(['counted', 'zero', 'missing', 'null', 'moves']),
    id=st.sampled_from(['first', 'repeated', 'new', 'late', 'never', 'empty later', 'number']),
    name=st.sampled_from(['first', 'repeated', 'pieces', 'late']),
    arguments=st.sampled_from(['pieces', 'object', 'cumulative', 'whole']),
    again=st.sampled_from(['never', 'whole', 'twice encoded']),
    finish_on_every_chunk=st.booleans(),
    together=st.booleans(),
    interleaved=st.booleans(),
).filter(Disguise.is_unambiguous)


def disguised(number: int, one: Call, how: Disguise, data: st.DataObject) -> list[dict[str, Any]]:
    """The deltas of one call."""
    raw = json.dumps(one.arguments, ensure_ascii=False)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(raw) - 1), max_size=4)))
    pieces: list[Any] = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    if how.arguments == 'cumulative':
        pieces = [raw[:end] for end in [*cuts, len(raw)]]
    elif how.arguments == 'object':
        pieces = [one.arguments]
    elif how.arguments == 'whole':
        pieces = [raw]
    if data.draw(st.booleans()):
        pieces = ['', *pieces]
    if how.again != 'never' and one.arguments:
        pieces.append(raw if how.again == 'whole' else json.dumps(raw))
    half = len(one.name) // 2
    names: list[str | None] = [one.name]
    if how.name == 'pieces' and half:
        names = [one.name[:half], one.name[half:]]
        pieces = ['', *pieces]
    elif how.name == 'late':
        names = [None, one.name]
        pieces = [*pieces[:1], '', *pieces[1:]]
    if how.id == 'late':
        pieces = ['', *pieces]
        names = [names[0], None, *names[1:]]
    deltas: list[dict[str, Any]] = []
    for position, piece in enumerate(pieces):
        name = names[position] if position < len(names) else one.name if how.name == 'repeated' else None
        deltas.append(call(_index(number, how, data), _id(position, one, how), name, piece))
    return deltas


def _index(number: int, how: Disguise, data: st.DataObject) -> Any:
    modes = {'counted': number, 'zero': 0, 'missing': ..., 'null': None}
    return data.draw(st.integers(0, 3)) if how.index == 'moves' else modes[how.index]


def _id(position: int, one: Call, how: Disguise) -> Any:
    if how.id == 'never':
        return None
    if how.id == 'late':
        return one.id if position == 1 else None
    if how.id == 'number':
        return int(one.id) if position == 0 else None
    if position == 0 or how.id == 'repeated':
        return one.id
    return {'new': f'{one.id}-{position}', 'empty later': ''}.get(how.id)


@st.composite
def calls(draw: st.DrawFn) -> list[Call]:
    count = draw(st.integers(1, 4))
    return [Call(str(100 + n), draw(st.sampled_from(TOOLS)), draw(ARGUMENTS)) for n in range(count)]


def says_something(delta: dict[str, Any]) -> bool:
    function = delta['function']
    return bool(delta.get('id') or function['name'] or function['arguments'])


def interleave(streams: list[list[dict[str, Any]]], data: st.DataObject) -> list[dict[str, Any]]:
    """The deltas of all calls mixed; each call begins before the next, as their numbers say.

    A delta of empty fields begins no call: servers written in Go send such for a call that is not there.
    """
    starts = [next(n for n, delta in enumerate(stream, start=1) if says_something(delta)) for stream in streams]
    deltas = [delta for stream, start in zip(streams, starts, strict=True) for delta in stream[:start]]
    rest = [stream[start:] for stream, start in zip(streams, starts, strict=True)]
    while waiting := [stream for stream in rest if stream]:
        deltas.append(data.draw(st.sampled_from(range(len(waiting))).map(waiting.__getitem__)).pop(0))
    return deltas


def seen(event: ToolCallEvent) -> tuple[str | None, str, dict[str, Any] | None]:
    assert event.complete
    return event.id, event.name, event.arguments


@generated(120)
@given(calls(), DISGUISES, st.data())
def test_disguised_calls_come_back_as_they_were(well_formed: list[Call], how: Disguise, data: st.DataObject) -> None:
    """What is told apart by nothing at all is left out: see `Disguise.is_unambiguous`."""
    streams = [disguised(n, one, how, data) for n, one in enumerate(well_formed)]
    deltas = interleave(streams, data) if how.interleaved else [delta for stream in streams for delta in stream]
    finish = 'stop' if how.finish_on_every_chunk else None
    if how.together:
        size = data.draw(st.integers(1, 3))
        groups = [deltas[n : n + size] for n in range(0, len(deltas), size)]
    else:
        groups = [[delta] for delta in deltas]
    chunks = [calls_chunk(*group, finish_reason=finish) for group in groups]
    events = [item.tool_call for item in parse([*chunks, chunk('tool_calls')]) if item.tool_call is not None]
    expected = [(None if how.id == 'never' else one.id, one.name, one.arguments) for one in well_formed]
    assert [seen(event) for event in events] == expected
    assert [(id, name, json.loads(raw)) for id, name, raw in as_stock_reads(chunks)] == expected
