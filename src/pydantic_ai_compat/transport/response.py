"""The pydantic-ai side of a stream, without a lock, a cancel scope and a sum of usage for each chunk."""

from __future__ import annotations as _annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Iterable

from openai.types.chat import ChatCompletionChunk, chat_completion_chunk
from pydantic_ai.messages import ModelResponseStreamEvent
from pydantic_ai.models.openai import OpenAIStreamedResponse
from pydantic_ai.usage import RequestUsage
from typing_extensions import override

from .chunks import LeanStream

__all__ = ('LeanStreamedResponse',)

_TURN = 32
"""One chunk in as many is pulled the stock way, which lets other tasks run."""

_NO_USAGE = vars(RequestUsage(unmeasured_requests=1))
"""What pydantic-ai maps from a chunk that reports no usage."""


class LeanStreamedResponse(OpenAIStreamedResponse):
    """`OpenAIStreamedResponse` with the same events for less work. It has no field of its own, so it is no dataclass."""

    @override
    def _validate_response(self) -> AsyncIterable[ChatCompletionChunk]:
        chunks = super()._validate_response()
        if isinstance(chunks, AsyncIterator) and isinstance(source := getattr(chunks, 'source', None), LeanStream):
            return _DirectChunks(chunks, source)
        return chunks

    @override
    def _map_thinking_delta(self, choice: chat_completion_chunk.Choice) -> Iterable[ModelResponseStreamEvent]:
        field = self._model_profile.get('openai_chat_thinking_field')
        if choice.delta.model_extra or (field and field in chat_completion_chunk.ChoiceDelta.model_fields):
            return super()._map_thinking_delta(choice)
        # Thoughts are in fields that the SDK does not declare, and this delta has none of those.
        return ()

    @override
    def _add_usage(self, usage: RequestUsage, *, reported: bool, cumulative: bool = False) -> None:
        if reported or cumulative or vars(usage) != _NO_USAGE:
            super()._add_usage(usage, reported=reported, cumulative=cumulative)


class _DirectChunks:
    """The chunks of a stream whose first one was peeked at, pulled from the stream itself.

    pydantic-ai's peekable stream takes a lock and a cancel scope for each chunk, for an `aclose` that may come while a
    chunk is pulled. The Chat Completions response is closed by closing the HTTP response, which needs neither.
    """

    def __init__(self, peekable: AsyncIterator[ChatCompletionChunk], source: LeanStream) -> None:
        self._peekable = peekable
        self._source = source
        self._pulled = 0

    def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:
        return self

    def __anext__(self) -> Awaitable[ChatCompletionChunk]:
        stock = self._pulled % _TURN == 0
        self._pulled += 1
        return self._peekable.__anext__() if stock else self._source.__anext__()
