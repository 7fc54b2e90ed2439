"""Plain responses under the rules of streamed ones."""

from __future__ import annotations as _annotations

from typing import Any

import httpx2
import pytest
from pydantic_ai import Agent, IncompleteToolCall, ModelAPIError, UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse
from streaming.streams import call, calls_chunk, chunk, parts_of, plain, stream_answer, streamed
from support import Wire, completion, tool_call

from pydantic_ai_compat.errors import StreamError

A = '{"a":1}'


def function_call(**fields: Any) -> dict[str, Any]:
    return {'id': 'c1', 'type': 'function', 'function': {'name': 'f', 'arguments': A}, **fields}


def with_finish(body: dict[str, Any], finish_reason: Any) -> dict[str, Any]:
    body['choices'][0]['finish_reason'] = finish_reason
    return body


async def parts_and_finish(wire: Wire, body: dict[str, Any], **options: Any) -> tuple[list[dict[str, Any]], str | None]:
    wire.answers.append(body)
    response = await plain(wire.model(**options))
    return parts_of(response), response.finish_reason


async def test_a_well_formed_response_is_stock_s(wire: Wire) -> None:
    """Thoughts, text and calls, with all details."""
    body = completion(content='<think>a</think>b', tool_calls=[tool_call('f', 'c1', a=1)], reasoning='r')
    wire.answers += [body, body]
    ours, stock = await plain(wire.model()), await plain(wire.stock())
    assert _comparable(ours) == _comparable(stock)


def _comparable(response: ModelResponse) -> dict[str, Any]:
    return {key: value for key, value in vars(response).items() if key != 'timestamp'}


ODD_CALLS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    'a number as id': (function_call(id=7), {'tool': 'f', 'args': {'a': 1}, 'id': '7'}),
    'arguments as object': (
        function_call(function={'name': 'f', 'arguments': {'a': 1}}),
        {'tool': 'f', 'args': {'a': 1}, 'id': 'c1'},
    ),
    'no arguments': (function_call(function={'name': 'f', 'arguments': None}), {'tool': 'f', 'args': {}, 'id': 'c1'}),
    'no type': (function_call(type=None), {'tool': 'f', 'args': {'a': 1}, 'id': 'c1'}),
    'an unknown type': (function_call(type='tool'), {'tool': 'f', 'args': {'a': 1}, 'id': 'c1'}),
}


@pytest.mark.parametrize('way', ODD_CALLS)
async def test_a_call_of_odd_types_is_run(way: str, wire: Wire) -> None:
    """The same servers that stream so answer so."""
    odd, part = ODD_CALLS[way]
    assert await parts_and_finish(wire, completion(tool_calls=[odd, None])) == ([part], 'tool_call')


async def test_missing_and_repeated_ids_are_made_anew(wire: Wire) -> None:
    """pydantic-ai refuses a response with an id twice."""
    calls = [function_call(id='c'), function_call(id='c'), function_call(id=None), function_call(id='')]
    parts, _ = await parts_and_finish(wire, completion(tool_calls=calls))
    ids = [part['id'] for part in parts]
    assert ids[0] == 'c' and all(ids) and len(set(ids)) == 4


async def test_the_deprecated_function_call_is_run(wire: Wire) -> None:
    """Only if there are no `tool_calls`."""
    legacy = {'name': 'f', 'arguments': A}
    [part], finish_reason = await parts_and_finish(wire, with_finish(completion(function_call=legacy), 'function_call'))
    assert (part['tool'], part['args'], finish_reason) == ('f', {'a': 1}, 'tool_call')
    parts, _ = await parts_and_finish(wire, completion(function_call=legacy, tool_calls=[function_call()]))
    assert parts == [{'tool': 'f', 'args': {'a': 1}, 'id': 'c1'}]


async def test_extra_fields_of_a_call_stay(wire: Wire) -> None:
    """Gemini's thought signature, on a call that has to be corrected."""
    wire.answers.append(
        completion(tool_calls=[function_call(id=7, extra_content={'google': {'thought_signature': 'S'}})])
    )
    [part] = (await plain(wire.model())).parts
    assert part.part_kind == 'tool-call'
    assert part.provider_details == {'extra_content': {'google': {'thought_signature': 'S'}}}


@pytest.mark.parametrize('finish_reason', ['stop', None])
async def test_stop_beside_calls_is_reported_as_a_tool_call(finish_reason: str | None, wire: Wire) -> None:
    """As for a stream; the server's own word stays in the details."""
    wire.answers.append(with_finish(completion(tool_calls=[function_call()]), finish_reason))
    response = await plain(wire.model())
    assert response.finish_reason == 'tool_call'
    assert (response.provider_details or {}).get('finish_reason') == finish_reason


async def test_an_unknown_finish_reason_passes(wire: Wire) -> None:
    """SGLang's `abort`, Z.AI's `sensitive`."""
    wire.answers.append(with_finish(completion(content='x'), 'sensitive'))
    response = await plain(wire.model())
    assert (response.finish_reason, (response.provider_details or {})['finish_reason']) == (None, 'sensitive')


