"""Any value in any place of an answer: plain and streamed it is read alike, or refused in words of ours."""

from __future__ import annotations as _annotations

import copy
import json
from typing import Any

import httpx2
import pytest
from generated import generated
from hypothesis import HealthCheck, given, strategies as st
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import TextPart, ThinkingPart, ToolCallPart
from streaming.answers import PARAMETERS, REQUEST, a_call, body_of
from streaming.streams import chunk, stream_answer
from support import Wire

pytestmark = [
    pytest.mark.filterwarnings('ignore::pydantic_ai_compat.errors.IgnoredFieldWarning'),
    # Counts below zero, which pydantic-ai tells of as it does with stock.
    pytest.mark.filterwarnings('ignore:Failed to extract usage'),
]

Place = tuple[str | int, ...]
MESSAGE: Place = ('choices', 0, 'message')
CALL: Place = (*MESSAGE, 'tool_calls', 0)
PLACES: list[Place] = [
    *((name,) for name in ('id', 'created', 'model', 'object', 'usage', 'service_tier', 'system_fingerprint')),
    *(('usage', name) for name in ('prompt_tokens', 'completion_tokens', 'total_tokens')),
    *(('usage', name) for name in ('prompt_tokens_details', 'completion_tokens_details')),
    *(('choices', 0, name) for name in ('index', 'finish_reason', 'logprobs')),
    *((*MESSAGE, name) for name in ('role', 'content', 'refusal', 'function_call', 'tool_calls', 'reasoning')),
    CALL,
    *((*CALL, name) for name in ('id', 'type', 'function', 'custom')),
    *((*CALL, 'function', name) for name in ('name', 'arguments')),
]
ABSENT = object()
VALUES: list[object] = [
    ABSENT, None, '', 'x', 0, 1, -1, 1.5, True, [], {}, [None], [{}], ['x'], {'a': 1}, 10**18, -(10**18), float('inf'),
]  # fmt: skip


SEEN: list[tuple[Place, object]] = [
    ((*CALL, 'function', 'name'), ['x']),
    ((*CALL, 'id'), ABSENT),
    ((*CALL, 'type'), 'x'),
    ((*MESSAGE, 'content'), {}),
    ((*MESSAGE, 'tool_calls'), ''),
    (('usage', 'completion_tokens_details'), 0),
    (('created',), 10**18),
    (('model',), {'a': 1}),
]
"""Values that were read in two ways, or cost an answer that nobody needs them for."""


def with_value(place: Place, value: object) -> dict[str, Any]:
    """An answer with a text and a call, and with this value in one place."""
    body = copy.deepcopy(body_of({'content': 'ok', 'tool_calls': [a_call(index=0)]}))
    owner: Any = body
    for key in place[:-1]:
        owner = owner[key]
    if value is not ABSENT:
        owner[place[-1]] = value
    elif isinstance(owner, list):
        del owner[0]
    else:
        owner.pop(place[-1], None)
    return body


def as_chunk(body: dict[str, Any]) -> dict[str, Any]:
    choices = [
        {('delta' if name == 'message' else name): value for name, value in one.items()} for one in body['choices']
    ]
    return {**body, 'object': 'chat.completion.chunk', 'choices': choices}


async def outcome(wire: Wire, body: dict[str, Any], *, streamed: bool) -> object:
    """What the answer says, or that it was refused in words of ours."""
    try:
        if streamed:
            wire.answers.append(stream_answer([as_chunk(body)]))
            async with wire.model().request_stream(REQUEST, None, PARAMETERS) as response:
                async for _ in response:
                    pass
            answer = response.get()
        else:
            wire.answers.append(httpx2.Response(200, content=json.dumps(body)))
            answer = await wire.model().request(REQUEST, None, PARAMETERS)
    except ModelAPIError:
        return 'refused'
    # Arguments that did not come are `None` in a stream and `''` in a plain response, with stock as well.
    parts = [
        (part.tool_name, part.args or None) if isinstance(part, ToolCallPart) else (part.part_kind, part.content)
        for part in answer.parts
        if isinstance(part, ToolCallPart | TextPart | ThinkingPart)
    ]
    usage = (answer.usage.input_tokens, answer.usage.output_tokens)
    return parts, answer.finish_reason, usage, answer.model_name, (answer.provider_details or {}).get('timestamp')


