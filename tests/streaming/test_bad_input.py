"""Anything at all in place of a chunk or a response: read, or refused with an error of our own."""

from __future__ import annotations as _annotations

import asyncio
import contextlib
import json
import warnings
from typing import Any

import httpx2
from generated import generated
from hypothesis import given, strategies as st
from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior
from streaming.streams import chunk, parse, plain, stream_answer, streamed
from support import Wire

from pydantic_ai_compat.errors import IgnoredFieldWarning, StreamError
from pydantic_ai_compat.streaming import iter_sse_chunks

SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(allow_nan=False) | st.text('a{"', max_size=4)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(['a', 'name', 'type', 'text', 'id']), inner, max_size=2),
    max_leaves=4,
)  # fmt: skip


def odd(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An object with these fields, each of them there or not, or anything in its place."""
    usual = st.fixed_dictionaries({}, optional={name: value | ANYTHING for name, value in fields.items()})
    return st.one_of(usual, usual, usual, ANYTHING)


FUNCTION = odd(name=st.sampled_from(['t', 'f', '']), arguments=st.sampled_from(['{"a"', ':1}', '{}', '}', '']))
CALL = odd(index=st.integers(0, 2), id=st.sampled_from(['c1', 'c2', '']), function=FUNCTION, type=st.just('function'))
MESSAGE = odd(
    content=st.sampled_from(['a', '<think>', '</think>', '<thi', 'nk>', '<ev>f</ev>']),
    tool_calls=st.lists(CALL, max_size=2),
    function_call=FUNCTION,
    reasoning=st.just('r'),
    refusal=st.just('no'),
    role=st.just('assistant'),
)
FINISH = st.sampled_from([None, 'stop', 'tool_calls', ''])
CHUNK = odd(
    id=st.just('x'),
    model=st.just('m'),
    choices=st.lists(odd(index=st.integers(0, 1), delta=MESSAGE, finish_reason=FINISH), max_size=2),
    usage=odd(total_tokens=st.integers(0, 3)),
)
RESPONSE = odd(
    id=st.just('x'),
    object=st.just('chat.completion'),
    created=st.just(1),
    model=st.just('m'),
    choices=st.lists(odd(index=st.integers(0, 1), message=MESSAGE, finish_reason=FINISH), max_size=2),
)


@generated(150)
@given(st.lists(CHUNK, max_size=5), st.booleans())
def test_any_chunks_are_read_or_refused(chunks: list[Any], starts_open: bool) -> None:
    """Nothing but a `StreamError` comes out."""
    with contextlib.suppress(StreamError):
        parse(chunks, text_event_tag='ev', thinking_starts_open=starts_open)


@generated(80)
@given(st.lists(st.text('data: {}"a1[]\n\r\x00é', max_size=12) | st.binary(max_size=6), max_size=6))
def test_any_lines_are_read_or_refused(lines: list[str | bytes]) -> None:
    """Nothing but a `StreamError` comes out."""
    with contextlib.suppress(StreamError):
        for value in iter_sse_chunks(lines):
            assert isinstance(value, dict)


@generated(60)
@given(RESPONSE)
def test_any_response_is_read_or_refused_with_a_typed_error(body: Any) -> None:
    """Never a bare `IndexError`, `AttributeError` or `TypeError`, which no fallback model catches."""
    wire = Wire()
    wire.answers.append(httpx2.Response(200, text=json.dumps(body), headers={'content-type': 'application/json'}))
    with contextlib.suppress(UnexpectedModelBehavior, ModelAPIError), warnings.catch_warnings():
        warnings.simplefilter('ignore', IgnoredFieldWarning)
        asyncio.run(plain(wire.model(openai_chat_text_event_tag='ev')))


@generated(60)
@given(st.lists(CHUNK, max_size=4))
def test_any_stream_through_the_model_is_read_or_refused_with_a_typed_error(chunks: list[Any]) -> None:
    """Likewise; what pydantic-ai itself makes of other fields is its own."""
    wire = Wire()
    wire.answers.append(stream_answer([chunk(role='assistant'), *chunks]))
    with contextlib.suppress(UnexpectedModelBehavior, ModelAPIError), warnings.catch_warnings():
        warnings.simplefilter('ignore')  # pydantic-ai warns about a usage without numbers, and about odd reasoning
        asyncio.run(streamed(wire.model(openai_chat_text_event_tag='ev')))
