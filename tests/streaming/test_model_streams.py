"""Streams through the model: pydantic-ai's own parts and events, from corrected chunks."""

from __future__ import annotations as _annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from openai.types.chat import ChatCompletionChunk
from pydantic_ai import Agent, ModelAPIError, ModelHTTPError, UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse, PartDeltaEvent, PartEndEvent, PartStartEvent
from pydantic_ai.models.openai import OpenAIChatModel
from streaming.streams import (
    HERE,
    call,
    calls_chunk,
    chunk,
    parameters,
    parts_of,
    sse,
    stream_answer,
    streamed,
)
from support import Wire

from pydantic_ai_compat.errors import OptionError, StreamError
from pydantic_ai_compat.streaming.corrector import ChunkCorrector
from pydantic_ai_compat.testing import Recording, recorded_chunks
from pydantic_ai_compat.testing.plugin import RecordedOpenAI

A = '{"a":1}'
B = '{"b":2}'

WELL_FORMED = [
    path.name
    for path in sorted((HERE / 'recordings').glob('*.sse'))
    if path.name.startswith(('llamacpp-scripted-', 'vllm-scripted-', 'litellm-', 'transformers-'))
    and not any(
        word in path.name for word in ('-cut-', '-badjson-', 'err-', '-named-', '-required-plain-', '-thinktext-')
    )
]
"""Recordings with nothing to correct."""


@pytest.mark.parametrize('name', WELL_FORMED)
def test_the_chunks_of_a_well_formed_stream_go_on_as_the_very_same_objects(name: str) -> None:
    """In order, and none added."""
    chunks = [
        ChatCompletionChunk.construct(**each) for each in recorded_chunks(Recording.load(HERE / 'recordings' / name))
    ]
    corrector = ChunkCorrector({'get_weather', 'get_time'})
    corrected = [each for one in chunks for each in corrector.feed(one)] + corrector.flush()
    assert [id(each) for each in corrected] == [id(each) for each in chunks]


def test_text_that_only_looks_like_a_tag_goes_on_as_the_very_same_chunks() -> None:
    """Held while it may be a tag, with the chunks behind it, and released unchanged."""
    texts = ['a <', ' b', '<th', 'in', '<', '<', 'thin', ' <think', 'ing> <', 'x', 'end <thi']
    chunks = [ChatCompletionChunk.construct(**chunk(content=text)) for text in texts]
    chunks.insert(3, ChatCompletionChunk.construct(**chunk(role='assistant')))
    corrector = ChunkCorrector()
    corrected = [each for one in chunks for each in corrector.feed(one)] + corrector.flush()
    assert [id(each) for each in corrected] == [id(each) for each in chunks]


@pytest.mark.parametrize('name', WELL_FORMED)
async def test_the_events_of_a_well_formed_stream_are_those_of_stock(
    name: str, recorded_openai: RecordedOpenAI
) -> None:
    """One for one, and the response with all its details."""
    ours = await streamed(recorded_openai(f'recordings/{name}'), 'get_weather', 'get_time')
    stock = await streamed(
        recorded_openai(f'recordings/{name}', model_class=OpenAIChatModel), 'get_weather', 'get_time'
    )
    assert ours.events == stock.events
    assert (ours.error, stock.error) == (None, None)
    assert _comparable(ours.response) == _comparable(stock.response)


def _comparable(response: ModelResponse) -> dict[str, Any]:
    return {key: value for key, value in vars(response).items() if key not in ('timestamp', 'provider_url')}


async def test_each_part_starts_and_ends_once_however_the_deltas_are_labelled(wire: Wire) -> None:
    """Two calls on index 0 with the name in each delta, text around them."""
    wire.answers.append(
        stream_answer(
            [
                chunk(content='x'),
                calls_chunk(call(0, 'c1', 'f', '{"a"')),
                calls_chunk(call(0, 'c1', 'f', ':1}')),
                calls_chunk(call(0, 'c2', 'g', B)),
                chunk(content='y'),
                chunk('stop'),
            ]
        )
    )
    got = await streamed(wire.model())
    assert got.error is None
    starts = [event.index for event in got.events if isinstance(event, PartStartEvent)]
    ends = [event.index for event in got.events if isinstance(event, PartEndEvent)]
    assert starts == ends == [0, 1, 2, 3]
    assert parts_of(got.response) == [
        {'text': 'x'},
        {'tool': 'f', 'args': {'a': 1}, 'id': 'c1'},
        {'tool': 'g', 'args': {'b': 2}, 'id': 'c2'},
        {'text': 'y'},
    ]
    assert got.response.finish_reason == 'tool_call'


