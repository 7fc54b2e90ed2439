"""A line about the cause and the fix, added to the error that pydantic-ai raises for a refused request."""

from __future__ import annotations as _annotations

from pydantic_ai.exceptions import ModelHTTPError

from ..options.connection import shown_url

__all__ = ('add_hint', 'endpoint_hint')


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
