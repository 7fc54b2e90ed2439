"""Names of functions that a host refuses, such as `coding.start` of an MCP server: out under one name, and back."""

from __future__ import annotations as _annotations

import dataclasses
import json
import re
import warnings
from typing import Any

import httpx2
import pytest
from generated import generated
from history.wire import call, calls, result, user
from hypothesis import HealthCheck, given, strategies as st
from pydantic_ai import Agent, Tool
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition, ToolOutput
from pydantic_ai.tools import ToolDefinition
from support import Wire, completion, tool_call

from pydantic_ai_compat.errors import HistoryError
from pydantic_ai_compat.history import NameMap, check_history, repair_history

UNNAMED = OutputObjectDefinition(json_schema={'type': 'object'})
NOTHING: dict[str, Any] = {}
FITS = re.compile(r'[a-zA-Z0-9_-]{1,64}')
names = st.lists(
    st.sampled_from(('t', 'coding.start', 'coding_start', 'coding/start', 'n' * 70, 'n' * 71, 'n' * 64, 'ö', '.', ''))
    | st.text(max_size=70),
    unique=True,
    max_size=8,
)


@generated(300)
@given(names, names)
def test_every_function_has_a_fitting_name_of_its_own(declared: list[str], others: list[str]) -> None:
    """Whatever the history calls: a name that fits stays for a declared tool, and the way back is the way out."""
    name_map = NameMap(declared)
    wire = {name: name_map.wire(name) for name in [*declared, *others]}
    assert len(set(wire.values())) == len(wire)
    assert all(FITS.fullmatch(name) for name in wire.values())
    assert all(wire[name] == name for name in declared if FITS.fullmatch(name))
    assert [name_map.given(wire[name]) for name in declared] == declared


@generated(200)
@given(names, names)
def test_a_longer_history_keeps_the_names_of_the_shorter(former: list[str], latter: list[str]) -> None:
    messages = [message for place, name in enumerate(former) for message in _turn(place, name)]
    longer = [*messages, *(message for place, name in enumerate(latter) for message in _turn(place + 10, name))]
    sent = repair_history(messages, 'openai').messages
    assert repair_history(longer, 'openai').messages[: len(sent)] == sent
    assert check_history(sent, 'openai') == []


def _turn(place: int, name: str) -> list[dict[str, Any]]:
    return [calls(call(f'c{place}', name=name)), result(f'c{place}')]


def test_two_functions_of_a_history_do_not_become_one() -> None:
    messages = [user(), calls(call('c1', name='a.b')), result('c1'), calls(call('c2', name='a_b')), result('c2')]
    repaired = repair_history(messages, 'openai').messages
    assert repaired[1]['tool_calls'][0]['function']['name'] == 'a_b'
    assert repaired[3]['tool_calls'][0]['function']['name'].startswith('a_b_')


def agent(model: Any, **options: Any) -> tuple[Agent[None, Any], list[str]]:
    ran: list[str] = []

    def start(a: int) -> str:
        ran.append(f'coding.start {a}')
        return 'started'

    def other(a: int) -> str:
        ran.append(f'coding_start {a}')
        return 'other'

    made = Agent(model, tools=[Tool(start, name='coding.start'), Tool(other, name='coding_start')], **options)
    return made, ran


def sse(*deltas: dict[str, Any], finish: str = 'tool_calls', end: dict[str, Any] | None = NOTHING) -> httpx2.Response:
    choices: list[dict[str, Any]] = [*({'delta': delta, 'finish_reason': None} for delta in deltas)]
    choices.append({'delta': end, 'finish_reason': finish})
    chunks = [
        {'id': 'x', 'object': 'chat.completion.chunk', 'created': 1, 'model': 'm', 'choices': [{'index': 0, **choice}]}
        for choice in choices
    ]
    text = ''.join(f'data: {json.dumps(chunk)}\n\n' for chunk in chunks) + 'data: [DONE]\n\n'
    return httpx2.Response(200, text=text, headers={'content-type': 'text/event-stream'})


