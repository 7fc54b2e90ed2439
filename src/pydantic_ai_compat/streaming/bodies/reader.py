"""One incremental reading of every body: its first bytes say what it is, not its label."""

from __future__ import annotations as _annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from typing import cast

from ...lazy import errors
from .event import DONE, BodyEvent, event_in
from .lines import LineSplitter
from .pages import PAGE_SIZE, Origin, is_page

__all__ = ('EVENT_SIZE', 'BodyReader')

EVENT_SIZE = 64 * 2**20
"""How many bytes may come without a whole event: 64 MiB, so that neither a line nor comments without end fill memory."""

_BYTE_ORDER_MARK = b'\xef\xbb\xbf'
_BETWEEN = re.compile(r'[\s,]*')
_DECODER = json.JSONDecoder()
_NONE: tuple[BodyEvent, ...] = ()
_LINE = 64
"""What keeping a line costs beside its bytes."""


class BodyReader:
    """Reads one body: server-sent events, one JSON object over any number of lines, or one object a line.

    The events are those of <https://html.spec.whatwg.org/multipage/server-sent-events.html>, and what servers and
    proxies make of them: a byte order mark, no blank line between two events, keep-alives as data, errors without
    JSON, a JSON error between two events that is none.

    Args:
        origin: Where the body comes from, for error messages.
        size: How many bytes may come without a whole event among them; each line counts 64 more.
    """

    def __init__(self, origin: Origin | None = None, *, size: float = EVENT_SIZE) -> None:
        self.events = 0
        """How many events came so far."""
        self._origin = origin or Origin()
        self._size = size
        self._lines = LineSplitter()
        self._number = 0
        self._waiting = 0
        self._data: list[tuple[int, bytes]] = []
        self._name: str | None = None
        self._next_name: str | None = None
        self._bare: list[tuple[int, bytes]] = []
        self._page: list[bytes] = []
        self._page_size = 0
        self._has_fields = False
        self._unknown = b''

    def feed(self, block: bytes) -> Iterator[BodyEvent]:
        """The events that end in a block of bytes.

        Raises:
            StreamError: If the body is a page, or too much came without an event.
        """
        lines = self._lines.feed(block)
        self._waiting += len(block) + _LINE * len(lines)
        for line in lines:
            if events := self._take(line):
                yield from self._count(events)
        self._check_size()

    def feed_line(self, line: bytes) -> Iterator[BodyEvent]:
        """The same for one line without its end."""
        self._waiting += len(line) + _LINE
        yield from self._count(self._take(line))
        self._check_size()

    def finish(self, *, drop_cut: bool = False) -> Iterator[BodyEvent]:
        """The events that wait, for nothing more comes.

        Args:
            drop_cut: Leave out what remains of a last event that is cut, unless it is all that came. The SDK's stream
                does so; whether the answer may end there is for `openai_chat_streaming_requires_finish_reason` to say,
                and a call that is cut is refused.

        Raises:
            StreamError: If the body is a page, or text that is no answer.
        """
        for line in self._lines.finish():
            yield from self._count(self._take(line))
        if self._page:
            raise self._page_error()
        events = (*self._take_bare(is_last=True), *self._dispatch(is_last=True))
        for event in self._count(events):
            if event.is_first or not (drop_cut and event.is_cut):
                yield event
        if self._unknown and not self.events:
            raise errors.StreamError(self._origin.describe_text(_decoded(self._unknown, self._number, is_last=True)))

    def _count(self, events: Sequence[BodyEvent]) -> Sequence[BodyEvent]:
        if events:
            events[0].is_first = not self.events
            self.events += len(events)
            self._waiting = 0
        return events

    def _check_size(self) -> None:
        if self._waiting > self._size:
            raise errors.StreamError(
                f'More than {self._size} bytes came without an event among them, after line {self._number} of the '
                f'stream and {self.events} events.'
            )

    def _take(self, line: bytes) -> Sequence[BodyEvent]:
        """The events that a line brings to their end."""
        self._number += 1
        if self._page:
            return self._add_to_page(line)
        if self._bare and (line or not self._has_fields):
            self._bare.append((self._number, line))
            return _NONE
        if line[:5] == b'data:':
            return self._add_data(line[6:] if line[5:6] == b' ' else line[5:])
        if not line:
            return self._dispatch() if self._data or self._name else self._take_bare()
        return _NONE if line[:1] == b':' else self._take_other(line)

    def _take_other(self, line: bytes) -> Sequence[BodyEvent]:
        """The same for a line that is neither data, nor a comment, nor blank."""
        if line.startswith(_BYTE_ORDER_MARK) and not self.events:
            self._number -= 1
            return self._take(line.removeprefix(_BYTE_ORDER_MARK))
        text = line.strip()
        if not text or text.startswith((b'data:', b':')):
            self._number -= 1
            return self._take(text)
        if text.startswith(DONE.encode()):
            return self._add_data(text)
        if text.startswith((b'{', b'[')):
            events = self._dispatch()
            self._bare.append((self._number, line))
            return (*events, *self._take_bare(is_open=True))
        if text.startswith(b'<') and (not self.events or is_page(text[:80].decode(errors='replace'))):
            return self._add_to_page(line)
        return self._take_field(text)

    def _take_field(self, text: bytes) -> Sequence[BodyEvent]:
        name, _, value = text.partition(b':')
        name, value = name.strip().lower(), value.strip()
        if name == b'data':
            return self._add_data(value)
        if name == b'error':
            # llama.cpp once wrote its errors so. https://github.com/ggml-org/llama.cpp/pull/16109
            return (*self._dispatch(), BodyEvent(_decoded(value, self._number, is_last=True), self._number, 'error'))
        if name == b'event':
            self._has_fields = True
            if self._data:
                self._next_name = value.decode(errors='replace')
            else:
                self._name = value.decode(errors='replace')
        elif name not in (b'id', b'retry') and not self._unknown:
            self._unknown = text[:PAGE_SIZE]
        return _NONE

    def _add_data(self, value: bytes) -> Sequence[BodyEvent]:
        events = _NONE
        if self._data and value.startswith((b'{', b'[DONE]')) and self._data[-1][1].rstrip().endswith((b'}', b']')):
            # Within one JSON document no line that begins so follows one that ends so: a blank line is missing.
            next_name, self._next_name = self._next_name, None
            events = self._dispatch()
            self._name = next_name
        self._has_fields = True
        self._data.append((self._number, value))
        return events

    def _dispatch(self, *, is_last: bool = False) -> Sequence[BodyEvent]:
        """The events in the data lines so far."""
        data, self._data = self._data, []
        name, self._name, self._next_name = self._next_name or self._name, None, None
        if len(data) == 1:
            number, value = data[0]
            event = event_in(_decoded(value, number, is_last=is_last), number, name, is_last=is_last)
            return _NONE if event is None else (event,)
        if not data and name is None:
            return _NONE
        texts = [(number, _decoded(value, number, is_last=is_last)) for number, value in data]
        events = [event_in(text, number, name, is_last=is_last) for number, text in _documents(texts, self._number)]
        return [event for event in events if event is not None]

    def _take_bare(self, *, is_open: bool = False, is_last: bool = False) -> Sequence[BodyEvent]:
        """The JSON documents that stand in the body without being the data of events.

        Args:
            is_open: Whether more lines of the last document may come.
            is_last: Whether the body is over.
        """
        if not self._bare:
            return _NONE
        number = self._bare[0][0]
        text = _decoded(b'\n'.join(line for _, line in self._bare), number, is_last=is_last)
        self._bare.clear()
        events: list[BodyEvent] = []
        position = _BETWEEN.match(text).end()  # pyright: ignore[reportOptionalMemberAccess]
        while text.startswith(('{', '['), position) and not text.startswith(DONE, position):
            try:
                value, end = cast('tuple[object, int]', _DECODER.raw_decode(text, position))
            except (ValueError, RecursionError) as error:
                if is_open and isinstance(error, json.JSONDecodeError):
                    self._bare.append((number, text[position:].encode()))
                else:
                    events.append(BodyEvent(text[position:], number, is_last=is_last, is_bare=True))
                return events
            events += [BodyEvent(one, number, is_bare=True) for one in _items(value) or (text[position:end],)]
            position = _BETWEEN.match(text, end).end()  # pyright: ignore[reportOptionalMemberAccess]
        self._number = number - 1
        for line in text[position:].encode().splitlines():
            events += self._take(line)
        return events

    def _add_to_page(self, line: bytes) -> Sequence[BodyEvent]:
        self._page.append(line)
        self._page_size += len(line) + 1
        if self._page_size > PAGE_SIZE:
            raise self._page_error()
        return _NONE

    def _page_error(self) -> errors.StreamError:
        return errors.StreamError(self._origin.describe_page(b'\n'.join(self._page).decode(errors='replace')))


def _documents(texts: list[tuple[int, str]], number: int) -> list[tuple[int, str]]:
    """The JSON documents in the data lines of one event: all of them together, or else each on its own."""
    if not texts:
        return [(number, '')]
    joined = '\n'.join(text for _, text in texts)
    try:
        json.loads(joined)
    except (ValueError, RecursionError):
        return texts
    return [(texts[0][0], joined)]


def _items(value: object) -> list[str]:
    """The documents in a list of several chunks; none for anything else."""
    items = cast('list[object]', value) if isinstance(value, list) else []
    return (
        [json.dumps(item) for item in items] if len(items) > 1 and all(isinstance(item, dict) for item in items) else []
    )


def _decoded(data: bytes, number: int, *, is_last: bool) -> str:
    try:
        # The last character of a body that was cut may be half there.
        return codecs.utf_8_decode(data, 'strict', not is_last)[0]
    except UnicodeDecodeError as error:
        raise errors.StreamError(f'Line {number} of the stream is not UTF-8: {error}.') from error
