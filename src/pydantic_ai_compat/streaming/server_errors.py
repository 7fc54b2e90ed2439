"""What a server says went wrong, in an error object that comes with HTTP 200."""

from __future__ import annotations as _annotations

from collections.abc import Mapping
from typing import cast

from openai import APIConnectionError, APIError, APIStatusError
from pydantic_ai.exceptions import ModelAPIError

from ._private import stream_error
from .bodies.words import server_message

__all__ = ('add_server_words', 'in_server_words', 'server_error')


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


def server_error(error: object, model_name: str) -> ModelAPIError:
    """The error for an error object that came with HTTP 200 in answer to a plain request.

    It has the status and the category that pydantic-ai gives the same object in a stream, by its `code` and `type`.
    """
    message = server_message(error)
    categorized = stream_error()
    if categorized is None:
        return ModelAPIError(model_name, message, body=error)
    return categorized(model_name, message, error)
