"""Bodies of any kind: valid, changed, cut, mislabelled, wrapped."""

from __future__ import annotations as _annotations

import asyncio
import json
import warnings
from typing import Any

from generated import generated
from hypothesis import example, given, strategies as st
from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior
from streaming.bodies.bodies import CALL, CHUNKS, COMPLETION, PAGE, STREAM, WHOLE, ask
from streaming.bodies.test_model_bodies import ANSWERS, ERRORS
from support_sse import Blocks, events

from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.streaming import iter_sse_chunks

LABELS = st.sampled_from([None, '', 'application/json', 'text/event-stream; charset=utf-8', 'text/html', 'image/png'])
GOOD = st.sampled_from([body for body, _ in ANSWERS.values()])
BAD = st.sampled_from([body for body, _ in ERRORS.values()])
ANY = GOOD | BAD | st.sampled_from([PAGE, CALL, b'', b'upstream connect error'])
NAMES = st.sampled_from(['data', 'result', 'response', 'output', 'body'])
OURS = (StreamError, ModelAPIError, UnexpectedModelBehavior)


@st.composite
def changed(draw: st.DrawFn) -> bytes:
    """A body with some bytes taken out, put in or doubled."""
    body = draw(ANY)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(body)))
        end = min(len(body), start + draw(st.integers(0, 12)))
        inserted = draw(st.sampled_from([b'', b'\n', b'\r', b'\n\n', b'{', b'}', b'"', b'\xc3', b'\xef\xbb\xbf', b'data:', b'null', b'<', b'error:', b'[DONE]']))  # fmt: skip
        body = body[:start] + inserted + body[end:]
    return body


def wrapped(value: object, names: list[str], *, as_text: bool) -> object:
    """A value in envelopes, the innermost of them as text if asked for."""
    value = json.dumps(value) if as_text else value
    for name in names:
        value = {name: value, 'success': True, 'code': 0, 'message': 'ok'}
    return value


def blocks(body: bytes, size: int) -> Blocks:
    return Blocks(*(body[start : start + size] for start in range(0, len(body), size)))


def run(body: bytes, size: int, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # pydantic-ai warns about what else a changed body may hold
        return asyncio.run(ask(blocks(body, size), **options))


@generated(250)
@given(changed(), st.booleans(), LABELS, st.integers(1, 300))
@example(events({'error': 'x'}, CHUNKS[0]), True, None, 1)
def test_any_body_is_read_or_refused_with_a_typed_error(
    body: bytes, streamed: bool, label: str | None, size: int
) -> None:
    """Never an exception of another kind, and never a call where the run fails."""
    got = run(body, size, streamed=streamed, label=label)
    assert got.error is None or isinstance(got.error, OURS)
    assert len(got.calls) <= body.count(b'"now"')


@generated(150)
@given(GOOD, st.booleans(), LABELS, st.integers(1, 300))
def test_an_answer_does_not_depend_on_its_label_or_on_the_cuts(
    body: bytes, streamed: bool, label: str | None, size: int
) -> None:
    """The first bytes say what a body is."""
    got = run(body, size, streamed=streamed, label=label)
    assert (got.output, got.error) == ('hello', None)


@generated(150)
@given(
    BAD,
    st.booleans(),
    LABELS,
    st.integers(1, 300),
    st.sampled_from([b'', CALL, STREAM.removesuffix(b'data: [DONE]\n\n')]),
)
def test_no_answer_is_one_after_an_error(
    body: bytes, streamed: bool, label: str | None, size: int, before: bytes
) -> None:
    """Whatever came before it."""
    got = run(before + body, size, streamed=streamed, label=label)
    assert isinstance(got.error, OURS)
    assert (got.output, got.calls) == (None, [])


@generated()
@given(BAD, st.data(), st.booleans())
def test_an_error_that_is_cut_never_runs_the_call_before_it_twice(
    body: bytes, data: st.DataObject, streamed: bool
) -> None:
    """Cut at any byte: refused, or, where nothing is left of the error, the call alone."""
    cut = data.draw(st.integers(0, len(body)))
    got = run(CALL + body[:cut], 50, streamed=streamed, label='text/event-stream')
    assert got.error is None or isinstance(got.error, OURS)
    assert len(got.calls) <= 1


@generated()
@given(st.lists(NAMES, min_size=1, max_size=3), st.booleans(), st.booleans(), st.booleans())
def test_an_answer_in_envelopes_is_read(names: list[str], as_text: bool, as_events: bool, streamed: bool) -> None:
    """Gateways wrap what they pass on, up to three times over."""
    values = CHUNKS if as_events else [WHOLE]
    bodies = [wrapped(value, names, as_text=as_text) for value in values]
    body = events(*bodies) if as_events else json.dumps(bodies[0]).encode()
    got = run(body, 70, streamed=streamed)
    assert (got.output, got.error) == ('hello', None)


@generated(60)
@given(st.sampled_from([STREAM, COMPLETION, CALL, *(body for body, _ in ERRORS.values())]), st.data())
def test_the_model_and_the_reader_of_lines_read_the_same(body: bytes, data: st.DataObject) -> None:
    """One reader: what `iter_sse_chunks` gives depends on no cut, and equals what the lines hold."""
    lines = body.splitlines(keepends=data.draw(st.booleans()))

    def read(form: Any) -> object:
        try:
            return list(iter_sse_chunks(form))
        except StreamError as error:
            return str(error)

    assert read(lines) == read([line.decode() for line in lines])
