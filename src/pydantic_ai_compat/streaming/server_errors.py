"""What a server says went wrong, in an error object that comes with HTTP 200."""

from __future__ import annotations as _annotations

import json
from collections.abc import Mapping
from typing import cast

from httpx2 import Response
from openai import APIConnectionError, APIError, APIStatusError, AsyncStream
from openai.types.chat import ChatCompletionChunk
from pydantic_ai.exceptions import ModelAPIError

from ..errors import StreamError

__all__ = ('add_server_words', 'check_is_stream', 'check_no_error', 'in_server_words', 'server_message')

_MESSAGE_FIELDS = ('message', 'msg', 'detail', 'error')


def server_message(error: object) -> str:
    """The server's own words in an error object, whichever field they are in; its JSON if there are none."""
    if isinstance(error, str):
        return error
    if isinstance(error, Mapping):
        fields = cast('Mapping[str, object]', error)
        for name in _MESSAGE_FIELDS:
            if message := fields.get(name):
                return server_message(message)
    return json.dumps(error, ensure_ascii=False, default=str)


def in_server_words(error: APIError) -> APIError:
    """The error that a stream held, with the server's own words; the same error if it has them.

    The OpenAI SDK looks for them under `message` only, and says 'An error occurred during streaming' for
    `{"error": "…"}`, the form of transformers serve.
    """
    body: object = error.body
    told = isinstance(body, Mapping) and isinstance(cast('Mapping[str, object]', body).get('message'), str)
    if told or not body or isinstance(error, APIStatusError | APIConnectionError):
        return error
    return APIError(message=server_message(cast(object, body)), request=error.request, body=cast(object, body))


def add_server_words(error: ModelAPIError) -> None:
    """The same for the error that pydantic-ai made of it, in place, so that its class and its fields stay."""
    cause = error.__cause__
    if isinstance(cause, APIError) and (worded := in_server_words(cause)) is not cause:
        error.message = worded.message
        error.args = (error.message, *error.args[1:])


async def check_is_stream(response: AsyncStream[ChatCompletionChunk], model_name: str) -> None:
    """Refuse the answer to a streaming request that is a plain JSON body, in the server's own words.

    Some servers answer an error that way with HTTP 200, and the SDK finds no event in it.
    <https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2180>

    Raises:
        ModelAPIError: If the body holds an error.
        StreamError: If it is any other JSON.
    """
    # A wrapper around the stream, such as that of an instrumentation, need not have the raw response.
    raw = cast('Response | None', getattr(response, 'response', None))
    if raw is None or not raw.headers.get('content-type', '').startswith('application/json'):
        return
    text = (await raw.aread()).decode(errors='replace')
    check_no_error(text, model_name)
    raise StreamError(
        'The server answered a streaming request with a plain JSON body in place of an event stream: it does not '
        f'stream. The body begins with {text[:80]!r}.'
    )


def check_no_error(body: str, model_name: str) -> None:
    """Raise the error that a JSON body with HTTP 200 holds, if it holds one.

    Raises:
        ModelAPIError: With the server's message.
    """
    try:
        value: object = json.loads(body)
    except ValueError:
        return
    error = cast('Mapping[str, object]', value).get('error') if isinstance(value, Mapping) else None
    if error:
        raise ModelAPIError(model_name, server_message(error), body=error)
