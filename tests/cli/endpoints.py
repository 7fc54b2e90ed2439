"""Endpoints in the process for commands that open a client of their own."""

from __future__ import annotations as _annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from templates.conversation import SAMPLES

from pydantic_ai_compat.demo import wire

CLIENT = httpx2.Client


def endpoint(
    monkeypatch: pytest.MonkeyPatch, respond: Callable[[httpx2.Request], httpx2.Response]
) -> list[httpx2.Request]:
    asked: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request)
        return respond(request)

    def client(**options: Any) -> httpx2.Client:
        return CLIENT(transport=httpx2.MockTransport(answer), **options)

    monkeypatch.setattr(httpx2, 'Client', client)
    return asked


def agent_endpoint(monkeypatch: pytest.MonkeyPatch, respond: Callable[[httpx2.Request], httpx2.Response]) -> None:
    """The endpoint for the agent that `demo` runs, whose client is an async one."""

    def client(**options: Any) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=httpx2.MockTransport(respond), **options)

    monkeypatch.setattr(wire, 'httpx2', SimpleNamespace(AsyncClient=client))


def good(request: httpx2.Request) -> httpx2.Response:
    if request.url.path == '/props':
        return httpx2.Response(200, json={'chat_template': SAMPLES['blocks'].read_text('utf-8')})
    if request.method == 'GET':
        return httpx2.Response(200, headers={'server': 'llama.cpp'}, json={'data': [{'id': 'm'}]})
    messages = json.loads(request.content)['messages']
    if sum(message['role'] == 'system' for message in messages) > 1:
        return httpx2.Response(400, json={'error': {'message': 'one system message'}})
    body = {'choices': [{'message': {'content': 'hi'}, 'finish_reason': 'stop'}], 'usage': {'total_tokens': 5}}
    return httpx2.Response(200, json=body)
