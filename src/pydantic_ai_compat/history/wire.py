"""What the check and the repair ask of a message on the wire."""

from __future__ import annotations as _annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, cast

from pydantic_core import from_json

if TYPE_CHECKING:
    from ..errors import HistoryError

__all__ = (
    'KIMI_ID',
    'MAX_ID_LENGTH',
    'NAME',
    'NINE',
    'WireMessage',
    'content_form',
    'has_parts',
    'holds_nothing',
    'is_json_object',
    'is_text_only',
    'json_object',
    'named_function',
    'not_a_message',
    'text_of',
)

WireMessage: TypeAlias = Mapping[str, Any]
"""One message of a Chat Completions request, as the JSON object that is sent."""

NAME = re.compile(r'[a-zA-Z0-9_-]{1,64}')
NINE = re.compile(r'[a-zA-Z0-9]{9}')
KIMI_ID = re.compile(r'functions\.[^:]+:[0-9]+')
MAX_ID_LENGTH = 40

_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"?|(?<![\w.])(-?Infinity|NaN)(?![\w.])', re.DOTALL)
"""A string, which is left alone, or a constant that stands where a number does."""


def not_a_message(element: object, index: int) -> HistoryError:
    """The error for an element of a history that is no object with a role."""
    from ..errors import HistoryError  # here, because it brings pydantic-ai along

    found = type(element).__name__
    if isinstance(element, dict):
        found = f'an object with the role {cast("dict[str, Any]", element).get("role")!r}'
    return HistoryError(f'messages[{index}] is not a message: expected an object with a `role`, found {found}.')


def is_json_object(text: str) -> bool:
    """Whether a string is one JSON object, by the grammar that strict servers hold it to (no `NaN`)."""
    try:
        return type(from_json(text, allow_inf_nan=False)) is dict
    except (TypeError, ValueError):  # the first for text with half of a surrogate pair, which no request can hold
        return False


def json_object(arguments: object) -> str | None:
    """The arguments of a call as the text of one JSON object, `None` if they are no such text.

    What no JSON number can be, and some parsers take for one, becomes text, as pydantic reads it: `NaN` becomes `"NaN"`.
    Every other character stays.
    """
    if not isinstance(arguments, str):
        return None
    if is_json_object(arguments):
        return arguments
    text = _CONSTANT.sub(lambda match: match[0] if match[1] is None else f'"{match[1]}"', arguments)
    return text if is_json_object(text) else None


def has_parts(content: object) -> TypeGuard[list[dict[str, Any]]]:
    """Whether `content` is a list of content parts: objects with a type."""
    if not isinstance(content, list):
        return False
    # A plain loop, and no call of `cast`: a long conversation asks this of every list of parts.
    parts: list[Any] = content  # pyright: ignore[reportUnknownVariableType]
    for part in parts:
        if not isinstance(part, dict):
            return False
        fields: dict[str, Any] = part  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(fields.get('type'), str):
            return False
    return True


def text_of(part: Mapping[str, Any]) -> str | None:
    """The text of a content part, or `None` if it is none of text."""
    text = part.get('text') if part.get('type') == 'text' else None
    return text if isinstance(text, str) else None


def is_text_only(content: object) -> TypeGuard[list[dict[str, Any]]]:
    """Whether `content` is a list of content parts that are all text."""
    return has_parts(content) and all(text_of(part) is not None for part in content)


def _is_blank(content: object) -> bool:
    if is_text_only(content):
        return not any(text_of(part) for part in content)
    return not content


def content_form(message: WireMessage) -> str:
    """Which form `content` of a message has: `'omit'`, `'null'`, `'empty'`, `'empty parts'` or `'text'`."""
    if 'content' not in message:
        return 'omit'
    content = message['content']
    if content is None:
        return 'null'
    if not _is_blank(content):
        return 'text'
    return 'empty' if content == '' else 'empty parts'


_CONTENT_KEYS = ('refusal', 'audio', 'function_call', 'reasoning_details')


def holds_nothing(message: WireMessage) -> bool:
    """Whether an assistant message without calls holds nothing that a host would take for its content.

    Signed thoughts are something: a host that sends `reasoning_details` asks for them back.
    <https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning>
    """
    return _is_blank(message.get('content')) and not any(map(message.get, _CONTENT_KEYS))


def named_function(call: Any) -> dict[str, Any] | None:
    """The `function` of a tool call that has a type and a name; an empty one for a custom tool's call, else `None`."""
    try:
        kind = call['type']
        if kind == 'custom':
            return {}
        function = call['function']
        name = function['name']
    except (KeyError, TypeError):
        return None
    return function if isinstance(name, str) and name and isinstance(kind, str) else None
