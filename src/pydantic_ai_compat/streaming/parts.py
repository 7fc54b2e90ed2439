"""Text and thoughts that come as a list of parts."""

from __future__ import annotations as _annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

from .fields import is_object

__all__ = ('Part', 'joined_text', 'read_parts')

_THOUGHT_KEYS = ('thinking', 'reasoning', 'reasoning_content')
_TEXT_KEYS = ('text', 'content', 'summary', 'value')


class Part(NamedTuple):
    """One stretch of a content that came as a list."""

    kind: Literal['text', 'thought', 'other']
    value: object
    """The text, or the part itself if it is neither text nor a thought, such as a reference."""


def read_parts(content: object) -> list[Part]:
    """The parts of a content, in order, neighbours of one kind joined.

    Forms: `{"type": "text", "text": "…"}` (Mistral's models behind the Albert API), `{"type": "thinking", "thinking":
    [{"type": "text", "text": "…"}]}` (<https://docs.mistral.ai/capabilities/reasoning/>), `{"type": "reasoning",
    "text": "…"}`, bare strings, an object in place of a list with one, and lists in lists.
    """
    parts: list[Part] = []
    for part in _read(content):
        if parts and part.kind == parts[-1].kind != 'other':
            part = Part(part.kind, f'{parts.pop().value}{part.value}')
        parts.append(part)
    return parts


def joined_text(content: object) -> str:
    """All text in a value that holds thoughts, in any of these forms."""
    return ''.join(str(part.value) for part in _read(content) if part.kind != 'other')


def _read(content: object) -> Iterator[Part]:
    if isinstance(content, str):
        if content:
            yield Part('text', content)
    elif isinstance(content, list):
        for item in cast('list[object]', content):
            yield from _read(item)
    elif is_object(content):
        yield from _read_object(content)
    elif content is not None:
        yield Part('other', content)


def _read_object(part: dict[str, object] | object) -> Iterator[Part]:
    assert is_object(part)
    kind = str(part.get('type') or '')
    if (thoughts := next((part[key] for key in _THOUGHT_KEYS if part.get(key)), None)) is not None:
        inner = joined_text(thoughts)
    elif 'think' in kind or 'reason' in kind:
        inner = joined_text([part.get(key) for key in _TEXT_KEYS])
    else:
        texts = [inner for key in _TEXT_KEYS for inner in _read(part.get(key)) if kind in _TEXT_TYPES]
        yield from texts or [Part('other', part)] * (kind not in _TEXT_TYPES)
        return
    if inner:
        yield Part('thought', inner)


_TEXT_TYPES = ('', 'text', 'output_text', 'input_text')
