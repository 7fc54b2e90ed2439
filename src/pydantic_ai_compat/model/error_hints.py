"""A line about the cause and the fix, added to the error that pydantic-ai raises for a refused request."""

from __future__ import annotations as _annotations

from typing import Any, cast

from pydantic_ai.exceptions import ModelHTTPError

from ..options.connection import shown_url
from ..streaming.bodies.pages import Origin, is_page

__all__ = ('add_hint', 'endpoint_hint', 'origin_of', 'without_page')


def add_hint(error: ModelHTTPError, hint: str) -> None:
    """Append a hint to an error in place, so that its class, its fields and its traceback stay what they are."""
    error.hint = hint if error.hint is None else f'{error.hint} {hint}'
    error.message = f'{error.message}. {hint}'
    error.args = (error.message, *error.args[1:])


def endpoint_hint(error: ModelHTTPError, base_url: str) -> str | None:
    """For a 404, the address that was called: a `base_url` without its `/v1`, or with one too many, is not guessed.

    <https://github.com/maximhq/bifrost/issues/6562>
    """
    if error.status_code != 404:
        return None
    return f'The request went to {shown_url(base_url)}/chat/completions: check the path of `base_url`.'


def origin_of(response: object) -> Origin:
    """Where the body of a response, of a stream or of the error that the SDK made of one comes from.

    A stand-in of a mocked client, or the wrapper of an instrumentation, need not know.
    """
    raw: object = getattr(response, 'response', None)
    status: object = getattr(raw, 'status_code', None)
    try:
        url = str(cast(Any, raw).request.url)
    except (AttributeError, RuntimeError):
        return Origin(status if isinstance(status, int) else None)
    return Origin(status if isinstance(status, int) else None, url)


def without_page(error: ModelHTTPError) -> None:
    """Put a line about a web page in the place of the page, in an error that has one for its body."""
    if isinstance(page := error.body, str) and is_page(page):
        words = origin_of(error.__cause__).describe_page(page)
        error.message = error.message.replace(page, words)
        error.args = (error.message, *error.args[1:])
        error.body = words
