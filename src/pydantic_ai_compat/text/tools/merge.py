"""Neighbouring messages of one role as one message."""

from __future__ import annotations as _annotations

from collections.abc import Sequence
from typing import Any, cast

__all__ = ('is_text', 'joined', 'merged', 'parts_of', 'text_part')

_THOUGHTS = ('reasoning_content', 'reasoning')


def merged(first: dict[str, Any], more: Sequence[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """One message of several, with the keys of all, of which the first counts.

    Args:
        first: The first message.
        more: The others, each with what separates its content from what stands before it.
    """
    messages = [first, *(message for _, message in more)]
    one: dict[str, Any] = {}
    for message in reversed(messages):
        one |= message
    for key in _THOUGHTS:
        if thoughts := [message[key] for message in messages if isinstance(message.get(key), str)]:
            one[key] = '\n\n'.join(thoughts)
    one['content'] = joined([message.get('content') for message in messages], [separator for separator, _ in more])
    return one


def joined(contents: Sequence[Any], separators: Sequence[str]) -> Any:
    """The contents of several messages as one: a text, or parts as soon as one is parts.

    Args:
        contents: The contents; empty ones leave nothing behind, no separator either.
        separators: What stands before each content but the first.
    """
    texts: list[str] = []
    parts: list[Any] = []
    for separator, content in zip(('', *separators), contents, strict=True):
        if not content:
            continue
        if parts or not isinstance(content, str):
            if texts:
                parts.append(text_part(''.join(texts)))
                texts = []
            parts += parts_of(content)
        else:
            texts += (separator, content) if texts else (content,)
    return parts or (''.join(texts) if texts else contents[-1])


def parts_of(content: Any) -> list[Any]:
    """The parts of a content; a text is one."""
    return cast('list[Any]', content) if isinstance(content, list) else [text_part(content)]


def text_part(content: Any) -> dict[str, Any]:
    """A text as a part of a content."""
    return {'type': 'text', 'text': '' if content is None else str(content)}


def is_text(part: Any) -> bool:
    """Whether a part is a text."""
    return isinstance(part, dict) and isinstance(cast('dict[str, Any]', part).get('text'), str)
