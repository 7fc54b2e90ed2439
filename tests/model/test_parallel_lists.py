"""Lists in a turn with several tool calls: whose items they are has to be seen."""

from __future__ import annotations as _annotations

from typing import Any

import pytest
from generated import generated
from hypothesis import given, strategies as st
from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from support import Wire

from pydantic_ai_compat import OpenAICompatibleModel

MESSAGES: dict[str, Any] = {'tool_return_as_list': True, 'openai_chat_tool_return_list_format': 'messages'}


def turn(*results: object, split: bool = False) -> list[ModelMessage]:
    """A turn with a call for each result, whose results come in one request or in a request each."""
    calls = [ToolCallPart('tool', {}, f'c{number}') for number in range(len(results))]
    returns = [ToolReturnPart('tool', result, f'c{number}') for number, result in enumerate(results)]
    requests = [ModelRequest(parts=[part]) for part in returns] if split else [ModelRequest(parts=list(returns))]
    return [ModelRequest(parts=[UserPromptPart('go')]), ModelResponse(parts=list(calls)), *requests]


async def results_of(model: OpenAICompatibleModel, messages: list[ModelMessage]) -> list[tuple[str, Any]]:
    mapped: list[Any] = await model._map_messages(messages, ModelRequestParameters())
    return [(message['tool_call_id'], message['content']) for message in mapped if message['role'] == 'tool']


@pytest.mark.parametrize('split', [False, True])
async def test_each_call_of_several_has_one_message_with_an_item_a_line(wire: Wire, split: bool) -> None:
    """llama.cpp with Kimi-K2's template shows the second item of the first call as the result of the second one."""
    messages = turn(['a', 'b'], ['c', {'d': 1}, 'e'], 'f', split=split)
    assert await results_of(wire.model(**MESSAGES), messages) == [
        ('c0', 'a\nb'),
        ('c1', 'c\n{"d":1}\ne'),
        ('c2', 'f'),
    ]


async def test_the_option_keeps_a_message_for_each_item(wire: Wire) -> None:
    """For templates that write the id of its call beside each result."""
    model = wire.model(**MESSAGES, openai_chat_parallel_list_messages='true')
    assert await results_of(model, turn(['a', 'b'], ['c'])) == [('c0', 'a'), ('c0', 'b'), ('c1', 'c')]
    off = wire.model(**MESSAGES, openai_chat_parallel_list_messages='false')
    assert await results_of(off, turn(['a', 'b'], ['c'])) == [('c0', 'a\nb'), ('c1', 'c')]


async def test_a_turn_with_one_call_has_a_message_for_each_item_whatever_stands_before(wire: Wire) -> None:
    messages = [*turn(['a', 'b'], 'c'), *turn(['d', 'e'])]
    assert await results_of(wire.model(**MESSAGES), messages) == [('c0', 'a\nb'), ('c1', 'c'), ('c0', 'd'), ('c0', 'e')]


@pytest.mark.parametrize('list_format', ['text_parts', 'text'])
async def test_other_formats_are_the_same_with_the_option_on_and_off(wire: Wire, list_format: str) -> None:
    options: dict[str, Any] = {**MESSAGES, 'openai_chat_tool_return_list_format': list_format}
    messages = turn(['a', 'b'], ['c'])
    on = wire.model(**options, openai_chat_parallel_list_messages=True)
    assert await results_of(on, messages) == await results_of(wire.model(**options), messages)


RESULTS = st.one_of(st.text('ab', max_size=3), st.none(), st.lists(st.one_of(st.text('ab', max_size=3), st.integers())))


@generated()
@given(st.lists(st.lists(RESULTS, min_size=1, max_size=3), max_size=4), st.booleans())
async def test_what_was_sent_stays_the_beginning_of_what_is_sent_next(turns: list[list[Any]], parallel: bool) -> None:
    """Each turn alone decides how its results go out, so that the prompt caches of servers hit."""
    model = OpenAICompatibleModel('m', base_url='http://x/v1', openai_chat_parallel_list_messages=parallel, **MESSAGES)
    conversation: list[ModelMessage] = []
    sent: list[tuple[str, Any]] = []
    for results in turns:
        conversation += turn(*results)
        now = await results_of(model, conversation)
        assert now[: len(sent)] == sent
        if len(results) > 1 and not parallel:
            assert [call_id for call_id, _ in now[len(sent) :]] == [f'c{number}' for number in range(len(results))]
        sent = now


CACHED = {'type': 'text', 'text': 'b', 'prompt_cache_breakpoint': {'mode': 'explicit'}}


@pytest.mark.parametrize(
    ('options', 'contents'),
    [
        ({'openai_chat_tool_return_list_format': 'text_parts'}, [[{'type': 'text', 'text': 'a'}, CACHED]]),
        ({'openai_chat_tool_return_list_format': 'text'}, [[{**CACHED, 'text': 'a\nb'}]]),
        ({'openai_chat_tool_return_list_format': 'messages'}, ['a', [CACHED]]),
    ],
    ids=['text_parts', 'text', 'messages'],
)
async def test_what_is_cached_ends_with_the_last_item(wire: Wire, options: dict[str, Any], contents: list[Any]) -> None:
    """As with stock's text: a `CachePoint` that begins a prompt stands behind the message before it."""
    cached = ModelRequest(parts=[UserPromptPart([CachePoint(), 'and now?'])])
    profile: Any = {'openai_supports_prompt_cache_breakpoints': True}
    model = wire.model(tool_return_as_list=True, profile=profile, **options)
    results = await results_of(model, [*turn(['a', 'b']), cached])
    assert [content for _, content in results] == contents
    several = await results_of(model, [*turn('x', ['a', 'b']), cached])
    joined = options['openai_chat_tool_return_list_format'] == 'messages'
    assert [content for _, content in several] == ['x', *([[{**CACHED, 'text': 'a\nb'}]] if joined else contents)]
