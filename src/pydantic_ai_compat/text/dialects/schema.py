"""The type that the schema of a tool gives a value that a model wrote as bare text."""

from __future__ import annotations as _annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from .literals import read_json, read_literal

__all__ = ('Tools', 'item_schema', 'parameter_schema', 'said_types', 'tool_schemas', 'typed', 'types_of')

Tools = Mapping[str, Mapping[str, Any]]
"""The JSON schema of the parameters of each declared tool."""

_ORDER = ('null', 'integer', 'number', 'boolean', 'object', 'array', 'string')
_DEPTH = 8
"""How deep alternatives and references are looked into."""


def tool_schemas(tools: object) -> Tools:
    """The parameters of declared tools.

    Args:
        tools: Tools in the API's own form (`{'type': 'function', 'function': {'name': …, 'parameters': …}}`), a mapping
            of names to the JSON schemas of their parameters, or names alone.
    """
    if isinstance(tools, Mapping):
        return cast('Tools', tools)
    schemas: dict[str, Mapping[str, Any]] = {}
    for tool in cast('Sequence[Any]', tools):
        if isinstance(tool, str):
            schemas[tool] = {}
        else:
            function = cast('Mapping[str, Any]', tool).get('function', tool)
            schemas[function['name']] = cast('Mapping[str, Any]', function.get('parameters') or {})
    return schemas


def parameter_schema(schema: object, key: str) -> object:
    """The schema of one property of an object; `None` if it has none of that name.

    References and alternatives are looked into, and the definitions go along.
    """
    for node, definitions in _nodes(schema):
        properties = cast('object', node.get('properties'))
        if isinstance(properties, Mapping) and key in properties:
            return _with(definitions, cast('Mapping[str, object]', properties)[key])
    return _inner(schema, 'additionalProperties')


def item_schema(schema: object) -> object:
    """The schema of the items of a list; `None` if it says nothing of them."""
    return _inner(schema, 'items')


def _inner(schema: object, name: str) -> object:
    return next((_with(definitions, node[name]) for node, definitions in _nodes(schema) if name in node), None)


def _with(definitions: Mapping[str, object], schema: object) -> object:
    if definitions and isinstance(schema, Mapping):
        return {'$defs': definitions, **cast('Mapping[str, object]', schema)}
    return schema


def _nodes(
    schema: object, definitions: Mapping[str, object] = MappingProxyType({}), depth: int = 0
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, object]]]:
    """A schema, what its reference stands for, and its alternatives, each with the definitions that hold there."""
    if not isinstance(schema, Mapping) or depth > _DEPTH:
        return
    node = cast('Mapping[str, Any]', schema)
    own = node.get('$defs', node.get('definitions'))
    definitions = cast('Mapping[str, object]', own) if isinstance(own, Mapping) else definitions
    yield node, definitions
    if isinstance(reference := node.get('$ref'), str):
        yield from _nodes(definitions.get(reference.rpartition('/')[2]), definitions, depth + 1)
    for name in ('anyOf', 'oneOf', 'allOf'):
        if isinstance(options := node.get(name), list):
            for option in cast('list[object]', options):
                yield from _nodes(option, definitions, depth + 1)


def types_of(schema: object) -> frozenset[str]:
    """The JSON types that a schema allows; `string` alone where it says nothing that is known."""
    return said_types(schema) or frozenset({'string'})


def said_types(schema: object) -> frozenset[str]:
    """The JSON types that a schema allows; none where it says nothing that is known."""
    nodes = [node for node, _ in _nodes(schema)]
    if own := _own_types(nodes[0]) if nodes else frozenset[str]():
        return own
    if found := frozenset[str]().union(*map(_own_types, nodes)):
        return found
    return frozenset(type_ for key, type_ in _MEMBERS.items() if any(key in node for node in nodes))


_MEMBERS = {'properties': 'object', 'items': 'array'}
"""What a schema without a type is about, by what it says."""


def _own_types(node: Mapping[str, Any]) -> frozenset[str]:
    named = node.get('type')
    if isinstance(named, str):
        return frozenset({named})
    if isinstance(named, list):
        return frozenset(name for name in cast('list[object]', named) if isinstance(name, str))
    if isinstance(values := node.get('enum'), list):
        return frozenset(map(_type_of, cast('list[object]', values)))
    return frozenset({_type_of(node['const'])} if 'const' in node else ())


def _type_of(value: object) -> str:
    if value is None:
        return 'null'
    for type_, name in ((bool, 'boolean'), (int, 'integer'), (float, 'number'), (dict, 'object'), (list, 'array')):
        if isinstance(value, type_):
            return name
    return 'string'


def typed(text: str, types: frozenset[str]) -> Any:
    """The value that a text is under the types of its parameter; the text itself if it is none of them."""
    word = text.strip()
    for name in _ORDER:
        if name in types and name != 'string':
            try:
                return _AS[name](word)
            except (ValueError, OverflowError):
                continue
    return text


def _null(word: str) -> None:
    if word not in ('null', 'None'):
        raise ValueError


def _integer(word: str) -> int:
    return _checked(read_json(word), int)


def _number(word: str) -> float:
    return _checked(read_json(word), int, float)


def _boolean(word: str) -> bool:
    value = {'true': True, 'false': False}.get(word.lower())
    if value is None:
        raise ValueError
    return value


def _container(word: str, type_: type[object]) -> Any:
    try:
        value = read_json(word)
    except ValueError:
        value = read_literal(word)
    return _checked(value, type_)


def _checked(value: Any, *types: type[object]) -> Any:
    if isinstance(value, types) and not isinstance(value, bool):
        return value
    raise ValueError(f'{value!r} is of another type')


_AS: Mapping[str, Callable[[str], Any]] = {
    'null': _null,
    'integer': _integer,
    'number': _number,
    'boolean': _boolean,
    'object': lambda word: _container(word, dict),
    'array': lambda word: _container(word, list),
}
