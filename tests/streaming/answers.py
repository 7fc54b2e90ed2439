"""One answer, plain and as a stream that is cut at any place."""

from __future__ import annotations as _annotations

from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition
from streaming.streams import chunk, stream_answer
from support import Wire, completion

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
