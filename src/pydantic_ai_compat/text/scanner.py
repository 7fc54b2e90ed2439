"""Tags in text that arrives in pieces: thoughts between thinking tags, and name-only events."""

from __future__ import annotations as _annotations

import re
from typing import Literal, NamedTuple

from ..errors import OptionError

__all__ = ('Segment', 'TextScanner', 'closed_thought', 'is_plain', 'without_start')

_TAG_NAME = re.compile(r'[A-Za-z_][\w.:-]*')
_NOT_A_NAME = re.compile(r'[^\w.:/,\s-]')
"""A character that no list of names holds: what comes before the closing tag is no event then."""

_BETWEEN_NAMES = re.compile(r'[\s,]+')


class Segment(NamedTuple):
    """A stretch of text of one kind."""

    kind: Literal['text', 'open', 'thought', 'close', 'event']
    """`open` and `close` are the thinking tags themselves, `event` is a whole tag with its names."""

    text: str
    """The characters as they came; for an `open` that the chat template holds, the tag that did not come."""

    names: tuple[str, ...] = ()
    """The names that an `event` holds."""


class TextScanner:
    """Finds tags in text that is cut anywhere.

    Each character is looked at a bounded number of times: what may be the beginning of a tag waits in `pending`, which
    is never longer than a tag and the names in it.

    Args:
        thinking_tags: The tags around thoughts in the text.
        event_tag: The name of the tag around name-only events; `None` for none.
        starts_open: Whether the text begins inside a thought, because the chat template holds the opening tag.

    Raises:
        OptionError: If `event_tag` is not the name of a tag.
    """

    def __init__(self, thinking_tags: tuple[str, str], event_tag: str | None = None, *, starts_open: bool = False):
        if event_tag is not None and not _TAG_NAME.fullmatch(event_tag):
            raise OptionError(
                f'`openai_chat_text_event_tag`={event_tag!r} is not the name of a tag: leave out `<` and `>`, '
                "as in 'agent_events'."
            )
        if f'<{event_tag}>' in thinking_tags:
            raise OptionError(
                f'`openai_chat_text_event_tag`={event_tag!r} is the tag around thoughts: no event is read in a thought.'
            )
        self._open_tag, self._close_tag = thinking_tags
        self._event_open = '' if event_tag is None else f'<{event_tag}>'
        self._event_close = f'</{event_tag}>'
        in_text = (self._open_tag,) if event_tag is None else (self._open_tag, self._event_open)
        self._tags = {'text': in_text, 'thought': (self._close_tag,)}
        self._patterns = {state: re.compile('|'.join(map(re.escape, tags))) for state, tags in self._tags.items()}
        self._first = {state: ''.join({tag[0] for tag in tags}) for state, tags in self._tags.items()}
        self._state: Literal['start', 'text', 'thought', 'event'] = 'start' if starts_open else 'text'
        self._held: list[str] = []
        self._held_length = 0
        self.pending = ''
        """What may be the beginning of a tag."""
        self.examined = 0
        """Characters looked at so far."""

    @property
    def held(self) -> int:
        """How many characters wait until it is known what they are."""
        return len(self.pending) + self._held_length

    @property
    def undecided(self) -> bool:
        """Whether it is still open if the text begins inside a thought."""
        return self._state == 'start'

    def begins_in_answer(self) -> None:
        """Take note that the thoughts came in a field of their own, so the text does not begin inside one."""
        if self._state == 'start':
            self._state = 'text'
            self.pending = ''.join(self._held) + self.pending
            self._drop_held()

    def passes(self, text: str) -> bool:
        """Whether nothing waits and the text holds nothing that could be a tag: the fast path."""
        if self.pending or self._state not in self._first:
            return False
        first = self._first[self._state]
        return first not in text if len(first) == 1 else not any(character in text for character in first)

    def feed(self, text: str) -> list[Segment]:
        """Read the next piece of the text.

        Returns:
            What is certain by now, in order; the rest waits.
        """
        out: list[Segment] = []
        text = self.pending + text
        self.pending = ''
        self.examined += len(text)
        position = 0
        while position < len(text):
            if self._state == 'start':
                position = self._read_start(text, out)
            elif self._state == 'event':
                position = self._read_event(text, position, out)
            else:
                position = self._read_tagged(text, position, out)
        return out

    def flush(self) -> list[Segment]:
        """Release what waits, for nothing more comes."""
        text = ''.join(self._held) + self.pending
        if self._state == 'event':
            self._state = 'text'
        self._drop_held()
        self.pending = ''
        return [Segment('thought' if self._state == 'thought' else 'text', text)] if text else []

    def _hold(self, text: str) -> None:
        self._held.append(text)
        self._held_length += len(text)

    def _drop_held(self) -> None:
        self._held.clear()
        self._held_length = 0

    def _read_tagged(self, text: str, position: int, out: list[Segment]) -> int:
        kind = self._state
        assert kind == 'text' or kind == 'thought'
        found = self._patterns[kind].search(text, position)
        end = len(text) - _partial_tag(text, position, self._tags[kind]) if found is None else found.start()
        if end > position:
            out.append(Segment(kind, text[position:end]))
        if found is None:
            self.pending = text[end:]
            return len(text)
        if kind == 'thought':
            self._state = 'text'
            out.append(Segment('close', found[0]))
        elif found[0] == self._open_tag:
            self._state = 'thought'
            out.append(Segment('open', found[0]))
        else:
            self._state = 'event'
            self._hold(found[0])
        return found.end()

    def _read_event(self, text: str, position: int, out: list[Segment]) -> int:
        found = _NOT_A_NAME.search(text, position)
        end = len(text) if found is None else found.start()
        self._hold(text[position:end])
        if self._event_close.startswith(text[end : end + len(self._event_close)]):
            if len(text) - end < len(self._event_close):
                self.pending = text[end:]
                return len(text)
            out.append(self._event(self._held))
            end += len(self._event_close)
        else:
            out.append(Segment('text', ''.join(self._held)))
        self._drop_held()
        self._state = 'text'
        return end

    def _event(self, held: list[str]) -> Segment:
        body = ''.join(held[1:])
        names = tuple(name for name in _BETWEEN_NAMES.split(body) if name)
        return Segment('event' if names else 'text', f'{self._event_open}{body}{self._event_close}', names)

    def _read_start(self, text: str, out: list[Segment]) -> int:
        """Decide if the text begins inside a thought: it does unless the opening tag comes after all."""
        start = len(text) - len(text.lstrip())
        self._hold(text[:start])
        if start < len(text) and not text.startswith(self._open_tag, start):
            if self._open_tag.startswith(text[start:]):
                self.pending = text[start:]
                return len(text)
            out.append(Segment('open', self._open_tag))
            self._state = 'thought'
        elif start < len(text):
            self._state = 'text'
        else:
            return start
        if before := ''.join(self._held):
            out.append(Segment(self._state, before))
        self._drop_held()
        return start


