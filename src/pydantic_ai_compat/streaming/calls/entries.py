"""The tool calls of a delta, in whichever of its fields they are."""

from __future__ import annotations as _annotations

from typing import cast

from openai.types.chat.chat_completion_chunk import (
    ChoiceDelta,
    ChoiceDeltaFunctionCall,
    ChoiceDeltaToolCall,
    ChoiceDeltaToolCallFunction,
)

from ..fields import built, holds_nothing
from ..notes import AnswerNotes
from ..rewrite import tool_call_delta
from ..text_calls import TextCalls
from .assembler import CallAssembler
from .deltas import CallDelta, function_fields

__all__ = ('CallEntries',)


class CallEntries:
    """Corrects the tool calls of one message, delta by delta.

    Args:
        calls: Where the calls are put together.
        notes: Where what they have of their own is noted.
        written: The calls that were written in the text.
    """

    def __init__(self, calls: CallAssembler, notes: AnswerNotes, written: TextCalls) -> None:
        self._calls = calls
        self._written = written
        self._notes = notes
        self._native = False

    def correct(self, delta: ChoiceDelta, chunk: int) -> list[ChoiceDeltaToolCall] | None:
        """The calls that go on in place of those of the delta; `None` if it can go on as it is.

        Args:
            delta: A delta with something in `tool_calls` or `function_call`.
            chunk: The number of its chunk, counted from 1.

        Raises:
            StreamError: If nothing can be made of a call.
        """
        legacy = not delta.tool_calls
        entries = self._legacy_entries(delta.function_call) if legacy else self._native_entries(delta.tool_calls)
        corrected: list[ChoiceDeltaToolCall] = []
        void = not legacy and delta.function_call is not None and holds_nothing(delta.function_call)
        if void:
            self._notes.quirks.add('empty-objects')
        changed = legacy or void
        seen: set[int] = set()
        for entry in entries:
            if entry is None:
                changed = True
                continue
            call = self._checked(entry)
            known = len(self._calls.calls)
            deltas = self._calls.add(call, chunk, legacy=legacy)
            if self._written.came:
                deltas = self._written.pass_native(self._as_deltas(call) if deltas is None else deltas)
            if deltas is None:
                corrected.append(call)
            else:
                changed = True
                corrected += [tool_call_delta(delta) for delta in deltas]
            if len(entries) > 1 and (last := self._calls.last) is not None:
                if last.slot in seen and len(self._calls.calls) == known:
                    self._notes.quirks.add('fragments-together')
                seen.add(last.slot)
        return corrected if changed else None

    def _as_deltas(self, entry: ChoiceDeltaToolCall) -> list[CallDelta]:
        """A delta that could go on as it is."""
        assert self._calls.last is not None, 'a delta has been added'
        arguments, name = function_fields(entry)
        return [CallDelta(self._calls.last, entry.id, name or '', arguments, dict(entry.model_extra or {}))]

    def _native_entries(self, entries: object) -> list[object]:
        self._native = True
        if not isinstance(entries, list):
            raise self._notes.malformed('`tool_calls`', entries)
        return cast('list[object]', entries)

    def _legacy_entries(self, function: object) -> list[object]:
        """The deprecated `function_call` as a call without an id or an index, unless the stream has real ones.

        <https://platform.openai.com/docs/api-reference/chat-streaming/streaming>
        """
        if not isinstance(function, ChoiceDeltaFunctionCall):
            raise self._notes.malformed('`function_call`', function)
        if holds_nothing(function):
            self._notes.quirks.add('empty-objects')
            return []
        if self._native:
            return []
        self._notes.quirks.add('function-call')
        fields = built(ChoiceDeltaToolCallFunction, {'name': function.name, 'arguments': function.arguments})
        return [built(ChoiceDeltaToolCall, {'index': None, 'id': None, 'type': 'function', 'function': fields})]

    def _checked(self, entry: object) -> ChoiceDeltaToolCall:
        if not isinstance(entry, ChoiceDeltaToolCall):
            raise self._notes.malformed('a tool call', entry)
        function = cast('object', entry.function)
        if function is not None and not isinstance(function, ChoiceDeltaToolCallFunction):
            raise self._notes.malformed('the `function` of a tool call', function)
        return entry
