"""Bytes in, events out: the same ones however the bytes were cut, for work that grows with their number."""

from __future__ import annotations as _annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from support_sse import chunk, events

from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.streaming.bodies import reader as reader_module
from pydantic_ai_compat.streaming.bodies.lines import LineSplitter
from pydantic_ai_compat.streaming.bodies.pages import PAGE_SIZE, Origin, page_title
from pydantic_ai_compat.streaming.bodies.reader import EVENT_SIZE, BodyReader

BODY = (
    b'\xef\xbb\xbf: hi\r\n\r\nretry: 3\rdata: {"a": "\xc3\xa4\xf0\x9f\x98\x80"}\n\ndata: {"b": 1}\ndata: {"c":\ndata: 2}\n\n'
    b'{"d": 3}\n\n{\n "e": 4\n}\n\nevent: error\ndata: oops\n\ndata: [DONE]\n\n'
)
EVENTS = [
    {'a': 'ä\U0001f600'},
    {'b': 1},
    {'c': 2},
    {'d': 3},
    {'e': 4},
    {'error': {'message': 'oops'}},
    '[DONE]',
]


def read(*blocks: bytes, **options: Any) -> list[object]:
    reader = BodyReader(**options)
    return [
        event.data if event.is_done else event.answer()
        for step in (*map(reader.feed, blocks), reader.finish())
        for event in step
    ]


@pytest.mark.parametrize('place', range(len(BODY) + 1))
@pytest.mark.untraced
def test_the_events_are_the_same_wherever_the_body_is_cut(place: int) -> None:
    """In the mark, in a line end, in a character, in a name."""
    assert read(BODY[:place], BODY[place:]) == EVENTS


def test_the_events_are_the_same_byte_by_byte() -> None:
    """With empty blocks between."""
    assert read(*(block for n in range(len(BODY)) for block in (b'', BODY[n : n + 1]))) == EVENTS


@pytest.mark.parametrize(
    ('blocks', 'lines'),
    [
        ([b'a\r', b'\nb'], [b'a', b'b']),
        ([b'a\r', b'b'], [b'a', b'b']),
        ([b'a\r', b'\n'], [b'a']),
        ([b'a\r', b'', b'\n\n'], [b'a', b'']),
        ([b'\n\r\n\r'], [b'', b'', b'']),
        ([b'a', b'b', b'c\nd', b''], [b'abc', b'd']),
        ([b'a\x0b\x0c\x85\xe2\x80\xa8b\n'], [b'a\x0b\x0c\x85\xe2\x80\xa8b']),
    ],
)
def test_a_body_is_split_at_the_three_line_ends_only(blocks: list[bytes], lines: list[bytes]) -> None:
    """<https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>"""
    splitter = LineSplitter()
    assert [line for step in (*map(splitter.feed, blocks), splitter.finish()) for line in step] == lines


def endless(block: bytes, counter: list[int]) -> Iterator[bytes]:
    while True:
        counter.append(len(block))
        yield block


@pytest.mark.parametrize(
    'block',
    [b'x' * 2**10, b'data: ' + b'x' * 2**10, b': keep-alive\n' * 2**4, b'\n' * 2**6, b'data:\n\n' * 2**5, b'{\n' * 2**6],
    ids=['a line', 'a data line', 'comments', 'blank lines', 'events without data', 'JSON'],
)  # fmt: skip
def test_a_body_without_an_event_ends_in_an_error_with_bounded_memory(block: bytes) -> None:
    """Each line counts 64 bytes more than it has."""
    taken: list[int] = []
    reader = BodyReader(size=2**16)
    with pytest.raises(StreamError, match='More than 65536 bytes came without an event'):
        for piece in endless(block, taken):
            assert list(reader.feed(piece)) == []
    lines = len(block.splitlines()) if block.endswith(b'\n') else 0
    assert sum(taken) + 64 * lines * len(taken) <= 2**16 + len(block) + 64 * lines


def test_64_mib_may_come_without_an_event() -> None:
    """The limit where none is given."""
    taken: list[int] = []
    reader = BodyReader()
    with pytest.raises(StreamError, match='More than 67108864 bytes came without an event'):
        for piece in endless(b'data: ' + b'x' * 2**22, taken):
            assert list(reader.feed(piece)) == []
    assert EVENT_SIZE < sum(taken) <= EVENT_SIZE + 2**22 + 6


def test_many_events_of_any_size_in_all_are_read() -> None:
    """The limit counts from the last event."""
    reader = BodyReader(size=1000)
    body = events(*(chunk(content='x' * 100) for _ in range(100)), done=False)
    assert len(list(reader.feed(body[:-1]))) == 99
    assert len(list(reader.feed(body[-1:]))) == 1


def test_a_line_in_many_blocks_is_put_together_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linear cost: a line of 10,000 blocks is decoded once, and not tried with each block."""
    decoded: list[int] = []
    decode = reader_module._decoded

    def counted(data: bytes, number: int, *, is_last: bool) -> str:
        decoded.append(len(data))
        return decode(data, number, is_last=is_last)

    monkeypatch.setattr(reader_module, '_decoded', counted)
    line = json.dumps({'a': 'x' * 10_000}).encode()
    assert read(b'data: ', *(line[n : n + 1] for n in range(len(line))), b'\n\n') == [json.loads(line)]
    assert decoded == [len(line)]


def test_a_body_of_many_lines_is_decoded_twice_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first line might be a document of its own; the others wait for the end."""
    decoded: list[int] = []
    decode = reader_module._decoded

    def counted(data: bytes, number: int, *, is_last: bool) -> str:
        decoded.append(len(data))
        return decode(data, number, is_last=is_last)

    monkeypatch.setattr(reader_module, '_decoded', counted)
    value = {str(n): n for n in range(1000)}
    body = json.dumps(value, indent=1).encode()
    assert read(*(body[n : n + 7] for n in range(0, len(body), 7))) == [value]
    assert sum(decoded) <= len(body) + len(b'{')


