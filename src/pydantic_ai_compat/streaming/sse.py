"""Raw server-sent events as decoded chunks."""

from __future__ import annotations as _annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, cast

from ..errors import StreamError

__all__ = ('iter_sse_chunks',)

_SHOWN = 80
"""How many characters of a line an error shows."""


def iter_sse_chunks(lines: Iterable[str | bytes]) -> Iterator[dict[str, Any]]:
    r"""Read raw server-sent events.

    Comments, `event`, `id` and `retry` fields, `\r\n` and a missing `[DONE]` are all fine; what comes after `[DONE]` is
    not read. An event named `error` comes as `{'error': …}`, and so does a plain JSON body with an error, which some
    servers send with HTTP 200 in place of a stream (<https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2180>).

    Args:
        lines: The lines of the body, with or without their ends, as text or UTF-8.

    Yields:
        The decoded JSON object of each event, an error object included.

    Raises:
        StreamError: If an event is not JSON, or no object; the message says which line, and what is wrong in it.
    """
    event = _Event()
    number = 0
    for number, line in enumerate(lines, start=1):
        text = _decoded(line, number).rstrip('\r\n')
        if number == 1:
            text = text.removeprefix('\ufeff')
        if text:
            event.add(text, number)
            continue
        yield from event.take()
        if event.done:
            return
    yield from event.take(last_line=number)


class _Event:
    """The lines of one event, and what they mean together."""

    def __init__(self) -> None:
        self.done = False
        self._name = ''
        self._data: list[tuple[int, str]] = []
        self._body: list[tuple[int, str]] = []

    def add(self, line: str, number: int) -> None:
        if self._body or (line.lstrip().startswith(('{', '<')) and not self._data):
            self._body.append((number, line))
            return
        name, _, value = line.partition(':')
        value = value.removeprefix(' ')
        if name == 'data':
            self._data.append((number, value))
        elif name == 'event':
            self._name = value

    def take(self, *, last_line: int | None = None) -> Iterator[dict[str, Any]]:
        if self._body and last_line is None:
            return  # A body that is no event stream may hold blank lines.
        named_error = self._name == 'error'
        lines, self._data, self._body, self._name = self._data or self._body, [], [], ''
        for number, text in _documents(lines):
            if text.strip() == '[DONE]':
                self.done = True
                return
            value = _object(text, number, cut=number == last_line or (last_line is not None and len(lines) > 1))
            yield {'error': value} if named_error and 'error' not in value else value


def _documents(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The JSON documents in the data lines of one event.

    One document may span several lines, and some servers leave out the blank line between two events.
    """
    if len(lines) > 1:
        number, joined = lines[0][0], '\n'.join(text for _, text in lines)
        try:
            json.loads(joined)
        except ValueError:
            return lines
        return [(number, joined)]
    return lines


def _object(text: str, number: int, *, cut: bool) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        what = 'is cut' if cut and isinstance(error, json.JSONDecodeError) and error.pos >= len(text.rstrip()) else ''
        raise StreamError(
            f'Line {number} of the stream {what or "is not JSON"}: {error}. It reads {_shown(text)}.'
        ) from error
    if not isinstance(value, dict):
        raise StreamError(f'Line {number} of the stream holds no JSON object but {_shown(text)}.')
    return cast('dict[str, Any]', value)


def _decoded(line: str | bytes, number: int) -> str:
    if isinstance(line, str):
        return line
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise StreamError(f'Line {number} of the stream is not UTF-8: {error}.') from error


def _shown(text: str) -> str:
    return repr(text) if len(text) <= _SHOWN else f'{text[:_SHOWN]!r}…'
