from __future__ import annotations as _annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from openai import AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletionChunk
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.providers.openai import OpenAIProvider
from support import Wire
from support_sse import chunk, event, events, stream, text_chunks
from transport.reading import both

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.transport import chunks


class Built:
    """Counts the chunks that the SDK had to build."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        builder_of = chunks.stock_builder

        def counting(stream: AsyncStream[ChatCompletionChunk]) -> Callable[..., object]:
            build = builder_of(stream)

            def counted(**data: object) -> object:
                self.count += 1
                return build(**data)

            return counted

        monkeypatch.setattr(chunks, 'stock_builder', counting)


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> Built:
    return Built(monkeypatch)


async def test_recorded_streams_are_the_chunks_of_the_sdk(recording: bytes, built: Built) -> None:
    """The SDK is the reference, on what real servers sent; no chunk of theirs needs the SDK's construction."""
    ours, stock = await both(recording)
    assert ours.seen == stock.seen
    assert ours.chunks
    assert built.count == 0


ODD_CHUNKS: dict[str, object] = {
    'id is a number': {**chunk(content='a'), 'id': 7},
    'created is text': {**chunk(content='a'), 'created': '1790000000'},
    'created is missing': {name: value for name, value in chunk(content='a').items() if name != 'created'},
    'choices are null': {**chunk(), 'choices': None},
    'choices are missing': {'id': 'c', 'object': 'chat.completion.chunk', 'created': 1, 'model': 'm'},
    'delta is null': {**chunk(), 'choices': [{'index': 0, 'delta': None, 'finish_reason': None}]},
    'unknown finish reason': chunk('abort'),
    'empty finish reason': chunk(''),
    'unknown role': chunk(role='model', content='a'),
    'content is a list': chunk(content=[{'type': 'text', 'text': 'a'}]),
    'arguments are an object': chunk(tool_calls=[{'index': 0, 'function': {'arguments': {'a': 1}}}]),
    'call without an index': chunk(tool_calls=[{'id': 'c', 'function': {'name': 'f', 'arguments': ''}}]),
    'another object': {**chunk(content='a'), 'object': 'text_completion'},
    'log probabilities': {
        **chunk(),
        'choices': [
            {
                'index': 0,
                'delta': {'content': 'a'},
                'finish_reason': None,
                'logprobs': {'content': [{'token': 'a', 'bytes': [97], 'logprob': 0, 'top_logprobs': []}]},
            }
        ],
    },
}


@pytest.mark.parametrize('odd', ODD_CHUNKS.values(), ids=ODD_CHUNKS)
async def test_a_chunk_that_does_not_fit_is_built_by_the_sdk_and_the_next_is_not(odd: object, built: Built) -> None:
    """The SDK constructs without validation, so servers' odd chunks get through; pydantic-ai relies on it."""
    ours, stock = await both(events(odd, *text_chunks(['a'])))
    assert ours.seen == stock.seen
    assert len(ours.chunks) == 5
    assert built.count == 1


class OwnData(AsyncOpenAI):
    """A user's client that changes what a response holds."""

    def _process_response_data(self, *, data: Any, cast_to: Any, response: Any) -> Any:
        return super()._process_response_data(data={**data, 'model': 'renamed'}, cast_to=cast_to, response=response)


class OwnEvent:
    event = None

    def __init__(self, data: str) -> None:
        self.data = data

    def json(self) -> Any:
        return json.loads(self.data)


class OwnDecoder:
    """A framing of one event a line."""

    async def aiter_bytes(self, iterator: AsyncIterator[bytes]) -> AsyncIterator[OwnEvent]:
        body = b''.join([block async for block in iterator])
        for line in body.decode().splitlines():
            yield OwnEvent(line)


class OwnFraming(AsyncOpenAI):
    """A user's client for a server that does not send server-sent events."""

    def _make_sse_decoder(self) -> Any:
        return OwnDecoder()


def model_over(wire: Wire, client_class: Any, **options: Any) -> OpenAICompatibleModel:
    client = client_class(base_url='http://wire/v1', api_key='k', http_client=wire.client, **options)
    return OpenAICompatibleModel('m', provider=OpenAIProvider(openai_client=client))


async def ask(model: OpenAICompatibleModel) -> ModelResponse:
    messages: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('hi')])]
    async with model.request_stream(messages, None, ModelRequestParameters()) as response:
        async for _ in response:
            pass
        return response.get()


async def test_a_client_that_processes_data_its_own_way_is_asked(wire: Wire) -> None:
    """The SDK's hook for the data of a response sees each chunk of a stream."""
    wire.answers.append(stream(events(*text_chunks(['a']))))
    response = await ask(model_over(wire, OwnData))
    assert (response.text, response.model_name) == ('a', 'renamed')


async def test_a_client_that_validates_strictly_refuses_what_does_not_fit(wire: Wire) -> None:
    """The SDK's strict mode raises for a chunk that its schema does not allow."""
    wire.answers.append(stream(events(chunk(content='a'), chunk(content=7))))
    with pytest.raises(ModelAPIError, match='invalid for expected schema|"content": 7'):
        await ask(model_over(wire, AsyncOpenAI, _strict_response_validation=True))


