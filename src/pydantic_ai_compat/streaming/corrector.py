"""Chunks of any server in, the chunks that the API's own server would send out."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Sequence
from typing import Literal, cast

from openai.types import CompletionUsage
from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import (
    Choice,
    ChoiceDelta,
    ChoiceDeltaFunctionCall,
    ChoiceDeltaToolCall,
    ChoiceDeltaToolCallFunction,
)

from ..errors import StreamError
from ..text.events import TextEvent
from .calls.assembler import CallAssembler
from .rewrite import split_content, tool_call_delta, with_delta, without_end
from .text_chunks import TextCorrector

__all__ = ('ChunkCorrector', 'Corrected')

Corrected = ChatCompletionChunk | TextEvent
"""A chunk that pydantic-ai's own mapping reads right, or a name-only event found in the text."""


class ChunkCorrector:
    """Corrects the chunks of one stream.

    A chunk with nothing to correct comes out as the very same object. One whose text may be the beginning of a tag
    waits, with those behind it, until that is known.

    Args:
        tool_names: The tools that the request declares.
        thinking_tags: The tags around thoughts in the text.
        thinking_starts_open: Whether the text begins inside a thought.
        thinking_field: The field of the thoughts, if it is neither `reasoning` nor `reasoning_content`.
        text_event_tag: The name of the tag around name-only events; `None` for none.
        text_events: Whether such an event comes out as an event, or as a call of the declared tool it names.

    Raises:
        OptionError: If `text_event_tag` is not the name of a tag.
    """

    def __init__(
        self,
        tool_names: Collection[str] = (),
        *,
        thinking_tags: tuple[str, str] = ('<think>', '</think>'),
        thinking_starts_open: bool = False,
        thinking_field: str | None = None,
        text_event_tag: str | None = None,
        text_events: Literal['report', 'call'] = 'report',
    ) -> None:
        self.calls = CallAssembler(tool_names)
        self.chunks = 0
        """How many chunks came so far."""
        self.finished_chunks = 0
        """How many of them had a finish reason."""
        self.finish_reason: str | None = None
        """The provider's last word on why it stopped."""
        self.text = TextCorrector(
            self.calls,
            tool_names if text_events == 'call' else None,
            thinking_tags=thinking_tags,
            thinking_starts_open=thinking_starts_open,
            text_event_tag=text_event_tag,
        )
        self._reasoning_fields = tuple(
            name for name in (thinking_field, 'reasoning', 'reasoning_content') if name is not None
        )
        self._choice_index: object = ...
        self._native_calls = False
        self._last: ChatCompletionChunk | None = None

    @property
    def characters_examined(self) -> int:
        """Characters of text and arguments looked at so far: a constant number of times those that came."""
        return self.text.scanner.examined + self.calls.characters_examined

    def feed(self, chunk: ChatCompletionChunk) -> Sequence[Corrected]:
        """Take the next chunk.

        Returns:
            What goes on, in order; nothing while it is not known what the text is.

        Raises:
            StreamError: If the chunk has a shape that nothing can be made of.
        """
        self.chunks += 1
        if not isinstance(chunk, ChatCompletionChunk):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise self.malformed('it', chunk)
        usage = cast('object', chunk.usage)
        if usage is not None and not isinstance(usage, CompletionUsage):
            raise self.malformed('`usage`', usage)
        choices = chunk.choices
        if not choices:
            return self.text.behind(chunk)
        choice = choices[0] if type(choices) is list else None
        if type(choice) is not Choice or len(choices) > 1 or choice.index != self._choice_index:
            selected = self._select(chunk, choices)
            if selected is None:
                return self.text.behind(chunk.model_copy(update={'choices': []})) if chunk.usage else ()
            chunk, choice = selected
        finish_reason = cast('object', choice.finish_reason)
        if finish_reason:
            if not isinstance(finish_reason, str):
                raise self.malformed('`finish_reason`', finish_reason)
            self.finish_reason = finish_reason
            self.finished_chunks += 1
        self._last = chunk
        return self._correct(chunk, choice)

    def _correct(self, chunk: ChatCompletionChunk, choice: Choice) -> Sequence[Corrected]:
        delta = cast('object', choice.delta)
        if not isinstance(delta, ChoiceDelta):
            if delta is None:
                return self.text.behind(chunk)
            raise self.malformed('its `delta`', delta)
        refusal = cast('object', delta.refusal)
        if refusal and not isinstance(refusal, str):
            raise self.malformed('`refusal`', refusal)
        has_calls = bool(delta.tool_calls or delta.function_call)
        if has_calls:
            chunk, choice = self._correct_calls(chunk, choice, delta)
        content = cast('object', delta.content)
        settled: Sequence[Corrected] = ()
        if self.text.waits:
            reasoning = self._has_reasoning(delta)
            if reasoning or (has_calls and not content):
                settled = self.text.settle(in_answer=reasoning)
        if not content:
            behind = self.text.behind(chunk)
            return [*settled, *behind] if settled else behind
        if not isinstance(content, str):
            chunk, choice, content = self._join_content(chunk, choice, content)
        out = self.text.feed(chunk, choice, content, last=has_calls)
        return [*settled, *out] if settled else out

    def flush(self) -> list[Corrected]:
        """Release all that waits, for nothing more comes; call it once."""
        out: list[Corrected] = [*self.text.settle()]
        deltas = self.calls.finish()
        if deltas and self._last is not None:
            chunk, choice = self._last, self._last.choices[0]
            delta = ChoiceDelta.construct(tool_calls=[tool_call_delta(delta) for delta in deltas])
            out.append(without_end(chunk, choice, delta))
        return out

    @property
    def calls_came(self) -> bool:
        """Whether the message holds tool calls."""
        return bool(self.calls.calls) or self.text.made_calls

    def _select(self, chunk: ChatCompletionChunk, choices: object) -> tuple[ChatCompletionChunk, Choice] | None:
        """The choice that is followed: the first one of the stream, since pydantic-ai asks for one answer only."""
        if not isinstance(choices, list):
            raise self.malformed('its `choices`', choices)
        known: list[Choice] = []
        for choice in cast('list[object]', choices):
            if not isinstance(choice, Choice):
                raise self.malformed('a choice', choice)
            known.append(choice)
        indexes = [choice.index for choice in known if isinstance(choice.index, int)]  # pyright: ignore[reportUnnecessaryIsInstance]
        if self._choice_index is ... and indexes:
            self._choice_index = min(indexes)
        for choice in known:
            if choice.index == self._choice_index or not isinstance(choice.index, int):  # pyright: ignore[reportUnnecessaryIsInstance]
                return (chunk if len(known) == 1 else chunk.model_copy(update={'choices': [choice]})), choice
        return None

    def _correct_calls(
        self, chunk: ChatCompletionChunk, choice: Choice, delta: ChoiceDelta
    ) -> tuple[ChatCompletionChunk, Choice]:
        entries = self._call_deltas(delta)
        changed = not delta.tool_calls and bool(entries)
        corrected: list[ChoiceDeltaToolCall] = []
        for entry in entries:
            if entry is None:
                changed = True
                continue
            if not isinstance(entry, ChoiceDeltaToolCall):
                raise self.malformed('a tool call', entry)
            function = cast('object', entry.function)
            if function is not None and not isinstance(function, ChoiceDeltaToolCallFunction):
                raise self.malformed('the `function` of a tool call', function)
            deltas = self.calls.add(entry, self.chunks)
            if deltas is None:
                corrected.append(entry)
            else:
                changed = True
                corrected += [tool_call_delta(delta) for delta in deltas]
        if not changed:
            return chunk, choice
        chunk = with_delta(chunk, choice, tool_calls=corrected or None, function_call=None)
        return chunk, chunk.choices[0]

    def _call_deltas(self, delta: ChoiceDelta) -> list[object]:
        """The deltas of tool calls; the deprecated `function_call` as one of them, unless the stream has real ones."""
        entries = cast('object', delta.tool_calls)
        if entries:
            self._native_calls = True
            if not isinstance(entries, list):
                raise self.malformed('`tool_calls`', entries)
            return cast('list[object]', entries)
        if self._native_calls:
            return []
        # One call, without an id or an index.
        # https://platform.openai.com/docs/api-reference/chat-streaming/streaming
        function = cast('object', delta.function_call)
        if not isinstance(function, ChoiceDeltaFunctionCall):
            raise self.malformed('`function_call`', function)
        return [ChoiceDeltaToolCall.construct(function=function.model_dump(warnings=False))]

    def _has_reasoning(self, delta: ChoiceDelta) -> bool:
        extra = delta.model_extra or {}
        return any(extra.get(name) for name in self._reasoning_fields)

    def _join_content(
        self, chunk: ChatCompletionChunk, choice: Choice, content: object
    ) -> tuple[ChatCompletionChunk, Choice, str]:
        """The same with a string for a list of parts, as Mistral's models behind the Albert API send it."""
        if not isinstance(content, list):
            raise self.malformed('`content`', content)
        text, others = split_content(cast('list[object]', content))
        chunk = with_delta(chunk, choice, content=text, **({'content_parts': others} if others else {}))
        return chunk, chunk.choices[0], text

    def malformed(self, what: str, value: object) -> StreamError:
        """The error for a field of the last chunk that nothing can be made of."""
        return StreamError(
            f'Chunk {self.chunks} of the stream cannot be read: {what} is {type(value).__name__} {str(value)[:80]!r}.'
        )
