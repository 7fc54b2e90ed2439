"""llama.cpp as a real server: the same parts streamed and plain, and through the parser without an agent."""

from __future__ import annotations as _annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from pydantic_ai.exceptions import IncompleteToolCall
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.demo.server import LlamaCppServer
from pydantic_ai_compat.streaming import ChatStreamParser, StreamItem, iter_sse_chunks


@pytest.fixture
async def model(llama_server: LlamaCppServer) -> AsyncIterator[OpenAICompatibleModel]:
    async with OpenAICompatibleModel('scripted', base_url=llama_server.base_url) as model:
        yield model


def tools(*cities: str) -> list[ToolDefinition]:
    """The tools that the scripted model calls; with cities, llama.cpp's grammar lets it write no other."""
    city = {'type': 'string', 'enum': list(cities)} if cities else {'type': 'string'}
    days = {'type': 'integer', 'minimum': 1, 'maximum': 3}
    zone = {'type': 'string', 'enum': ['UTC', 'CET']}
    return [
        ToolDefinition(
            name=name, parameters_json_schema={'type': 'object', 'properties': fields, 'required': [*fields]}
        )
        for name, fields in {'get_weather': {'city': city, 'days': days}, 'get_time': {'zone': zone}}.items()
    ]


def prompt(word: str) -> list[ModelMessage]:
    return [ModelRequest(parts=[UserPromptPart(f'Weather? {word}')])]


async def streamed(model: OpenAICompatibleModel, word: str, *cities: str, **settings: Any) -> ModelResponse:
    parameters = ModelRequestParameters(function_tools=tools(*cities))
    async with model.request_stream(prompt(word), ModelSettings(**settings), parameters) as response:
        async for _ in response:
            pass
    return response.get()


async def plain(model: OpenAICompatibleModel, word: str, *cities: str, **settings: Any) -> ModelResponse:
    parameters = ModelRequestParameters(function_tools=tools(*cities))
    return await model.request(prompt(word), ModelSettings(**settings), parameters)


def parts_of(response: ModelResponse) -> list[tuple[Any, ...]]:
    parts: list[tuple[Any, ...]] = []
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            parts.append((part.tool_name, part.args_as_dict()))
        elif isinstance(part, TextPart | ThinkingPart):
            parts.append((part.part_kind, part.content))
    return parts


PARTS: dict[str, list[tuple[Any, ...]]] = {
    '#two': [('get_weather', {'city': 'Rome', 'days': 3}), ('get_time', {'zone': 'CET'})],
    '#think': [
        ('thinking', '\nI should look up the weather.\n'),
        ('text', '\n\n'),
        ('get_weather', {'city': 'Paris', 'days': 1}),
    ],
    '#thinktext': [('thinking', '\nSimple question.\n'), ('text', '\n\nThe answer is 42.')],
    '#texttool': [('text', 'Let me check that. '), ('get_time', {'zone': 'UTC'})],
    '#plain': [('text', 'Hello, this is a plain answer without tools.')],
}


@pytest.mark.parametrize('word', PARTS)
async def test_a_scripted_answer_has_the_same_parts_streamed_and_plain(word: str, model: OpenAICompatibleModel) -> None:
    """What the scripted model writes: `pydantic_ai_compat/demo/scripted_model.py`."""
    in_pieces, whole = await streamed(model, word, 'Paris', 'Rome'), await plain(model, word, 'Paris', 'Rome')
    assert parts_of(in_pieces) == parts_of(whole) == PARTS[word]
    calls = any(part[0] in ('get_weather', 'get_time') for part in PARTS[word])
    assert in_pieces.finish_reason == whole.finish_reason == ('tool_call' if calls else 'stop')


async def test_characters_of_several_bytes_arrive_whole(model: OpenAICompatibleModel) -> None:
    """llama.cpp streams token by token, and a token may end inside a character."""
    in_pieces, whole = await streamed(model, '#unicode', 'Paris'), await plain(model, '#unicode', 'Paris')
    assert parts_of(in_pieces) == parts_of(whole)
    [(_, text)] = parts_of(whole)
    assert not text.isascii() and '\ufffd' not in text


async def test_a_call_that_the_server_completes_is_run(model: OpenAICompatibleModel) -> None:
    """`#cut` stops inside `"Par`; with a list of cities the server's grammar finishes the call."""
    in_pieces, whole = await streamed(model, '#cut', 'Paris'), await plain(model, '#cut', 'Paris')
    assert parts_of(in_pieces) == parts_of(whole)
    [(name, arguments)] = parts_of(whole)
    assert (name, arguments['city']) == ('get_weather', 'Paris')


@pytest.mark.parametrize(('word', 'max_tokens'), [('#cut', 60), ('', 16)])
async def test_a_call_that_the_token_limit_cuts_is_not_run(
    word: str, max_tokens: int, model: OpenAICompatibleModel
) -> None:
    """Streamed and plain: the error names the tool, how far it came and what helps."""
    for request in (streamed, plain):
        with pytest.raises(IncompleteToolCall, match='inside the arguments of tool call 1 `get_weather`') as caught:
            await request(model, word, max_tokens=max_tokens)
        assert "'length'" in str(caught.value) and 'Raise `max_tokens`' in str(caught.value)


def test_the_raw_stream_is_read_without_an_agent(llama_server: LlamaCppServer) -> None:
    """Bytes of the server, lines, chunks, items; llama.cpp has no quirk here."""
    wire_tools = [
        {'type': 'function', 'function': {'name': tool.name, 'parameters': tool.parameters_json_schema}}
        for tool in tools('Paris', 'Rome')
    ]
    body = {
        'model': 'scripted',
        'messages': [{'role': 'user', 'content': 'Weather? #two'}],
        'tools': wire_tools,
        'stream': True,
        'stream_options': {'include_usage': True},
    }
    parser = ChatStreamParser(tool_names={'get_weather', 'get_time'})
    items: list[StreamItem] = []
    with httpx2.stream('POST', f'{llama_server.base_url}/chat/completions', json=body, timeout=60) as response:
        for chunk in iter_sse_chunks(response.iter_lines()):
            items += parser.feed(chunk)
    items += parser.flush()
    assert [(item.kind, item.tool_call and item.tool_call.arguments) for item in items] == [
        ('provider_tool_call', {'city': 'Rome', 'days': 3}),
        ('provider_tool_call', {'zone': 'CET'}),
        ('usage', None),
        ('finish', None),
    ]
    assert list(parser.quirks) == []
