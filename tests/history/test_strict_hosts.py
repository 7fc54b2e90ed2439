"""Agent runs and direct requests against hosts that refuse what is out of order."""

from __future__ import annotations as _annotations

import copy
import warnings
from collections.abc import Sequence
from typing import Any

import pytest
from history.strict_hosts import HOSTS, SILENT_HOSTS, StrictHost
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters

from pydantic_ai_compat.errors import HistoryError, HistoryRepairWarning
from pydantic_ai_compat.history import POLICIES

pytestmark = pytest.mark.untraced

LONG_ID = 'ws_' + 'a' * 50

BROKEN: list[ModelMessage] = [
    # Cut off at its start, so that a result has lost its call.
    ModelRequest(parts=[ToolReturnPart('get_weather', 'sunny', tool_call_id='call_lost')]),
    # Made by another provider, with its own ids and thoughts; the second call was cancelled.
    ModelResponse(
        parts=[
            ThinkingPart('plan', id='reasoning_content', provider_name='wire'),
            ToolCallPart('get_weather', {'city': 'Paris'}, tool_call_id=LONG_ID),
            ToolCallPart('get_weather', {'city': 'Rome'}, tool_call_id='toolu_01'),
        ],
        provider_name='wire',
    ),
    ModelRequest(
        parts=[
            UserPromptPart('wait'),
            ToolReturnPart('get_weather', 'rain', tool_call_id=LONG_ID),
            UserPromptPart('so'),
        ]
    ),
    ModelResponse(parts=[TextPart('as you say')]),
    ModelRequest(parts=[SystemPromptPart('Be brief.'), UserPromptPart('go on'), UserPromptPart('please')]),
]


def agent(model: Any) -> Agent:
    made = Agent(model, instructions='Be kind.')

    @made.tool_plain
    def get_weather(city: str) -> str:
        return f'sunny in {city}'

    return made


def test_every_policy_has_a_host_or_is_known_to_be_silent() -> None:
    assert {*HOSTS, *SILENT_HOSTS} == set(POLICIES)


@pytest.mark.parametrize('name', HOSTS)
async def test_an_agent_runs_for_several_turns_over_a_broken_history(name: str) -> None:
    """Parallel calls, a cancelled call, a truncated history and a switch of provider, at each strict host."""
    host = StrictHost(name)
    model = host.model(openai_chat_history_policy=name)
    history: Sequence[ModelMessage] = copy.deepcopy(BROKEN)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', HistoryRepairWarning)
        for prompt in ('first', 'second', 'third'):
            run = await agent(model).run(prompt, message_history=history)
            assert run.output == 'done'
            history = run.all_messages()
    assert host.refused == 0
    assert len(host.bodies) == 9


@pytest.mark.parametrize('name', HOSTS)
async def test_a_broken_history_passes_in_a_direct_request_and_fails_without_repair(name: str) -> None:
    host = StrictHost(name)
    history = copy.deepcopy(BROKEN)
    with pytest.warns(HistoryRepairWarning):
        response = await host.model(openai_chat_history_policy=name).request(history, None, ModelRequestParameters())
    assert response.parts == [TextPart('done')]
    assert history == BROKEN
    with pytest.raises(ModelHTTPError) as refused:
        await host.model(openai_chat_history_policy=name, openai_chat_history='off').request(
            history, None, ModelRequestParameters()
        )
    assert refused.value.status_code == 400
    assert refused.value.hint is not None
    assert refused.value.hint in str(refused.value)
    assert host.refused == 1


@pytest.mark.parametrize('name', HOSTS)
async def test_a_broken_history_is_refused_before_anything_is_sent_in_check_mode(name: str) -> None:
    host = StrictHost(name)
    model = host.model(openai_chat_history_policy=name, openai_chat_history='check')
    with pytest.raises(HistoryError, match=f'under the history policy {name!r}'):
        await model.request(BROKEN, None, ModelRequestParameters())
    assert host.bodies == []


@pytest.mark.parametrize('name', HOSTS)
async def test_a_healthy_run_passes_without_a_word(name: str) -> None:
    """A warning would fail the run, as warnings are errors here."""
    host = StrictHost(name)
    model = host.model(openai_chat_history_policy=name)
    first = await agent(model).run('first')
    second = await agent(model).run('second', message_history=first.all_messages())
    assert second.output == 'done'
    assert host.refused == 0
