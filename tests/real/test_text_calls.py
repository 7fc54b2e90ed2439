"""llama.cpp as a server that parses no calls: they stand in the text, and are run as if they were native.

The tools are declared to pydantic-ai, and to the model in the prompt alone: `tools` goes out empty, so the server has
neither a grammar nor a parser for calls, and what the model writes arrives as `content`.
"""

from __future__ import annotations as _annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import IncompleteToolCall
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
)

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.demo.server import LlamaCppServer

INSTRUCTIONS = 'Tools: get_weather(city, days), get_time(zone). Write a call as JSON between tool_call tags.'

NO_TOOLS: dict[str, object] = {'extra_body': {'tools': [], 'tool_choice': None}}


@pytest.fixture
async def model(llama_server: LlamaCppServer) -> AsyncIterator[OpenAICompatibleModel]:
    async with OpenAICompatibleModel(
        'scripted',
        base_url=llama_server.base_url,
        openai_chat_text_tool_calls=['hermes'],
        settings=NO_TOOLS,
    ) as model:
        yield model


async def run(model: OpenAICompatibleModel, word: str, *, streamed: bool) -> list[ModelMessage]:
    agent = Agent(model, instructions=INSTRUCTIONS)

    @agent.tool_plain
    def get_weather(city: str, days: int) -> str:
        return f'{city}: {days} days of sun'

    @agent.tool_plain
    def get_time(zone: str) -> str:
        return f'noon in {zone}'

    if not streamed:
        return (await agent.run(f'Weather? {word}')).all_messages()
    async with agent.iter(f'Weather? {word}') as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as response:
                    async for _ in response:
                        pass
    assert run.result is not None
    return run.result.all_messages()


def story(messages: list[ModelMessage]) -> list[tuple[Any, ...]]:
    """What the model said and what the tools answered, in order."""
    told: list[tuple[Any, ...]] = []
    for part in (part for message in messages for part in message.parts):
        if isinstance(part, ToolCallPart):
            told.append(('call', part.tool_name, part.args_as_dict()))
        elif isinstance(part, ToolReturnPart):
            told.append(('result', part.content))
        elif isinstance(part, TextPart | ThinkingPart):
            told.append((part.part_kind, part.content))
        elif part.part_kind == 'retry-prompt':
            told.append(('result', getattr(part, 'content', None)))
    return told


FINAL = ('text', 'Final answer after the tool result.')
TOLD: dict[str, list[tuple[Any, ...]]] = {
    '#two': [
        ('call', 'get_weather', {'city': 'Rome', 'days': 3}),
        ('call', 'get_time', {'zone': 'CET'}),
        ('result', 'Rome: 3 days of sun'),
        ('result', 'noon in CET'),
        FINAL,
    ],
    '#think': [
        ('thinking', '\nI should look up the weather.\n'),
        ('call', 'get_weather', {'city': 'Paris', 'days': 1}),
        ('result', 'Paris: 1 days of sun'),
        FINAL,
    ],
    '#texttool': [
        ('text', 'Let me check that. '),
        ('call', 'get_time', {'zone': 'UTC'}),
        ('result', 'noon in UTC'),
        FINAL,
    ],
    '#unknown': [
        ('text', '<tool_call>\n{"name": "no_such_tool", "arguments": {"x": 1}}\n</tool_call>'),
    ],
}
"""What the scripted model writes: `pydantic_ai_compat/demo/scripted_model.py`."""


@pytest.mark.parametrize('streamed', [False, True])
@pytest.mark.parametrize('word', TOLD)
async def test_calls_in_the_text_are_run_as_if_they_were_native(
    word: str, streamed: bool, model: OpenAICompatibleModel
) -> None:
    """The name of no declared tool is no call, so such markup stays what it is."""
    messages = await run(model, word, streamed=streamed)
    assert story(messages) == TOLD[word]
    first = next(message for message in messages if isinstance(message, ModelResponse))
    assert first.finish_reason == ('stop' if word == '#unknown' else 'tool_call')


@pytest.mark.parametrize('streamed', [False, True])
@pytest.mark.parametrize('word', ['#badjson', '#cut'])
async def test_a_broken_call_goes_back_to_the_model_and_is_not_run(
    word: str, streamed: bool, model: OpenAICompatibleModel
) -> None:
    """As a native one does; `#cut` ends inside a string with the finish reason `stop`, so more was not to come."""
    (kind, name, _), (_, answer), last = story(await run(model, word, streamed=streamed))
    assert (kind, name, answer[0]['type'], last) == ('call', 'get_weather', 'json_invalid', FINAL)


@pytest.mark.parametrize('streamed', [False, True])
async def test_a_call_that_the_token_limit_cuts_is_an_error(streamed: bool, llama_server: LlamaCppServer) -> None:
    """The finish reason is `length`; the message says how far the call came and what helps."""
    settings = {**NO_TOOLS, 'max_tokens': 9}
    async with OpenAICompatibleModel(
        'scripted', base_url=llama_server.base_url, openai_chat_text_tool_calls=['hermes'], settings=settings
    ) as limited:
        with pytest.raises(IncompleteToolCall, match='inside the arguments of tool call 1 `get_weather`'):
            await run(limited, '#two', streamed=streamed)