async def test_a_doubt_about_cumulative_arguments_costs_no_event(wire: Wire) -> None:
    """`{"a":` and `{"a":1}` could be cumulative; the events are stock's once it is known that they are not."""
    chunks = [
        calls_chunk(call(0, 'c1', 'f', '{"a":')),
        calls_chunk(call(0, None, None, A)),
        calls_chunk(call(0, None, None, '}')),
        chunk('tool_calls'),
    ]
    wire.answers += [stream_answer(chunks), stream_answer(chunks)]
    ours, stock = await streamed(wire.model()), await streamed(wire.stock())
    assert ours.events == stock.events
    assert [event.delta.args_delta for event in ours.events if isinstance(event, PartDeltaEvent) and event.delta.part_delta_kind == 'tool_call'] == [A, '}']  # fmt: skip


async def test_two_calls_with_one_id_get_two(wire: Wire) -> None:
    """pydantic-ai refuses a response with the same id twice."""
    wire.answers += [
        stream_answer([calls_chunk(call(0, 'c', 'f', A)), calls_chunk(call(1, 'c', 'g', A)), chunk('tool_calls')]),
        stream_answer([chunk(content='done'), chunk('stop')]),
    ]
    agent = Agent(wire.model())
    runs: list[str] = []

    @agent.tool_plain
    def f(a: int) -> None:
        runs.append('f')

    @agent.tool_plain
    def g(a: int) -> None:
        runs.append('g')

    async with agent.run_stream('hi') as result:
        assert await result.get_output() == 'done'
    assert runs == ['f', 'g']
    ids = [message['tool_call_id'] for message in wire.bodies[1]['messages'] if message['role'] == 'tool']
    assert ids[0] == 'c' and len(set(ids)) == 2


@pytest.mark.parametrize(
    ('chunks', 'words'),
    [
        (
            [calls_chunk(call(0, 'c1', 'f', '{"path": "a')), chunk('tool_calls')],
            """(id 'c1'), after 11 characters: '{"path": "a'. It came to chunk 2 with the finish reason 'tool_calls'; the""",
        ),
        (
            [calls_chunk(call(0, None, 'f', '{"path": "' + 'x' * 100)), chunk('length')],
            f"`f`, after 110 characters: …'{'x' * 60}'. It came to chunk 2 with the finish reason 'length'; the call is not run. Raise",
        ),
        (
            [calls_chunk(call(0, 'c1', 'f', A), call(1, 'c2', 'g', ...))],
            "before the arguments of tool call 2 `g` (id 'c2') came. It came to chunk 1 with no finish reason",
        ),
    ],
)  # fmt: skip
async def test_a_stream_that_ends_in_a_call_says_how_far_it_came(chunks: list[Any], words: str, wire: Wire) -> None:
    """After all events; the response so far is marked as incomplete."""
    wire.answers.append(stream_answer(chunks))
    got = await streamed(wire.model())
    assert isinstance(got.error, StreamError)
    assert words in str(got.error)
    assert got.response.state == 'incomplete'


async def test_broken_arguments_go_back_to_the_model(wire: Wire) -> None:
    """`{"a": }` is no cut: pydantic-ai asks the model again, as it does after a plain response."""
    wire.answers += [
        stream_answer([calls_chunk(call(0, 'c1', 'f', '{"a": }')), chunk('tool_calls')]),
        stream_answer([calls_chunk(call(0, 'c2', 'f', A)), chunk('tool_calls')]),
        stream_answer([chunk(content='done'), chunk('stop')]),
    ]
    agent = Agent(wire.model())
    runs: list[int] = []

    @agent.tool_plain
    def f(a: int) -> None:
        runs.append(a)

    async with agent.run_stream('hi') as result:
        assert await result.get_output() == 'done'
    assert runs == [1]
    assert 'Invalid JSON' in json.dumps(wire.bodies[1]['messages'])


