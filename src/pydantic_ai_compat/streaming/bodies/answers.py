"""Which JSON object is an answer, where in it the answer lies, and which one says that there is none."""

from __future__ import annotations as _annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic import BaseModel

from ...lazy import errors
from ..fields import fields_of, holds_nothing
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
        The object itself if its `choices` hold something. The completion or chunk inside an envelope such as
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
        if 'choices' in inner and not holds_nothing(inner.get('usage')):
            return inner  # the last chunk of a stream, which has the usage alone
        if (error := inner.get('error')) and not says_nothing(error):
            return {'error': error}
    error = _error_elsewhere(value)
    return value if error is None else {'error': error}


def as_chunk(answer: dict[str, Any]) -> dict[str, Any]:
    """A completion as the one chunk of a stream; a chunk as it is.

    <https://github.com/NousResearch/hermes-agent/issues/34246>

    Args:
        answer: Its fields; what is in them may be decoded JSON or objects of the SDK.

    Returns:
        The same object for a chunk. Otherwise another one, in which the choices, their deltas and calls are objects of
        JSON, and the rest is what it was.
    """
    choices: object = answer.get('choices')
    if not isinstance(choices, list):
        return answer
    read = [(choice, fields_of(choice)) for choice in cast('list[object]', choices)]
    if not any(_is_whole(fields) for _, fields in read):
        return answer
    converted = [choice if fields is None else _as_delta(fields) for choice, fields in read]
    return {**answer, 'object': 'chat.completion.chunk', 'choices': converted}


def no_answer_error(value: dict[str, Any]) -> errors.StreamError:
    """The error for an object that is no answer, with the keys that came."""
    keys = ', '.join(map(repr, list(value)[:20]))
    return errors.StreamError(
        f'The server answered with a JSON object that holds no answer; its keys are: {keys or "none"}.'
    )


def _is_whole(choice: Mapping[str, Any] | None) -> bool:
    """Whether a choice is that of a completion, and has a whole message where a chunk has a delta.

    One that the SDK has read as a message is one, whatever lies beside it.
    """
    message = None if choice is None else choice.get('message')
    if choice is None or fields_of(message) is None:
        return False
    return isinstance(message, BaseModel) or holds_nothing(choice.get('delta'))


def _as_delta(choice: dict[str, Any]) -> dict[str, Any]:
    delta: dict[str, Any] = dict((fields_of(choice['message']) if _is_whole(choice) else choice.get('delta')) or {})
    if isinstance(calls := delta.get('tool_calls'), list):
        ids = set[str]()
        delta['tool_calls'] = [_as_call(call, n, ids) for n, call in enumerate(cast('list[object]', calls))]
    return {**{name: field for name, field in choice.items() if name != 'message'}, 'delta': delta}


def _as_call(call: object, index: int, ids: set[str]) -> object:
    """An entry of a whole message: a call of its own, so an id that comes again belongs to another one."""
    if (fields := fields_of(call)) is None:
        return call
    id = str(fields.get('id') or '')
    freed = {'id': None} if id in ids else {}
    ids.add(id)
    return {**fields, 'index': index, **freed}


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
