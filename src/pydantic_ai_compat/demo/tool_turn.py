"""The part of a prompt that holds the results of tools, found without knowing the chat template."""

from __future__ import annotations as _annotations

import os.path
import re
from collections.abc import Sequence
from typing import Any

__all__ = ('cut_tool_turn', 'last_tool_turn', 'with_user_turn_instead')

_OPEN_TAG = re.compile(r'[<\[][^<>\[\]\s]{0,40}$')
_CLOSE_TAG = re.compile(r'^[^<>\[\]\s]{0,40}[>\]]')


def last_tool_turn(messages: Sequence[dict[str, Any]]) -> slice:
    """Where the last tool messages that stand together are; an empty slice if there is none.

    Where tools are text there are no such messages: it is what stands behind the last assistant turn then.
    """
    roles = [message['role'] for message in messages]
    if 'assistant' not in roles and 'tool' not in roles:
        return slice(0, 0)
    if 'tool' not in roles:
        return slice(len(roles) - roles[::-1].index('assistant'), len(roles))
    end = len(messages) - roles[::-1].index('tool')
    start = end
    while start and roles[start - 1] == 'tool':
        start -= 1
    return slice(start, end)


def with_user_turn_instead(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The conversation up to its last tool turn, with a user turn in that place."""
    return [*messages[: last_tool_turn(messages).start], {'role': 'user', 'content': 'x'}]


def cut_tool_turn(prompt: str, other: str, *, after: str = '') -> str:
    """What a prompt holds of its last tool turn.

    Args:
        prompt: The prompt of a conversation that ends in a tool turn.
        other: The prompt of the same conversation `with_user_turn_instead`. What both begin and end with is the
            conversation before and the generation prompt; where the difference begins or ends inside a tag, such as
            `<|observation|>` and `<|user|>`, the tag is taken whole.
        after: Text that stands before the tool turn. Mistral's templates put the declared tools before the last user
            turn, wherever that is, so that the two prompts differ early.
    """
    start = len(os.path.commonprefix([prompt, other]))
    if opened := _OPEN_TAG.search(prompt[:start]):
        start = opened.start()
    rest, other_rest = prompt[start:], other[start:]
    shared = os.path.commonprefix([rest[::-1], other_rest[::-1]])[::-1]
    if closed := _CLOSE_TAG.search(shared):
        shared = shared[closed.end() :]
    cut = rest.removesuffix(shared)
    return (cut.rpartition(after)[2] if after else cut).strip('\n')
