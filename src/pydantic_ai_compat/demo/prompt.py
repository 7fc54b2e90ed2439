"""What a server makes of a conversation before the model sees it, where the server tells."""

from __future__ import annotations as _annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx2

__all__ = ('PromptError', 'PromptNotToldError', 'render_prompt')

_TIMEOUT = 30.0
"""Seconds; a template is rendered in milliseconds, so this is for a machine that is busy otherwise."""


class PromptError(RuntimeError):
    """The server did not tell the prompt; the message says what it answered instead."""


class PromptNotToldError(PromptError):
    """The server has no route that tells the prompt."""


def render_prompt(
    base_url: str,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] | None = None,
    *,
    api_key: str | None = None,
) -> str:
    """Ask llama.cpp for the prompt of a conversation, with `POST /apply-template`.

    <https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md>

    Args:
        base_url: The address that an OpenAI client has; the route lies beside its `/v1`.
        messages: Messages as in the body of a Chat Completions request.
        tools: Tools, likewise.
        api_key: The key of the server, if it wants one.

    Raises:
        PromptNotToldError: There is no such route.
        PromptError: There is no such server, or the template refuses the conversation.
    """
    url = f'{base_url.rstrip("/").removesuffix("/v1")}/apply-template'
    body: dict[str, Any] = {'messages': list(messages)}
    if tools:
        body['tools'] = list(tools)
    headers = {'Authorization': f'Bearer {api_key}'} if api_key else {}
    try:
        response = httpx2.post(url, json=body, headers=headers, timeout=_TIMEOUT)
    except httpx2.HTTPError as error:
        raise PromptError(f'{url}: {type(error).__name__}: {error}') from error
    refused = PromptNotToldError if response.status_code in (404, 405, 501) else PromptError
    try:
        answer: Any = response.json()
    except ValueError as error:
        raise PromptNotToldError(f'{url}: HTTP {response.status_code}, which is not JSON') from error
    match answer:
        case {'prompt': str(prompt)} if response.is_success:
            return prompt
        case {'error': {'message': str(message)}}:
            raise refused(f'{url}: HTTP {response.status_code}: {message}')
        case _:
            raise refused(f'{url}: HTTP {response.status_code}, without a prompt')