@pytest.mark.parametrize(
    ('body', 'expected'),
    [
        (b'data: {"a": 1}\n\ndata: {"b', [{'a': 1}]),
        (b'data: {"a": 1}\n\ndata: {"b": "\xc3', [{'a': 1}]),
        (b'data: {"a": 1}\n\ndata: {"b": 2}', [{'a': 1}, {'b': 2}]),
        (b'data: {"a": 1}\n\n{"b', [{'a': 1}]),
        (b'data: {"a": 1}\n\n{"b": 2} {"c', [{'a': 1}, {'b': 2}]),
    ],
)
def test_what_a_cut_body_leaves_of_an_event_is_none_to_the_model(body: bytes, expected: list[object]) -> None:
    """As with the SDK; `iter_sse_chunks` says that it is cut."""
    reader = BodyReader()
    assert [event.answer() for step in (reader.feed(body), reader.finish(drop_cut=True)) for event in step] == expected


def test_data_lines_that_are_no_document_together_are_read_one_by_one() -> None:
    """A keep-alive, and an object over lines that is none."""
    assert read(b'data: ping\ndata: {"a": 1}\ndata: : x\n\n') == [{'a': 1}]


@pytest.mark.parametrize(
    'body',
    [b'data: {"a": 1}\n\ndata: {b\n\n', b'data: {"a": 1}\n\ndata: }', b'data: {"a": 1}\n\ndata: 1' + b'0' * 5000],
)
def test_what_is_wrong_and_not_cut_is_an_error(body: bytes) -> None:
    """No further text could mend it."""
    reader = BodyReader()
    with pytest.raises(StreamError, match='is not JSON'):
        _ = [event.answer() for step in (reader.feed(body), reader.finish(drop_cut=True)) for event in step]


@pytest.mark.parametrize(
    ('page', 'title'),
    [
        ('<title>A &amp; <b>B</b>\n C\x1b[2J</title>', 'A & B C[2J'),
        ('<html><TITLE lang=x>  </TITLE><h1 class="y">502 Bad\tGateway</h1>', '502 Bad Gateway'),
        ('<title>cut', 'cut'),
        ('<title>' + 'x' * 300, 'x' * 200),
        ('<p>nothing</p>', ''),
    ],
)
def test_a_page_is_named_by_its_title_or_its_heading(page: str, title: str) -> None:
    """In one line, without control characters, of 200 characters at most."""
    assert page_title(page) == title


def test_a_page_is_read_as_far_as_its_title_can_be() -> None:
    """Not to an end that may never come."""
    reader = BodyReader()
    blocks = iter([b'<html>\n', *[b'x' * 1000 + b'\n'] * 1000])
    taken = 0
    with pytest.raises(StreamError, match='web page in place of an answer'):
        for block in blocks:
            taken += len(block)
            list(reader.feed(block))
    assert taken <= PAGE_SIZE + 2000


@pytest.mark.parametrize(
    ('origin', 'words'),
    [
        (Origin(), 'answered with a web page in place of an answer. Check whether `base_url` must end in `/v1`.'),
        (Origin(502, 'http://h/v1/x?key=1'), 'answered with HTTP 502 from http://h/v1/x with a web page in place of an answer.'),
        (Origin(200, 'http://u:p@h:1/api/v4/x'), 'HTTP 200 from http://h:1/api/v4/x with a web page in place of an answer. Check the path of'),
    ],
)  # fmt: skip
def test_the_error_says_where_the_page_came_from_as_far_as_that_is_known(origin: Origin, words: str) -> None:
    """Without user, password and query."""
    assert words in origin.describe_page('<html>')


@pytest.mark.parametrize(('text', 'words'), [('', 'with an empty body'), ('x' * 300, "answer: '" + 'x' * 200 + "'…")])
def test_text_that_is_no_answer_is_shown_by_its_beginning(text: str, words: str) -> None:
    """In 200 characters."""
    assert words in Origin().describe_text(text)


@pytest.mark.parametrize(
    ('value', 'answer'),
    [
        ({'choices': [], 'usage': {'total_tokens': 1}}, None),
        ({'choices': [], 'prompt_filter_results': [{'content_filter_results': {'error': dict[str, Any]()}}]}, None),
        ({'model': 'm', 'message': {'role': 'assistant', 'content': 'x'}}, None),
        ({'code': 200, 'msg': 'success', 'data': None}, None),
        ({'success': True, 'message': 'started'}, None),
        ({'data': '{"choices"'}, None),
        ({'error': {'code': 0}}, {'error': {'code': 0}}),
        ({'x': {'error': {'code': 0}}}, None),
        ({'usage': {'total_tokens': 1}, 'data': {'choices': [1]}}, {'usage': {'total_tokens': 1}, 'choices': [1]}),
        ({'choices': 'ab', 'error': {'code': 0}}, {'choices': 'ab'}),
        ({'choices': [{'error': 'x'}]}, {'error': 'x'}),
        ({'choices': [{'error': dict[str, Any]()}]}, None),
        ({'choices': [{'error': {'code': 0}}]}, None),
    ],
)  # fmt: skip
def test_what_holds_no_answer_and_no_error_stays_what_it_is(value: dict[str, Any], answer: object) -> None:
    """A chunk of usage, of a content filter's results, a word of success; an answer in an envelope keeps its usage."""
    assert read(events(value, done=False)) == [value if answer is None else answer]