async def test_cancelling_inside_a_call_is_no_error(wire: Wire) -> None:
    """The caller knows that the stream was not read to its end."""

    async def body() -> AsyncIterator[bytes]:
        yield sse([calls_chunk(call(0, 'c1', 'f', '{"a"'))], done=False).encode()
        yield sse([calls_chunk(call(0, None, None, ':'))], done=False).encode()

    wire.answers.append(httpx2.Response(200, content=body(), headers={'content-type': 'text/event-stream'}))
    async with wire.model().request_stream([], None, parameters()) as response:
        async for _ in response:
            await response.cancel()
    assert response.get().state == 'interrupted'


async def test_a_connection_that_breaks_off_is_a_connection_error(wire: Wire) -> None:
    """Not a cut call: pydantic-ai's own error says what happened."""

    async def body() -> AsyncIterator[bytes]:
        yield sse([calls_chunk(call(0, 'c1', 'f', '{"a"'))], done=False).encode()
        raise httpx2.ReadError('connection reset')

    wire.answers.append(httpx2.Response(200, content=body(), headers={'content-type': 'text/event-stream'}))
    got = await streamed(wire.model())
    assert isinstance(got.error, ModelAPIError)
    assert not isinstance(got.error, StreamError)


ERRORS: dict[str, tuple[list[dict[str, Any]], str]] = {
    'an object': ([{'error': {'message': 'model crashed', 'code': 500}}], 'model crashed'),
    'a string, as transformers serve sends it': ([{'error': 'model crashed'}], 'model crashed'),
    'another field': ([{'error': {'detail': 'model crashed'}}], 'model crashed'),
}


@pytest.mark.parametrize('form', ERRORS)
@pytest.mark.parametrize('first', [True, False])
async def test_an_error_in_the_stream_raises_with_the_server_s_words(form: str, first: bool, wire: Wire) -> None:
    """As the first event, or in the middle, with HTTP 200."""
    error, words = ERRORS[form]
    wire.answers.append(stream_answer(error if first else [chunk(content='Hi'), *error]))
    with pytest.raises(ModelAPIError, match=words):
        async with Agent(wire.model()).run_stream('hi') as result:
            await result.get_output()


async def test_an_error_keeps_the_class_that_pydantic_ai_gives_it(wire: Wire) -> None:
    """Its code says what it is; only the words are added."""
    wire.answers.append(stream_answer([{'error': {'detail': 'slow down', 'code': 429}}]))
    with pytest.raises(ModelHTTPError, match='slow down') as caught:
        async with Agent(wire.model()).run_stream('hi'):
            pass
    assert caught.value.status_code == 429


async def test_a_plain_error_body_with_status_200_raises_with_the_server_s_words(wire: Wire) -> None:
    """LM Studio: <https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2180>."""
    wire.answers.append({'error': {'message': 'template failed'}})
    with pytest.raises(ModelAPIError, match='template failed'):
        async with Agent(wire.model()).run_stream('hi'):
            pass


@pytest.mark.parametrize('body', ['{"choices": []}', '[]', '{'])
async def test_a_plain_body_in_place_of_a_stream_is_named_as_one(body: str, wire: Wire) -> None:
    """The server ignores `stream`."""
    wire.answers.append(httpx2.Response(200, text=body, headers={'content-type': 'application/json; charset=utf-8'}))
    with pytest.raises(StreamError, match='plain JSON body in place of an event stream'):
        async with Agent(wire.model()).run_stream('hi'):
            pass


@pytest.mark.parametrize('body', ['', 'data: [DONE]\n\n', '\n\n'])
async def test_an_empty_stream_is_an_error(body: str, wire: Wire) -> None:
    """llama-cpp-python sends one for a prompt that is too long; pydantic-ai's own error."""
    wire.answers.append(httpx2.Response(200, text=body, headers={'content-type': 'text/event-stream'}))
    with pytest.raises(UnexpectedModelBehavior, match='ended without content or tool calls'):
        async with Agent(wire.model()).run_stream('hi'):
            pass


