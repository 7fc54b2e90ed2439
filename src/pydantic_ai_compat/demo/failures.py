"""What went wrong with an endpoint, in one line and without its key."""

from __future__ import annotations as _annotations

from typing import Any

from pydantic_ai.exceptions import AgentRunError, ModelAPIError, ModelHTTPError

from ..errors import StreamError
from ..model.openai_compatible import OpenAICompatibleModel
from ..options.connection import shown_url

__all__ = ('EndpointError', 'describe_failure', 'hide_secrets', 'one_line')

_LONGEST = 300
_HARMLESS_HEADERS = ('accept', 'content-type', 'user-agent')


class EndpointError(RuntimeError):
    """The endpoint cannot be reached; the message is one line, with its address."""


def describe_failure(error: AgentRunError, model: OpenAICompatibleModel) -> str:
    """One line on why a run gave no answer: the address, then the status and the server's words, or the reason."""
    url = f'{shown_url(model.base_url)}/chat/completions'
    if isinstance(error, ModelHTTPError):
        reason = f'HTTP {error.status_code}: {_server_message(error.body)}'
    elif isinstance(error, ModelAPIError) and not isinstance(error, StreamError):
        reason = f'the request failed: {_innermost(error)}'
    else:
        reason = f'the agent gave no answer: {error.message}'
    return one_line(f'{url}: {reason}', model)


def one_line(text: str, model: OpenAICompatibleModel) -> str:
    """The text on one line, without secrets, and cut where it gets long: a server's error may be a page."""
    line = ' '.join(hide_secrets(text, model).split())
    return line if len(line) <= _LONGEST else f'{line[:_LONGEST]}...'


def hide_secrets(text: str, model: OpenAICompatibleModel) -> str:
    """The text with the key and the headers of the model's endpoint masked: servers quote them in errors."""
    headers: dict[str, Any] = dict(model.client.default_headers)
    secrets = [model.client.api_key]
    for name, value in headers.items():
        if (
            isinstance(value, str)
            and name.lower() not in _HARMLESS_HEADERS
            and not name.lower().startswith('x-stainless')
        ):
            secrets += [value, value.removeprefix('Bearer ')]
    for secret in filter(None, secrets):
        text = text.replace(secret, '***')
    return text


def _server_message(body: object) -> str:
    match body:
        case {'message': str(message)} | {'error': {'message': str(message)} | str(message)} | {'detail': str(message)}:
            return message
        case _:
            return str(body) if body else 'no text'


def _innermost(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__
