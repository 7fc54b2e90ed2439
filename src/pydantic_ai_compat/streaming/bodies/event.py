"""One event of a body, and what its data means."""

from __future__ import annotations as _annotations

import json
import re
from typing import Any, cast

from ...lazy import errors
from .answers import as_chunk, find_answer, no_answer_error

__all__ = ('DONE', 'BodyEvent', 'event_in')

DONE = '[DONE]'
"""The data of the event after which nothing more comes."""

_LENGTH = 80
"""How many characters of a line an error shows."""

_WORDS = 1000
"""How many characters of an error that is no JSON are its words."""

_KEEP_ALIVE = re.compile(
    r':.*|\W*(?:ping|pong|keep[-_ ]?alive|heart[-_ ]?beat|(?:\w+ )?processing)\W*', re.IGNORECASE | re.DOTALL
)
"""What servers send as an event's data or name to keep a connection open, and proxies make of their comments.
<https://github.com/mnfst/llm-gateway/issues/2053>"""

_ERROR = re.compile(r'\[?error\]?\s*:\s*(.*)|(\[?error\b.*)', re.IGNORECASE | re.DOTALL)
_ERROR_OBJECT = re.compile(r'\s*\{\s*"error"\s*:')


class BodyEvent:
    """A JSON object that a body holds, or `[DONE]`, in the form in which the SDK's stream takes its events."""

    __slots__ = ('data', 'event', 'is_bare', 'is_first', 'is_last', 'line')

    def __init__(
        self, data: str, line: int, event: str | None = None, *, is_last: bool = False, is_bare: bool = False
    ) -> None:
        self.data = data
        """The text of the event."""
        self.line = line
        """The number of the line on which it begins."""
        self.event = event
        """`'error'` for an error, which it stays whatever the data looks like; `None` for anything else."""
        self.is_last = is_last
        """Whether the body ended before the event did."""
        self.is_bare = is_bare
        """Whether it stands in the body as it is, and is no data of an event."""
        self.is_first = False
        """Whether no event came before it."""

    @property
    def is_done(self) -> bool:
        """Whether it says that nothing more comes."""
        return self.data == DONE

    @property
    def is_cut(self) -> bool:
        """Whether the body ended inside the data, and what came of it is no error."""
        if not self.is_last or self.event is not None:
            return False
        try:
            json.loads(self.data)
        except json.JSONDecodeError as error:
            return _ends_early(self.data, error) and not _ERROR_OBJECT.match(self.data)
        except (ValueError, RecursionError):
            pass
        return False

    def json(self) -> object:
        """The decoded data as a chunk; `{'error': …}` for an error in any form.

        Raises:
            StreamError: If it is no JSON, and the message quotes it; or if it is one object in place of a stream, and
                no answer.
        """
        value = self.answer()
        if not self.is_first:
            return value
        if not isinstance(value, dict):
            raise self.no_object_error()
        answer = cast('dict[str, Any]', value)
        if self.is_bare and not (answer.get('choices') or answer.get('error')):
            raise no_answer_error(answer)
        return as_chunk(answer)

    def no_object_error(self) -> errors.StreamError:
        """The error for data that is JSON, and no object."""
        return errors.StreamError(f'Line {self.line} of the stream holds no JSON object but {_shown(self.data)}.')

    def answer(self) -> object:
        """The decoded data as `find_answer` reads it, a completion or a chunk.

        Raises:
            StreamError: If it is no JSON.
        """
        if self.event is not None:
            return {'error': self._error()}
        value = self._decoded()
        if isinstance(value, list) and len(items := cast('list[object]', value)) == 1:
            value = items[0]  # Google's compatible endpoint has its errors in a list.
        return find_answer(cast('dict[str, Any]', value)) if isinstance(value, dict) else cast('object', value)

    def _decoded(self) -> object:
        cut = False
        try:
            return json.loads(self.data)
        except RecursionError:
            why = 'it is nested too deep'
        except ValueError as error:
            why = str(error)
            cut = self.is_last and isinstance(error, json.JSONDecodeError) and _ends_early(self.data, error)
        raise errors.StreamError(
            f'Line {self.line} of the stream {"is cut" if cut else "is not JSON"}: {why}. It reads {_shown(self.data)}.'
        )

    def _error(self) -> object:
        try:
            value: object = json.loads(self.data)
        except (ValueError, RecursionError):
            return {'message': self.data[:_WORDS] or 'the server reported an error without a word'}
        if isinstance(value, dict):
            return cast('dict[str, object]', value).get('error') or cast('object', value)
        return {'message': value if isinstance(value, str) else self.data[:_WORDS]}


def event_in(text: str, line: int, name: str | None, *, is_last: bool = False) -> BodyEvent | None:
    """The event that a text is the data of; `None` if it holds nothing.

    Args:
        text: The data.
        line: The number of the line on which it begins.
        name: The name of the event, if it has one.
        is_last: Whether the body ended before the event did.
    """
    if name is not None:
        if name.lower() == 'error':
            # An error is never the end of a stream that went well.
            return BodyEvent('' if text.startswith(DONE) else text, line, 'error')
        if _KEEP_ALIVE.fullmatch(name) and '"choices"' not in text:
            return None
    if text[:1] == '{':
        return BodyEvent(text, line, is_last=is_last)
    text = text.strip()
    while text.startswith('data:'):
        text = text.removeprefix('data:').lstrip()  # A proxy made events of the lines of an event stream.
    if not text or _KEEP_ALIVE.fullmatch(text) or (is_last and DONE.startswith(text)):
        return None
    if text.strip('"').startswith(DONE):
        return BodyEvent(DONE, line)
    if found := _ERROR.fullmatch(text):
        return BodyEvent(found[1] or found[2] or '', line, 'error')
    return BodyEvent(text, line, is_last=is_last)


def _shown(text: str) -> str:
    """The beginning of a text for an error."""
    return repr(text) if len(text) <= _LENGTH else f'{text[:_LENGTH]!r}…'


def _ends_early(text: str, error: json.JSONDecodeError) -> bool:
    """Whether a text is no JSON because something is missing at its end."""
    return error.pos >= len(text.rstrip()) or error.msg.startswith('Unterminated string')
