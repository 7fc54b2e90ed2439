"""Short spellings of wire messages."""

from __future__ import annotations as _annotations

from typing import Any

__all__ = ('assistant', 'call', 'calls', 'result', 'system', 'user')

Message = dict[str, Any]


def system(text: str = 'S') -> Message:
    return {'role': 'system', 'content': text}


def user(content: Any = 'q') -> Message:
    return {'role': 'user', 'content': content}


def assistant(content: Any = 'a', **more: Any) -> Message:
    return {'role': 'assistant', 'content': content, **more}


def call(call_id: Any = 'c1', arguments: Any = '{"a":1}', name: Any = 't') -> Message:
    return {'id': call_id, 'type': 'function', 'function': {'name': name, 'arguments': arguments}}


def calls(*ids_or_calls: Any, content: Any = None, **more: Any) -> Message:
    made: list[Any] = [one if isinstance(one, dict) else call(one) for one in ids_or_calls]
    return {'role': 'assistant', 'content': content, 'tool_calls': made, **more}


def result(call_id: Any = 'c1', content: Any = 'r', **more: Any) -> Message:
    return {'role': 'tool', 'tool_call_id': call_id, 'content': content, **more}
