"""Streams for tests: chunks, what a parser makes of them, and what a model makes of them."""

from __future__ import annotations as _annotations

import functools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
from openai.types.chat import ChatCompletionChunk
from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ModelResponseStreamEvent, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.tools import ToolDefinition
from support_sse import chunk, events, stream

from pydantic_ai_compat.streaming import ChatStreamParser, MessageDelta, ReasoningDelta, StreamItem, ToolCallEvent
from pydantic_ai_compat.streaming.corrector import ChunkCorrector

HERE = Path(__file__).parent
TOOLS = ('t', 'f', 'g', 'get_x', 'get_weather', 'get_time')


def call(index: Any = 0, id: Any = None, name: Any = None, arguments: Any = None, **extra: Any) -> dict[str, Any]:
    """One delta of a tool call; `...` leaves a field out."""
    function = {key: value for key, value in {'name': name, 'arguments': arguments}.items() if value is not ...}
    fields = {'index': index, 'id': id, 'type': 'function', 'function': function, **extra}
    return {key: value for key, value in fields.items() if value is not ...}


def calls_chunk(*calls: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    """A chunk with deltas of tool calls."""
    return chunk(finish_reason, tool_calls=list(calls))


@functools.cache
def _some_text() -> ChatCompletionChunk:
    return ChatCompletionChunk.construct(**chunk(content='some'))


def text_chunk(text: str) -> ChatCompletionChunk:
    """A chunk of the SDK with this text; where texts are cut in many ways, decoding each chunk is most of the cost."""
    [choice] = _some_text().choices
    delta = choice.delta.model_copy(update={'content': text})
    return _some_text().model_copy(update={'choices': [choice.model_copy(update={'delta': delta})]})


def parse(chunks: Iterable[Any], **options: Any) -> list[StreamItem]:
    """All items of a stream."""
    settings: dict[str, Any] = {'tool_names': TOOLS, **options}
    parser = ChatStreamParser(**settings)
    items = [item for each in chunks for item in parser.feed(each)]
    return [*items, *parser.flush()]


def parsed_calls(chunks: Iterable[Any], **options: Any) -> list[tuple[str | None, str, str | None]]:
    """The calls of a stream as id, name and raw arguments; each must be complete."""
    events = [item.tool_call for item in parse(chunks, **options) if item.kind == 'provider_tool_call']
    assert all(event.complete for event in events), events
    return [(event.id, event.name, event.raw_arguments) for event in events]


def as_stock_reads(chunks: Iterable[dict[str, Any]]) -> list[tuple[str | None, str, str]]:
    """The calls as pydantic-ai assembles them from corrected chunks: by index, names and arguments joined, last id."""
    corrector = ChunkCorrector(TOOLS)
    corrected = [each for one in chunks for each in corrector.feed(ChatCompletionChunk.construct(**one))]
    calls: dict[int, list[Any]] = {}
    for one in [*corrected, *corrector.flush()]:
        assert isinstance(one, ChatCompletionChunk)
        for delta in one.choices[0].delta.tool_calls or ():
            part = calls.setdefault(delta.index, [None, '', ''])
            part[0] = delta.id or part[0]
            if delta.function is not None:
                part[1] += delta.function.name or ''
                part[2] += delta.function.arguments or ''
    return [(id, name, arguments) for id, name, arguments in calls.values()]


def joined(items: Iterable[StreamItem]) -> list[StreamItem]:
    """The items with neighbouring deltas joined."""
    out: list[StreamItem] = []
    for item in items:
        if out and item.kind == out[-1].kind == 'message_delta':
            out[-1] = MessageDelta(out[-1].text + item.text)
        elif out and item.kind == out[-1].kind == 'reasoning_delta' and item.field == out[-1].field:
            out[-1] = ReasoningDelta(out[-1].text + item.text, item.field or '')
        else:
            out.append(item)
    return out


def stream_answer(chunks: Iterable[dict[str, Any]], *, done: bool = True) -> httpx2.Response:
    """A response whose body is an event stream."""
    return stream(events(*chunks, done=done))


class Streamed(NamedTuple):
    """What came of a streamed request."""

    response: ModelResponse
    events: list[ModelResponseStreamEvent]
    error: Exception | None


def parameters(*names: str) -> ModelRequestParameters:
    """Request parameters that declare tools."""
    return ModelRequestParameters(function_tools=[ToolDefinition(name=name) for name in names or TOOLS])


async def streamed(model: Model, *names: str) -> Streamed:
    """Make a streamed request and read it to its end, or to its error."""
    events: list[ModelResponseStreamEvent] = []
    error: Exception | None = None
    request: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('hi')])]
    async with model.request_stream(request, None, parameters(*names)) as response:
        try:
            async for event in response:
                events.append(event)
        except (ModelAPIError, UnexpectedModelBehavior) as caught:
            error = caught
    return Streamed(response.get(), events, error)


async def plain(model: Model, *names: str) -> ModelResponse:
    """Make a request that is not streamed."""
    return await model.request([ModelRequest(parts=[UserPromptPart('hi')])], None, parameters(*names))


def parts_of(response: ModelResponse) -> list[dict[str, Any]]:
    """The parts in the notation of the field cases."""
    parts: list[dict[str, Any]] = []
    for part in response.parts:
        if part.part_kind == 'tool-call':
            parts.append({'tool': part.tool_name, 'args': part.args_as_dict(), 'id': part.tool_call_id})
        elif part.part_kind == 'thinking':
            parts.append({'think': part.content})
        elif part.part_kind == 'text':
            parts.append({'text': part.content})
    return parts


def parts_of_items(items: Sequence[StreamItem]) -> list[dict[str, Any]]:
    """The items in the notation of the field cases: texts, thoughts and calls."""
    parts: list[dict[str, Any]] = []
    for item in joined(items):
        if item.kind == 'message_delta':
            parts.append({'text': item.text})
        elif item.kind == 'reasoning_delta':
            parts.append({'think': item.text})
        elif item.kind == 'provider_tool_call':
            assert isinstance(item.tool_call, ToolCallEvent)
            parts.append({'tool': item.tool_call.name, 'args': item.tool_call.arguments, 'id': item.tool_call.id})
    return parts
