"""What becomes of the name-only events in a text."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from .scanner import Segment

__all__ = ('TextEvent', 'read_events')


class TextEvent(NamedTuple):
    """A name-only event that stood in the text."""

    name: str


def read_events(
    segments: Iterable[Segment], tag: str | None, callable_names: Collection[str] | None
) -> list[str | TextEvent]:
    """The text of segments and the events in it, in order.

    Args:
        segments: What a `TextScanner` found.
        tag: The name of the tag around the events.
        callable_names: The only names that are events; the others stay in the text, in a tag of their own. `None` for
            any name.
    """
    pieces: list[str | TextEvent] = []
    for segment in segments:
        if segment.kind != 'event':
            pieces.append(segment.text)
            continue
        known = [name for name in segment.names if callable_names is None or name in callable_names]
        pieces += [TextEvent(name) for name in known]
        if not known:
            pieces.append(segment.text)
        elif left := [name for name in segment.names if name not in known]:
            pieces.append(f'<{tag}>{", ".join(left)}</{tag}>')
    return pieces
