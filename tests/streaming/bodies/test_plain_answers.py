"""What a plain request is answered with, as one completion."""

from __future__ import annotations as _annotations

import json
from typing import Any

import pytest
from openai.types.chat import ChatCompletion
from pydantic_ai import ModelAPIError
from streaming.bodies.bodies import CALL, COMPLETION, STREAM, WHOLE, ask
from support import completion
from support_sse import chunk, events

from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.streaming import iter_sse_chunks
from pydantic_ai_compat.streaming.bodies.pages import Origin
from pydantic_ai_compat.streaming.plain import read_response, undecoded_body


async def test_a_call_in_an_event_stream_is_run_and_one_that_is_cut_is_not() -> None:
    """As in a stream that was asked for."""
    run = await ask(CALL + events(chunk('tool_calls')), streamed=False)
    assert (run.output, run.calls) == ('done', ['now'])
    cut = CALL.replace(rb'"arguments": "{}"', rb'"arguments": "{"')
    run = await ask(cut, streamed=False)
    assert (isinstance(run.error, StreamError), run.calls) == (True, [])


@pytest.mark.parametrize('body', [COMPLETION, STREAM.removesuffix(b'data: [DONE]\n\n')])
async def test_an_error_behind_a_whole_answer_is_an_error(body: bytes) -> None:
    """As it is in a stream."""
    for streamed in (True, False):
        run = await ask(body + b'\n\n' + events({'error': {'message': 'late'}}), streamed=streamed)
        assert (isinstance(run.error, ModelAPIError), str(run.error)) == (True, 'late')


async def test_what_comes_after_done_is_not_read() -> None:
    """Neither as an answer nor as an error."""
    for streamed in (True, False):
        run = await ask(STREAM + events({'error': {'message': 'late'}}), streamed=streamed)
        assert run.output == 'hello'


@pytest.mark.parametrize(
    ('response', 'words'),
    [
        ({'a': 1}, "holds no answer; its keys are: 'a'"),
        ([dict[str, Any]()], 'holds no answer; its keys are: none'),
        (5, "text in place of an answer: '5'"),
        ('data: 5\n\n', "text in place of an answer: '5'"),
    ],
)
def test_any_other_value_is_an_error_that_shows_it(response: object, words: str) -> None:
    """A mocked client may return anything."""
    with pytest.raises(StreamError) as caught:
        read_response(response, Origin())
    assert words in str(caught.value)


@pytest.mark.parametrize('response', [completion(content='x'), [completion(content='x')], json.dumps(WHOLE)])
def test_an_answer_of_any_type_is_a_completion(response: Any) -> None:
    """A dict, a list of one, text."""
    read = read_response(response, Origin())
    assert isinstance(read, ChatCompletion)
    assert read.choices[0].message.content in ('x', 'hello')


def test_a_completion_that_holds_an_answer_comes_back_as_it_is() -> None:
    made = ChatCompletion.model_validate(completion(content='x'))
    assert read_response(made, Origin()) is made


def test_an_error_that_has_nothing_to_do_with_a_body_is_none() -> None:
    """It goes on as it is."""
    assert undecoded_body(ValueError('x')) is None
    assert undecoded_body(ModelAPIError('m', 'x')) is None


def test_a_choice_that_is_no_object_stays_in_a_completion_that_becomes_a_chunk() -> None:
    """The corrector names it."""
    [whole] = iter_sse_chunks([json.dumps({'choices': [WHOLE['choices'][0], 5]})])
    assert whole['choices'][1] == 5
