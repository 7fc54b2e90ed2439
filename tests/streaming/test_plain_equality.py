"""A well-formed plain response gives the parts, usage, details and finish reason of pydantic-ai."""

from __future__ import annotations as _annotations

import asyncio
import json
from typing import Any

from generated import generated
from hypothesis import given, strategies as st
from pydantic_ai.messages import ModelResponse
from streaming.streams import plain
from support import Wire, completion

WORDS = st.text('ab é\n', min_size=1, max_size=8).filter(str.strip)
NAMES = st.sampled_from(['f', 'get_weather'])
VALUES = st.dictionaries(WORDS, WORDS | st.integers(0, 9) | st.none() | st.booleans(), max_size=2)


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, Any]:
    calls = [
        {'id': f'c{number}', 'type': 'function', 'function': {'name': name, 'arguments': json.dumps(arguments)}}
        for number, (name, arguments) in enumerate(draw(st.lists(st.tuples(NAMES, VALUES), max_size=3)))
    ]
    message: dict[str, Any] = {'content': draw(WORDS if not calls else WORDS | st.none())}
    if calls:
        message['tool_calls'] = calls
    if draw(st.booleans()):
        message['reasoning_content'] = draw(WORDS)
    body = completion(**message)
    body['choices'][0]['finish_reason'] = 'tool_calls' if calls else draw(st.sampled_from(['stop', 'length']))
    used, said, cached = (draw(st.integers(1, 99)) for _ in range(3))
    body['usage'] = {
        'prompt_tokens': used,
        'completion_tokens': said,
        'total_tokens': used + said,
        'prompt_tokens_details': {'cached_tokens': cached},
    }
    return body


@generated()
@given(bodies())
def test_generated_well_formed_responses_are_stock_s(body: dict[str, Any]) -> None:
    """All fields but the time at which it was read."""
    wire = Wire()
    wire.answers += [body, body]
    ours, stock = asyncio.run(plain(wire.model())), asyncio.run(plain(wire.stock()))
    assert fields(ours) == fields(stock)


def fields(response: ModelResponse) -> dict[str, Any]:
    return {name: value for name, value in vars(response).items() if name != 'timestamp'}
