"""What a text is made of."""

from __future__ import annotations as _annotations

from typing import Literal, NamedTuple

__all__ = ('Segment', 'SegmentKind', 'is_plain', 'without_start')

SegmentKind = Literal['text', 'open', 'thought', 'close', 'event', 'call', 'arguments', 'id', 'end']
"""What a segment is.

`open` and `close` are the thinking tags themselves, `event` is a whole tag with its names. A tool call is a `call` with
its name, its `arguments` in pieces, an `id` if one comes behind the name, and an `end`.
"""


class Segment(NamedTuple):
    """A stretch of text of one kind."""

    kind: SegmentKind
    """What it is."""

    text: str
    """The characters as they came; for an `open` that the chat template holds, the tag that did not come.

    Of a call, a piece of the arguments as JSON; of a `call` or `id`, the id, or `''` for none; of an `end`, `'cut'` or
    `'broken'` if the call did not come whole."""

    names: tuple[str, ...] = ()
    """The names that an `event` holds; the name of a `call`, and the dialect that it is written in."""


def is_plain(segments: list[Segment]) -> bool:
    """Whether segments hold neither a tag, an event nor a call."""
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
