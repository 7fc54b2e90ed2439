"""Tool calls and results as readable text, for hosts without a tool role."""

from __future__ import annotations as _annotations

from typing import Any, cast

from .draft import Draft, Entry
from .wire import has_parts

__all__ = ('write_as_text',)


def write_as_text(draft: Draft) -> None:
    """Write each call into the text of its turn, and each result as a user message that names the call."""
    names: dict[str, str] = {}
    written: list[Entry] = []
    for index, message in draft.entries:
        if message['role'] == 'assistant' and message.get('tool_calls'):
            message = _turn_as_text(message, names)
            draft.note('H27', index, 'the calls became text')
        elif message['role'] == 'tool':
            message = _result_as_text(message, names)
            draft.note('H27', index, 'the result became a user message')
        written.append(Entry(index, message))
    draft.entries = written


def _turn_as_text(message: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    lines: list[str] = []
    names.clear()
    for call in cast('list[dict[str, Any]]', message['tool_calls']):
        function = cast('dict[str, Any]', call.get('function') or call.get('custom') or {})
        name = str(function.get('name', 'custom'))
        names[call['id']] = name
        arguments = function.get('arguments', function.get('input', ''))
        lines.append(f'Tool call {call["id"]}: {name}({arguments})')
    content = message.get('content')
    text = '\n'.join(lines)
    rest = {key: value for key, value in message.items() if key != 'tool_calls'}
    if content and has_parts(content):
        return {**rest, 'content': [*content, {'type': 'text', 'text': text}]}
    return {**rest, 'content': f'{content}\n\n{text}' if content else text}


def _result_as_text(message: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    call_id = cast(str, message['tool_call_id'])
    head = f'Result of tool call {call_id}, {names[call_id]}:'
    content = message['content']
    if has_parts(content):
        return {'role': 'user', 'content': [{'type': 'text', 'text': head}, *content]}
    return {'role': 'user', 'content': f'{head}\n{content}'}
