"""The stream items of a server's chunks, without an agent."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import ChoiceDelta

from ..lazy import errors
from ..text.dialects.registry import pick
from ..text.dialects.schema import tool_schemas
from ..text.events import TextEvent
from .bodies.words import server_message
from .calls.open_call import OpenCall
from .corrector import ChunkCorrector, Corrected
from .ending import found_quirks, nameless_call_error
from .fields import holds_nothing
from .items import (
    Finish,
    MessageDelta,
    ProviderToolCall,
    ReasoningDelta,
    StreamItem,
    TextEvent as TextEventItem,
    ToolCallEvent,
    Usage,
)
from .tags import TagReader, reasoning_fields

__all__ = ('ChatStreamParser',)


class ChatStreamParser:
    """Reads the chunks of one stream as typed items, whatever the server is.

    ```python
    parser = ChatStreamParser(tool_names={'get_weather'})
    for chunk in chunks:
        for item in parser.feed(chunk):
            ...
    for item in parser.flush():
        ...
    ```

    The items do not depend on where the server cut the stream, but for the lengths of neighbouring deltas. Each call
    comes once: at a finish reason if its arguments are whole by then, else at `flush()`. `usage` and `finish` come
    once, at `flush()`, because some servers send a finish reason with every chunk.

    Args:
        tool_names: The tools that the request declared; they settle how the pieces of a name come together.
        optional_tool_names: Those of them that need no arguments, so that `null` in their place means none.
        text_event_tag: The name of the tag around name-only events in the text; `None` for none.
        thinking_tags: The tags around thoughts in the text.
        thinking_starts_open: Whether the text begins inside a thought, because the chat template holds the opening
            tag.
        thinking_field: The field of the thoughts, if it is neither `reasoning` nor `reasoning_content`.
        text_tool_calls: The names of the dialects in which tool calls are read from the text, as a list or text with
            commas; `'auto'` for those that are safe together.
        tools: The tools that the request declared, in the API's own form, or a mapping of names to the JSON schemas of
            their parameters, which give bare values in the text their types.
        calls_in_thoughts: Whether such calls count inside thoughts, too.

    Raises:
        OptionError: If `text_event_tag` is not the name of a tag, or there is no dialect of a name.
    """

    def __init__(
        self,
        *,
        tool_names: Collection[str] = (),
        optional_tool_names: Collection[str] = (),
        text_event_tag: str | None = None,
        thinking_tags: tuple[str, str] = ('<think>', '</think>'),
        thinking_starts_open: bool = False,
        thinking_field: str | None = None,
        text_tool_calls: str | Iterable[str] = (),
        tools: Sequence[Mapping[str, Any]] | Mapping[str, Mapping[str, Any]] = (),
        calls_in_thoughts: bool = False,
    ) -> None:
        schemas = tool_schemas(tools)
        self._corrector = ChunkCorrector(
            frozenset(tool_names) | schemas.keys(),
            optional_tool_names=frozenset(optional_tool_names),
            thinking_tags=thinking_tags,
            thinking_starts_open=thinking_starts_open,
            thinking_field=thinking_field,
            text_event_tag=text_event_tag,
            text_tool_calls=pick(text_tool_calls),
            tools={**{name: {} for name in tool_names}, **schemas},
            calls_in_thoughts=calls_in_thoughts,
        )
        self._tags = TagReader(thinking_tags)
        self._reasoning_fields = reasoning_fields(thinking_field)
        self._emitted = 0
        self._failed = False
        self._flushed = False

    @property
    def characters_examined(self) -> int:
        """Characters of text and arguments looked at so far: a constant number of times those that came."""
        return self._corrector.characters_examined

    @property
    def quirks(self) -> list[str]:
        """The names of the quirks that the stream has, as if it ended here; `docs/streams.md` explains each."""
        return found_quirks(self._corrector).names

    def feed(self, chunk: ChatCompletionChunk | Mapping[str, Any]) -> list[StreamItem]:
        """Take the next chunk.

        Args:
            chunk: A chunk of the OpenAI SDK, or the decoded JSON of one.

        Returns:
            The items that are certain by now; none after an error.

        Raises:
            StreamError: If the chunk is an error of the server, or cannot be read. Nothing more comes after it.
            UserError: If the stream has been flushed.
        """
        if self._failed:
            return []
        if self._flushed:
            from pydantic_ai.exceptions import UserError

            raise UserError('`feed()` was called after `flush()`: use a new `ChatStreamParser` for each stream.')
        try:
            return self._feed(self._as_chunk(chunk))
        except errors.StreamError:
            self._failed = True
            raise

    def flush(self) -> Iterable[StreamItem]:
        """End the stream.

        Returns:
            The items that waited, the usage and the finish; nothing the second time, and nothing after an error.
            A list, unless iterating it raises.

        Raises:
            StreamError: While iterating, after the other items: if a call never got a name.
        """
        if self._failed or self._flushed:
            return []
        self._flushed = True
        items = list(self._read(self._corrector.flush()))
        calls = self._corrector.calls.calls
        items += self._take_calls(calls, all_of_them=True)
        if (usage := self._corrector.usage.total) is not None:
            items.append(Usage(usage))
        items.append(self._finish(calls))
        nameless = [nameless_call_error(call, n) for n, call in enumerate(calls, start=1) if not call.name]
        return _then_raise(items, nameless) if nameless else items

    def _as_chunk(self, chunk: ChatCompletionChunk | Mapping[str, Any]) -> ChatCompletionChunk:
        number = self._corrector.notes.chunks + 1
        if isinstance(chunk, ChatCompletionChunk):
            error = None if chunk.choices else (chunk.model_extra or {}).get('error')
        elif isinstance(chunk, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            error = chunk.get('error')
        else:
            raise errors.StreamError(f'Chunk {number} of the stream is no JSON object but {type(chunk).__name__}.')
        if error and not (holds_nothing(error) and _field(chunk, 'choices')):
            self._corrector.notes.quirks.add('error-event')
            raise errors.StreamError(
                f'The server reported an error in chunk {number} of the stream: {server_message(error)}'
            )
        return chunk if isinstance(chunk, ChatCompletionChunk) else ChatCompletionChunk.construct(**chunk)

    def _feed(self, chunk: ChatCompletionChunk) -> list[StreamItem]:
        finished = self._corrector.finished_chunks
        items = list(self._read(self._corrector.feed(chunk)))
        if self._corrector.finished_chunks > finished:
            items += self._take_calls(self._corrector.calls.calls, all_of_them=False)
        return items

    def _read(self, corrected: Iterable[Corrected]) -> Iterator[StreamItem]:
        for one in corrected:
            if isinstance(one, TextEvent):
                yield TextEventItem(ToolCallEvent(one.name))
            elif one.choices and isinstance(delta := one.choices[0].delta, ChoiceDelta):  # pyright: ignore[reportUnnecessaryIsInstance]
                yield from self._read_delta(delta)

    def _read_delta(self, delta: ChoiceDelta) -> Iterator[StreamItem]:
        for name in self._reasoning_fields:
            if reasoning := getattr(delta, name, None):
                yield ReasoningDelta(reasoning, name)
                break
        content = delta.content
        if content:
            kind = self._tags.read(content)
            if kind == 'thought':
                yield ReasoningDelta(content, 'content')
            elif kind == 'text':
                yield MessageDelta(content)
        if delta.refusal:
            yield MessageDelta(delta.refusal)

    def _take_calls(self, calls: Sequence[OpenCall], *, all_of_them: bool) -> Iterator[StreamItem]:
        """The calls not given yet, in order; up to the first that may still change unless it is the end."""
        while self._emitted < len(calls):
            call = calls[self._emitted]
            if not all_of_them and not (call.closed and call.name and call.again is None and not call.in_doubt):
                return
            self._emitted += 1
            if call.name:
                outcome = call.outcome(self._corrector.finish_reason)
                yield ProviderToolCall(
                    ToolCallEvent(
                        call.name,
                        id=call.id,
                        index=call.index,
                        raw_arguments=outcome.raw_arguments,
                        arguments=outcome.arguments,
                        complete=outcome.complete,
                        dialect=call.dialect,
                    )
                )

    def _finish(self, calls: Sequence[OpenCall]) -> StreamItem:
        provider = self._corrector.finish_reason
        reason = provider
        if provider in (None, 'stop') and calls:
            cut = any(call.outcome(provider).cut or not call.name for call in calls)
            reason = provider if cut else 'tool_calls'
        elif provider is None and self._corrector.notes.chunks:
            reason = 'stop'
        return Finish(reason, provider_finish_reason=provider)


def _field(chunk: ChatCompletionChunk | Mapping[str, Any], name: str) -> object:
    return chunk.get(name) if isinstance(chunk, Mapping) else getattr(chunk, name, None)


def _then_raise(items: Iterable[StreamItem], then: Sequence[errors.StreamError]) -> Iterator[StreamItem]:
    yield from items
    raise then[0]
