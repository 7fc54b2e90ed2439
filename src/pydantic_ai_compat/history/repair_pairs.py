"""The second pass of a repair: each result behind its call, one for each call, with the ids that go out."""

from __future__ import annotations as _annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, cast

from .calls import broken_id_rule
from .draft import Draft, Entry
from .ids import IdMap
from .wire import named_function

__all__ = ('INTERRUPTED', 'NOT_RUN', 'pair_results')

INTERRUPTED = 'This tool call was interrupted: it has no result.'
"""The result of a call that has none; it never claims that the call succeeded."""

NOT_RUN = 'This tool call was not run: its arguments were not one JSON object.'
"""The result of a call that has none and whose arguments could not be read."""


@dataclass(slots=True)
class _Turn:
    """An assistant message with calls, and the results that were found for each."""

    entry: Entry
    calls: list[dict[str, Any]]
    ids: list[str | None]
    results: list[list[Entry]]
    first_open: int = 0
    """No place before this one waits for a result."""
    first_unclaimed: int = 0
    """No place before this one waits for a result and has none under its own id further on."""
    reached: int = -1
    """The last place that has a result."""
    waiting: dict[str | None, deque[int]] | None = None
    """The places that wait for a result, by id; made when a result is not the next one expected."""
    last: dict[str | None, int] = field(default_factory=dict[str | None, int])
    """The place that the latest result of an id went to."""
    interrupted_at: int | None = None


def pair_results(draft: Draft) -> None:
    """Put each result behind its call and map the ids; leave out orphans and second results, fill in missing ones."""
    if 'H01' not in draft.rules:
        return
    paired: list[Entry | _Turn] = []
    latest: dict[str, _Turn] = {}
    turn: _Turn | None = None
    claimed = {
        _text_id(entry.message.get('tool_call_id')) for entry in draft.entries if entry.message['role'] == 'tool'
    }
    for entry in draft.entries:
        message = entry.message
        if message['role'] == 'tool':
            _place_result(draft, entry, latest, turn, claimed)
            continue
        if message['role'] == 'assistant' and message.get('tool_calls'):
            turn = _new_turn(entry)
            latest.update(dict.fromkeys((call_id for call_id in turn.ids if call_id is not None), turn))
            paired.append(turn)
            continue
        if turn is not None and turn.interrupted_at is None:
            turn.interrupted_at = entry.origin
        paired.append(entry)
    id_map = IdMap(draft.rules)
    draft.entries = [
        entry for item in paired for entry in ([item] if isinstance(item, Entry) else _emit(draft, item, id_map))
    ]


def _text_id(call_id: object) -> str | None:
    """An id as text; a number stands for its digits, and anything else for no id."""
    if isinstance(call_id, int) and not isinstance(call_id, bool):
        return str(call_id)
    return call_id if isinstance(call_id, str) and call_id else None


def _new_turn(entry: Entry) -> _Turn:
    calls = cast('list[dict[str, Any]]', entry.message['tool_calls'])
    ids = [_text_id(call.get('id')) for call in calls]
    return _Turn(entry, calls, ids, [[] for _ in calls])


def _place_result(
    draft: Draft, entry: Entry, latest: dict[str, _Turn], current: _Turn | None, claimed: set[str | None]
) -> None:
    """Hand a result to the latest turn that made its call, or leave it out."""
    call_id = _text_id(entry.message.get('tool_call_id'))
    turn = current if call_id is None else latest.get(call_id)
    place: int | None = None
    if turn is not None:
        place = _unclaimed_place(turn, claimed) if call_id is None else _open_place(turn, call_id)
    if turn is None or (place is None and call_id is None):
        draft.note('H04', entry.origin, f'the result for {call_id!r} is left out, it answers no call', call_id)
        return
    if place is None:
        if 'H05' in draft.rules:
            draft.note('H05', entry.origin, f'another result for {call_id!r} is left out', call_id)
            return
        place = turn.last[call_id]
    if turn is not current or turn.interrupted_at is not None:
        draft.note('H02', entry.origin, f'the result for {call_id!r} moved up to its call', call_id)
    elif place < turn.reached:
        draft.note('H03', entry.origin, f'the result for {call_id!r} moved to the place of its call', call_id)
    turn.reached = max(turn.reached, place)
    turn.last[turn.ids[place]] = place
    turn.results[place].append(entry)


