"""Streams that end badly, through the model: an error that says what happened and how far the stream came."""

from __future__ import annotations as _annotations

import pickle
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from pydantic_ai import Agent, IncompleteToolCall, ModelAPIError, ModelHTTPError, UnexpectedModelBehavior
from streaming.streams import (
    call,
    calls_chunk,
    chunk,
    stream_answer,
    streamed,
)
from support import Wire
from support_sse import event

from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.testing.plugin import RecordedOpenAI

A = '{"a":1}'


@pytest.mark.parametrize(
    ('chunks', 'words'),
    [
        (
            [calls_chunk(call(0, 'c1', 'f', '{"path": "a')), chunk()],
            """(id 'c1'), after 11 characters: '{"path": "a'. It came to chunk 2 with no finish reason; the""",
        ),
        (
            [calls_chunk(call(0, None, 'f', '{"path": "' + 'x' * 100)), chunk('length')],
            f"`f`, after 110 characters: …'{'x' * 60}'. It came to chunk 2 with the finish reason 'length'; the call is not run. Raise",
        ),
        (
            [calls_chunk(call(0, 'c1', 'f', A), call(1, 'c2', 'g', ...))],
            "before the arguments of tool call 2 `g` (id 'c2') came. It came to chunk 1 with no finish reason",
        ),
    ],
)  # fmt: skip
async def test_a_stream_that_ends_in_a_call_says_how_far_it_came(chunks: list[Any], words: str, wire: Wire) -> None:
    """After all events; the response so far is marked as incomplete."""
    wire.answers.append(stream_answer(chunks))
    got = await streamed(wire.model())
    assert isinstance(got.error, IncompleteToolCall if 'length' in words else StreamError)
    assert words in str(got.error)
    assert got.response.state == 'incomplete'


async def test_a_connection_that_breaks_off_is_a_connection_error(wire: Wire) -> None:
    """Not a cut call: pydantic-ai's own error says what happened."""

    async def body() -> AsyncIterator[bytes]:
        yield event(calls_chunk(call(0, 'c1', 'f', '{"a"')))
        raise httpx2.ReadError('connection reset')

    wire.answers.append(httpx2.Response(200, content=body(), headers={'content-type': 'text/event-stream'}))
    got = await streamed(wire.model())
    assert isinstance(got.error, ModelAPIError)
    assert not isinstance(got.error, StreamError)


ERRORS: dict[str, tuple[list[dict[str, Any]], str]] = {
    'an object': ([{'error': {'message': 'model crashed', 'code': 500}}], 'model crashed'),
    'a string, as transformers serve sends it': ([{'error': 'model crashed'}], 'model crashed'),
    'another field': ([{'error': {'detail': 'model crashed'}}], 'model crashed'),
}


@pytest.mark.parametrize('form', ERRORS)
@pytest.mark.parametrize('first', [True, False])
async def test_an_error_in_the_stream_raises_with_the_server_s_words(form: str, first: bool, wire: Wire) -> None:
    """As the first event, or in the middle, with HTTP 200."""
    error, words = ERRORS[form]
    wire.answers.append(stream_answer(error if first else [chunk(content='Hi'), *error]))
    with pytest.raises(ModelAPIError, match=words):
        async with Agent(wire.model()).run_stream('hi') as result:
            await result.get_output()


async def test_an_error_keeps_the_class_that_pydantic_ai_gives_it(wire: Wire) -> None:
    """Its code says what it is; only the words are added."""
    wire.answers.append(stream_answer([{'error': {'detail': 'slow down', 'code': 429}}]))
    with pytest.raises(ModelHTTPError, match='slow down') as caught:
        async with Agent(wire.model()).run_stream('hi'):
            pass
    assert caught.value.status_code == 429


async def test_a_plain_error_body_with_status_200_raises_with_the_server_s_words(wire: Wire) -> None:
    """LM Studio: <https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2180>."""
    wire.answers.append({'error': {'message': 'template failed'}})
    with pytest.raises(ModelAPIError, match='template failed'):
        async with Agent(wire.model()).run_stream('hi'):
            pass


@pytest.mark.parametrize(
    ('body', 'words'),
    [
        ('{"choices": [], "a": 1}', "JSON object that holds no answer; its keys are: 'choices', 'a'"),
        ('[]', "holds no JSON object but '[]'"),
        ('{', 'is cut'),
    ],
)
async def test_a_plain_body_that_is_no_answer_is_named_as_one(body: str, words: str, wire: Wire) -> None:
    """With the keys that came."""
    wire.answers.append(httpx2.Response(200, text=body, headers={'content-type': 'application/json; charset=utf-8'}))
    with pytest.raises(StreamError, match=re.escape(words)):
        async with Agent(wire.model()).run_stream('hi'):
            pass


@pytest.mark.parametrize('body', ['', 'data: [DONE]\n\n', '\n\n'])
async def test_an_empty_stream_is_an_error(body: str, wire: Wire) -> None:
    """llama-cpp-python sends one for a prompt that is too long; pydantic-ai's own error."""
    wire.answers.append(httpx2.Response(200, text=body, headers={'content-type': 'text/event-stream'}))
    with pytest.raises(UnexpectedModelBehavior, match='ended without content or tool calls'):
        async with Agent(wire.model()).run_stream('hi'):
            pass


@pytest.mark.parametrize(
    ('bad', 'words'),
    [
        ({'choices': [5]}, "a choice is int '5'"),
        (None, "it is NoneType 'None'"),
        (chunk(content=5), "`content` is int '5'"),
    ],
)
async def test_a_chunk_that_cannot_be_read_is_an_error_that_names_it(bad: Any, words: str, wire: Wire) -> None:
    """Stock dies of an `AttributeError`."""
    wire.answers.append(stream_answer([chunk(content='Hi'), bad]))
    got = await streamed(wire.model())
    assert str(got.error) == f'Chunk 2 of the stream cannot be read: {words}.'


async def test_a_line_that_is_no_json_is_an_error_that_shows_it(recorded_openai: RecordedOpenAI) -> None:
    """transformers serve writes raw line breaks into its error."""
    got = await streamed(recorded_openai('recordings/transformers-serve-scripted-badjson-stream.sse'))
    assert isinstance(got.error, StreamError)
    assert 'is not JSON: Unterminated string' in str(got.error)
    assert """It reads '{"error": "json parser could""" in str(got.error)


async def test_a_strict_end_is_upstream_s(wire: Wire) -> None:
    """`openai_chat_streaming_requires_finish_reason` holds for calls too."""
    wire.answers.append(stream_answer([calls_chunk(call(0, 'c1', 'f', A))], done=False))
    got = await streamed(wire.model(openai_chat_streaming_requires_finish_reason=True))
    assert isinstance(got.error, ModelAPIError)


def test_an_error_of_a_stream_comes_whole_out_of_another_process() -> None:
    """As one does from a worker: `pickle` hands over what `__reduce__` says."""
    error = pickle.loads(pickle.dumps(StreamError('cut', model_name='m', body={'code': 1})))
    assert (type(error), error.message, error.model_name, error.body) == (StreamError, 'cut', 'm', {'code': 1})
