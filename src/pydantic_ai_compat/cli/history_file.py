"""A history stored as JSON, in any of three shapes, and the line of the file that each message sits in."""

from __future__ import annotations as _annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ..history.wire import not_a_message

if TYPE_CHECKING:
    from ..errors import HistoryError
    from ..history import WireMessage

__all__ = ('StoredHistory', 'read_history')

_SPACE = ' \t\n\r'
_SHAPES = 'expected a list of wire messages, a request body with `messages`, or a list of pydantic-ai messages'


@dataclass(frozen=True)
class StoredHistory:
    """The wire messages of a file."""

    messages: Sequence[WireMessage]
    """The messages, mapped to the wire if the file holds pydantic-ai's own."""

    lines: Sequence[int]
    """The line of each message, counted from 1."""

    body: dict[str, Any] | None = None
    """The request body, if the file holds one."""

    def line(self, index: int) -> int:
        """The line of a message; for a fault of the history's end, the line of the last one."""
        return self.lines[min(index, len(self.lines) - 1)] if self.lines else 1

    def with_messages(self, messages: Sequence[WireMessage]) -> object:
        """What the file holds, with other messages in it."""
        return list(messages) if self.body is None else {**self.body, 'messages': list(messages)}


def read_history(data: bytes) -> StoredHistory:
    """Read a stored history.

    Raises:
        HistoryError: If the file is not JSON, or holds none of the three shapes.
    """
    try:
        text = data.decode('utf-8-sig')
        stored: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(f'this is not JSON: {error}') from None
    body = cast('dict[str, Any]', stored) if isinstance(stored, dict) else None
    elements = cast('object', stored if body is None else body.get('messages'))
    if not isinstance(elements, list):
        raise _unreadable(_SHAPES)
    messages = cast('list[Any]', elements)
    lines = list(_element_lines(text))
    if messages and all(
        isinstance(message, dict) and 'kind' in message and 'role' not in message for message in messages
    ):
        return _mapped(messages, lines)
    for index, message in enumerate(cast('list[object]', messages)):
        if not isinstance(message, dict) or not isinstance(cast('dict[str, object]', message).get('role'), str):
            raise not_a_message(cast('object', message), index)
    return StoredHistory(messages, lines, body)


def _skip(text: str, position: int, characters: str = _SPACE) -> int:
    while text[position] in characters:
        position += 1
    return position


def _element_lines(text: str) -> Iterator[int]:
    """The line that each element of the list of messages begins in; the text is known to be JSON that has one."""
    decoder = json.JSONDecoder()
    position = _skip(text, 0)
    if text[position] == '{':
        position = _start_of_messages(text, position, decoder)
    line, counted = 1, 0
    position = _skip(text, position + 1)
    while text[position] != ']':
        line += text.count('\n', counted, position)
        counted = position
        yield line
        _, position = decoder.raw_decode(text, position)
        position = _skip(text, position, _SPACE + ',')


def _start_of_messages(text: str, position: int, decoder: json.JSONDecoder) -> int:
    """Where the value of the last key `messages` of the object at `position` begins, as JSON lets the last key win."""
    found = position
    position = _skip(text, position + 1)
    while text[position] != '}':
        key, position = decoder.raw_decode(text, position)
        position = _skip(text, position, _SPACE + ':')
        if key == 'messages':
            found = position
        _, position = decoder.raw_decode(text, position)
        position = _skip(text, position, _SPACE + ',')
    return found


def _mapped(stored: list[Any], lines: Sequence[int]) -> StoredHistory:
    from .stored_messages import wire_messages

    try:
        wire = wire_messages(stored, lines)
    except ValueError as error:
        raise _unreadable(f'these are not messages of pydantic-ai: {error}') from None
    return StoredHistory([message for message, _ in wire], [line for _, line in wire])


def _unreadable(text: str) -> HistoryError:
    from ..errors import HistoryError  # here, because it brings pydantic-ai along

    return HistoryError(text)
