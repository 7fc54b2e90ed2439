"""What becomes of the name-only events in a text."""

from __future__ import annotations as _annotations

from collections.abc import Collection
from typing import NamedTuple

from .segments import Segment

__all__ = ('TextEvent', 'read_event')


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
