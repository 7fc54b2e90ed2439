"""The main job on a real server: an agent from a YAML variant, whose tool returns a list."""

from __future__ import annotations as _annotations

from typing import Any

import pytest
from dirty_equals import IsStr
from pydantic_ai import Agent, ModelMessage, ToolCallPart, ToolReturnPart
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.models import Model

from pydantic_ai_compat import load_model_variants
from pydantic_ai_compat.demo.server import LlamaCppServer

FINAL = 'Final answer after the tool result.'
FORMATS = ('text_parts', 'messages', 'text')


def model_from_yaml(server: LlamaCppServer, monkeypatch: pytest.MonkeyPatch, **kw_args: str) -> Model:
    """A model out of a file as agentpool has it: every value is text, the address is a variable."""
    monkeypatch.setenv('LLAMA_BASE_URL', server.base_url)
    lines = ''.join(f'      {name}: "{value}"\n' for name, value in kw_args.items())
    return load_model_variants(
        'model_variants:\n'
        '  scripted:\n'
        '    type: import\n'
        '    model: pydantic_ai_compat.OpenAICompatibleModel\n'
        '    kw_args:\n'
        '      model_name: "scripted"\n'
        '      base_url: "${LLAMA_BASE_URL}"\n'
        f'{lines}'
    )['scripted'].get_model()


def make_agent(model: Model) -> tuple[Agent[None, str], list[tuple[Any, ...]]]:
    agent = Agent(model)
    calls: list[tuple[Any, ...]] = []

    @agent.tool_plain
    def get_weather(city: str, days: int) -> list[str]:
        """Weather of a city."""
        calls.append((city, days))
        return ['sunny, 18 °C', 'rain, 11 °C']

    @agent.tool_plain
    def get_time(zone: str) -> list[dict[str, str]]:
        """Time of a zone."""
        calls.append((zone,))
        return [{'zone': zone}, {'time': '12:00'}]

    return agent, calls


def exchanged(messages: list[ModelMessage]) -> list[tuple[str, str, Any]]:
    """The tool calls and tool returns of a history."""
    return [
        (part.part_kind, part.tool_name, part.args_as_dict() if isinstance(part, ToolCallPart) else part.content)
        for message in messages
        for part in message.parts
        if isinstance(part, ToolCallPart | ToolReturnPart)
    ]


ONE_CALL = [
    ('tool-call', 'get_weather', {'city': 'Paris', 'days': 2}),
    ('tool-return', 'get_weather', ['sunny, 18 °C', 'rain, 11 °C']),
]
TWO_CALLS = [
    ('tool-call', 'get_weather', {'city': 'Rome', 'days': 3}),
    ('tool-call', 'get_time', {'zone': 'CET'}),
    ('tool-return', 'get_weather', ['sunny, 18 °C', 'rain, 11 °C']),
    ('tool-return', 'get_time', [{'zone': 'CET'}, {'time': '12:00'}]),
]


@pytest.mark.parametrize('list_format', FORMATS)
async def test_an_agent_answers_after_its_tool_returned_a_list(
    llama_server: LlamaCppServer, monkeypatch: pytest.MonkeyPatch, list_format: str
):
    model = model_from_yaml(
        llama_server, monkeypatch, tool_return_as_list='true', openai_chat_tool_return_list_format=list_format
    )
    agent, calls = make_agent(model)
    async with agent:
        result = await agent.run('Weather in Paris?')
    assert (result.output, calls) == (FINAL, [('Paris', 2)])
    assert exchanged(result.all_messages()) == ONE_CALL


@pytest.mark.parametrize('list_format', FORMATS)
async def test_a_streamed_run_calls_the_same_tools_and_gives_the_same_answer(
    llama_server: LlamaCppServer, monkeypatch: pytest.MonkeyPatch, list_format: str
):
    model = model_from_yaml(
        llama_server, monkeypatch, tool_return_as_list='true', openai_chat_tool_return_list_format=list_format
    )
    agent, calls = make_agent(model)
    async with agent, agent.run_stream('Weather? #two') as result:
        pieces = [piece async for piece in result.stream_text(delta=True, debounce_by=None)]
    # Tools that are plain functions run side by side.
    assert (''.join(pieces), set(calls)) == (FINAL, {('Rome', 3), ('CET',)})
    assert len(pieces) > 1
    assert exchanged(result.all_messages()) == TWO_CALLS


async def test_two_calls_in_one_turn_are_both_run_and_answered(
    llama_server: LlamaCppServer, monkeypatch: pytest.MonkeyPatch
):
    model = model_from_yaml(llama_server, monkeypatch, tool_return_as_list='true')
    agent, calls = make_agent(model)
    async with agent:
        result = await agent.run('Weather? #two')
    assert (result.output, set(calls)) == (FINAL, {('Rome', 3), ('CET',)})
    assert exchanged(result.all_messages()) == TWO_CALLS


async def test_every_option_off_runs_the_same_loop(llama_server: LlamaCppServer, monkeypatch: pytest.MonkeyPatch):
    agent, calls = make_agent(model_from_yaml(llama_server, monkeypatch))
    async with agent:
        result = await agent.run('Weather in Paris?')
    assert (result.output, calls) == (FINAL, [('Paris', 2)])


async def test_a_stored_history_goes_on_with_the_tool_returns_in_it(
    llama_server: LlamaCppServer, monkeypatch: pytest.MonkeyPatch
):
    model = model_from_yaml(llama_server, monkeypatch, tool_return_as_list='true')
    agent, _ = make_agent(model)
    async with agent:
        first = await agent.run('Weather in Paris?')
        stored = ModelMessagesTypeAdapter.validate_json(first.all_messages_json())
        second = await agent.run('And tomorrow?', message_history=stored)
    assert second.output == FINAL
    assert exchanged(second.all_messages()) == ONE_CALL


async def test_a_streamed_answer_without_tools_holds_every_character(
    llama_server: LlamaCppServer, monkeypatch: pytest.MonkeyPatch
):
    """The model cuts characters of several bytes in their middle; the server holds them back until they are whole."""
    agent, _ = make_agent(model_from_yaml(llama_server, monkeypatch))
    async with agent, agent.run_stream('Greet #unicode') as result:
        pieces = [piece async for piece in result.stream_text(delta=True, debounce_by=None)]
    assert ''.join(pieces) == 'Grüße 你好 😀 fin'
    assert result.usage.output_tokens > 1


async def test_the_response_names_the_model_and_the_server_answered_it(
    llama_server: LlamaCppServer, monkeypatch: pytest.MonkeyPatch
):
    agent, _ = make_agent(model_from_yaml(llama_server, monkeypatch))
    async with agent:
        result = await agent.run('Say #plain')
    assert (result.response.model_name, result.response.finish_reason, result.response.provider_response_id) == (
        'scripted',
        'stop',
        IsStr(regex='chatcmpl-.+'),
    )