@pytest.mark.parametrize(
    ('arguments', 'finish_reason', 'words'),
    [
        (
            '{"a": "x',
            'length',
            (
                "inside the arguments of tool call 1 `f` (id 'c1'), after 8 characters: '{\"a\": \"x'. It came with the finish "
                "reason 'length'; the call is not run. Raise `max_tokens` to let the model finish it."
            ),
        ),
        (
            '{"a": "x',
            None,
            (
                "inside the arguments of tool call 1 `f` (id 'c1'), after 8 characters: '{\"a\": \"x'. It came with no finish "
                'reason; the call is not run.'
            ),
        ),
        (
            '',
            'abort',
            (
                "before the arguments of tool call 1 `f` (id 'c1') came. It came with the finish reason 'abort'; the call is "
                'not run.'
            ),
        ),
    ],
)
async def test_a_cut_call_is_not_run(arguments: str, finish_reason: str | None, words: str, wire: Wire) -> None:
    """The error names the tool, how much came and why: pydantic-ai's own where the server says why."""
    cut = function_call(function={'name': 'f', 'arguments': arguments})
    wire.answers.append(with_finish(completion(tool_calls=[cut]), finish_reason))
    with pytest.raises(IncompleteToolCall if finish_reason else StreamError) as caught:
        await plain(wire.model())
    assert str(caught.value) == f'The response ended {words}'


async def test_broken_arguments_go_back_to_the_model(wire: Wire) -> None:
    """They are no cut; pydantic-ai's validation refuses them."""
    wire.answers += [
        completion(tool_calls=[function_call(function={'name': 'f', 'arguments': '{"a": }'})]),
        completion(tool_calls=[function_call()]),
    ]
    agent = Agent(wire.model())
    runs: list[int] = []

    @agent.tool_plain
    def f(a: int) -> None:
        runs.append(a)

    assert (await agent.run('hi')).output == 'done'
    assert runs == [1]


async def test_a_call_without_a_name_is_an_error(wire: Wire) -> None:
    """Not a silent loss."""
    wire.answers.append(completion(tool_calls=[function_call(), function_call(id='c2', function={'arguments': A})]))
    with pytest.raises(
        StreamError, match=r"""Tool call 2 \(id 'c2'\) of the response has no name; its arguments are '\{"a":1\}'"""
    ):
        await plain(wire.model())


async def test_calls_of_a_wrong_type_are_an_error(wire: Wire) -> None:
    """Nothing can be made of them."""
    wire.answers.append(completion(tool_calls='ab'))
    with pytest.raises(StreamError, match='`tool_calls` is str'):
        await plain(wire.model())


@pytest.mark.parametrize(
    ('choices', 'words'),
    [
        ([], r'`choices` is \[\]'),
        (None, '`choices` is None'),
        ('ab', "`choices` is 'ab'"),
        ([5], r'`choices\[0\]` is 5'),
        ([{'index': 0, 'finish_reason': 'stop'}], r'`choices\[0\]` is'),
        ([{'index': 0, 'finish_reason': 'stop', 'message': None}], r'`choices\[0\]` is'),
    ],
)
async def test_a_response_without_an_answer_is_a_typed_error(choices: Any, words: str, wire: Wire) -> None:
    """Never a bare `IndexError` or `AttributeError`."""
    wire.answers.append({**completion(), 'choices': choices})
    with pytest.raises(StreamError, match=words):
        await plain(wire.model())


async def test_fields_that_no_answer_depends_on_may_be_null(wire: Wire) -> None:
    """Ids and the like are null on some gateways."""
    body: dict[str, Any] = {**completion(content='x'), 'id': None, 'model': None, 'object': None, 'created': None}
    body['choices'][0]['index'] = None
    body['choices'][0]['message']['role'] = None
    wire.answers.append(body)
    response = await plain(wire.model())
    assert (parts_of(response), response.model_name, response.provider_response_id) == ([{'text': 'x'}], 'm', None)


@pytest.mark.parametrize(
    'answer',
    [
        httpx2.Response(200, json={'error': {'message': 'template failed'}}),
        httpx2.Response(200, json={'error': 'template failed', 'choices': []}),
        httpx2.Response(200, text='{"error": "template failed"}', headers={'content-type': 'text/plain'}),
    ],
)
async def test_an_error_with_status_200_raises_with_the_server_s_words(answer: httpx2.Response, wire: Wire) -> None:
    """<https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2180>."""
    wire.answers.append(answer)
    with pytest.raises(ModelAPIError, match='template failed'):
        await plain(wire.model())


@pytest.mark.parametrize('body', ['', 'Bad Gateway', '{}'])
async def test_a_body_that_is_no_completion_is_a_typed_error(body: str, wire: Wire) -> None:
    """An empty body, a page of a proxy, an empty object."""
    kind = 'application/json' if body == '{}' else 'text/plain'
    wire.answers.append(httpx2.Response(200, text=body, headers={'content-type': kind}))
    with pytest.raises((UnexpectedModelBehavior, ModelAPIError)):
        await plain(wire.model())


