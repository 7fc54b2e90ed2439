"""The part of the check that pairs tool calls and results, and looks at the calls themselves."""

from __future__ import annotations as _annotations

from collections import deque
from typing import Any

from .names import NameMap
from .policies import HistoryPolicy
from .rule import HistoryFault
from .wire import KIMI_ID, MAX_ID_LENGTH, NINE, is_json_object, named_function

__all__ = ('CallCheck', 'id_fits')


def id_fits(call_id: str, rules: frozenset[str]) -> bool:
    """Whether an id has the shape that the rules H11, H12 and H13 ask for, as far as they hold."""
    return broken_id_rule(call_id, rules) is None


def broken_id_rule(call_id: str, rules: frozenset[str]) -> str | None:
    """The id of the first of the rules H11, H12 and H13 that an id breaks."""
    if 'H11' in rules and not NINE.fullmatch(call_id):
        return 'H11'
    if 'H12' in rules and len(call_id) > MAX_ID_LENGTH:
        return 'H12'
    if 'H13' in rules and not KIMI_ID.fullmatch(call_id):
        return 'H13'
    return None


class CallCheck:
    """Follows the calls of the open turn; a good turn costs one comparison for each result."""

    def __init__(self, policy: HistoryPolicy, faults: list[HistoryFault], names: NameMap) -> None:
        rules = policy.rules
        self._faults = faults
        self._pairs = 'H01' in rules
        self._one_result = 'H05' in rules
        self._arguments = 'H08' in rules
        self._names = names if 'H10' in rules else None
        self._id_shapes = rules & {'H11', 'H12', 'H13'}
        self._shapes = self._names is not None or bool(self._id_shapes)
        self._used: set[str] | None = set() if 'H07' in rules else None
        self.turn_open = False
        """Whether the last assistant message held calls."""
        self._index = 0
        self._ids: list[str | None] = []
        self._next = 0  # the first call of the turn that has no result, as long as results come in order
        self._late: set[int] = set()  # calls after it that have one
        self._where: dict[str | None, deque[int]] | None = None
        self._last = -1
        self._between = -1

    def _fault(self, rule: str, index: int, text: str, call_id: str | None = None) -> None:
        self._faults.append(HistoryFault(rule, index, call_id, text))

    def turn(self, index: int, calls: Any, *, has_key: bool) -> None:
        """An assistant message, with the value of its `tool_calls`."""
        if self._next < len(self._ids):
            self.end_of_turn()
        self._index = index
        self.turn_open = False
        self._ids = []
        self._next = 0
        self._last = self._between = -1
        if self._late:
            self._late = set()
        self._where = None
        if not calls or not isinstance(calls, list):
            if has_key and calls is not None and self._pairs:
                found = 'an empty list' if calls == [] else type(calls).__name__
                self._fault('H09', index, f'`tool_calls` is {found}')
            return
        self.turn_open = True
        entries: list[Any] = calls  # pyright: ignore[reportUnknownVariableType]
        for call in entries:
            self._ids.append(self._call(index, call))
        if self._pairs and len(self._ids) > 1 and len(set(self._ids)) < len(self._ids):
            self._repeated_ids(index)
        if self._used is not None:
            self._reused_ids(index, self._used)

    def _call(self, index: int, call: Any) -> str | None:
        """Look at one call and return its id, `None` if it has none."""
        function = named_function(call)
        fields: dict[str, Any] = call if isinstance(call, dict) else {}  # pyright: ignore[reportUnknownVariableType]
        call_id: Any = fields.get('id')
        if not isinstance(call_id, str) or not call_id:
            if self._pairs:
                self._fault('H06', index, f'a call has the id {call_id!r}')
            call_id = None
        if function is None:
            if self._pairs:
                self._fault('H09', index, 'a call lacks its type or its name', call_id)
        elif function:
            arguments = function.get('arguments')
            if self._arguments and (not isinstance(arguments, str) or not is_json_object(arguments)):
                self._fault('H08', index, 'the arguments of a call are not one JSON object', call_id)
        if self._shapes:
            self._shape(index, call_id, function)
        return call_id

    def _shape(self, index: int, call_id: str | None, function: dict[str, Any] | None) -> None:
        if self._names is not None and function and not self._names.fits(name := function['name']):
            wire = self._names.wire(name)  # handed out here, so that names get theirs in the order of the history
            self._fault('H10', index, f'the function name {name[:80]!r} is none that fits, as {wire!r} is', call_id)
        if self._id_shapes and call_id is not None and (rule := broken_id_rule(call_id, self._id_shapes)):
            self._fault(rule, index, f'the id {call_id[:80]!r} does not have the shape that the host wants', call_id)

    def _repeated_ids(self, index: int) -> None:
        seen: set[str | None] = set()
        for call_id in self._ids:
            if call_id is not None and call_id in seen:
                self._fault('H06', index, f'two calls of the turn have the id {call_id!r}', call_id)
            seen.add(call_id)

    def _reused_ids(self, index: int, used: set[str]) -> None:
        fresh = dict.fromkeys(call_id for call_id in self._ids if call_id is not None)
        for call_id in fresh:
            if call_id in used:
                self._fault('H07', index, f'the id {call_id!r} was used in an earlier turn', call_id)
        used.update(fresh)

    def result(self, index: int, call_id: Any) -> None:
        """A tool message, with the value of its `tool_call_id`."""
        position = self._next
        if position < len(self._ids) and call_id == self._ids[position] and call_id and self._between < 0:
            self._last = position
            self._next = position + 1
            if self._late:
                self._skip_answered()
            return
        if self._pairs:
            if not isinstance(call_id, str) or not call_id:
                self._fault('H06', index, f'a result has the `tool_call_id` {call_id!r}')
                call_id = None
            self._out_of_line(index, call_id)

    def _skip_answered(self) -> None:
        while self._next in self._late:
            self._next += 1

    def _out_of_line(self, index: int, call_id: str | None) -> None:
        """A result that is not the next one expected: late, out of order, a second one, or one without a call."""
        position = self._unanswered(call_id)
        if position is None:
            self._extra_result(index, call_id)
            return
        if self._between >= 0:
            text = f'messages[{self._between}] stands between the call {self._ids[position]!r} and its result'
            self._fault('H02', index, text, call_id)
            self._between = -1
        if position == self._next:
            self._next += 1
            self._skip_answered()
        else:
            self._late.add(position)
        if position < self._last or position > self._next:
            self._fault('H03', index, f'the result for {call_id!r} is not in the order of the calls', call_id)
        self._last = max(self._last, position)

    def _unanswered(self, call_id: str | None) -> int | None:
        """The position of the first call of the turn with this id that has no result; a result without id fits any."""
        if call_id is None:
            return self._next if self._next < len(self._ids) else None
        if self._where is None:
            self._where = {}
            for position, known in enumerate(self._ids):
                self._where.setdefault(known, deque()).append(position)
        positions = self._where.get(call_id)
        while positions and (positions[0] < self._next or positions[0] in self._late):
            positions.popleft()
        return positions[0] if positions else None

    def _extra_result(self, index: int, call_id: str | None) -> None:
        if call_id is None or self._where is None or call_id not in self._where:
            if call_id is not None:
                self._fault('H04', index, f'the result for {call_id!r} answers no call of the turn before it', call_id)
        elif self._one_result:
            self._fault('H05', index, f'the call {call_id!r} has a result already', call_id)
        elif self._between >= 0:
            self._fault('H02', index, f'messages[{self._between}] stands before another result of {call_id!r}', call_id)
            self._between = -1
        elif self._ids[self._last] != call_id:
            self._fault('H03', index, f'another result of {call_id!r} does not follow the first', call_id)

    def between(self, index: int) -> None:
        """A message that is neither of the assistant nor of a tool."""
        if self._between < 0 and self._ids:
            self._between = index

    def end_of_turn(self) -> None:
        """The next assistant message, or the end of the history."""
        if self._pairs:
            for position in range(self._next, len(self._ids)):
                if position not in self._late:
                    call_id = self._ids[position]
                    self._fault('H01', self._index, f'the call {call_id!r} has no result', call_id)
        self._next = len(self._ids)
