"""What becomes of the name-only events in a text."""

from __future__ import annotations as _annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from .dialects.source import NoCall, Reading, Source
from .segments import Segment

__all__ = ('TextEvent', 'read_event', 'read_event_tag')

_NAMES = re.compile(r'[\w.:/,\s-]*')
"""What a list of names holds: another character before the closing tag, and it is no event."""

_BETWEEN_NAMES = re.compile(r'[\s,]+')
_MAX_NAMES = 1 << 16
"""How many characters the names in an event may have."""


class TextEvent(NamedTuple):
    """A name-only event that stood in the text."""

    name: str


def read_event(segment: Segment, tag: str | None, callable_names: Collection[str] | None) -> list[str | TextEvent]:
    """The events of one segment, and the text that is none.

    Args:
        segment: A segment of the kind `event`.
        tag: The name of the tag around the events.
        callable_names: The only names that are events; the others stay in the text, in a tag of their own. `None` for
            any name.
    """
    known = [name for name in segment.names if callable_names is None or name in callable_names]
    pieces: list[str | TextEvent] = [TextEvent(name) for name in known]
    if not known:
        pieces.append(segment.text)
    elif left := [name for name in segment.names if name not in known]:
        pieces.append(f'<{tag}>{", ".join(left)}</{tag}>')
    return pieces


def read_event_tag(source: Source, opening: str, closing: str) -> Reading[Segment]:
    """Read a tag with the names of events, at its opening: an `event`, or the `text` that it is."""
    source.hold(endless=True)
    source.take(source.position + len(opening))
    try:
        names = yield from source.word(_NAMES, _MAX_NAMES)
        closed = yield from source.match([closing])
    except NoCall:
        names, closed = '', ''
    text = source.give_back()
    listed = tuple(name for name in _BETWEEN_NAMES.split(names) if name)
    return Segment('event', text, listed) if closed and listed else Segment('text', text)
