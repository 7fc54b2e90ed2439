"""The parts that stand in the text of a plain response: what is said, what is thought, and calls written in it."""

from __future__ import annotations as _annotations

from collections.abc import Sequence
from typing import Any

from pydantic_ai.messages import ModelResponsePart, TextPart, ThinkingPart, ToolCallPart

from .tags import TagReader

__all__ = ('TextParts', 'with_text_parts')


class TextParts:
    """The parts that stand in the text, in order.

    Args:
        tags: The tags around thoughts.
        provider_name: The name under which thoughts are stored.
    """

    def __init__(self, tags: tuple[str, str], provider_name: str) -> None:
        self._reader = TagReader(tags)
        self._provider_name = provider_name
        self._pieces: list[tuple[TextPart | ThinkingPart | ToolCallPart, list[str]]] = []

    def add_text(self, content: str | None) -> None:
        """Take the content of the next chunk."""
        if not content:
            return
        kind = self._reader.read(content)
        if kind == 'tag':
            if self._reader.in_thought:
                self._pieces.append((ThinkingPart('', id='content', provider_name=self._provider_name), []))
        else:
            last = self._pieces[-1][0] if self._pieces else None
            if kind == 'text' and not isinstance(last, TextPart):
                self._pieces.append((TextPart(''), []))
            self._pieces[-1][1].append(content)

    def add_call(self, call: dict[str, Any]) -> None:
        """Take a call that was written in the text."""
        self._pieces.append((ToolCallPart(call['name'], call['arguments']), []))

    def parts(self) -> list[TextPart | ThinkingPart | ToolCallPart]:
        """All parts so far."""
        for part, texts in self._pieces:
            if not isinstance(part, ToolCallPart):
                part.content = ''.join(texts)
        return [part for part, _ in self._pieces]


def with_text_parts(
    parts: Sequence[ModelResponsePart], ours: Sequence[TextPart | ThinkingPart | ToolCallPart]
) -> list[ModelResponsePart]:
    """The parts with those of the text replaced, unless they are the same: pydantic-ai's own may hold citations."""
    stock = [
        part
        for part in parts
        if isinstance(part, TextPart) or (isinstance(part, ThinkingPart) and part.id == 'content')
    ]
    if [_said(part) for part in stock] == [_said(part) for part in ours]:
        return list(parts)
    before = [part for part in parts if isinstance(part, ThinkingPart) and part.id != 'content']
    behind = [part for part in parts if part not in stock and part not in before]
    return [*before, *ours, *behind]


def _said(part: ModelResponsePart) -> tuple[str, object]:
    return part.part_kind, None if isinstance(part, ToolCallPart) else getattr(part, 'content', None)