@pytest.mark.parametrize('policy', ['openai', 'azure', 'mistral'])
@pytest.mark.parametrize('streamed', [False, True])
async def test_a_tool_with_a_refused_name_runs_and_stays_in_the_history_under_its_own(
    wire: Wire, policy: str, streamed: bool
) -> None:
    """Definitions, calls and answers carry one fitting name, beside a tool that has the obvious one already."""
    made, ran = agent(wire.model(openai_chat_history_policy=policy))
    name = NameMap(['coding.start', 'coding_start']).wire('coding.start')
    if streamed:
        started = {'index': 0, 'id': 'AbCdEf123', 'type': 'function', 'function': {'name': name, 'arguments': '{"a"'}}
        rest = {'index': 0, 'function': {'arguments': ': 1}'}}
        wire.answers += [sse({'tool_calls': [started]}, {'tool_calls': [rest]}), sse({'content': 'ok'}, finish='stop')]
        async with made.run_stream('q') as stream:
            assert await stream.get_output() == 'ok'
            history = stream.all_messages()
    else:
        wire.answers += [completion(tool_calls=[tool_call(name, 'AbCdEf123', a=1)]), completion(content='ok')]
        history = (await made.run('q')).all_messages()
    assert ran == ['coding.start 1']
    stored = [part.tool_name for message in history for part in message.parts if isinstance(part, ToolCallPart)]
    assert stored == ['coding.start']
    for body in wire.bodies:
        assert [tool['function']['name'] for tool in body['tools']] == [name, 'coding_start']
    called = [item for message in wire.bodies[-1]['messages'] for item in message.get('tool_calls', ())]
    assert [item['function']['name'] for item in called] == [name]


SIMILAR: tuple[str, ...] = ('coding', 'coding.start', 'coding_start', 'coding.start.now', 'coding-', 'ö', 'ö.ö', 'c')


async def said_in_pieces(
    wire: Wire, declared: list[str], chosen: list[str], cuts: list[int], arguments: str, *, beside: bool
) -> list[tuple[str, Any, str]]:
    """The calls of an answer with several at once, each name cut in two, and an end without a delta.

    Args:
        wire: The endpoint.
        declared: The tools.
        chosen: Those that are called.
        cuts: Where the name of each is cut.
        arguments: The arguments of each.
        beside: Whether they come with the end of the name, or behind it.
    """
    name_map = NameMap(declared)
    first: list[dict[str, Any]] = []
    second: list[dict[str, Any]] = []
    for index, (name, cut) in enumerate(zip(chosen, cuts, strict=True)):
        wire_name = name_map.wire(name)
        start = {'index': index, 'id': f'c{index}', 'type': 'function', 'x': index}
        first.append({**start, 'function': {'name': wire_name[:cut], 'arguments': ''}})
        rest = {'name': wire_name[cut:] or None, 'arguments': arguments if beside else ''}
        second.append({'index': index, 'function': rest})
    third = [] if beside else [{'index': n, 'function': {'arguments': arguments}} for n in range(len(chosen))]
    wire.answers.append(sse({'tool_calls': first}, {'tool_calls': second}, {'tool_calls': third}, end=None))
    model = wire.model(openai_chat_history_policy='openai')
    parameters = ModelRequestParameters(function_tools=[ToolDefinition(name=name) for name in declared])
    async with model.request_stream([ModelRequest(parts=[UserPromptPart('q')])], None, parameters) as stream:
        async for _ in stream:
            pass
    return [
        (part.tool_name, part.args or '', part.tool_call_id)
        for part in stream.get().parts
        if isinstance(part, ToolCallPart)
    ]


@pytest.mark.parametrize('arguments', ['', '{"a": 1}'])
@pytest.mark.parametrize('beside', [True, False])
@pytest.mark.parametrize('declared', [['coding.start'], ['coding.start', 'coding_start.now']])
async def test_a_name_cut_in_two_is_the_tools_own(
    wire: Wire, declared: list[str], beside: bool, arguments: str
) -> None:
    """Alone, and beside a tool whose name begins with it."""
    called = await said_in_pieces(wire, declared, ['coding.start'] * 2, [3, 12], arguments, beside=beside)
    assert called == [('coding.start', arguments, 'c0'), ('coding.start', arguments, 'c1')]


@st.composite
def cut_names(draw: st.DrawFn) -> tuple[list[str], list[str], list[int]]:
    """Tools, the two of them that are called, and where the name of each is cut."""
    declared: list[str] = draw(st.lists(st.sampled_from(SIMILAR), min_size=1, unique=True))
    chosen: list[str] = [draw(st.sampled_from(declared)) for _ in range(2)]
    return declared, chosen, [draw(st.integers(1, len(NameMap(declared).wire(name)))) for name in chosen]


@generated(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut_names(), st.sampled_from(['', '{}', '{"a": 1}']), st.booleans())
async def test_a_name_that_comes_in_pieces_is_the_tools_own(
    wire: Wire, names: tuple[list[str], list[str], list[int]], arguments: str, beside: bool
) -> None:
    """Two calls at once, beside tools whose names begin alike."""
    declared, chosen, cuts = names
    called = await said_in_pieces(wire, declared, chosen, cuts, arguments, beside=beside)
    assert called == [(name, arguments, f'c{index}') for index, name in enumerate(chosen)]