async def test_a_custom_tool_call_is_refused_by_pydantic_ai_itself(wire: Wire) -> None:
    """It has no function; <https://github.com/pydantic/pydantic-ai/issues/2513>."""
    wire.answers.append(completion(tool_calls=[{'id': 'c', 'type': 'custom', 'custom': {'name': 'x', 'input': 'y'}}]))
    with pytest.raises(RuntimeError, match='Custom tool calls are not supported'):
        await plain(wire.model())


async def test_content_as_a_list_of_parts_is_text(wire: Wire) -> None:
    """With the parts that are no text kept among the data that no one reads."""
    parts = [
        {'type': 'text', 'text': '<think>a</think>'},
        {'type': 'reference', 'ids': [1]},
        {'type': 'text', 'text': 'b'},
    ]
    assert await parts_and_finish(wire, completion(content=parts)) == ([{'think': 'a'}, {'text': 'b'}], 'stop')
    assert await parts_and_finish(wire, completion(content=parts[2:])) == ([{'text': 'b'}], 'stop')


@pytest.mark.parametrize(
    ('content', 'options', 'parts'),
    [
        ('<think>cut', {}, [{'think': 'cut'}]),
        ('a</think>b', {}, [{'text': 'a</think>b'}]),
        ('a</think>b', {'openai_chat_thinking_starts_open': True}, [{'think': 'a'}, {'text': 'b'}]),
        ('x', {'openai_chat_thinking_starts_open': True}, [{'think': 'x'}]),
        ('a <ev>f nope</ev> b', {'openai_chat_text_event_tag': 'ev'}, [{'text': 'a  b'}]),
        ('<ev>f</ev>', {'openai_chat_text_event_tag': 'ev'}, []),
        ('<think><ev>f</ev></think>b', {'openai_chat_text_event_tag': 'ev'}, [{'think': '<ev>f</ev>'}, {'text': 'b'}]),
        ('<ev>x!</ev>', {'openai_chat_text_event_tag': 'ev'}, [{'text': '<ev>x!</ev>'}]),
        ('<ev>nope</ev>', {'openai_chat_text_event_tag': 'ev', 'openai_chat_text_events': 'call'}, [{'text': '<ev>nope</ev>'}]),
    ],
)  # fmt: skip
async def test_text_is_read_the_same_streamed_and_not_streamed(
    content: str, options: dict[str, Any], parts: list[dict[str, Any]], wire: Wire
) -> None:
    """Tags of thoughts and events; stock loses the tag of a thought that never ends and keeps it as text."""
    wire.answers += [
        completion(content=content),
        stream_answer([*[chunk(content=character) for character in content], chunk('stop')]),
    ]
    whole, in_pieces = await plain(wire.model(**options)), (await streamed(wire.model(**options))).response
    assert parts_of(whole) == parts_of(in_pieces) == parts
    events = [(response.provider_details or {}).get('text_events') for response in (whole, in_pieces)]
    assert events[0] == events[1]


async def test_text_events_become_calls_in_their_place(wire: Wire) -> None:
    """Streamed and not streamed, beside the provider's own call."""
    content = 'a <ev>f, nope g</ev> b'
    options = {'openai_chat_text_event_tag': 'ev', 'openai_chat_text_events': 'call'}
    wire.answers += [
        with_finish(completion(content=content, tool_calls=[function_call()]), 'stop'),
        stream_answer([chunk(content=content), calls_chunk(call(0, 'c1', 'f', A)), chunk('stop')]),
    ]
    whole, in_pieces = await plain(wire.model(**options)), (await streamed(wire.model(**options))).response
    for response in (whole, in_pieces):
        got = parts_of(response)
        assert [(part.get('text'), part.get('tool'), part.get('args')) for part in got] == [
            ('a ', None, None),
            (None, 'f', {}),
            (None, 'g', {}),
            ('<ev>nope</ev> b', None, None),
            (None, 'f', {'a': 1}),
        ]
        assert response.finish_reason == 'tool_call'


async def test_a_text_event_alone_makes_the_finish_reason_that_of_a_call(wire: Wire) -> None:
    """And one that is not `stop` stays."""
    options = {'openai_chat_text_event_tag': 'ev', 'openai_chat_text_events': 'call'}
    wire.answers += [completion(content='<ev>f</ev>'), with_finish(completion(content='<ev>f</ev>'), 'length')]
    model = wire.model(**options)
    assert [(await plain(model)).finish_reason for _ in range(2)] == ['tool_call', 'length']


async def test_thoughts_in_a_field_of_their_own_leave_the_text_an_answer(wire: Wire) -> None:
    """`openai_chat_thinking_starts_open` on a server that has a reasoning parser after all."""
    body = completion(content='b</think>', reasoning_content='a')
    assert (await parts_and_finish(wire, body, openai_chat_thinking_starts_open=True))[0] == [
        {'think': 'a'},
        {'text': 'b</think>'},
    ]
