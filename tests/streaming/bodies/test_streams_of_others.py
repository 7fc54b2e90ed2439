"""Streams that are not the SDK's own, streams that end early, and how often a byte is looked at."""

from __future__ import annotations as _annotations

from types import SimpleNamespace
from typing import Any, Self

import anyio
import httpx2
import pytest
from openai import AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic_ai import Agent, ModelAPIError
from pydantic_ai.providers.openai import OpenAIProvider
from streaming.bodies.bodies import CHUNKS, PAGE, STREAM, WHOLE, ask
from support import Wire
from support_sse import Blocks, Hanging, chunk, event, events, stream

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.streaming.bodies.decoder import BodyDecoder
from pydantic_ai_compat.streaming.bodies.pages import Origin
from pydantic_ai_compat.transport import LeanStream, read_events_with


class StandIn:
    """A stream as test suites with a mocked client have it: chunks, and a response without headers or request."""

    def __init__(self, chunks: list[dict[str, Any]], response: object) -> None:
        self.chunks = iter(chunks)
        self.response = response

    def __aiter__(self) -> StandIn:
        return self

    async def __anext__(self) -> ChatCompletionChunk:
        for one in self.chunks:
            return ChatCompletionChunk.construct(**one)
        raise StopAsyncIteration

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None: ...


def mocked(answer: object) -> OpenAICompatibleModel:
    async def create(**arguments: Any) -> object:
        return answer

    client: Any = SimpleNamespace(
        chat=SimpleNamespace(completions=SimpleNamespace(create=create)), base_url='http://mock/v1'
    )
    return OpenAICompatibleModel('m', provider=OpenAIProvider(openai_client=client))


@pytest.mark.parametrize('response', [None, object(), SimpleNamespace(status_code='?', headers=None)])
async def test_a_stand_in_for_the_stream_needs_no_response(response: object) -> None:
    """pydantic-ai's own tests have one without headers."""
    async with Agent(mocked(StandIn(CHUNKS, response))).run_stream('hi') as result:
        assert await result.get_output() == 'hello'


async def test_a_stand_in_for_the_completion_is_read_as_it_is() -> None:
    """No body is known of it."""
    assert (await Agent(mocked(ChatCompletion.construct(**WHOLE))).run('hi')).output == 'hello'


class OwnData(AsyncOpenAI):
    """A user's client that changes what a response holds, so that the SDK's own stream is used."""

    def _process_response_data(self, *, data: Any, cast_to: Any, response: Any) -> Any:
        return super()._process_response_data(data={**data, 'model': 'renamed'}, cast_to=cast_to, response=response)


async def test_the_sdk_s_own_stream_is_read_the_same_way(wire: Wire) -> None:
    """The hook of the user's client sees the data that was read."""
    client = OwnData(base_url='http://wire/v1', api_key='k', http_client=wire.client)
    agent = Agent(OpenAICompatibleModel('m', provider=OpenAIProvider(openai_client=client)))
    wire.answers.append(stream(b'data: : PROCESSING\n\n' + STREAM))
    async with agent.run_stream('hi') as result:
        assert await result.get_output() == 'hello'
    assert result.response.model_name == 'renamed'
    wire.answers.append(stream(PAGE))
    with pytest.raises(StreamError, match="titled 'Console'"):
        async with agent.run_stream('hi'):
            pass


class OwnFraming(AsyncOpenAI):
    """A user's client with a framing of its own."""

    def _make_sse_decoder(self) -> Any:
        return SimpleNamespace(aiter_bytes=None)


@pytest.mark.parametrize('stream_class', [AsyncStream[ChatCompletionChunk], LeanStream])
async def test_a_framing_of_the_user_s_stays(wire: Wire, stream_class: Any) -> None:
    """What the user set wins over what we know of servers."""
    client = OwnFraming(base_url='http://wire/v1', api_key='k', http_client=wire.client)
    async with client._client.stream('POST', 'http://wire/v1') as response:
        own = stream_class(cast_to=ChatCompletionChunk, response=response, client=client, options=None)
        before = own._decoder
        read_events_with(own, BodyDecoder(Origin()))
        assert own._decoder is before
        assert not isinstance(getattr(before, 'decoder', None), BodyDecoder)


@pytest.mark.parametrize(
    'bad', [b'event: error\ndata: x\n\n', PAGE + b'\n' * 2**17, b'data: oops\n\n', b'data: \xff\n\n']
)
async def test_a_body_that_is_refused_is_closed_and_read_no_further(bad: bytes) -> None:
    """The connection goes back."""
    body = Blocks(event(chunk(content='a')), bad, *[b': more\n\n'] * 1000)
    run = await ask(body, streamed=True)
    assert isinstance(run.error, ModelAPIError | StreamError)
    assert (body.closed, body.sent) == (True, 2)


async def test_the_body_is_read_to_its_end_after_done_and_closed() -> None:
    """As with stock, so that the connection can be used again."""
    body = Blocks(STREAM, b': bye\n\n')
    assert (await ask(body, streamed=True)).output == 'hello'
    assert body.closed and body.sent >= 2


@pytest.mark.parametrize('streamed', [True, False])
async def test_a_cancelled_task_closes_a_body_that_waits_inside_a_line(streamed: bool) -> None:
    """Nothing is left open."""
    body = Hanging(events(chunk(content='a'), done=False), b'data: {"cho')

    async def run() -> None:
        await ask(body, streamed=streamed)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await body.hangs.wait()
        tasks.cancel_scope.cancel()
    assert body.closed


async def test_each_chunk_of_a_stream_is_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """By pydantic, from the text of its event; the JSON decoder of Python is asked for none of them."""
    from pydantic_ai_compat.streaming.bodies import event as event_module

    decoded: list[str] = []
    answer = event_module.BodyEvent.answer

    def counted(self: event_module.BodyEvent) -> object:
        decoded.append(self.data)
        return answer(self)

    monkeypatch.setattr(event_module.BodyEvent, 'answer', counted)
    usage: dict[str, Any] = {**chunk(), 'choices': [], 'usage': WHOLE['usage']}
    whole = [{**one, 'provider': 'x'} for one in (*CHUNKS, usage)]
    run = await ask(httpx2.ByteStream(events(*whole)), streamed=True)
    assert (run.output, decoded) == ('hello', [])
