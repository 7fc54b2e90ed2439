"""Calls and their results, written as a dialect's own model writes them."""

from __future__ import annotations as _annotations

import json
from collections.abc import Iterable
from typing import Any, cast

from .frame import ResultFrame
from .literals import as_json, read_json
from .nested import write_nested
from .registry import find
from .table import Dialect, TextCall

__all__ = ('write_calls', 'write_result')


def write_calls(calls: Iterable[TextCall], dialect: str | Dialect) -> str:
    """Write tool calls as text.

    Args:
        calls: The calls; `TextCall('get_weather', '{"city": "Oslo"}')` is one. Arguments that are no JSON object are
            written as they are where the dialect holds JSON, else as one argument called `arguments`.
        dialect: The name of the dialect, or its table.

    Returns:
        The text, without white space around it; an empty one for no calls.

    Raises:
        OptionError: There is no dialect of that name.
    """
    table = find(dialect) if isinstance(dialect, str) else dialect
    written = [_WRITERS[table.family](call, table, number) for number, call in enumerate(calls)]
    if not written:
        return ''
    opening, closing = ''.join(table.open), ''.join(table.close)
    if table.family in ('json', 'python'):
        if table.several == 'marks':
            return table.between.join(f'{opening}{call}{closing}' for call in written)
        if table.several == 'array':
            return f'{opening}{_array(written, table)}{closing}'
        return f'{opening}{table.between.join(written)}{closing}'
    written = [f'{opening}{call}{closing}' for call in written]
    if table.section is None:
        return table.between.join(written)
    before, after = map(''.join, table.section)
    if table.section_per_call:
        return table.between.join(f'{before}{call}{after}' for call in written)
    return f'{before}{table.between.join(written)}{after}'


def write_result(result: str, dialect: str | Dialect, *, name: str = '', id: str = '') -> str:
    """Write the result of a call as text, for the message after the calls.

    Args:
        result: What the tool returned, as text.
        dialect: The name of the dialect, or its table.
        name: The name of the tool.
        id: The id of the call.

    Raises:
        OptionError: There is no dialect of that name.
    """
    table = find(dialect) if isinstance(dialect, str) else dialect
    frame = ResultFrame.of(table)
    (first, last), (before, after) = frame.section, frame.around(name, id)
    return f'{first}{before}{result}{after}{last}'


def _array(written: list[str], table: Dialect) -> str:
    if table.item_lines:
        return '[\n    ' + ',\n    '.join(written) + '\n]'
    if table.indent is None:
        return f'[{", ".join(written)}]'
    margin = ' ' * table.indent
    lines = ',\n'.join(written)
    return '[\n' + '\n'.join(margin + line for line in lines.split('\n')) + '\n]'


def _arguments(call: TextCall) -> dict[str, Any]:
    try:
        value = read_json(call.arguments or '{}')
    except ValueError:
        value = None
    return cast('dict[str, Any]', value) if isinstance(value, dict) else {'arguments': call.arguments}


def _json(call: TextCall, table: Dialect, number: int) -> str:
    arguments = _arguments(call)
    if table.single_key:
        return as_json({call.name: arguments})
    fields: dict[str, Any] = {table.name_key: call.name, table.arguments_key: arguments}
    if table.id_key == 'tool_call_id':
        fields = {table.id_key: call.id or str(number), **fields}
    elif table.id_key and call.id:
        fields[table.id_key] = call.id
    return json.dumps(fields, ensure_ascii=False, indent=table.indent)


def _named(call: TextCall, table: Dialect, number: int) -> str:
    name = f'{table.name_prefix}{call.name}'
    if table.name_is_id:
        name = call.id if call.id and call.id.startswith(f'{name}:') else f'{name}:{number}'
    id = call.id or f'call{number:05}'
    before = f'{id}{table.id_end}' if table.id_end else ''
    behind = f'{table.id_open}{id}' if table.id_open else ''
    payload = _marked(_arguments(call), table.string_mark) if table.string_mark else as_json(_arguments(call))
    return f'{before}{name}{behind}{"".join(table.name_end)}{payload}'


def _marked(value: object, mark: str) -> str:
    if isinstance(value, dict):
        pairs = cast('dict[str, object]', value)
        return '{' + ','.join(f'{key}:{_marked(item, mark)}' for key, item in pairs.items()) + '}'
    if isinstance(value, list):
        return f'[{",".join(_marked(item, mark) for item in cast("list[object]", value))}]'
    return f'{mark}{value}{mark}' if isinstance(value, str) else as_json(value)


def _tagged(call: TextCall, table: Dialect, number: int) -> str:
    quote = table.quote
    count = f' {table.number_attribute}="{number + 1}"' if table.number_attribute else ''
    written = f'{quote}{call.name}{quote}{count}{"".join(table.name_end)}'
    for key, value in _arguments(call).items():
        said = ''
        if table.attribute == 'string':
            said = f' string="{str(isinstance(value, str)).lower()}"'
        elif table.attribute == 'type':
            said = f' type="{_type(value)}"'
        text = (
            write_nested(value, table.nested, key)
            if table.nested
            else value
            if isinstance(value, str)
            else as_json(value)
        )
        if table.trims and text.startswith('\n') and not table.key_end[-1].endswith('\n'):
            text = f'\n{text}\n'
        written += (
            f'{table.parameter_between}{table.parameter_open[0]}{quote if not table.nested else ""}{key}'
            f'{quote if not table.nested else ""}{said}{"".join(table.key_end)}{text}'
            + ''.join(table.parameter_close).replace('{key}', key)
        )
    return written + table.parameter_between


def _type(value: object) -> str:
    if value is None:
        return 'null'
    for type_, name in ((bool, 'boolean'), (int | float, 'number'), (str, 'string'), (list, 'array')):
        if isinstance(value, type_):
            return name
    return 'object'


def _python(call: TextCall, table: Dialect, number: int) -> str:
    return f'{call.name}({", ".join(f"{key}={_repr(value)}" for key, value in _arguments(call).items())})'


def _repr(value: object) -> str:
    if isinstance(value, dict):
        return (
            '{'
            + ', '.join(f'{as_json(key)}: {_repr(item)}' for key, item in cast('dict[str, object]', value).items())
            + '}'
        )
    if isinstance(value, list):
        return f'[{", ".join(map(_repr, cast("list[object]", value)))}]'
    return as_json(value) if isinstance(value, str) else repr(value)


_WRITERS = {'json': _json, 'named': _named, 'tagged': _tagged, 'python': _python}