@pytest.mark.parametrize('choice', [['coding.start'], ['coding.start', 'coding_start']])
@pytest.mark.parametrize('allowed_tools', [False, True])
async def test_a_choice_of_tools_carries_the_names_that_go_out(
    wire: Wire, choice: list[str], allowed_tools: bool
) -> None:
    model = wire.model(openai_chat_history_policy='openai', openai_chat_supports_allowed_tools=allowed_tools)
    definitions = [ToolDefinition(name=name) for name in ('coding.start', 'coding_start', 't')]
    parameters = ModelRequestParameters(function_tools=definitions)
    settings: Any = {'tool_choice': choice}
    await model.request([ModelRequest(parts=[UserPromptPart('q')])], settings, parameters)
    (body,) = wire.bodies
    declared = {tool['function']['name'] for tool in body['tools']}
    chosen = set(re.findall(r'"name": "([^"]*)"', json.dumps(body['tool_choice'])))
    assert all(FITS.fullmatch(name) for name in declared | chosen)
    assert chosen <= declared
    assert len(declared) == 3 or not allowed_tools


async def test_an_output_tool_with_a_refused_name_gives_the_output(wire: Wire) -> None:
    made = Agent(
        wire.model(openai_chat_history_policy='openai'), output_type=ToolOutput(dict[str, int], name='final.result')
    )
    wire.answers.append(completion(tool_calls=[tool_call('final_result', 'c1', response={'n': 1})]))
    assert (await made.run('q')).output == {'n': 1}


CALLED: list[ModelMessage] = [
    ModelRequest(parts=[UserPromptPart('q')]),
    ModelResponse(parts=[ToolCallPart('coding.start', '{}', 'c1')]),
    ModelRequest(parts=[ToolReturnPart('coding.start', 'r', 'c1')]),
]


@pytest.mark.parametrize(
    ('options', 'name'),
    [
        ({'openai_chat_history_policy': 'openai'}, 'coding_start'),
        ({'openai_chat_history_policy': 'openai', 'openai_chat_history': 'check'}, 'coding_start'),
        ({'openai_chat_history_policy': 'openai', 'openai_chat_history': 'off'}, 'coding.start'),
        ({}, 'coding.start'),
    ],
)
async def test_which_name_goes_out_is_no_fault_of_a_history(wire: Wire, options: dict[str, Any], name: str) -> None:
    """Neither a warning nor a refusal; `off` and a policy without H10 send every name as it is."""
    parameters = ModelRequestParameters(function_tools=[ToolDefinition(name='coding.start')])
    wire.answers.append(completion(tool_calls=[tool_call(name, 'c2')]))
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        response = await wire.model(**options).request(CALLED, None, parameters)
    (body,) = wire.bodies
    assert body['tools'][0]['function']['name'] == name
    assert body['messages'][1]['tool_calls'][0]['function']['name'] == name
    assert response.tool_calls[0].tool_name == 'coding.start'


@pytest.mark.parametrize(
    ('options', 'wire_name'),
    [
        ({'openai_chat_history_policy': 'openai'}, 'my_answer'),
        ({'openai_chat_history_policy': 'openai', 'openai_chat_history': 'off'}, 'my.answer'),
        ({}, 'my.answer'),
    ],
)
async def test_the_name_of_an_output_schema_is_fitted_as_that_of_a_function(
    wire: Wire, options: dict[str, Any], wire_name: str
) -> None:
    """A host holds both to one rule: <https://platform.openai.com/docs/api-reference/chat/create>, `json_schema.name`"""
    output = OutputObjectDefinition(json_schema={'type': 'object'}, name='my.answer', description='d')
    parameters = ModelRequestParameters(output_mode='native', output_object=output)
    await wire.model(**options).request([ModelRequest(parts=[UserPromptPart('q')])], None, parameters)
    await wire.model(**options).request(
        [ModelRequest(parts=[UserPromptPart('q')])], None, dataclasses.replace(parameters, output_object=UNNAMED)
    )
    named, unnamed = (body['response_format']['json_schema'] for body in wire.bodies)
    assert (named['name'], named['description'], unnamed['name']) == (wire_name, 'd', 'final_result')
    assert output.name == 'my.answer'


async def test_check_still_refuses_what_is_wrong_beside_a_name(wire: Wire) -> None:
    model = wire.model(openai_chat_history_policy='openai', openai_chat_history='check')
    with pytest.raises(HistoryError, match='H01'):
        await model.request([*CALLED[:2]], None, ModelRequestParameters())


async def test_fitting_names_go_out_and_come_back_as_they_are(wire: Wire) -> None:
    """The bytes of stock under the host's policy, and the very response of pydantic-ai."""
    parameters = ModelRequestParameters(function_tools=[ToolDefinition(name='t')])
    for model in (wire.model(openai_chat_history_policy='openai'), wire.stock()):
        wire.answers.append(completion(tool_calls=[tool_call('t', 'c2')]))
        response = await model.request([ModelRequest(parts=[UserPromptPart('q')])], None, parameters)
        assert response.tool_calls[0].tool_name == 't'
    assert wire.requests[0].content == wire.requests[1].content
