"""The first pass of a repair: each message on its own, without a look at the others."""

from __future__ import annotations as _annotations

import json
from collections.abc import Container
from typing import Any, cast

from .draft import Draft, Entry
from .repair_calls import mend_calls
from .wire import has_parts, holds_nothing, is_text_only, text_of

__all__ = ('MESSAGE_RULES', 'as_json', 'mend_messages')

MESSAGE_RULES = frozenset({'H08', 'H09', 'H10', 'H14', 'H17', 'H18', 'H19', 'H28', 'H32', 'H33'})
"""The rules that a message breaks on its own; the check reports each at the message that does."""


def as_json(value: object) -> str:
    """A value as JSON text; one that JSON does not know is written as Python shows it."""
    return json.dumps(value, ensure_ascii=False, default=str)


def mend_messages(draft: Draft, faulty: Container[int]) -> None:
    """Mend what is wrong inside single messages, and leave out assistant messages that hold nothing.

    Args:
        draft: The draft, with the messages as they were given.
        faulty: The positions of the messages that break one of `MESSAGE_RULES`; no other is looked at.
    """
    mended: list[Entry] = []
    for entry in draft.entries:
        if entry.origin not in faulty:
            mended.append(entry)
            continue
        message = entry.message
        role = message['role']
        if 'H33' in draft.rules and role == 'developer':
            message = {**message, 'role': 'system'}
            draft.note('H33', entry.origin, 'the role `developer` became `system`')
        message = _mend_keys(draft, entry.origin, message)
        if role == 'assistant':
            message = mend_calls(draft, entry.origin, message)
        message, files = _mend_content(draft, entry.origin, message)
        if role == 'assistant' and not message.get('tool_calls') and 'H14' in draft.rules and holds_nothing(message):
            draft.note('H14', entry.origin, 'the assistant message that holds nothing is left out')
            continue
        mended.append(Entry(entry.origin, message))
        if files:
            mended.append(Entry(entry.origin, {'role': 'user', 'content': files}))
    draft.entries = mended


def _mend_keys(draft: Draft, index: int, message: dict[str, Any]) -> dict[str, Any]:
    if 'H32' in draft.rules and 'reasoning_content' in message:
        message = {key: value for key, value in message.items() if key != 'reasoning_content'}
        draft.note('H32', index, '`reasoning_content` is left out')
    if 'H28' in draft.rules and not draft.policy.message_keys.issuperset(message):
        unknown = sorted(set(message) - draft.policy.message_keys)
        message = {key: value for key, value in message.items() if key in draft.policy.message_keys}
        draft.note('H28', index, f'unknown keys are left out: {", ".join(unknown)}')
    return message


def _mend_content(
    draft: Draft, index: int, message: dict[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]] | None]:
    """The message with content that the host takes, and the files of a tool message that it takes only from a user."""
    content = message.get('content')
    if isinstance(content, str):
        return message, None
    role = message['role']
    if (content is not None or role != 'assistant') and 'H17' in draft.rules and not (content and has_parts(content)):
        content = _readable(content, role)
        message = {**message, 'content': content}
        draft.note('H17', index, f'`content` of the {role} message became a string or content parts')
    if role == 'tool':
        if 'H18' in draft.rules and has_parts(content):
            texts = [text for part in content if (text := text_of(part)) is not None]
            files = [part for part in content if text_of(part) is None]
            draft.note('H18', index, 'the text parts of the result became one string, a part a line')
            return {**message, 'content': '\n'.join(texts)}, files
    elif 'H19' in draft.rules and content and is_text_only(content):
        message = {**message, 'content': '\n'.join(cast(str, text_of(part)) for part in content)}
        draft.note('H19', index, f'the text parts of the {role} message became one string, a part a line')
    return message, None


def _readable(content: object, role: str) -> object:
    """Content as a string or content parts, with nothing of it lost."""
    if content is None or content == []:
        return None if role == 'assistant' else ''
    if not isinstance(content, list):
        return as_json(content)
    return [
        part if has_parts([part]) else {'type': 'text', 'text': part if isinstance(part, str) else as_json(part)}
        for part in cast('list[object]', content)
    ]
