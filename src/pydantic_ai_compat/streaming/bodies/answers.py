"""Which JSON object is an answer, where in it the answer lies, and which one says that there is none."""

from __future__ import annotations as _annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from ...errors import StreamError
from .words import TOLD_IN, says_nothing, words_in

__all__ = ('as_chunk', 'find_answer', 'no_answer_error')

_LEVELS = 3
"""How deep in envelopes an answer is looked for."""

_SUCCESS = frozenset({'', '0', '200', 'ok', 'success', 'succeeded', 'none', 'null'})
"""What stands in a `code` or `status` where nothing went wrong."""

_STATES = ('code', 'status', 'status_code', 'statusCode', 'errcode', 'error_code')


def find_answer(value: dict[str, Any]) -> dict[str, Any]:
    """The completion, chunk or error in an object that a server sent.

    Args:
        value: The decoded object; it is not changed.

    Returns:
        The object itself if its `choices` hold something. The object inside an envelope such as
        `{"data": {…}, "success": true}` (<https://github.com/NousResearch/hermes-agent/issues/66750>). `{'error': …}`
        for an object without an answer but with a server's words, whichever field they are in: MiniMax's
        `base_resp.status_msg`, `msg` of Z.AI and others, DashScope's `code` and `message`, FastAPI's `detail`,
        `errors`. Any other object as it came.
    """
    if value.get('choices'):
        return _without_void_error(value)
    if value.get('error'):
        return value
    for inner, outer in _enveloped(value, _LEVELS):
        if inner.get('choices'):
            return _without_void_error({'usage': outer['usage'], **inner} if 'usage' in outer else inner)
    for inner, _ in _enveloped(value, _LEVELS):
        if (error := inner.get('error')) and not says_nothing(error):
            return {'error': error}
    error = _error_elsewhere(value)
    return value if error is None else {'error': error}


def as_chunk(answer: dict[str, Any]) -> dict[str, Any]:
    """A completion as the one chunk of a stream; a chunk as it is.

    <https://github.com/NousResearch/hermes-agent/issues/34246>
    """
    choices: object = answer.get('choices')
    if not isinstance(choices, list) or not any(map(_is_whole, cast('list[object]', choices))):
        return answer
    return {
        **answer,
        'object': 'chat.completion.chunk',
        'choices': [_as_delta(choice) for choice in cast('list[object]', choices)],
    }


def no_answer_error(value: dict[str, Any]) -> StreamError:
    """The error for an object that is no answer, with the keys that came."""
    keys = ', '.join(map(repr, list(value)[:20]))
    return StreamError(f'The server answered with a JSON object that holds no answer; its keys are: {keys or "none"}.')


def _is_whole(choice: object) -> bool:
    """Whether a choice is that of a completion, and has a whole message where a chunk has a delta."""
    return isinstance(choice, dict) and (
        isinstance((fields := cast('dict[str, Any]', choice)).get('message'), dict) and not fields.get('delta')
    )


def _as_delta(choice: object) -> object:
    if not isinstance(choice, dict):
        return choice
    fields = cast('dict[str, Any]', choice)
    delta = dict(cast('dict[str, Any]', fields['message'])) if _is_whole(fields) else fields.get('delta') or {}
    calls = cast('dict[str, Any]', delta).get('tool_calls')
    if isinstance(calls, list):
        numbered = enumerate(cast('list[object]', calls))
        delta['tool_calls'] = [{'index': n, **call} if isinstance(call, dict) else call for n, call in numbered]
    return {**{name: field for name, field in fields.items() if name != 'message'}, 'delta': delta}


def _without_void_error(value: dict[str, Any]) -> dict[str, Any]:
    """An answer without an `error` that says that there is none, such as `{"code": 0}`."""
    if (error := value.get('error')) and says_nothing(error):
        return {name: field for name, field in value.items() if name != 'error'}
    choices = cast('object', value['choices'])
    choice = cast('list[object]', choices)[0] if isinstance(choices, list) else None
    if not error and isinstance(choice, dict) and (inner := cast('dict[str, Any]', choice).get('error')):
        # OpenRouter says so of an upstream that failed. https://openrouter.ai/docs/api-reference/overview
        return value if says_nothing(inner) else {'error': inner}
    return value


def _enveloped(value: Mapping[str, Any], levels: int) -> Iterator[tuple[dict[str, Any], Mapping[str, Any]]]:
    """The objects in the fields of an object, nearest first, each with the one around it."""
    level = [value]
    for _ in range(levels):
        inner = [(field, outer) for outer in level for item in outer.values() if (field := _object(item)) is not None]
        yield from inner
        level = [field for field, _ in inner]


def _object(item: object) -> dict[str, Any] | None:
    # A gateway of functions has the body as text: https://docs.aws.amazon.com/apigateway/latest/developerguide/
    if isinstance(item, str) and item.startswith('{') and ('"choices"' in item or '"error"' in item):
        try:
            item = cast(object, json.loads(item))
        except (ValueError, RecursionError):
            return None
    return cast('dict[str, Any]', item) if isinstance(item, dict) else None


def _error_elsewhere(value: Mapping[str, Any]) -> object:
    """What an object without an answer and without `error` says went wrong."""
    base = value.get('base_resp')
    if isinstance(base, dict) and (status := cast('dict[str, Any]', base).get('status_code')):
        return {'code': status, 'message': cast('dict[str, Any]', base).get('status_msg') or f'status code {status}'}
    if value.get('success') is False or (any(words_in(value.get(name)) for name in TOLD_IN) and not _succeeded(value)):
        return value
    return None


def _succeeded(value: Mapping[str, Any]) -> bool:
    """Whether an object says of itself that nothing went wrong."""
    if value.get('success') is True:
        return True
    states = [value[name] for name in _STATES if name in value]
    return bool(states) and all(str(state).strip().lower() in _SUCCESS for state in states)
