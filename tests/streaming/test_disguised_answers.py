"""One answer in every form that servers give it: the same, plain and streamed, at any cut.

Each `F…` is a report that a link names; the texts and numbers here are made for the test.
"""

from __future__ import annotations as _annotations

import json
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelResponse,
    ToolCallPart,
)
from streaming.answers import OSLO, a_call, body_of, read
from streaming.streams import parts_of
from support import Wire, completion

WEATHER = [{'tool': 'get_weather', 'args': {'city': 'Oslo'}, 'id': 'c1'}]
NOW: list[dict[str, Any]] = [{'tool': 'now', 'args': {}, 'id': 'c1'}]
ZEROS: dict[str, Any] = {
    'function_call': {'name': '', 'arguments': ''},
    'audio': {'id': '', 'data': '', 'expires_at': 0, 'transcript': ''},
    'refusal': '',
}
TEXT_PART = {'type': 'text', 'text': 'ok'}

ANSWERS: dict[str, tuple[dict[str, Any], list[dict[str, Any]], list[str]]] = {
    'a server in Go, text': ({'content': 'ok', **ZEROS}, [{'text': 'ok'}], ['empty-objects']),
    'a server in Go, a call': ({'tool_calls': [a_call(custom={'name': '', 'input': ''})], **ZEROS}, WEATHER, ['empty-objects']),
    'an empty call': ({'content': 'ok', 'tool_calls': [a_call('', '', id='')]}, [{'text': 'ok'}], ['empty-objects']),
    'F24 beside the id': ({'tool_calls': [{'id': 'c1', 'name': 'get_weather', 'arguments': OSLO}]}, WEATHER, ['call-unwrapped']),
    'F29 thoughts in a list': (
        {'content': 'ok', 'reasoning_content': [{'type': 'text', 'text': 'I '}, {'type': 'text', 'text': 'think'}]},
        [{'think': 'I think'}, {'text': 'ok'}],
        ['thinking-parts'],
    ),
    'F29 thoughts in the content': (
        {'content': [{'type': 'thinking', 'thinking': [{'type': 'text', 'text': 'I think'}]}, TEXT_PART]},
        [{'think': 'I think'}, {'text': 'ok'}],
        ['content-parts', 'thinking-parts'],
    ),
    'F29 a thought as a string in a part': (
        {'content': [{'type': 'reasoning', 'text': 'I think'}, 'ok']},
        [{'think': 'I think'}, {'text': 'ok'}],
        ['content-parts', 'thinking-parts'],
    ),
    'F30 null': ({'tool_calls': [a_call('now', 'null')]}, NOW, ['arguments-nothing']),
    'F30 a list': ({'tool_calls': [a_call('now', '[ ]')]}, NOW, ['arguments-nothing']),
    'F30 an empty string': ({'tool_calls': [a_call('now', '""')]}, NOW, ['arguments-nothing']),
    'F30 None': ({'tool_calls': [a_call('now', 'None')]}, NOW, ['arguments-nothing']),
    'encoded twice': ({'tool_calls': [a_call(arguments=json.dumps(OSLO))]}, WEATHER, ['arguments-twice']),
    'F32 a raw line break': (
        {'tool_calls': [a_call(arguments='{\n"city": "Os\nlo"}')]},
        [{'tool': 'get_weather', 'args': {'city': 'Os\nlo'}, 'id': 'c1'}],
        ['arguments-control'],
    ),
    'a namespace': ({'tool_calls': [a_call('functions.get_weather')]}, WEATHER, ['name-decorated']),
    'white space and brackets': ({'tool_calls': [a_call(' get_weather()\n')]}, WEATHER, ['name-decorated']),
}  # fmt: skip


@pytest.mark.parametrize('name', ANSWERS)
async def test_an_answer_in_another_form_is_read(name: str, wire: Wire) -> None:
    """Plain, and streamed with the arguments cut at each place; what was corrected is named."""
    message, parts, corrected = ANSWERS[name]
    body = body_of(message)
    calls: list[dict[str, Any]] = message.get('tool_calls', [])
    functions: list[dict[str, Any]] = [call.get('function') or call for call in calls]
    longest = max((len(str(function['arguments'])) for function in functions), default=1)
    for cut in (None, *range(longest)):
        response = await read(wire, body, cut)
        assert (parts_of(response), (response.provider_details or {})['corrected']) == (parts, corrected), cut
        assert response.finish_reason == (
            'tool_call' if 'tool_calls' in message and name != 'an empty call' else response.finish_reason
        )
        assert (response.usage.input_tokens, response.usage.output_tokens) == (1, 1)


@pytest.mark.parametrize(
    'arguments', ['null', '[]', '""', 'None', '5', '[1]', '"x"', '{"city": "it"s"}', '{"city": [1, 2}']
)
async def test_arguments_that_mean_no_object_go_back_to_the_model(arguments: str, wire: Wire) -> None:
    """For a tool that needs a parameter `null` can mean nothing; what no text could mend is wrong and not cut."""
    wire.answers += [completion(tool_calls=[a_call(arguments=arguments)]), completion(tool_calls=[a_call()])]
    runs: list[str] = []
    agent = Agent(wire.model())

    @agent.tool_plain
    def get_weather(city: str) -> str:
        runs.append(city)
        return 'sunny'

    result = await agent.run('hi')
    assert (result.output, runs, result.usage.requests) == ('done', ['Oslo'], 3)


async def test_corrected_arguments_go_into_the_history_as_json(wire: Wire) -> None:
    """F32: an endpoint refuses a history with raw line breaks in it."""
    wire.answers.append(completion(tool_calls=[a_call(arguments='{"city":"Os\nlo", "n": 1.0}')]))
    agent = Agent(wire.model())

    @agent.tool_plain
    def get_weather(city: str, n: float) -> str:
        return 'sunny'

    result = await agent.run('hi')
    [first] = next(message for message in result.all_messages() if isinstance(message, ModelResponse)).parts
    assert isinstance(first, ToolCallPart) and first.args == '{"city":"Os\\nlo", "n": 1.0}'
    sent = wire.bodies[1]['messages'][1]['tool_calls'][0]['function']['arguments']
    assert json.loads(sent) == {'city': 'Os\nlo', 'n': 1.0}
