"""What read an answer is freed with it: nothing of it waits for the garbage collector, as nothing of stock does."""

from __future__ import annotations as _annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
from streaming.answers import PARAMETERS, REQUEST, a_call
from streaming.streams import call, calls_chunk, chunk, stream_answer
from support import Wire, completion

LARGE = '{"city": "' + 'x' * 1000 + '"}'

STREAMS: dict[str, list[dict[str, Any]]] = {
    'text': [chunk(content='Hello'), chunk(content=' you'), chunk('stop')],
    'thoughts': [chunk(content='<thi'), chunk(content='nk>a</think>b'), chunk('stop')],
    'thoughts in a field': [chunk(reasoning_content='a'), chunk(content='b'), chunk('stop')],
    'a call': [calls_chunk(call(0, 'c1', 'get_weather', LARGE[:99])), calls_chunk(call(arguments=LARGE[99:]))],
    'a call in the text': [
        chunk(content=f'<tool_call>{{"name": "get_weather", "arguments": {LARGE[:99]}'),
        chunk(content=LARGE[99:] + '}</tool_call>'),
        chunk('stop'),
    ],
    'other choices': [chunk(content='a') | {'choices': [{'index': 1, 'delta': {'content': 'b'}}]}, chunk(content='c')],
    'fields that do not fit': [chunk(content='a') | {'created': 'now'}, chunk('stop')],
}
BODIES: dict[str, dict[str, Any]] = {
    'text': completion(content='Hello you'),
    'thoughts': completion(content='<think>a</think>b'),
    'a call': completion(content=None, tool_calls=[a_call('functions.get_weather', LARGE)]),
}


@contextmanager
def left_behind() -> Generator[list[str]]:
    """The kinds of our own objects that the garbage collector finds afterwards."""
    found: list[str] = []
    gc.collect()
    gc.disable()
    try:
        yield found
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        found += [type(one).__name__ for one in gc.garbage if type(one).__module__.startswith('pydantic_ai_compat')]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


@pytest.mark.filterwarnings('ignore::pydantic_ai_compat.errors.CompatWarning')
@pytest.mark.parametrize('name', STREAMS)
async def test_a_stream_leaves_nothing_behind(name: str, wire: Wire) -> None:
    model = wire.model(openai_chat_text_tool_calls='auto')
    wire.answers.append(stream_answer(STREAMS[name]))
    with left_behind() as found:
        async with model.request_stream(REQUEST, None, PARAMETERS) as response:
            async for _ in response:
                pass
        assert response.get().parts
        del response
    assert found == []


@pytest.mark.parametrize('name', BODIES)
async def test_a_plain_response_leaves_nothing_behind(name: str, wire: Wire) -> None:
    model = wire.model()
    wire.answers.append(BODIES[name])
    with left_behind() as found:
        response = await model.request(REQUEST, None, PARAMETERS)
        assert response.parts
    assert found == []
