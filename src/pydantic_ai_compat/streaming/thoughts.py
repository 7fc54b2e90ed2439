"""Thoughts that come in a field of their own, whatever form they have there."""

from __future__ import annotations as _annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDelta

from .fields import Dropped
from .notes import AnswerNotes
from .parts import joined_text
from .reasoning_details import ReasoningDetails
from .rewrite import bare_chunk, changed, tool_call_delta
from .thought_calls import ThoughtCalls

__all__ = ('FieldThoughts',)


class FieldThoughts:
    """Gives thoughts as the strings that pydantic-ai reads, and takes the calls out of them where that is asked for.

    Args:
        fields: The fields that thoughts come in.
        calls: The calls in them; `None` where none are read.
        notes: Where other forms are noted, and what is no thought.
    """

    def __init__(self, fields: Sequence[str], calls: ThoughtCalls | None, notes: AnswerNotes) -> None:
        self.details = ReasoningDetails()
        """The signed or encrypted thoughts."""
        self._fields = fields
        self.reads_calls = calls is not None
        """Whether calls are taken out of the thoughts, so that something of them may wait."""
        self._calls = calls
        self._notes = notes

    def read(
        self,
        chunk: ChatCompletionChunk,
        choice: Choice,
        delta: ChoiceDelta,
        extra: Mapping[str, object],
        number: int,
    ) -> tuple[ChatCompletionChunk, Choice, ChoiceDelta, bool]:
        """The same with strings for thoughts that are lists of parts, and whether there are thoughts.

        Args:
            chunk: The chunk.
            choice: Its choice.
            delta: Its delta.
            extra: The fields of the delta that the API does not have.
            number: The number of the chunk, counted from 1.
        """
        if details := extra.get('reasoning_details'):
            self.details.add(details)
        reasoning = False
        for name in self._fields:
            value = extra.get(name)
            if value and not isinstance(value, str):
                text = joined_text(value)
                self._notes.quirks.add('thinking-parts')
                self._notes.drop([] if text else [Dropped(f'choices.0.delta.{name}', value)])
                chunk, choice, delta = changed(chunk, choice, **{name: text or None})
                value = text
            reasoning = reasoning or bool(value)
            if value and isinstance(value, str) and self._calls is not None:
                text, deltas = self._calls.feed(name, value, number)
                changes: dict[str, Any] = {name: text or None}
                if deltas:
                    changes['tool_calls'] = [*(delta.tool_calls or ()), *map(tool_call_delta, deltas)]
                if text != value:
                    chunk, choice, delta = changed(chunk, choice, **changes)
        return chunk, choice, delta, reasoning

    def end(self, index: int, number: int) -> list[ChatCompletionChunk]:
        """Release what waits of the thoughts, for they do not go on.

        Args:
            index: The index of the choice.
            number: The number of the chunk, counted from 1.
        """
        if self._calls is None or self._calls.field is None:
            return []
        text, deltas = self._calls.flush(number)
        fields: dict[str, Any] = {self._calls.field: text} if text else {}
        if deltas:
            fields['tool_calls'] = [tool_call_delta(delta) for delta in deltas]
        self._calls.field = None
        return [bare_chunk(index, **fields)] if fields else []