async def test_a_client_with_its_own_framing_is_read_through_it(wire: Wire, built: Built) -> None:
    """The SDK asks its client for the decoder of a stream."""
    body = b''.join(json.dumps(data).encode() + b'\n' for data in text_chunks(['a', 'b']))
    wire.answers.append(stream(body))
    assert (await ask(model_over(wire, OwnFraming))).text == 'ab'
    assert built.count == 0


def no_decoder(stream: object) -> None:
    return None


async def test_an_sdk_without_a_decoder_to_replace_builds_the_chunks_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """The decoder is a private attribute of the SDK's stream; without it the stream is the SDK's own."""
    monkeypatch.setattr(chunks, 'decoder_of', no_decoder)
    ours, stock = await both(events(*text_chunks(['a'])))
    assert ours.seen == stock.seen


NAMES_OF_PYDANTIC: dict[str, Any] = {'model_config': 1, '__class__': 2, '': 3}
FITTING_CHUNKS: dict[str, object] = {
    'undeclared fields': {**chunk(reasoning_content='hm', deep={'a': [1, None]}), 'citations': ['x']},
    'field names of pydantic': chunk(**NAMES_OF_PYDANTIC),
    'unicode': chunk(content='\u2028 \x00 \U0001f600 ä'),
    'escaped unicode': '{"id":"\\u00e4","choices":[],"created":1,"model":"m","object":"chat.completion.chunk"}',
    'a repeated key': '{"id":"a","id":"b","choices":[],"created":1,"model":"m","object":"chat.completion.chunk"}',
    'huge integers': chunk(big=10**30, small=-(10**30), float=1e300),
    'usage': {**chunk(), 'choices': [], 'usage': {'prompt_tokens': 1, 'completion_tokens': 1, 'total_tokens': 2}},
    'two choices': {**chunk(), 'choices': [{'index': i, 'delta': {'content': 'a'}} for i in (0, 1)]},
    'error is null': {**chunk(content='a'), 'error': None},
    'white space': json.dumps(chunk(content='a'), indent=None).replace(',', ' ,\t'),
}


@pytest.mark.parametrize('fitting', FITTING_CHUNKS.values(), ids=FITTING_CHUNKS)
async def test_a_chunk_that_fits_equals_the_sdks(fitting: object) -> None:
    """The SDK is the reference for each value and its type."""
    ours, stock = await both(events(fitting))
    assert ours.seen == stock.seen
    assert len(ours.chunks) == 1


BROKEN: dict[str, bytes] = {
    'broken JSON': b'data: {"id": \n\n',
    'no JSON': b'data: oops\n\n',
    'an empty event': b'data: \n\n',
    'null': b'data: null\n\n',
    'a list': b'data: [1]\n\n',
    'text': b'data: "x"\n\n',
    'not a number': b'data: {"id": NaN, "choices": []}\n\n',
    'a lone surrogate': event('{"id":"c","choices":[{"index":0,"delta":{"content":"\\ud83d"}}],"created":1}'),
    'half a character': b'data: {"id": "\xf0\x9f\n\n',
    'an error': b'data: {"error": {"message": "out of memory", "code": 500}}\n\n',
    'an error in a chunk': event({**chunk(content='a'), 'error': {'message': 'late'}}),
    'an error without a message': event({'error': 'no'}),
    'a named error': b'event: error\ndata: {"error": {"message": "no"}}\n\n',
    'no last line end': b'data: {"id":"c","choices":[]}',
    'half an event': b'data: {"id":"c"',
}


@pytest.mark.parametrize('broken', BROKEN.values(), ids=BROKEN)
async def test_a_broken_event_ends_the_stream_as_with_the_sdk(broken: bytes) -> None:
    """The events before it, what becomes of it, and the exception are the SDK's."""
    ours, stock = await both(events(*text_chunks(['a']), done=False) + broken)
    assert ours.seen == stock.seen
    assert len(ours.chunks) >= 4


FRAMINGS: dict[str, bytes] = {
    'carriage returns': events(*text_chunks(['a'])).replace(b'\n', b'\r\n'),
    'old line ends': events(*text_chunks(['a'])).replace(b'\n', b'\r'),
    'comments': b': keep-alive\n\n' + events(*text_chunks(['a'])) + b': bye\n\n',
    'names and ids': b'id: 1\nevent: chunk\nretry: 3\n' + events(*text_chunks(['a'])),
    'no blank after the colon': events(*text_chunks(['a'])).replace(b'data: ', b'data:'),
    'data in two lines': events(*text_chunks(['a'])).replace(b', "choices"', b',\ndata: "choices"'),
    'no done': events(*text_chunks(['a']), done=False),
    'events after done': events(*text_chunks(['a'])) + events(*text_chunks(['b'])),
}


@pytest.mark.parametrize('body', FRAMINGS.values(), ids=FRAMINGS)
async def test_every_framing_of_events_is_read(body: bytes) -> None:
    """https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation"""
    ours, stock = await both(body)
    assert ours.seen == stock.seen
    assert len(ours.chunks) == 4