async def test_a_chunk_that_cannot_be_read_is_an_error_that_names_it(wire: Wire) -> None:
    """Stock dies of an `AttributeError`."""
    wire.answers.append(stream_answer([chunk(content='Hi'), {'choices': [5]}]))
    got = await streamed(wire.model())
    assert str(got.error) == "Chunk 2 of the stream cannot be read: a choice is int '5'."


async def test_a_line_that_is_no_json_is_an_error_that_shows_it(recorded_openai: RecordedOpenAI) -> None:
    """transformers serve writes raw line breaks into its error."""
    got = await streamed(recorded_openai('recordings/transformers-serve-scripted-badjson-stream.sse'))
    assert isinstance(got.error, ModelAPIError)
    assert 'Failed to decode response as JSON' in str(got.error)


async def test_content_as_a_list_of_parts_is_text(wire: Wire) -> None:
    """Mistral's models behind the Albert API send it so."""
    parts = [{'type': 'text', 'text': 'a'}, {'type': 'reference', 'ids': [1]}]
    wire.answers.append(
        stream_answer([chunk(content=parts), chunk(content=[{'type': 'text', 'text': 'b'}]), chunk('stop')])
    )
    assert parts_of((await streamed(wire.model())).response) == [{'text': 'ab'}]


async def test_the_usage_and_the_finish_of_a_chunk_with_a_glued_tag_count_once(wire: Wire) -> None:
    """A chunk that has to become several keeps everything else it carries, once."""
    usage = {'prompt_tokens': 5, 'completion_tokens': 7, 'total_tokens': 12}
    glued = chunk('stop', role='assistant', content='<think>a</think>b', reasoning_content='r')
    wire.answers.append(stream_answer([{**glued, 'usage': usage}]))
    got = (await streamed(wire.model())).response
    assert parts_of(got) == [{'think': 'r'}, {'think': 'a'}, {'text': 'b'}]
    assert (got.usage.input_tokens, got.usage.output_tokens, got.finish_reason) == (5, 7, 'stop')


async def test_a_tag_over_several_chunks_loses_nothing_that_they_carry(wire: Wire) -> None:
    """Chunks between the pieces of a tag, and calls behind it."""
    wire.answers.append(
        stream_answer(
            [
                chunk(content='x<th'),
                chunk(role='assistant'),
                chunk(content='ink>a <'),
                chunk(content='/think>', tool_calls=[call(0, 'c1', 'f', A)]),
                chunk('tool_calls'),
            ]
        )
    )
    assert parts_of((await streamed(wire.model())).response) == [
        {'text': 'x'},
        {'think': 'a '},
        {'tool': 'f', 'args': {'a': 1}, 'id': 'c1'},
    ]


async def test_a_closing_tag_alone_is_text_unless_the_option_says_otherwise(wire: Wire) -> None:
    """No guessing: `openai_chat_thinking_starts_open` is off by default."""
    chunks = [chunk(content='secret</th'), chunk(content='ink>answer'), chunk('stop')]
    wire.answers += [stream_answer(chunks), stream_answer(chunks)]
    assert parts_of((await streamed(wire.model())).response) == [{'text': 'secret</think>answer'}]
    on = wire.model(openai_chat_thinking_starts_open='true')
    assert parts_of((await streamed(on)).response) == [{'think': 'secret'}, {'text': 'answer'}]


EVENT_CHUNKS = [
    chunk(content='a <agent_'),
    chunk(content='events>f, nope'),
    chunk(content='</agent_events> b'),
    chunk('stop'),
]


async def test_text_events_are_off_by_default(wire: Wire) -> None:
    """The text stays as it is."""
    wire.answers.append(stream_answer(EVENT_CHUNKS))
    got = (await streamed(wire.model())).response
    assert parts_of(got) == [{'text': 'a <agent_events>f, nope</agent_events> b'}]
    assert 'text_events' not in (got.provider_details or {})


