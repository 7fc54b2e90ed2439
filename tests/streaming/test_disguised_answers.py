"""One answer in every form that servers give it: the same parts, usage and finish reason, plain and streamed, at any cut.

Each `F…` is a report that a link names; the texts and numbers here are made for the test.
"""

from __future__ import annotations as _annotations

import asyncio
import json
import os
import warnings
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from pydantic_ai import Agent
from pydantic_ai.exceptions import IncompleteToolCall, ModelAPIError, UnexpectedModelBehavior
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
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RunUsage
from streaming.streams import chunk, parts_of, stream_answer
from support import Wire, completion

from pydantic_ai_compat.errors import IgnoredFieldWarning, StreamError

CITY: dict[str, Any] = {'type': 'object', 'properties': {'city': {'type': 'string'}}, 'required': ['city']}
PARAMETERS = ModelRequestParameters(
    function_tools=[ToolDefinition(name='now'), ToolDefinition(name='get_weather', parameters_json_schema=CITY)]
)
REQUEST: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('hi')])]
OSLO = '{"city":"Oslo"}'


def a_call(name: Any = 'get_weather', arguments: Any = OSLO, **fields: Any) -> dict[str, Any]:
    return {'id': 'c1', 'type': 'function', 'function': {'name': name, 'arguments': arguments}, **fields}


