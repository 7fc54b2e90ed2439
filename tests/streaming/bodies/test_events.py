"""Raw server-sent events."""

from __future__ import annotations as _annotations

from typing import Any

import pytest

from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.streaming import iter_sse_chunks

A, B = {'a': 1}, {'b': 2}

BODIES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    'events': ('data: {"a":1}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n', [A, B]),
    'no [DONE]': ('data: {"a":1}\n\ndata: {"b":2}\n\n', [A, B]),
    'no last line end': ('data: {"a":1}\n\ndata: {"b":2}', [A, B]),
    'after [DONE]': ('data: {"a":1}\n\ndata: [DONE]\n\ndata: {"b":2}\n\n', [A]),
    'no space': ('data:{"a":1}\n\n', [A]),
    'comments and other fields': (': hi\n\nid: 1\nretry: 5\nevent: message\ndata: {"a":1}\n\n: bye\n', [A]),
    'a document over lines': ('data: {\ndata: "a":1}\n\n', [A]),
    'no blank line between events': ('data: {"a":1}\ndata: {"b":2}\n\n', [A, B]),
    'no blank line before [DONE]': ('data: {"a":1}\ndata: [DONE]\n\n', [A]),
    'an error object': ('data: {"a":1}\n\ndata: {"error":{"message":"m"}}\n\n', [A, {'error': {'message': 'm'}}]),
    'an event named error': ('event: error\ndata: {"message":"m"}\n\n', [{'error': {'message': 'm'}}]),
    'an event named error with an error': ('event: error\ndata: {"error":"m"}\n\n', [{'error': 'm'}]),
    'a JSON body': ('{"error":{"message":"m"}}', [{'error': {'message': 'm'}}]),
    'a JSON body over lines': ('{\n\n "error": "m"\n}\n', [{'error': 'm'}]),
    'a byte order mark': ('\ufeffdata: {"a":1}\n\n', [A]),
    'a separator inside a string': ('data: {"a":"\u2028"}\n\n', [{'a': '\u2028'}]),
    'nothing': ('', []),
}


@pytest.mark.parametrize('name', BODIES)
@pytest.mark.parametrize('end', ['\n', '\r\n', ''])
@pytest.mark.parametrize('as_bytes', [False, True])
@pytest.mark.untraced
def test_events_are_read_in_every_form(name: str, end: str, as_bytes: bool) -> None:
    """The format: <https://html.spec.whatwg.org/multipage/server-sent-events.html>, and what servers make of it."""
    body, expected = BODIES[name]
    lines = [line + end for line in body.split('\n')]
    assert list(iter_sse_chunks([line.encode() for line in lines] if as_bytes else lines)) == expected


@pytest.mark.parametrize(
    ('body', 'words'),
    [
        (b'data: {"a":1}\n\ndata: {"b"', 'Line 3 of the stream is cut: Expecting'),
        (b'data: {"a":1}\n\ndata: {"b\n\ndata: {}\n\n', 'Line 3 of the stream is not JSON: Unterminated string'),
        (b'data: {"error": "a\nb"}\n\n', 'Line 1 of the stream is not JSON'),
        (b'data: 5\n\n', "Line 1 of the stream holds no JSON object but '5'"),
        (b'<html><h1>502 Bad Gateway</h1></html>', "a web page titled '502 Bad Gateway' in place of an answer"),
        (b'data: "\xff"\n\n', 'Line 1 of the stream is not UTF-8'),
        (b'data: ' + b'x' * 100 + b'\n\n', "It reads '" + 'x' * 80 + "'…"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_an_error_that_says_why(body: bytes, words: str) -> None:
    """The number of the line, what is wrong in it, and how it begins."""
    with pytest.raises(StreamError) as caught:
        list(iter_sse_chunks(body.splitlines(keepends=True)))
    assert words in str(caught.value)


def test_events_before_a_bad_line_are_given() -> None:
    """The error comes where the line is."""
    chunks = iter_sse_chunks(['data: {"a":1}', '', 'data: {', ''])
    assert next(chunks) == A
    with pytest.raises(StreamError):
        next(chunks)
