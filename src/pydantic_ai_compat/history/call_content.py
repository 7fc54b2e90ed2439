"""`content` of the assistant messages that hold only calls, in the form that a server wants."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Sequence
from typing import Any

from .wire import WireMessage, content_form

__all__ = ('with_call_content', 'with_form')


def with_form(message: WireMessage, form: str) -> dict[str, Any]:
    """A copy of a message whose `content` is `null`, `empty` or left out (`omit`)."""
    if form == 'omit':
        return {key: value for key, value in message.items() if key != 'content'}
    return {**message, 'content': None if form == 'null' else ''}


def with_call_content(
    messages: Sequence[WireMessage], form: str, *, keep: Collection[str] = ()
) -> Sequence[WireMessage]:
    """The messages with `content` of each turn that holds only calls in one form.

    Args:
        messages: The messages of a request. They are not changed.
        form: `'null'`, `'empty'` or `'omit'`.
        keep: Forms that stay as they are as well.

    Returns:
        The very list that was given if no message changes.
    """
    changed = {
        place: with_form(message, form)
        for place, message in enumerate(messages)
        if message.get('tool_calls')
        and message['role'] == 'assistant'
        and (found := content_form(message)) not in ('text', form)
        and found not in keep
    }
    if not changed:
        return messages
    return [changed.get(place, message) for place, message in enumerate(messages)]