@generated(80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(PLACES), st.sampled_from(VALUES))
async def test_any_value_in_any_place_is_read_alike_plain_and_streamed(wire: Wire, place: Place, value: object) -> None:
    """What holds nothing is not there, and a field that nobody needs never costs the answer; the rest is an error."""
    body = with_value(place, value)
    assert await outcome(wire, body, streamed=False) == await outcome(wire, body, streamed=True)


@pytest.mark.parametrize(('place', 'value'), SEEN, ids=[str(place[-1]) for place, _ in SEEN])
async def test_values_that_were_read_in_two_ways_are_read_alike(wire: Wire, place: Place, value: object) -> None:
    body = with_value(place, value)
    plain = await outcome(wire, body, streamed=False)
    assert plain == await outcome(wire, body, streamed=True)
    assert plain != 'refused' or place[-1] == 'name'


@pytest.mark.parametrize('value', ['get_weather', '', None, 5, ['x'], {'a': 1}], ids=repr)
@pytest.mark.parametrize('field', ['name', 'arguments'])
@pytest.mark.parametrize('streamed', [False, True], ids=['plain', 'streamed'])
async def test_what_a_call_says_beside_its_function_is_not_added_to_it(
    wire: Wire, field: str, value: object, streamed: bool
) -> None:
    """Only where there is no function, the fields beside the id are the call's. The id is missing, so it is rebuilt."""
    entry = {**a_call(index=0), 'id': None, field: value}
    parts = await outcome(wire, body_of({'tool_calls': [entry]}), streamed=streamed)
    assert parts == await outcome(wire, body_of({'tool_calls': [a_call(index=0)]}), streamed=streamed)


@pytest.mark.parametrize('delta', [{}, {'role': '', 'content': ''}, {'content': 'another'}, 'x', [1]], ids=repr)
async def test_a_delta_beside_the_message_of_a_plain_response_is_not_read(wire: Wire, delta: object) -> None:
    """As with stock: servers in Go send every field of their schema, those of chunks too."""
    body = body_of({'content': 'ok'}, choice={'delta': delta, 'logprobs': {'content': [], 'refusal': None}})
    wire.answers.extend([body] * 2)
    stock = await wire.stock().request(REQUEST, None, PARAMETERS)
    assert (await wire.model().request(REQUEST, None, PARAMETERS)).parts == stock.parts


@pytest.mark.parametrize('delta', [None, {}, {'role': '', 'content': ''}], ids=repr)
async def test_a_message_beside_an_empty_delta_is_the_answer_of_a_stream(wire: Wire, delta: object) -> None:
    """A server that sends no pieces, under the label of a chunk."""
    body = body_of({'content': 'ok'}, object='chat.completion.chunk', choice={'delta': delta})
    wire.answers.append(stream_answer([body]))
    async with wire.model().request_stream(REQUEST, None, PARAMETERS) as response:
        async for _ in response:
            pass
    assert [part.content for part in response.get().parts if isinstance(part, TextPart)] == ['ok']


@pytest.mark.parametrize('word', ['stop', 'length', 'content_filter'])
async def test_a_finish_reason_beside_no_delta_is_the_answers(wire: Wire, word: str) -> None:
    """Azure sends choices without a delta; pydantic-ai passes such a choice over."""
    last = {**chunk(word), 'choices': [{'index': 0, 'delta': None, 'finish_reason': word}]}
    wire.answers += [
        body_of({'content': 'ok'}, choice={'finish_reason': word}),
        stream_answer([chunk(content='ok'), last]),
    ]
    plain = await wire.model().request(REQUEST, None, PARAMETERS)
    async with wire.model().request_stream(REQUEST, None, PARAMETERS) as response:
        async for _ in response:
            pass
    assert response.get().finish_reason == plain.finish_reason == word