def body_of(message: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A completion with fields of its own beside those of the message."""
    choice = fields.pop('choice', {})
    body = {**completion(**message), **fields}
    body['choices'][0] |= choice
    return body


def streams_of(body: dict[str, Any], cut: int) -> list[dict[str, Any]]:
    """The same answer as chunks: the arguments of its calls cut at one place, and the end in a chunk of its own."""
    choice = body['choices'][0]
    delta = dict(choice['message'])
    first: list[dict[str, Any]] = []
    rest: list[dict[str, Any]] = []
    entries: list[dict[str, Any]] = delta.pop('tool_calls', None) or []
    for number, entry in enumerate(entries):
        function: dict[str, Any] = dict(entry.get('function') or {})
        arguments = function.get('arguments')
        first.append({'index': number, **entry})
        if isinstance(arguments, str) and 0 < cut < len(arguments):
            first[-1]['function'] = {**function, 'arguments': arguments[:cut]}
            rest.append({'index': number, 'function': {'arguments': arguments[cut:]}})
    outer = {name: value for name, value in body.items() if name not in ('choices', 'usage')}
    middle = {name: value for name, value in choice.items() if name not in ('message', 'finish_reason')}
    chunks: list[dict[str, Any]] = [
        {**outer, 'choices': [{**middle, 'delta': {**delta, 'tool_calls': first or None}, 'finish_reason': None}]}
    ]
    chunks += [chunk(tool_calls=[one]) for one in rest]
    return [*chunks, {**chunk(choice['finish_reason']), 'usage': body['usage']}]


async def read(wire: Wire, body: dict[str, Any], cut: int | None = None, **options: Any) -> ModelResponse:
    """The answer read plain, or streamed with its arguments cut at a place."""
    model = wire.model(**options)
    if cut is None:
        wire.answers.append(body)
        return await model.request(REQUEST, None, PARAMETERS)
    wire.answers.append(stream_answer(streams_of(body, cut)))
    async with model.request_stream(REQUEST, None, PARAMETERS) as response:
        async for _ in response:
            pass
    return response.get()


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


ODD_FIELDS: dict[str, dict[str, Any]] = {
    'F16': {'id': '', 'created': '2025/05/16 16:29:57', 'model': None, 'usage': {}, 'service_tier': None, 'code': 0},
    'F18': {'usage': {'total_tokens': 0, 'total_characters': 0}},
    'created as a float': {'created': 1790000000.5},
    'ids as numbers': {'id': 7},
    'usage under other names': {'usage': {'input_tokens': 3, 'output_tokens': 4}},
    'lists in the usage': {'usage': {'prompt_tokens': 3, 'completion_tokens': 4, 'total_tokens': 7, 'prompt_tokens_details': [1]}},
    'usage as text': {'usage': 'none'},
    'a word for the tier': {'service_tier': 'on_demand', 'object': 'response', 'system_fingerprint': 5},
}  # fmt: skip
ODD_CHOICES: dict[str, dict[str, Any]] = {
    'no word of the end': {'finish_reason': 0},
    'a list for the end': {'finish_reason': ['stop']},
    'log probabilities': {'logprobs': {'content': [{'token': None, 'logprob': None, 'top_logprobs': None}]}},
    'an index as text': {'index': '0'},
}
ODD_MESSAGES: dict[str, dict[str, Any]] = {
    'no role': {'role': ''},
    'another role': {'role': 'model'},
    'a list for a refusal': {'refusal': []},
    'flat citations': {'annotations': [{'type': 'url_citation', 'url': 'https://a.example'}]},
}
ODD = {**ODD_FIELDS, **ODD_CHOICES, **ODD_MESSAGES}


@pytest.mark.filterwarnings('ignore::pydantic_ai_compat.errors.IgnoredFieldWarning')
@pytest.mark.parametrize('name', ODD)
async def test_a_field_that_nobody_needs_never_costs_the_answer(name: str, wire: Wire) -> None:
    """F16 <https://github.com/sashabaranov/go-openai/issues/1002>, F18, and fields of the same kind."""
    body = body_of(
        {'content': 'ok', **ODD_MESSAGES.get(name, {})}, **ODD_FIELDS.get(name, {}), choice=ODD_CHOICES.get(name, {})
    )
    for cut in (None, 0):
        response = await read(wire, body, cut)
        assert (parts_of(response), response.finish_reason) == ([{'text': 'ok'}], 'stop'), cut
        if name in ('usage under other names', 'lists in the usage'):
            assert (response.usage.input_tokens, response.usage.output_tokens) == (3, 4)


async def test_what_was_put_aside_is_kept_and_said_once(wire: Wire) -> None:
    """The warning names the field and not what is in it."""
    model = wire.model()
    for answer in ('2025/05/16', '2025/05/17'):
        wire.answers.append(body_of({'content': 'ok'}, created=answer))
    with pytest.warns(
        IgnoredFieldWarning, match=r'fields that do not fit their types: `created` is str\. The answer is used'
    ):
        first = await model.request(REQUEST, None, PARAMETERS)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        second = await model.request(REQUEST, None, PARAMETERS)
    assert [(one.provider_details or {})['dropped'] for one in (first, second)] == [
        {'created': '2025/05/16'},
        {'created': '2025/05/17'},
    ]


@pytest.mark.parametrize(
    ('usages', 'expected'),
    [
        ([(10, 1), (10, 2), (10, 3), (10, 3)], (10, 3)),
        ([(10, 1), (0, 1), (0, 1)], (10, 3)),
        ([(1, 1), (2, 3), (1, 1)], (4, 5)),
        ([(7, 5)], (7, 5)),
        ([(2, 1), (2, 1), (2, 1)], (6, 3)),
        ([(9, 0), (9, 0), (9, 0)], (9, 0)),
        ([(9, 0), (9, 0), (9, 4)], (9, 4)),
    ],
)
async def test_running_totals_are_not_added_up(
    usages: list[tuple[int, int]], expected: tuple[int, int], wire: Wire
) -> None:
    """F25 <https://github.com/camel-ai/camel/issues/4217>: totals never fall, and grow with the text."""
    chunks = [
        {**chunk(content='a'), 'usage': {'prompt_tokens': i, 'completion_tokens': o, 'total_tokens': i + o}}
        for i, o in usages
    ]
    wire.answers.append(stream_answer([*chunks, chunk('stop')]))
    async with wire.model().request_stream(REQUEST, None, PARAMETERS) as response:
        async for _ in response:
            pass
    assert (response.usage.input_tokens, response.usage.output_tokens) == expected


async def test_usage_in_the_choice_is_found(wire: Wire) -> None:
    """F26: Moonshot <https://github.com/AstrBotDevs/AstrBot/issues/6614>."""
    usage = {'prompt_tokens': 1336, 'completion_tokens': 31, 'total_tokens': 1367}
    last = {**chunk('stop'), 'choices': [{'index': 0, 'delta': {}, 'finish_reason': 'stop', 'usage': usage}]}
    plain = body_of({'content': 'hi'}, usage=None, choice={'usage': usage})
    wire.answers += [stream_answer([chunk(content='hi'), last]), plain]
    async with wire.model().request_stream(REQUEST, None, PARAMETERS) as response:
        async for _ in response:
            pass
    whole = await wire.model().request(REQUEST, None, PARAMETERS)
    assert [(one.usage.input_tokens, one.usage.output_tokens) for one in (response.get(), whole)] == [(1336, 31)] * 2


@pytest.mark.parametrize(
    ('pieces', 'text'),
    [
        (['The cat', 'The cat sat', 'The cat sat on it.'], 'The cat sat on it.'),
        (
            ['The cat', 'The cat sat', 'The cat sat on it.', 'The cat sat on it.', 'The cat sat on it. So'],
            'The cat sat on it. So',
        ),
        (['The cat', 'The cat sat on it.', ' And'], 'The catThe cat sat on it. And'),
        (['ha', 'ha', 'ha'], 'hahaha'),
        (['1', '10', '100'], '110100'),
        (['1', '10'], '110'),
        (['-' * 16] * 3, '-' * 48),
    ],
)
@pytest.mark.parametrize('field', ['content', 'reasoning_content'])
async def test_cumulative_text_is_read_once(field: str, pieces: list[str], text: str, wire: Wire) -> None:
    """F27 <https://github.com/QwenLM/qwen-code/pull/3896>: only where no other reading is likely."""
    wire.answers.append(
        stream_answer([*(chunk(**{field: piece}) for piece in pieces), chunk(content='.'), chunk('stop')])
    )
    async with wire.model().request_stream(REQUEST, None, PARAMETERS) as response:
        async for _ in response:
            pass
    said = ''.join(part.content for part in response.get().parts if isinstance(part, TextPart | ThinkingPart))
    assert said == text + '.'


async def test_reasoning_details_are_merged_and_go_back_as_they_came(wire: Wire) -> None:
    """F37 <https://github.com/agno-agi/agno/pull/5802>: OpenRouter refuses the next request without the signature."""
    details = [{'type': 'reasoning.text', 'text': 'Let me', 'signature': 'SIG', 'index': 0}, {'type': 'reasoning.encrypted', 'data': 'X', 'index': 1}]  # fmt: skip
    pieces = [
        chunk(reasoning='Let', reasoning_details=[{'type': 'reasoning.text', 'text': 'Let', 'index': 0}]),
        chunk(reasoning=' me', reasoning_details=[{'type': 'reasoning.text', 'text': ' me', 'index': 0}]),
        chunk(reasoning_details=[{'type': 'reasoning.text', 'signature': 'SIG', 'index': 0}, details[1]]),
        chunk(tool_calls=[{'index': 0, **a_call('now', '{}')}]),
        chunk('tool_calls'),
    ]
    plain = completion(reasoning='Let me', reasoning_details=details, tool_calls=[a_call('now', '{}')])
    for answer in (plain, stream_answer(pieces)):
        wire.requests.clear()
        wire.answers += [answer, *([] if answer is plain else [stream_answer([chunk(content='done'), chunk('stop')])])]
        agent = Agent(wire.model())

        @agent.tool_plain
        def now() -> str:
            return 'noon'

        if answer is plain:
            await agent.run('hi')
        else:
            async with agent.run_stream('hi') as result:
                await result.get_output()
        assert wire.bodies[1]['messages'][1]['reasoning_details'] == details


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


GENERATED = int(os.environ.get('GENERATED_ANSWERS', '200'))
"""How many answers are generated; `GENERATED_ANSWERS=10000` for a long run."""

JSON_TEXT = st.text('ab"\\{}[]:,é\n\t 1', max_size=12)
WRAPPED = st.sampled_from(['as it is', 'twice', 'object', 'cut', 'mutated', 'unwrapped', 'decorated'])


@settings(max_examples=GENERATED, deadline=None)
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
    outcomes = [asyncio.run(outcome(body, cut)) for cut in (None, 0, data.draw(st.integers(0, 30)))]
    assert outcomes[0] == outcomes[1] == outcomes[2]
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