async def test_reported_text_events_leave_the_text(wire: Wire) -> None:
    """`report`: taken out of the text and listed in the details."""
    wire.answers.append(stream_answer(EVENT_CHUNKS))
    got = (await streamed(wire.model(openai_chat_text_event_tag='agent_events'))).response
    assert parts_of(got) == [{'text': 'a  b'}]
    assert (got.provider_details or {})['text_events'] == ['f', 'nope']
    assert got.finish_reason == 'stop'


async def test_called_text_events_are_calls_of_declared_tools_only(wire: Wire) -> None:
    """`call`: a call without arguments; a name that no tool has stays in the text."""
    wire.answers.append(stream_answer(EVENT_CHUNKS))
    options = {'openai_chat_text_event_tag': 'agent_events', 'openai_chat_text_events': 'call'}
    got = (await streamed(wire.model(**options))).response
    before, called, after = got.parts
    assert parts_of(got)[::2] == [{'text': 'a '}, {'text': '<agent_events>nope</agent_events> b'}]
    assert called.part_kind == 'tool-call'
    assert (called.tool_name, called.args_as_dict(), got.finish_reason) == ('f', {}, 'tool_call')
    assert called.tool_call_id and (before.part_kind, after.part_kind) == ('text', 'text')


async def test_a_called_text_event_beside_the_provider_s_calls_has_a_place_of_its_own(wire: Wire) -> None:
    """The index of the one is not that of the others."""
    wire.answers.append(
        stream_answer(
            [
                calls_chunk(call(0, 'c1', 'f', A)),
                chunk(content='<ev>g</ev><ev>nope</ev>'),
                calls_chunk(call(1, 'c2', 'f', B)),
                chunk('stop'),
            ]
        )
    )
    options = {'openai_chat_text_event_tag': 'ev', 'openai_chat_text_events': 'call'}
    got = parts_of((await streamed(wire.model(**options))).response)
    assert [(part.get('tool'), part.get('args')) for part in got] == [
        ('f', {'a': 1}),
        ('g', {}),
        (None, None),
        ('f', {'b': 2}),
    ]
    assert got[2] == {'text': '<ev>nope</ev>'}


async def test_no_event_and_no_call_is_read_in_a_thought(wire: Wire) -> None:
    """Between tags and in a field of its own."""
    inner = '<agent_events>f</agent_events>'
    wire.answers.append(
        stream_answer([chunk(reasoning=inner), chunk(content=f'<think>{inner}</think>ok'), chunk('stop')])
    )
    options = {'openai_chat_text_event_tag': 'agent_events', 'openai_chat_text_events': 'call'}
    got = (await streamed(wire.model(**options))).response
    assert parts_of(got) == [{'think': inner}, {'think': inner}, {'text': 'ok'}]


def test_a_tag_that_is_no_name_is_refused_when_the_model_is_made(wire: Wire) -> None:
    """Before anything is sent."""
    with pytest.raises(OptionError, match="`openai_chat_text_event_tag`='<ev>' is not the name of a tag"):
        wire.model(openai_chat_text_event_tag='<ev>')


async def test_the_deprecated_function_call_is_run(wire: Wire) -> None:
    """Stock drops it."""
    wire.answers.append(stream_answer([chunk(function_call={'name': 'f', 'arguments': A}), chunk('function_call')]))
    got = (await streamed(wire.model())).response
    [part] = got.parts
    assert part.part_kind == 'tool-call'
    assert (part.tool_name, part.args, got.finish_reason) == ('f', A, 'tool_call')


async def test_an_empty_object_that_stays_is_the_arguments(wire: Wire) -> None:
    """The placeholder of some servers, and nothing behind it."""
    wire.answers.append(stream_answer([calls_chunk(call(0, 'c1', 'f', {})), chunk('tool_calls')]))
    assert parts_of((await streamed(wire.model())).response) == [{'tool': 'f', 'args': {}, 'id': 'c1'}]


async def test_a_strict_end_is_upstream_s(wire: Wire) -> None:
    """`openai_chat_streaming_requires_finish_reason` holds for calls too."""
    wire.answers.append(stream_answer([calls_chunk(call(0, 'c1', 'f', A))], done=False))
    got = await streamed(wire.model(openai_chat_streaming_requires_finish_reason=True))
    assert isinstance(got.error, ModelAPIError)
