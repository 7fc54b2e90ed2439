"""Conversations as plain JSON values, which is all that a template gets to see."""

from __future__ import annotations as _annotations

import marshal
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ..lazy import errors

__all__ = ('plain_messages', 'plain_size', 'plain_value')

_REASONING_FIELDS = ('reasoning_content', 'thinking', 'reasoning')
"""Names of a message's thinking, in transformers' order; it fills the first two from whichever is there."""


def plain_value(value: Any) -> Any:
    """A copy of plain JSON types; anything else becomes `<its type's name>`, as in transformers 5.24.

    A template can call the methods of whatever it is given, and the sandbox knows the dangerous ones of Python's own
    types only.
    """
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, Mapping):
        return {plain_value(key): plain_value(item) for key, item in cast('Mapping[Any, Any]', value).items()}
    if isinstance(value, list):
        return [plain_value(item) for item in cast('list[Any]', value)]
    if isinstance(value, tuple):
        return tuple(plain_value(item) for item in cast('tuple[Any, ...]', value))
    return f'<{type(value).__name__}>'


def plain_size(value: Any) -> int | None:
    """The bytes of a plain value's text and structure, or `None` if anything in it is not plain.

    `marshal` refuses every subclass and every class of one's own, and looks at a long conversation in the time that a
    walk in Python needs for a few messages. Format 2 writes a string each time it occurs.
    """
    try:
        return len(marshal.dumps(value, 2))
    except ValueError:
        return None


def plain_messages(messages: Sequence[Mapping[str, Any]], *, keep_null: bool) -> list[dict[str, Any]]:
    """The messages with the thinking of each under the names that templates read.

    Raises:
        ChatTemplateError: A message is not a mapping.
    """
    plain: list[dict[str, Any]] = []
    for position, fields in enumerate(cast('Sequence[dict[str, Any]]', messages)):
        if type(fields) is not dict:
            fields = _as_dict(fields, position)
        if not keep_null and None in fields.values():
            fields = {key: value for key, value in fields.items() if value is not None}
        if 'reasoning_content' in fields or 'thinking' in fields or 'reasoning' in fields:
            fields = _with_reasoning(fields)
        plain.append(fields)
    return plain


def _as_dict(message: object, position: int) -> dict[str, Any]:
    if not isinstance(message, Mapping):
        raise errors.ChatTemplateError(f'Message {position} is {type(message).__name__}, and has to be a mapping.')
    return dict(cast('Mapping[str, Any]', message))


def _with_reasoning(fields: dict[str, Any]) -> dict[str, Any]:
    reasoning = next((fields[key] for key in _REASONING_FIELDS if fields.get(key) is not None), None)
    return fields if reasoning is None else {'thinking': reasoning, **fields, 'reasoning_content': reasoning}
