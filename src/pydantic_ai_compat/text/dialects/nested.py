"""Values made of nested elements: objects by the names of tags, lists of `<item>`."""

from __future__ import annotations as _annotations

import re
from typing import Any, cast

from .literals import as_json, read_json
from .schema import item_schema, parameter_schema, said_types, typed

__all__ = ('read_nested', 'write_nested')

_ITEM = 'item'
_TAG = re.compile(r'[A-Za-z_][\w.-]*')


def read_nested(text: str, schema: object, mark: str) -> Any:
    """The value of a text that may hold elements.

    Args:
        text: The text between the tags of the parameter.
        schema: The schema of the value.
        mark: What stands before each tag.
    """
    types = said_types(schema)
    if not text.lstrip().startswith(f'{mark}<'):
        return typed(text, types) if types else _unsaid(text)
    types = types or frozenset({'object', 'array'})
    if not types & {'object', 'array'}:
        return typed(text, types)
    elements = _elements(text, mark)
    if 'array' in types and all(name == _ITEM for name, _ in elements):
        return [read_nested(inner, item_schema(schema), mark) for _, inner in elements]
    return {name: read_nested(inner, parameter_schema(schema, name), mark) for name, inner in elements}


def _elements(text: str, mark: str) -> list[tuple[str, str]]:
    """The elements that stand side by side in a text; the tags within one are counted, so it ends at its own."""
    tag = re.compile(rf'{re.escape(mark)}<(/?)([^<>]*)>')
    found: list[tuple[str, str]] = []
    depth, name, start = 0, '', 0
    for one in tag.finditer(text):
        if depth == 0 and not one[1]:
            name, start, depth = one[2], one.end(), 1
        elif depth and one[2] == name:
            depth += -1 if one[1] else 1
            if depth == 0:
                found.append((name, text[start : one.start()]))
    return found


def _unsaid(text: str) -> Any:
    """The value of a text about which the schema says nothing."""
    try:
        return read_json(text)
    except ValueError:
        return text


def write_nested(value: object, mark: str, key: str = '') -> str:
    """A value as the text of elements, or as JSON where elements would not be read as the same value.

    Args:
        value: The value.
        mark: What stands before each tag.
        key: The tag around it, which ends at the first of its closing tags.
    """
    if isinstance(value, dict | list) and not _fits_elements(cast('object', value), mark, key):
        return as_json(cast('object', value))
    if isinstance(value, dict):
        items = cast('dict[str, object]', value).items()
    elif isinstance(value, list):
        items = [(_ITEM, item) for item in cast('list[object]', value)]
    else:
        return value if isinstance(value, str) else as_json(value)
    return ''.join(f'{mark}<{key}>{write_nested(item, mark)}{mark}</{key}>' for key, item in items)


def _fits_elements(value: object, mark: str, outer: str) -> bool:
    if isinstance(value, dict):
        pairs = cast('dict[str, object]', value)
        names = all(_TAG.fullmatch(key) and key not in (_ITEM, outer) for key in pairs)
        return bool(pairs) and names and all(_fits_elements(item, mark, outer) for item in pairs.values())
    if isinstance(value, list):
        items = cast('list[object]', value)
        return bool(items) and all(_fits_elements(item, mark, outer) for item in items)
    return not isinstance(value, str) or (mark not in value and _unsaid(value) is value)
