"""Recordings as files, and what must not be in them."""

from __future__ import annotations as _annotations

import json
from pathlib import Path

import pytest

from pydantic_ai_compat.testing import Recording, recorded_chunks
from pydantic_ai_compat.testing.recording import without_secrets

REQUEST = {'model': 'm', 'messages': [{'role': 'user', 'content': 'hï'}]}
STREAM = b'data: {"choices": []}\r\n\r\ndata: [DONE]\n\n'


def test_a_stream_comes_back_byte_for_byte_with_its_request(tmp_path: Path) -> None:
    """The request and the status are comments, which every reader of events skips."""
    path = tmp_path / 'a.sse'
    Recording(STREAM, streamed=True, status=201, request=REQUEST).save(path)
    loaded = Recording.load(path)
    assert loaded.body.endswith(STREAM)
    assert (loaded.streamed, loaded.status, loaded.request) == (True, 201, REQUEST)
    assert loaded.content_type == 'text/event-stream'
    assert list(recorded_chunks(loaded)) == [{'choices': []}]


@pytest.mark.parametrize('body', [b'{"choices": []}', b'Bad Gateway'])
def test_a_plain_answer_comes_back_with_its_request(tmp_path: Path, body: bytes) -> None:
    """An answer that is no JSON is kept as text."""
    path = tmp_path / 'a.json'
    Recording(body, streamed=False, status=502, request=REQUEST).save(path)
    loaded = Recording.load(path)
    assert (loaded.streamed, loaded.status, loaded.request) == (False, 502, REQUEST)
    assert json.loads(loaded.body) == (body.decode() if body.startswith(b'B') else json.loads(body))
    assert loaded.content_type == 'application/json'


def test_a_body_alone_is_a_recording_too(tmp_path: Path) -> None:
    """As `curl` saves it: a stream, a plain answer, and the plain error to a streaming request."""
    (tmp_path / 'a.sse').write_bytes(STREAM)
    (tmp_path / 'b.json').write_bytes(b'{"choices": []}')
    (tmp_path / 'c.json').write_bytes(b'[1]')
    (tmp_path / 'd.sse').write_bytes(b'{"error": "x"}')
    loaded = [Recording.load(tmp_path / name) for name in ('a.sse', 'b.json', 'c.json', 'd.sse')]
    assert [(one.streamed, one.status, one.request) for one in loaded] == [
        (True, 200, None),
        (False, 200, None),
        (False, 200, None),
        (False, 200, None),
    ]


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    """The message says which kinds there are."""
    (tmp_path / 'a.txt').write_text('x')
    (tmp_path / 'b.json').write_text('x')
    with pytest.raises(ValueError, match=r'a\.txt: a recording ends in `\.sse` \(a stream\) or `\.json`'):
        Recording.load(tmp_path / 'a.txt')
    with pytest.raises(ValueError, match=r'b\.json: not JSON'):
        Recording.load(tmp_path / 'b.json')
    with pytest.raises(ValueError, match=r'a\.json: the file of a stream ends in \.sse'):
        Recording(STREAM, streamed=True).save(tmp_path / 'a.json')
    with pytest.raises(ValueError, match=r'a\.sse: the file of a plain answer ends in \.json'):
        Recording(b'{}', streamed=False).save(tmp_path / 'a.sse')


def test_the_times_of_events_are_comments() -> None:
    """In seconds since the request; an event without one has none."""
    body = b': +0.100s\ndata: {"a": 1}\n\ndata: {}\n: x\ndata: {}\n\n: +12s\n: hi\ndata: {}\n\n'
    assert Recording(body, streamed=True).times() == [0.1, None, 12.0]


def test_a_plain_answer_makes_one_chunk() -> None:
    """Its calls are numbered by their place."""
    call = {'id': 'c', 'type': 'function', 'function': {'name': 'f', 'arguments': '{}'}}
    body = {'choices': [{'index': 0, 'message': {'tool_calls': [call]}, 'finish_reason': 'stop'}, {'index': 1}]}
    [chunk] = recorded_chunks(Recording(json.dumps(body).encode(), streamed=False))
    assert [choice['delta'] for choice in chunk['choices']] == [{'tool_calls': [{'index': 0, **call}]}, {}]


@pytest.mark.parametrize(
    ('text', 'without'),
    [
        ('key sk/"1 here', 'key *** here'),
        (json.dumps({'echo': 'sk/"1'}), '{"echo": "***"}'),
        (json.dumps({'echo': 'sk/"1'}).replace('/', '\\/'), '{"echo": "***"}'),
        ('Authorization: Bearer abcdefgh1234', 'Authorization: Bearer ***'),
        ('the bearer of news', 'the bearer of news'),
    ],
)
def test_secrets_are_taken_out_in_every_spelling(text: str, without: str) -> None:
    """Servers echo headers in their errors, and JSON escapes what it holds."""
    assert without_secrets(text, ('sk/"1', '')) == without
