"""What the transport knows of the OpenAI SDK beyond its documented surface.

Each function says no, and the request takes stock's way, when the SDK is not what it was; a test on the lowest and on the
newest SDK guards that it still is.
"""

from __future__ import annotations as _annotations

import os
from collections.abc import AsyncIterator, Callable
from functools import partial
from types import FunctionType, MethodType
from typing import Any, Protocol

import openai
from openai import AsyncOpenAI, AsyncStream
from openai._streaming import SSEDecoder
from openai._utils._json import openapi_dumps
from openai.types.chat import ChatCompletionChunk

_SDK_DIRECTORY = os.path.dirname(openai.__file__) + os.sep


class Event(Protocol):
    """A server-sent event, as the SDK's stream reads it."""

    @property
    def event(self) -> str | None:
        """The event's name."""
        ...

    @property
    def data(self) -> str:
        """The event's data as text."""
        ...

    def json(self) -> object:
        """The decoded data."""
        ...


class EventDecoder(Protocol):
    """What turns the bytes of a response into events; the SDK asks its client for one, for each stream."""

    def aiter_bytes(self, iterator: AsyncIterator[bytes], /) -> AsyncIterator[Event]:
        """Yield the events in the bytes."""
        ...


def is_sdk_method(method: object) -> bool:
    """Whether a bound method is the SDK's own code through and through: not replaced, and not wrapped by anyone."""
    function: object = method.__func__ if isinstance(method, MethodType) else None
    while isinstance(function, FunctionType):
        if not function.__code__.co_filename.startswith(_SDK_DIRECTORY):
            return False
        inner: object = getattr(function, '__wrapped__', None)
        if inner is None:
            return True
        function = inner
    return False


def builds_stock_chunks(client: AsyncOpenAI) -> bool:
    """Whether a client builds chunks in the SDK's own way, without validating them strictly."""
    strict: object = getattr(client, '_strict_response_validation', None)
    return strict is False and is_sdk_method(getattr(client, '_process_response_data', None))


def writes_stock_bodies(client: AsyncOpenAI) -> bool:
    """Whether a client writes the body of a request as JSON in the SDK's own way, and nobody looks at it before.

    A subclass may override a hook that gets the body, as Azure's client does, and instrumentation wraps `request`.
    """
    methods = ('post', 'request', '_prepare_options', '_build_request')
    return type(client) is AsyncOpenAI and all(is_sdk_method(getattr(client, name, None)) for name in methods)


def stock_json(value: object) -> bytes:
    """The JSON text that the SDK sends for a value.

    Raises:
        TypeError: If no JSON is known for something in it.
        ValueError: If it holds what no JSON can.
    """
    return openapi_dumps(value)


def stock_builder(stream: AsyncStream[ChatCompletionChunk]) -> Callable[..., object]:
    """What the SDK makes of the `data` of one event, whatever it is; it holds on to no stream."""
    client: Any = getattr(stream, '_client')  # noqa: B009
    return partial(client._process_response_data, cast_to=ChatCompletionChunk, response=stream.response)


def decoder_of(stream: AsyncStream[Any]) -> EventDecoder | None:
    """The decoder that a stream was made with, if it has one that works on bytes."""
    decoder = getattr(stream, '_decoder', None)
    return decoder if hasattr(decoder, 'aiter_bytes') else None


def is_sdk_decoder(decoder: object) -> bool:
    """Whether a decoder is the SDK's own, and not one for the framing of a user's server."""
    return type(decoder) is SSEDecoder


def take_events_from(stream: AsyncStream[Any], decoder: EventDecoder) -> None:
    """Let a stream that has not begun take its events from another decoder."""
    vars(stream)['_decoder'] = decoder


def take_built_chunks(stream: AsyncStream[Any], decoder: EventDecoder) -> None:
    """Let a stream take its events from another decoder, and yield what their `json()` returns as it is."""
    vars(stream).update(_decoder=decoder, _cast_to=object)
