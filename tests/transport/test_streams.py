from __future__ import annotations as _annotations

import dataclasses
import itertools
from datetime import UTC, datetime
from typing import Any

import anyio
import httpx2
import pytest
from openai import APIError
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, UserPromptPart
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings, OpenAIStreamedResponse
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage
from support import Wire
from support_sse import Blocks, Hanging, chunk, event, events, stream, text_chunks

from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.transport import LeanChatModel

MESSAGES: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('hi')])]
EPOCH = datetime.fromtimestamp(0, UTC)
PARAMETERS = ModelRequestParameters(function_tools=[ToolDefinition(name='get_weather')])


class Outcome:
    """What a consumer sees of one streamed response."""

    def __init__(self) -> None:
        self.events: list[object] = []
        self.usages: list[RequestUsage] = []
        self.response: ModelResponse | None = None
        self.error: Exception | None = None

    @property
    def seen(self) -> object:
        response = self.response and dataclasses.replace(self.response, timestamp=EPOCH)
        return self.events, self.usages, response, self.error and (type(self.error), str(self.error))


async def consume(
    model: OpenAIChatModel, wire: Wire, body: bytes | Blocks, settings: OpenAIChatModelSettings | None = None
) -> Outcome:
    wire.answers.append(stream(body))
    outcome = Outcome()
    try:
        async with model.request_stream(MESSAGES, settings, PARAMETERS) as response:
            try:
                async for item in response:
                    outcome.events.append(item)
                    outcome.usages.append(response.usage)
            finally:
                outcome.response = response.get()
    except Exception as error:  # noqa: BLE001
        outcome.error = error
    return outcome


async def test_recorded_streams_give_the_events_of_stock(wire: Wire, recording: bytes) -> None:
    """Stock is the reference for events, usage, response and error, on what real servers sent."""
    ours = await consume(wire.model(profile={'openai_chat_history': 'off'}), wire, recording)
    stock = await consume(wire.stock(), wire, recording)
    assert ours.seen == stock.seen
    assert ours.events


ANSWERS: dict[str, list[dict[str, Any]]] = {
    'text': text_chunks(['Hel', 'lo', '']),
    'thoughts': [chunk(reasoning_content='h'), chunk(reasoning='m'), *text_chunks(['a'])],
    'tagged thoughts': text_chunks(['<think>', 'hm', '</think>', 'a']),
    'a call': [
        chunk(tool_calls=[{'index': 0, 'id': 'c', 'function': {'name': 'get_weather', 'arguments': '{"ci'}}]),
        chunk(tool_calls=[{'index': 0, 'function': {'arguments': 'ty": 1}'}}]),
        chunk('tool_calls'),
    ],
    'a refusal': [chunk(refusal='No.'), chunk('stop')],
    'service tier': [{**item, 'service_tier': 'flex'} for item in text_chunks(['a'])],
    'annotations': [
        *text_chunks(['a'])[:2],
        chunk('stop', annotations=[{'type': 'url_citation', 'url_citation': {'url': 'u', 'title': 't'}}]),
    ],
    'log probabilities': [
        {
            **chunk(),
            'choices': [
                {
                    'index': 0,
                    'delta': {'content': 'a'},
                    'finish_reason': 'stop',
                    'logprobs': {'content': [{'token': 'a', 'logprob': -1, 'top_logprobs': []}]},
                }
            ],
        }
    ],
    # Counts that fall; those that never do are running totals, see `tests/streaming/test_odd_fields.py`.
    'usage in each chunk': [
        {**item, 'usage': {'prompt_tokens': 1, 'completion_tokens': 9 - number, 'total_tokens': 10 - number}}
        for number, item in enumerate(text_chunks(['a', 'b']))
    ],
    'undeclared fields': [{**item, 'citations': ['x']} for item in text_chunks(['a'])],
}

SETTINGS: dict[str, OpenAIChatModelSettings] = {
    'none': {},
    'unmapped data': {'openai_include_unmapped_response_data': True},
    'continuous usage': {'openai_continuous_usage_stats': True},
    'annotations': {'openai_include_raw_annotations': True},
}


