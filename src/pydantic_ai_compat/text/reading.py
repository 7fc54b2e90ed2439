"""A text read at once, without a model or a server."""

from __future__ import annotations as _annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .dialects.literals import read_json
from .dialects.registry import pick
from .dialects.schema import tool_schemas
from .dialects.table import Dialect, TextCall
from .scanner import TextScanner
from .segments import Segment

__all__ = ('TextReading', 'collect', 'read_text')


@dataclass(frozen=True, slots=True)
class TextReading:
    """What stood in a text."""

    text: str
    """The text around the calls, every character of it."""

    calls: tuple[TextCall, ...]
    """The calls, in order."""

    thoughts: str
    """What stood between thinking tags."""

    parts: tuple[str | TextCall, ...]
    """Text and calls in the order in which they stood."""


def read_text(
    text: str,
    tools: Sequence[str | Mapping[str, Any]] | Mapping[str, Mapping[str, Any]],
    dialects: str | Iterable[str | Dialect] = 'auto',
    *,
    thinking_tags: tuple[str, str] = ('<think>', '</think>'),
    calls_in_thoughts: bool = False,
) -> TextReading:
    """Read a text for tool calls.

    Args:
        text: The text of an answer.
        tools: The declared tools: names, tools in the API's own form, or a mapping of names to the JSON schemas of
            their parameters. Only these are called, and the schemas give values without quotes their types.
        dialects: The names of the dialects, as a list or text with commas; `'auto'` for those that are safe together.
        thinking_tags: The tags around thoughts, in which nothing is a call.
        calls_in_thoughts: Whether calls inside thoughts count, too.

    Raises:
        OptionError: There is no dialect of a name.
    """
    tables = pick(dialects)
    scanner = TextScanner(
        thinking_tags, dialects=tables, tools=tool_schemas(tools), calls_in_thoughts=calls_in_thoughts
    )
    return collect([*scanner.feed(text), *scanner.flush()])


def collect(segments: Iterable[Segment]) -> TextReading:
    """Put the segments of a whole text together."""
    parts: list[str | TextCall] = []
    thoughts: list[str] = []
    call: list[Segment] = []
    for segment in segments:
        if segment.kind in ('call', 'arguments', 'id'):
            call.append(segment)
        elif segment.kind == 'end':
            parts.append(_call(call, segment))
            call = []
        elif segment.kind == 'thought':
            thoughts.append(segment.text)
        elif segment.kind in ('text', 'event'):
            if parts and isinstance(parts[-1], str):
                parts[-1] += segment.text
            else:
                parts.append(segment.text)
    return TextReading(
        text=''.join(part for part in parts if isinstance(part, str)),
        calls=tuple(part for part in parts if isinstance(part, TextCall)),
        thoughts=''.join(thoughts),
        parts=tuple(parts),
    )


def _call(segments: Sequence[Segment], end: Segment) -> TextCall:
    arguments = ''.join(segment.text for segment in segments if segment.kind == 'arguments')
    ids = [segment.text for segment in segments if segment.kind in ('call', 'id') and segment.text]
    try:
        complete = not end.text and isinstance(read_json(arguments), dict)
    except ValueError:
        complete = False
    return TextCall(segments[0].names[0], arguments, ids[-1] if ids else None, complete)
