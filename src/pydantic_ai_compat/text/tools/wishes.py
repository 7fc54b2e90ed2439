"""A choice of tool as a sentence."""

from __future__ import annotations as _annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

__all__ = ('ToolChoice', 'wish')

ToolChoice: TypeAlias = str | Mapping[str, Any] | None
"""`tool_choice` as in the body of a request: `'auto'`, `'none'`, `'required'`, or an object that names tools."""


def wish(choice: ToolChoice, *, one_call: bool = False) -> str:
    """What is to be said at the end of the last user turn; `''` for nothing.

    Args:
        choice: The choice of tool.
        one_call: Whether an answer may hold one call at most, as with `parallel_tool_calls=False`.
    """
    sentences = [_choice_sentence(choice), 'Write one call at most.' if one_call else '']
    return ' '.join(filter(None, sentences))


def _choice_sentence(choice: ToolChoice) -> str:
    match choice:
        case 'required':
            return 'Answer with a call of a tool now.'
        case {'type': 'function', 'function': {'name': name}}:
            return f'Call the tool {name} now.'
        case {'type': 'allowed_tools', 'allowed_tools': {'mode': mode, 'tools': tools}}:
            names = ', '.join(tool['function']['name'] for tool in tools)
            if mode == 'required':
                return f'Answer with a call of one of these tools now: {names}.'
            return f'Of the tools, call none but these now: {names}.'
        case _:
            return ''
