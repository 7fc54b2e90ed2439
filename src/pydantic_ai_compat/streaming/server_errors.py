"""What a server says went wrong, in an error object that comes with HTTP 200."""

from __future__ import annotations as _annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import cast

from openai import APIError, APIStatusError

__all__ = ('server_message', 'with_server_message')

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


@contextmanager
def with_server_message() -> Generator[None]:
    """Give an error inside a stream the server's own words.

    The OpenAI SDK looks for them under `message` only, and says 'An error occurred during streaming' for
    `{"error": "…"}`, the form of transformers serve.
    """
    try:
        yield
    except APIError as error:
        body: object = error.body
        told = isinstance(body, Mapping) and isinstance(cast('Mapping[str, object]', body).get('message'), str)
        if told or not body or isinstance(error, APIStatusError):
            raise
        raise APIError(message=server_message(body), request=error.request, body=body) from error
