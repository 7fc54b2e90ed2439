"""What a text is made of."""

from __future__ import annotations as _annotations

from typing import Literal, NamedTuple

__all__ = ('Segment', 'SegmentKind')

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
