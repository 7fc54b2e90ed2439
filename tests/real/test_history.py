"""Broken histories at a real llama.cpp whose chat template raises on a wrong order of roles, as Mistral's and Qwen's do."""

from __future__ import annotations as _annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from httpx2 import AsyncClient
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters

from pydantic_ai_compat import OpenAICompatibleModel, demo
from pydantic_ai_compat.demo.server import LlamaCppServer
from pydantic_ai_compat.errors import HistoryRepairWarning
from pydantic_ai_compat.history import explain_error, repair_history

STRICT = """
{%- set ns = namespace(previous='', users=0) -%}
{%- for message in messages -%}
    {%- if message.role == 'system' and not loop.first -%}
        {{- raise_exception('System message must be at the beginning.') -}}
    {%- endif -%}
    {%- if message.role == 'tool' and ns.previous not in ('assistant', 'tool') -%}
        {{- raise_exception("Unexpected role 'tool' after role 'user'") -}}
    {%- endif -%}
    {%- if message.role == 'user' and ns.previous == 'tool' -%}
        {{- raise_exception("Unexpected role 'user' after role 'tool'") -}}
    {%- endif -%}
    {%- set ns.previous = message.role -%}
    {%- set ns.users = ns.users + (1 if message.role == 'user' else 0) -%}
{%- endfor -%}
{%- if not ns.users -%}
    {{- raise_exception('No user query found in messages.') -}}
{%- endif -%}
"""
FINAL = 'Final answer after the tool result.'

CALL = ModelResponse(parts=[ToolCallPart('get_weather', {'city': 'Paris', 'days': 2}, 'c1')])
RETURN = ToolReturnPart('get_weather', 'sunny', 'c1')
HISTORIES: dict[str, list[ModelMessage]] = {
    'H04': [ModelRequest(parts=[UserPromptPart('q'), RETURN, UserPromptPart('#plain')])],
    'H20': [
        ModelRequest(parts=[UserPromptPart('q')]),
        CALL,
        ModelRequest(parts=[RETURN]),
        ModelResponse(parts=[TextPart('a')]),
        ModelRequest(parts=[SystemPromptPart('Be brief.'), UserPromptPart('more')]),
    ],
    'H22': [ModelRequest(parts=[SystemPromptPart('Be brief.')]), CALL, ModelRequest(parts=[RETURN])],
    'H24': [ModelRequest(parts=[UserPromptPart('q')]), CALL, ModelRequest(parts=[RETURN, UserPromptPart('more')])],
}


@pytest.fixture
def strict_server(start_llama_server: Callable[..., LlamaCppServer]) -> LlamaCppServer:
    template = Path(demo.__file__).with_name('chat_template.jinja').read_text('utf-8')
    return start_llama_server(chat_template=STRICT + template)


async def test_a_history_that_the_template_refuses_passes_after_repair(strict_server: LlamaCppServer) -> None:
    off = OpenAICompatibleModel('scripted', base_url=strict_server.base_url, openai_chat_history='off')
    model = OpenAICompatibleModel(
        'scripted', base_url=strict_server.base_url, openai_chat_history_policy='llamacpp+H24'
    )
    async with off, model:
        for rule, history in HISTORIES.items():
            messages: list[ModelMessage] = [replace(message, conversation_id=rule) for message in history]
            before = copy.deepcopy(messages)
            with pytest.raises(ModelHTTPError) as refused:
                await off.request(messages, None, ModelRequestParameters())
            assert refused.value.hint is not None
            assert refused.value.hint.startswith(rule)
            with pytest.warns(HistoryRepairWarning):
                response = await model.request(messages, None, ModelRequestParameters())
            assert response.text == ('Hello, this is a plain answer without tools.' if rule == 'H04' else FINAL)
            assert messages == before


async def test_broken_arguments_are_refused_by_the_server_itself(llama_server: LlamaCppServer) -> None:
    """llama.cpp parses the arguments of the past before its template does; stock sends text that it cannot parse."""
    messages: list[dict[str, Any]] = [
        {'role': 'user', 'content': 'q'},
        {
            'role': 'assistant',
            'content': None,
            'tool_calls': [
                {'id': 'c1', 'type': 'function', 'function': {'name': 'get_weather', 'arguments': '{"city": "Par'}}
            ],
        },
        {'role': 'tool', 'tool_call_id': 'c1', 'content': 'invalid arguments'},
    ]
    async with AsyncClient(base_url=llama_server.base_url) as client:
        refused = await client.post('/chat/completions', json={'model': 'scripted', 'messages': messages})
        repaired = repair_history(messages, 'llamacpp').messages
        accepted = await client.post('/chat/completions', json={'model': 'scripted', 'messages': repaired})
    explanation = explain_error(refused.text)
    assert refused.status_code >= 400
    assert explanation is not None
    assert (explanation.rule.id, explanation.known.host) == ('H08', 'llama.cpp')
    assert json.loads(accepted.text)['choices'][0]['message']['content'] == FINAL
