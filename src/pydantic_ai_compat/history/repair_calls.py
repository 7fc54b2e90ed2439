"""The calls of one assistant message, mended on their own."""

from __future__ import annotations as _annotations

import json
from typing import Any, cast

from .draft import Draft
from .wire import json_object, named_function

__all__ = ('UNNAMED_TOOL', 'mend_calls')

UNNAMED_TOOL = 'unnamed_tool'
"""The name that a call without one gets."""


def mend_calls(draft: Draft, index: int, message: dict[str, Any]) -> dict[str, Any]:
    """The assistant message with calls that the host can read; broken arguments become `{}`."""
    calls = message.get('tool_calls')
    if calls is None and 'tool_calls' not in message:
        return message
    if not isinstance(calls, list) or not calls:
        return _without_calls(draft, index, message)
    given = cast('list[Any]', calls)
    readable: list[Any] = [call for call in given if isinstance(call, dict) or 'H09' not in draft.rules]
    if len(readable) < len(given):
        draft.note('H09', index, 'elements of `tool_calls` that are no objects are left out')
    if not readable:
        return {key: value for key, value in message.items() if key != 'tool_calls'}
    mended = [_mend_call(draft, index, place, call) for place, call in enumerate(readable)]
    if len(mended) == len(given) and all(new is old for new, old in zip(mended, given, strict=True)):
        return message
    return {**message, 'tool_calls': mended}


def _without_calls(draft: Draft, index: int, message: dict[str, Any]) -> dict[str, Any]:
    if 'H09' not in draft.rules or message['tool_calls'] is None:
        return message
    draft.note('H09', index, '`tool_calls` without a call is left out')
    return {key: value for key, value in message.items() if key != 'tool_calls'}


def _mend_call(draft: Draft, index: int, place: int, call: Any) -> dict[str, Any]:
    function = named_function(call)
    if function is None and 'H09' not in draft.rules:
        return call
    call_id = call.get('id')
    noted_id = call_id if isinstance(call_id, str) else None
    if function is None:
        function = _named(call.get('function'))
        call = {**call, 'type': 'function', 'function': function}
        draft.note('H09', index, f'a call got its type and the name {function["name"]!r}', noted_id)
    if not function:
        return call
    name = cast(str, function['name'])
    if 'H10' in draft.rules and not draft.names.fits(name):
        function = {**function, 'name': draft.names.wire(name)}
        draft.note('H10', index, f'the function name {name[:80]!r} became {function["name"]!r}', noted_id)
    arguments = function.get('arguments')
    if 'H08' in draft.rules and (arguments is None or json_object(arguments) != arguments):
        function = {**function, 'arguments': _mend_arguments(draft, index, place, noted_id, arguments)}
    return call if function is call['function'] else {**call, 'function': function}


def _named(function: object) -> dict[str, Any]:
    known = cast('dict[str, Any]', function) if isinstance(function, dict) else {}
    name = known.get('name')
    return {'arguments': '{}', **known, 'name': name if isinstance(name, str) and name else UNNAMED_TOOL}


def _mend_arguments(draft: Draft, index: int, place: int, call_id: str | None, arguments: object) -> str:
    """The arguments as one JSON object if they are one in another form, else `{}`."""
    read = _read(arguments)
    # Some models write the object into a JSON string.
    text = json_object(arguments) or _written(_read(read) if isinstance(read, str) else read)
    if text is not None:
        draft.note('H08', index, 'the arguments became one JSON object, as a string', call_id)
        return text
    if arguments:
        draft.unreadable.add((index, place))
    draft.note('H08', index, 'arguments that are not one JSON object became {}', call_id)
    return '{}'


def _read(arguments: object) -> object:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return None


def _written(arguments: object) -> str | None:
    if not isinstance(arguments, dict):
        return None
    try:
        text = json.dumps(cast('dict[str, Any]', arguments), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return None
    # Half of a surrogate pair, as a cut emoji leaves it, cannot be sent.
    text = text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')
    return json_object(text)