def _partial_tag(text: str, position: int, tags: tuple[str, ...]) -> int:
    """The length of the longest end of the text that may be the beginning of a tag."""
    for length in range(min(max(map(len, tags)) - 1, len(text) - position), 0, -1):
        end = text[-length:]
        if any(tag.startswith(end) for tag in tags):
            return length
    return 0


def is_plain(segments: list[Segment]) -> bool:
    """Whether segments hold neither a tag nor an event."""
    return all(segment.kind in ('text', 'thought') for segment in segments)


def without_start(segments: list[Segment], length: int) -> list[Segment]:
    """Segments of plain text without their first characters."""
    kept: list[Segment] = []
    for segment in segments:
        text = segment.text[length:]
        length = max(0, length - len(segment.text))
        if text:
            kept.append(segment._replace(text=text))
    return kept


def closed_thought(content: str, thinking_tags: tuple[str, str], *, starts_open: bool) -> str:
    """The content of a plain response with the tags that a stream of it would be read by.

    Upstream takes thoughts out of a plain response only between two tags; a stream takes a thought that never ends for
    what it is. This writes the missing tags into the content, so both give the same parts.
    """
    open_tag, close_tag = thinking_tags
    if not content.strip():
        return content
    if starts_open and not content.lstrip().startswith(open_tag):
        content = open_tag + content
    position = content.find(open_tag)
    while position >= 0:
        end = content.find(close_tag, position + len(open_tag))
        if end < 0:
            return content + close_tag
        position = content.find(open_tag, end + len(close_tag))
    return content
