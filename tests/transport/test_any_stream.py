"""Streams of any chunks, fitting and not, cut anywhere."""

from __future__ import annotations as _annotations

from typing import Any

from generated import generated
from hypothesis import given, strategies as st
from openai import AsyncStream
from openai.types.chat import ChatCompletionChunk
from support_sse import Blocks, events
from transport.reading import read

from pydantic_ai_compat.transport import LeanStream

Strategies = dict[str, st.SearchStrategy[Any]]


def mapping(required: Strategies | None = None, optional: Strategies | None = None) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(required or {}, optional=optional or {})


SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=3)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
)


def maybe(fitting: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Mostly what the schema asks for, sometimes anything."""
    return st.one_of(fitting, fitting, fitting, VALUES)


CALLS: st.SearchStrategy[Any] = st.lists(
    mapping(
        {'index': maybe(st.integers(0, 2))},
        optional={
            'id': maybe(st.text(max_size=3)),
            'type': maybe(st.just('function')),
            'function': maybe(mapping(optional={'name': maybe(st.text()), 'arguments': maybe(st.text())})),
            'extra_content': VALUES,
        },
    ),
    max_size=2,
)
DELTAS = mapping(
    optional={
        'role': maybe(st.sampled_from(['assistant', 'tool'])),
        'content': maybe(st.text()),
        'refusal': maybe(st.text()),
        'tool_calls': maybe(CALLS),
        'reasoning': VALUES,
    },
)
CHOICES: st.SearchStrategy[Any] = st.lists(
    mapping(
        {'index': maybe(st.integers(0, 1)), 'delta': maybe(DELTAS)},
        optional={'finish_reason': maybe(st.sampled_from(['stop', 'length', None])), 'logprobs': VALUES},
    ),
    max_size=2,
)
CHUNKS = mapping(
    {
        'id': maybe(st.text(max_size=3)),
        'object': maybe(st.just('chat.completion.chunk')),
        'created': maybe(st.integers(0, 9)),
        'model': maybe(st.text(max_size=3)),
        'choices': maybe(CHOICES),
    },
    optional={'service_tier': VALUES, 'usage': VALUES, 'other': VALUES, 'error': VALUES, 'moderation': VALUES},
)


@generated(150)
@given(data=st.lists(CHUNKS, max_size=4), cut=st.integers(1, 40))
async def test_any_stream_is_the_chunks_of_the_sdk_wherever_it_is_cut(data: list[object], cut: int) -> None:
    """The SDK, reading the body in one piece, is the reference."""
    body = events(*data)
    blocks = [body[start : start + cut] for start in range(0, len(body), cut)]
    ours = await read(Blocks(*blocks), LeanStream)
    stock = await read(body, AsyncStream[ChatCompletionChunk])
    assert ours.seen == stock.seen
