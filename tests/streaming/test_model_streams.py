"""Streams through the model: pydantic-ai's own parts and events, from corrected chunks."""

from __future__ import annotations as _annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from openai.types.chat import ChatCompletionChunk
from pydantic_ai import Agent
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    UserPromptPart,
)
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse
from streaming.streams import (
    HERE,
    call,
    calls_chunk,
    chunk,
    parameters,
    parts_of,
    plain,
    stream_answer,
    streamed,
)
from support import Wire, completion
from support_sse import event, events
from typing_extensions import override

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.streaming.corrector import ChunkCorrector
from pydantic_ai_compat.testing import Recording, recorded_chunks
from pydantic_ai_compat.testing.plugin import RecordedOpenAI

# What a server left in the text of its recordings stays there, and the model says which option would read it.
pytestmark = pytest.mark.filterwarnings('ignore:The answer of .* holds a tool call in its text')

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
@pytest.mark.untraced
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
@pytest.mark.untraced
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
    async def f(a: int) -> None:
        runs.append('f')

    @agent.tool_plain
    async def g(a: int) -> None:
        runs.append('g')

    async with agent.run_stream('hi') as result:
        assert await result.get_output() == 'done'
    assert runs == ['f', 'g']
    ids = [message['tool_call_id'] for message in wire.bodies[1]['messages'] if message['role'] == 'tool']
    assert ids[0] == 'c' and len(set(ids)) == 2


@pytest.mark.parametrize(
    'chunks',
    [
        [calls_chunk(call(0, 'c', 'f', A)), calls_chunk(call(1, 'c', 'f', B)), calls_chunk(call(1, 'c', 'f', B))],
        [
            calls_chunk(call(0, 'c', 'f', A)),
            calls_chunk(call(1, 'c', 'g', '{"b"')),
            calls_chunk(call(1, 'c', None, ':2}')),
        ],
        [calls_chunk(call(0, None, 'f', A)), calls_chunk(call(0, 'c')), calls_chunk(call(0, 'c', 'f', B))],
    ],
)
async def test_an_id_that_is_repeated_for_another_call_never_reaches_it(chunks: list[Any], wire: Wire) -> None:
    """Not with its first delta, and not with a later one."""
    wire.answers.append(stream_answer([*chunks, chunk('tool_calls')]))
    got = await streamed(wire.model())
    ids = [part['id'] for part in parts_of(got.response)]
    assert (len(ids), ids[0], len(set(ids)), got.error) == (2, 'c', 2, None)


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
        yield event(calls_chunk(call(0, 'c1', 'f', '{"a"')))
        yield event(calls_chunk(call(0, None, None, ':')))

    wire.answers.append(httpx2.Response(200, content=body(), headers={'content-type': 'text/event-stream'}))
    async with wire.model().request_stream([], None, parameters()) as response:
        async for _ in response:
            await response.cancel()
    assert response.get().state == 'interrupted'


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


async def test_a_subclass_may_read_its_answers_in_its_own_way(wire: Wire) -> None:
    """As the models of pydantic-ai for single providers do, which know what their provider sends in an odd place."""

    class OwnStreams(OpenAICompatibleModel):
        @property
        @override
        def _streamed_response_cls(self) -> type[OpenAIStreamedResponse]:
            return OpenAIStreamedResponse

    own = OwnStreams('m', provider=wire.model()._provider)
    wire.answers.append(stream_answer([chunk(content='ok'), chunk('stop')]))
    assert parts_of((await streamed(own)).response) == [{'text': 'ok'}]
    details = [{'type': 'reasoning.text', 'text': 'Hm.', 'index': 0}]
    wire.answers.append(completion(content='ok', reasoning_details=details))
    assert 'reasoning_details' not in ((await plain(own)).provider_details or {})
    wire.answers.append(httpx2.Response(200, text='no answer'))
    with pytest.raises(UnexpectedModelBehavior, match='expected JSON data') as caught:
        await plain(own)
    assert not isinstance(caught.value, StreamError)


