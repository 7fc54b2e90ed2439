"""An endpoint in the process, so that only the client's work is measured."""

from __future__ import annotations as _annotations

import json
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx2

_FIELDS = {'id': 'chatcmpl-1', 'created': 1790000000, 'model': 'm', 'system_fingerprint': 'fp'}
_USAGE = {'prompt_tokens': 10, 'completion_tokens': 20, 'total_tokens': 30}

COMPLETION = json.dumps(
    {
        **_FIELDS,
        'object': 'chat.completion',
        'choices': [{'index': 0, 'finish_reason': 'stop', 'message': {'role': 'assistant', 'content': 'Done.'}}],
        'usage': _USAGE,
    }
).encode()


def _event(delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
    choice = {'index': 0, 'delta': delta, 'logprobs': None, 'finish_reason': finish_reason}
    data = {**_FIELDS, 'object': 'chat.completion.chunk', 'choices': [choice]}
    return b'data: ' + json.dumps(data, separators=(',', ':')).encode() + b'\n\n'


def _ending(finish_reason: str) -> list[bytes]:
    usage: dict[str, Any] = {**_FIELDS, 'object': 'chat.completion.chunk', 'choices': [], 'usage': _USAGE}
    return [_event({}, finish_reason), b'data: ' + json.dumps(usage).encode() + b'\n\n', b'data: [DONE]\n\n']


def text_stream(chunks: int) -> list[bytes]:
    """An answer of as many chunks, a short word each, as servers send them: one event, one block."""
    role = _event({'role': 'assistant', 'content': ''})
    return [role, *(_event({'content': f' word{number}'}) for number in range(chunks)), *_ending('stop')]


def call_stream(chunks: int, size: int) -> list[bytes]:
    """A tool call whose arguments are `size` bytes, cut into as many chunks."""
    arguments = json.dumps({'text': 'x' * (size - len('{"text": ""}'))})
    width = size // chunks
    first = {'index': 0, 'id': 'call_1', 'type': 'function', 'function': {'name': 'lookup', 'arguments': ''}}
    deltas = (
        {'tool_calls': [{'index': 0, 'function': {'arguments': arguments[start : start + width]}}]}
        for start in range(0, size, width)
    )
    return [_event({'role': 'assistant', 'tool_calls': [first]}), *map(_event, deltas), *_ending('tool_calls')]


class _Body(httpx2.AsyncByteStream):
    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        # One iterator: the SDK reads what is left of a body after the `[DONE]`, and must not get it all again.
        self._blocks = iter(endpoint.stream)
        self._read = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if not self._read:
            self._read = True
            self._endpoint.first_byte = time.process_time()
        for block in self._blocks:
            yield block


class Endpoint:
    """Answers a request with `COMPLETION`, and a streamed one with the blocks in `stream`."""

    base_url = 'http://endpoint/v1'
    model_name = 'm'

    def __init__(self) -> None:
        self.stream: Sequence[bytes] = ()
        self.first_byte = 0.0
        self.http_client = httpx2.AsyncClient(transport=httpx2.MockTransport(self._answer))

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        if b'"stream":true' in request.content[-4000:] or b'"stream":true' in request.content[:4000]:
            return httpx2.Response(200, headers={'content-type': 'text/event-stream'}, stream=_Body(self))
        return httpx2.Response(200, headers={'content-type': 'application/json'}, content=COMPLETION)