@pytest.mark.parametrize('settings', SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize('answer', ANSWERS.values(), ids=ANSWERS)
@pytest.mark.untraced
async def test_events_usage_and_response_are_those_of_stock(
    wire: Wire, answer: list[dict[str, Any]], settings: OpenAIChatModelSettings
) -> None:
    """Stock is the reference, after each event and at the end."""
    ours = await consume(wire.model(), wire, events(*answer), settings)
    stock = await consume(wire.stock(), wire, events(*answer), settings)
    assert ours.seen == stock.seen
    assert ours.error is None
    assert ours.response is not None


async def test_thoughts_in_a_declared_field_are_mapped(wire: Wire) -> None:
    """`openai_chat_thinking_field` may name a field that the SDK declares, such as `refusal` or `content`."""
    profile: Any = {'openai_chat_thinking_field': 'content'}
    ours = await consume(wire.model(profile=profile), wire, events(*ANSWERS['text']))
    stock = await consume(wire.stock(profile=profile), wire, events(*ANSWERS['text']))
    assert ours.seen == stock.seen
    assert ours.response is not None and ours.response.thinking == 'Hel\n\nlo'


BREAKS: dict[str, tuple[bytes | Exception, type[Exception]]] = {
    'an error object': (event({'error': {'message': 'out of memory'}}), ModelAPIError),
    'a cut connection': (httpx2.RemoteProtocolError('peer closed'), ModelAPIError),
    'a timeout': (httpx2.ReadTimeout('slow'), ModelAPIError),
}


@pytest.mark.parametrize(('broken', 'error'), BREAKS.values(), ids=BREAKS)
@pytest.mark.parametrize('good', [1, 3, 40])
async def test_a_broken_stream_fails_after_the_same_events_as_with_stock(
    wire: Wire, good: int, broken: bytes | Exception, error: type[Exception]
) -> None:
    """Stock is the reference; what came before is kept, and the response is closed."""
    texts = [event(chunk(content=f'{number} ')) for number in range(good)]
    bodies = [Blocks(*texts, broken) for _ in range(2)]
    ours = await consume(wire.model(), wire, bodies[0])
    stock = await consume(wire.stock(), wire, bodies[1])
    assert ours.seen == stock.seen
    assert isinstance(ours.error, error)
    assert [body.closed for body in bodies] == [True, True]


@pytest.mark.parametrize(
    ('broken', 'words'),
    [
        (b'data: {"id": \n\n', """is not JSON: Expecting value: line 1 column 8 (char 7). It reads '{"id": '."""),
        (b'data: "\xf0\x9f"\n\n', 'is not UTF-8'),
    ],
)
async def test_an_event_that_cannot_be_read_is_quoted_and_closes_the_response(
    wire: Wire, broken: bytes, words: str
) -> None:
    """Stock says what is wrong, but not with what; the events before it are kept."""
    texts = [event(chunk(content=f'{number} ')) for number in range(3)]
    body = Blocks(*texts, broken)
    outcome = await consume(wire.model(), wire, body)
    assert words in str(outcome.error)
    assert isinstance(outcome.error, StreamError)
    assert outcome.response is not None and outcome.response.text == '0 1 2 '
    assert body.closed


async def test_a_stream_that_breaks_before_its_first_chunk_fails_as_with_stock(wire: Wire) -> None:
    """pydantic-ai pulls the first chunk before it hands the response over."""
    for broken, error in BREAKS.values():
        ours = await consume(wire.model(), wire, Blocks(broken))
        stock = await consume(wire.stock(), wire, Blocks(broken))
        assert ours.seen == stock.seen
        assert isinstance(ours.error, error | APIError)


async def leave_after(model: OpenAIChatModel, wire: Wire, body: Blocks, count: int, how: str) -> ModelResponse:
    wire.answers.append(stream(body))
    async with model.request_stream(MESSAGES, None, PARAMETERS) as response:
        seen = 0
        async for _ in response:
            seen += 1
            if seen == count:
                if how == 'cancel':
                    await response.cancel()
                break
        return response.get()


@pytest.mark.parametrize('how', ['break', 'cancel'])
@pytest.mark.parametrize('count', [1, 2, 35])
async def test_an_early_end_closes_the_response_and_reads_no_further(wire: Wire, count: int, how: str) -> None:
    """The connection goes back, and the response says as much as stock's."""
    bodies = [Blocks(*map(event, text_chunks('x' * 100))) for _ in range(2)]
    ours = await leave_after(wire.model(), wire, bodies[0], count, how)
    stock = await leave_after(wire.stock(), wire, bodies[1], count, how)
    assert (ours.text, ours.state) == (stock.text, stock.state)
    assert [(body.closed, body.sent) for body in bodies] == [(True, bodies[1].sent)] * 2


async def test_a_cancelled_task_closes_the_response(wire: Wire) -> None:
    """A consumer's task that is cancelled while it waits for a chunk leaves nothing open."""
    body = Hanging(*map(event, text_chunks(['a'])))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(consume, wire.model(), wire, body)
        await body.hangs.wait()
        tasks.cancel_scope.cancel()
    assert body.closed


async def test_another_task_can_close_a_stream_that_waits(wire: Wire) -> None:
    """`cancel` may come from another task, such as a user's stop button, while a chunk is awaited."""
    body = Hanging(*map(event, text_chunks(['a'])))
    wire.answers.append(stream(body))
    closed: list[StreamedResponse] = []

    async def stop(response: StreamedResponse, scope: anyio.CancelScope) -> None:
        await body.hangs.wait()
        await response.cancel()
        closed.append(response)
        scope.cancel()

    with anyio.CancelScope() as scope:
        async with (
            wire.model().request_stream(MESSAGES, None, PARAMETERS) as response,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(stop, response, scope)
            async for _ in response:
                pass
    assert closed[0].get().state == 'interrupted'
    assert body.closed


async def test_another_task_gets_its_turn_within_32_chunks(wire: Wire) -> None:
    """A block of the network can hold hundreds of chunks, and none of them waits for anything."""
    turns: list[int] = []
    seen = 0

    async def other() -> None:
        while True:
            turns.append(seen)
            await anyio.lowlevel.checkpoint()

    wire.answers.append(stream(events(*text_chunks('x' * 200))))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(other)
        async with wire.model().request_stream(MESSAGES, None, PARAMETERS) as response:
            async for _ in response:
                seen += 1
        tasks.cancel_scope.cancel()
    assert max(later - earlier for earlier, later in itertools.pairwise(turns)) <= 33


async def test_usage_is_added_once_for_the_chunk_that_reports_it(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """Adding usage copies it twice, so the chunks without any must not; stock's count shows that the count works."""
    added: list[bool] = []
    add = OpenAIStreamedResponse._add_usage

    def counted(self: OpenAIStreamedResponse, usage: RequestUsage, *, reported: bool, cumulative: bool = False) -> None:
        added.append(reported)
        add(self, usage, reported=reported, cumulative=cumulative)

    monkeypatch.setattr(OpenAIStreamedResponse, '_add_usage', counted)
    ours = await consume(wire.model(), wire, events(*text_chunks('x' * 50)))
    assert added == [True]
    stock = await consume(wire.stock(), wire, events(*text_chunks('x' * 50)))
    assert len(added) == 1 + 53
    assert ours.seen == stock.seen


async def test_a_stream_without_usage_counts_as_unmeasured(wire: Wire) -> None:
    """pydantic-ai reports a request whose server told no usage."""
    outcome = await consume(wire.model(), wire, events(*text_chunks(['a'])[:-1]))
    assert outcome.response is not None
    assert outcome.response.usage == RequestUsage(unmeasured_requests=1)


async def test_the_base_alone_streams_as_stock_does(wire: Wire) -> None:
    """The transport corrects nothing: a model on it that overrides nothing is stock's in every respect."""
    base = LeanChatModel('m', provider=wire.provider)
    for answer in ANSWERS.values():
        ours = await consume(base, wire, events(*answer))
        stock = await consume(wire.stock(), wire, events(*answer))
        assert ours.seen == stock.seen