async def test_what_reads_an_answer_is_made_before_its_body_comes(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    happened: list[str] = []
    made = ChunkCorrector.__init__

    def noted(corrector: ChunkCorrector, *args: Any, **options: Any) -> None:
        happened.append('made')
        made(corrector, *args, **options)

    async def body() -> AsyncIterator[bytes]:
        happened.append('body')
        for one in (chunk(content='Hello'), chunk('stop')):
            yield event(one)

    model = wire.model()
    monkeypatch.setattr(ChunkCorrector, '__init__', noted)
    wire.answers.append(httpx2.Response(200, headers={'content-type': 'text/event-stream'}, content=body()))
    assert (await streamed(model)).error is None
    assert happened == ['made', 'body']


@pytest.mark.parametrize('extra', [{}, {'usage': {'prompt_tokens': 3, 'completion_tokens': 0, 'total_tokens': 3}}])
async def test_an_answer_without_a_choice_is_an_error_streamed_as_plain(extra: dict[str, Any], wire: Wire) -> None:
    """What came is no answer, and another model of a `FallbackModel` may have one; what it used is counted."""
    empty: dict[str, Any] = {**chunk(), 'choices': [], **extra}
    wire.answers += [stream_answer([empty, {**empty, 'choices': None}]), {**completion(), 'choices': [], **extra}]
    got = await streamed(wire.model())
    assert isinstance(got.error, StreamError)
    assert str(got.error) == 'The stream ended without an answer: no chunk of it has a choice (chunks: 2).'
    assert got.response.usage.input_tokens == (3 if extra else 0)
    with pytest.raises(StreamError, match='holds no answer'):
        await plain(wire.model())


async def test_a_choice_without_an_index_is_one(wire: Wire) -> None:
    chunks = [chunk(content='a'), chunk('stop')]
    for one in chunks:
        one['choices'][0]['index'] = None
    wire.answers.append(stream_answer(chunks))
    got = await streamed(wire.model())
    assert (got.error, parts_of(got.response)) == (None, [{'text': 'a'}])


@pytest.mark.parametrize('is_stream', [True, False])
async def test_thoughts_with_what_is_no_number_go_back_as_text(is_stream: bool, wire: Wire) -> None:
    """Python's servers write `NaN`, which no other reader of JSON takes and the SDK refuses to write."""
    score: dict[str, Any] = {'score': float('nan'), 'range': [float('-inf'), 0.5]}
    details = [{'type': 'reasoning.encrypted', 'data': 'x', **score}]
    if is_stream:
        body = events(chunk(content='ok', reasoning_details=details), chunk('stop'))
        wire.answers.append(httpx2.Response(200, headers={'content-type': 'text/event-stream'}, content=body))
        response = (await streamed(wire.model())).response
    else:
        answer = json.dumps(completion(content='ok', reasoning_details=details))
        wire.answers.append(httpx2.Response(200, text=answer, headers={'content-type': 'application/json'}))
        response = await plain(wire.model())
    request = ModelRequest(parts=[UserPromptPart('hi')])
    await wire.model().request([request, response, request], None, parameters())
    assert wire.bodies[-1]['messages'][1]['reasoning_details'] == [
        {'type': 'reasoning.encrypted', 'data': 'x', 'score': 'NaN', 'range': ['-Infinity', 0.5]}
    ]


class Building(OpenAICompatibleModel):
    """A user's model that makes the streamed response itself, as pydantic-ai does."""

    async def _process_streamed_response(
        self, response: Any, model_request_parameters: Any, *args: Any, **options: Any
    ) -> OpenAIStreamedResponse:
        return await OpenAIChatModel._process_streamed_response(self, response, model_request_parameters)


async def test_a_streamed_response_that_somebody_else_makes_is_corrected(wire: Wire) -> None:
    wire.answers.append(stream_answer([chunk(content='<thi'), chunk(content='nk>a</think>b'), chunk('stop')]))
    got = await streamed(Building('m', provider=wire.provider))
    assert (got.error, parts_of(got.response)) == (None, [{'think': 'a'}, {'text': 'b'}])
