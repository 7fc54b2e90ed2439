"""Calls that are cut or wrong are never run; and generated answers, read right or refused."""

from __future__ import annotations as _annotations

import asyncio
import json
from typing import Any

import pytest
from generated import generated
from hypothesis import given, strategies as st
from pydantic_ai import Agent
from pydantic_ai.exceptions import IncompleteToolCall, ModelAPIError, UnexpectedModelBehavior
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RunUsage
from streaming.answers import CITY, OSLO, PARAMETERS, REQUEST, a_call, body_of, streams_of
from streaming.streams import chunk, stream_answer
from support import Wire, completion

from pydantic_ai_compat.errors import StreamError


@pytest.mark.parametrize('cut', [None, 3])
@pytest.mark.parametrize(
    ('arguments', 'finish_reason', 'error'),
    [
        ('{"city": "it"s"}', 'tool_calls', None),
        ('{"city": "Os', 'tool_calls', None),
        ('{"city": "Os', 'stop', None),
        ('{"city": "Os', 'length', IncompleteToolCall),
        ('{"city": "Os', 'abort', IncompleteToolCall),
        ('{"city": "Os', None, StreamError),
    ],
)
async def test_what_is_cut_or_wrong_is_never_run(
    arguments: str, finish_reason: str | None, error: type[Exception] | None, cut: int | None, wire: Wire
) -> None:
    """As stock where the server says that it finished: the model is asked again. What was used is counted, always."""
    body = body_of({'tool_calls': [a_call(arguments=arguments)]}, choice={'finish_reason': finish_reason})
    done = stream_answer([chunk(content='done'), chunk('stop')])
    wire.answers += [body] if cut is None else [stream_answer(streams_of(body, cut)), done]
    runs: list[str] = []
    agent = Agent(wire.model())
    usage = RunUsage()

    @agent.tool_plain
    def get_weather(city: str) -> None:
        runs.append(city)

    async def run() -> None:
        if cut is None:
            await agent.run('hi', usage=usage)
        else:
            async with agent.iter('hi', usage=usage) as steps:
                async for node in steps:
                    if Agent.is_model_request_node(node):
                        async with node.stream(steps.ctx) as events:
                            async for _ in events:
                                pass

    if error is None:
        await run()
        assert len(wire.requests) == 2
    else:
        with pytest.raises(error, match='inside the arguments of tool call 1 `get_weather`'):
            await run()
    assert runs == []
    assert usage.input_tokens >= 1


async def test_a_stream_error_lets_a_fallback_model_answer(wire: Wire) -> None:
    """`StreamError` is a `ModelAPIError`; its model is named."""
    other = Wire()
    other.answers.append(completion(content='here'))
    wire.answers.append(completion(tool_calls=[{'id': 'c1', 'function': {'arguments': OSLO}}]))
    assert (await Agent(FallbackModel(wire.model(), other.model())).run('hi')).output == 'here'
    wire.answers.append(
        {'choices': [{'index': 0, 'message': {'tool_calls': [{'id': 'c1', 'function': {'arguments': OSLO}}]}}]}
    )
    with pytest.raises(StreamError) as caught:
        await wire.model().request(REQUEST, None, PARAMETERS)
    assert isinstance(caught.value, ModelAPIError) and isinstance(caught.value, UnexpectedModelBehavior)
    assert caught.value.model_name == 'm'


JSON_TEXT = st.text('ab"\\{}[]:,é\n\t 1', max_size=12)
WRAPPED = st.sampled_from(['as it is', 'twice', 'object', 'cut', 'mutated', 'unwrapped', 'decorated'])


@generated(200)
@given(
    st.dictionaries(JSON_TEXT, JSON_TEXT | st.integers() | st.lists(st.booleans(), max_size=2), max_size=3),
    WRAPPED,
    st.data(),
)
def test_generated_answers_are_read_right_or_refused(arguments: dict[str, Any], how: str, data: st.DataObject) -> None:
    """The right arguments or an error of ours, the same plain and streamed, and never a call with other arguments."""
    raw = json.dumps(arguments, ensure_ascii=data.draw(st.booleans()))
    sent: Any = {'twice': json.dumps(raw), 'object': arguments}.get(how, raw)
    finish_reason = data.draw(st.sampled_from(['tool_calls', 'stop', 'length', None]))
    if how == 'cut':
        sent = raw[: data.draw(st.integers(0, len(raw) - 1))]
    elif how == 'mutated':
        place = data.draw(st.integers(0, len(raw)))
        sent = raw[:place] + data.draw(st.sampled_from('"{}[]:,\n\\x')) + raw[place:]
    entry = a_call('functions.f' if how == 'decorated' else 'f', sent)
    if how == 'unwrapped':
        entry = {'id': 'c1', 'name': 'f', 'arguments': sent}
    body = body_of({'tool_calls': [entry]}, choice={'finish_reason': finish_reason})
    place = data.draw(st.integers(0, 30))
    outcomes = [asyncio.run(outcome(body, cut)) for cut in (None, 0, place)]
    assert outcomes[0] == outcomes[1]
    if how == 'mutated' and 0 < place < len(sent) and sent[place:].startswith(sent[:place]):
        # A piece that begins with all before it is how servers send arguments cumulatively; plain ones never are.
        assert outcomes[2] in (outcomes[0], arguments)
    else:
        assert outcomes[0] == outcomes[2]
    if how not in ('cut', 'mutated'):
        assert outcomes[0] == arguments


async def outcome(body: dict[str, Any], cut: int | None) -> object:
    """The arguments that would be run, what is wrong with them, or the kind of the error."""
    wire = Wire()
    parameters = ModelRequestParameters(function_tools=[ToolDefinition(name='f', parameters_json_schema=CITY)])
    model = wire.model()
    try:
        if cut is None:
            wire.answers.append(body)
            response = await model.request(REQUEST, None, parameters)
        else:
            wire.answers.append(stream_answer(streams_of(body, cut)))
            async with model.request_stream(REQUEST, None, parameters) as stream:
                async for _ in stream:
                    pass
            response = stream.get()
    except (StreamError, IncompleteToolCall) as error:
        return type(error)
    [part] = response.parts
    assert part.part_kind == 'tool-call' and part.tool_name == 'f'
    try:
        return part.args_as_dict(raise_if_invalid=True)
    except (ValueError, AssertionError):
        return part.args
