"""Items of the shape that a transcript reads, as small as they can be."""

from __future__ import annotations as _annotations

from dataclasses import dataclass

__all__ = ('Call', 'Item')


@dataclass(frozen=True)
class Call:
    id: str | None = 'c1'
    name: str = 't'
    raw_arguments: str | None = '{"a":1}'


@dataclass(frozen=True)
class Item:
    kind: str
    text: str = ''
    tool_call: Call | None = None