def _unclaimed_place(turn: _Turn, claimed: set[str | None]) -> int | None:
    """The first place for a result without an id: one that has no result, and no other comes with the id of its call."""
    while turn.first_unclaimed < len(turn.ids):
        place = turn.first_unclaimed
        call_id = turn.ids[place]
        if not turn.results[place] and (call_id is None or call_id not in claimed):
            return place
        turn.first_unclaimed += 1
    return None


def _open_place(turn: _Turn, call_id: str) -> int | None:
    """The first place of the turn that waits for a result of this id."""
    while turn.first_open < len(turn.ids) and turn.results[turn.first_open]:
        turn.first_open += 1
    if turn.first_open < len(turn.ids) and call_id == turn.ids[turn.first_open]:
        return turn.first_open
    if turn.waiting is None:
        turn.waiting = {}
        for place, known in enumerate(turn.ids):
            turn.waiting.setdefault(known, deque()).append(place)
    places = turn.waiting.get(call_id)
    while places and turn.results[places[0]]:
        places.popleft()
    return places[0] if places else None


def _names(calls: list[dict[str, Any]]) -> list[str]:
    return [cast(str, (named_function(call) or {}).get('name', 'custom')) for call in calls]


def _emit(draft: Draft, turn: _Turn, id_map: IdMap) -> list[Entry]:
    """The turn's messages in the order of the calls, with the ids that go out on both sides."""
    index = turn.entry.origin
    wire_ids = id_map.turn(turn.ids, _names(turn.calls) if 'H13' in draft.rules else turn.ids)
    emitted = [Entry(index, _with_ids(draft, turn, wire_ids))]
    for place, wire_id in enumerate(wire_ids):
        if results := turn.results[place]:
            emitted.extend(_with_id(draft, entry, wire_id) for entry in results)
            continue
        unreadable = (index, place) in draft.unreadable
        content = NOT_RUN if unreadable else INTERRUPTED
        emitted.append(Entry(index, {'role': 'tool', 'tool_call_id': wire_id, 'content': content}))
        what = 'was not run' if unreadable else 'was interrupted'
        draft.note('H01', index, f'the call {wire_id!r} got a result that says it {what}', turn.ids[place])
    return emitted


def _with_id(draft: Draft, entry: Entry, wire_id: str) -> Entry:
    given = entry.message.get('tool_call_id')
    if given == wire_id:
        return entry
    if not isinstance(given, str) or not given:
        draft.note('H06', entry.origin, f'the `tool_call_id` {given!r} became {wire_id!r}')
    return Entry(entry.origin, {**entry.message, 'tool_call_id': wire_id})


def _with_ids(draft: Draft, turn: _Turn, wire_ids: list[str]) -> dict[str, Any]:
    index, message = turn.entry
    if [call.get('id') for call in turn.calls] == wire_ids:
        return message
    calls: list[dict[str, Any]] = []
    seen: set[str] = set()
    for call, call_id, wire_id in zip(turn.calls, turn.ids, wire_ids, strict=True):
        if call.get('id') != wire_id:
            if call_id is None or call_id != call.get('id') or call_id in seen:
                rule = 'H06'
            else:
                rule = broken_id_rule(call_id, draft.rules) or 'H07'
            draft.note(rule, index, f'the id {call.get("id")!r} became {wire_id!r} on both sides', call_id)
            call = {**call, 'id': wire_id}
        seen.add(call_id or '')
        calls.append(call)
    return {**message, 'tool_calls': calls}
