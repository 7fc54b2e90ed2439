"""What a server makes of a conversation before the model sees it, where the server tells."""

from __future__ import annotations as _annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import httpx2

__all__ = ('PromptError', 'PromptNotToldError', 'render_prompt')

_TIMEOUT = 30.0
"""Seconds; a template is rendered in milliseconds, so this is for a machine that is busy otherwise."""


class PromptError(RuntimeError):
    """The server did not tell the prompt; the message says what it answered instead."""


class PromptNotToldError(PromptError):
    """The server has no route that tells the prompt."""


@dataclass(frozen=True)
class _Step:
    """One request on the way to a prompt."""

    path: str
    body: Callable[[Mapping[str, Any], Any], Mapping[str, Any]]
    """Makes the body of the conversation (`model`, `messages`, `tools`) and of what the step before gave."""

    result: str
    """The key of what this step gives."""

    kind: type


_LLAMA_CPP = (_Step('/apply-template', lambda asked, _: asked, 'prompt', str),)
"""<https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md>"""

_VLLM = (
    _Step('/tokenize', lambda asked, _: asked, 'tokens', list),
    _Step(
        '/detokenize',
        lambda asked, tokens: {**{key: asked[key] for key in asked if key == 'model'}, 'tokens': tokens},
        'prompt',
        str,
    ),
)
"""<https://docs.vllm.ai/en/stable/serving/online_serving/openai_compatible_server.html>, Tokenizer API"""


def render_prompt(
    base_url: str,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] | None = None,
    *,
    api_key: str | None = None,
    model: str | None = None,
    timeout: float = _TIMEOUT,
) -> str:
    """Ask a server for the prompt of a conversation.

    llama.cpp tells it at `POST /apply-template`, vLLM at `POST /tokenize` and `POST /detokenize`; llama.cpp's route is
    asked first, and vLLM's where there is none.

    Args:
        base_url: The address that an OpenAI client has; the routes lie beside its `/v1`.
        messages: Messages as in the body of a Chat Completions request.
        tools: Tools, likewise.
        api_key: The key of the server, if it wants one.
        model: The name of the model there; vLLM looks at it, and takes its own without one.
        timeout: How many seconds each request may take.

    Raises:
        PromptNotToldError: There are no such routes.
        PromptError: There is no such server, or the template refuses the conversation.
    """
    root = base_url.rstrip('/').removesuffix('/v1')
    asked: dict[str, Any] = {'messages': list(messages)}
    if tools:
        asked['tools'] = list(tools)
    if model is not None:
        asked['model'] = model
    headers = {'Content-Type': 'application/json'}
    if api_key:
        headers['Authorization'] = f'Bearer {api_key}'
    with httpx2.Client(timeout=timeout, headers=headers) as client:
        try:
            return _follow(client, root, asked, _LLAMA_CPP)
        except PromptNotToldError as first:
            try:
                return _follow(client, root, asked, _VLLM)
            except PromptNotToldError as second:
                raise PromptNotToldError(f'{first}; {second}') from second


def _follow(client: httpx2.Client, root: str, asked: Mapping[str, Any], steps: Sequence[_Step]) -> str:
    result: Any = None
    for step in steps:
        result = _ask(client, root + step.path, step.body(asked, result), step)
    return result


def _ask(client: httpx2.Client, url: str, body: Mapping[str, Any], step: _Step) -> Any:
    try:
        # ASCII, so that half a surrogate pair is refused by the server with its words, and not here.
        response = client.post(url, content=json.dumps(body))
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise PromptError(f'{url}: {type(error).__name__}: {error}') from error
    refused = PromptNotToldError if response.status_code in (404, 405, 501) else PromptError
    try:
        answer: object = response.json()
    except (ValueError, RecursionError) as error:
        raise PromptNotToldError(f'{url}: HTTP {response.status_code}, which is not JSON') from error
    fields: Mapping[str, Any] = cast('Mapping[str, Any]', answer) if isinstance(answer, Mapping) else {}
    if response.is_success and isinstance(fields.get(step.result), step.kind):
        return fields[step.result]
    match fields:
        case {'error': {'message': str(words)} | str(words)} | {'message': str(words)} | {'detail': str(words)}:
            raise refused(f'{url}: HTTP {response.status_code}: {words}')
        case _:
            raise refused(f'{url}: HTTP {response.status_code}, without `{step.result}`')
