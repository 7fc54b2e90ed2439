"""The JSON schema of one option: the values of its type, and the texts that the loader reads as such a value."""

from __future__ import annotations as _annotations

import collections.abc
import dataclasses
import datetime
import re
import types
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin

from typing_extensions import ReadOnly, is_typeddict

from ...options.conversion import unquoted_words
from ...options.schema_transformers import class_names

__all__ = ('JsonSchema', 'is_settable', 'option_schema')

JsonSchema = dict[str, Any]

_SEQUENCES = (list, set, frozenset, tuple, collections.abc.Sequence, collections.abc.Iterable)
_MAPPINGS = (dict, collections.abc.Mapping)
_WORDS: dict[bool, tuple[str, ...]] = {
    True: ('true', 'yes', 'on', '1', 'y', 't'),
    False: ('false', 'no', 'off', '0', 'n', 'f'),
}
_PLACEHOLDER: JsonSchema = {'type': 'string', 'pattern': r'\$\{', 'description': 'Text with ${VARIABLE} in it.'}
_REGEX_SPECIAL = re.compile(r'[.*+?^${}()|\[\]\\/]')


@dataclasses.dataclass(frozen=True)
class _Form:
    """What stands for a value: data of these schemas, or text that matches one of these patterns as a whole."""

    data: list[JsonSchema] = dataclasses.field(default_factory=list[JsonSchema])
    texts: list[str] = dataclasses.field(default_factory=list[str])


def option_schema(annotation: Any) -> JsonSchema:
    """The schema of what the loader takes for an option of this type, derived from the annotation as its reader is."""
    form = _form(annotation)
    if {} in form.data:
        return {}
    schemas = list(form.data)
    if form.texts and not _takes_any_text(form):
        schemas += [{'type': 'string', 'pattern': rf'^\s*(?:{"|".join(form.texts)})\s*$'}, _PLACEHOLDER]
    return schemas[0] if len(schemas) == 1 else {'anyOf': schemas}


def is_settable(annotation: Any) -> bool:
    """Whether YAML can give a value of this type; a class, or an object of one, it cannot."""
    return bool(_form(annotation).data)


def _form(annotation: Any) -> _Form:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in (Annotated, Required, NotRequired, ReadOnly):
        return _form(args[0])
    if origin is Literal:
        return _literal_form(args)
    if origin in (Union, types.UnionType):
        return _union_form(args)
    if origin in _SEQUENCES:
        return _sequence_form(args)
    if origin in _MAPPINGS or is_typeddict(annotation):
        # What stands in a `TypedDict` is left to the library whose it is, as the loader does.
        values = option_schema(args[1]) if args else {}
        return _Form([{'type': 'object', 'additionalProperties': values}], [r'\{[\s\S]*'])
    if annotation is bool:
        # An empty text is what an unset `${FLAG:-}` leaves behind, and no flag is what it says.
        return _Form([{'type': 'boolean'}, {'enum': [0, 1]}], [*_literal_form((True, False)).texts, ''])
    if names := class_names(annotation):
        return _Form([{'enum': list(names)}], list(map(_escaped, names)))
    if dataclasses.is_dataclass(annotation):
        return _Form([{'type': 'object'}])
    return _PLAIN.get(annotation, _Form())


_PLAIN: dict[Any, _Form] = {
    Any: _Form([{}]),
    object: _Form([{}]),
    str: _Form([{'type': 'string'}]),
    int: _Form([{'type': 'integer'}], [r'[+-]?\d+(?:\.0*)?']),
    float: _Form([{'type': 'number'}], [r'[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?']),
    type(None): _Form([{'type': 'null'}], ['[nN][uU][lL][lL]']),
    # Without arguments they are read as they are, not from text.
    **dict.fromkeys(_SEQUENCES, _Form([{'type': 'array'}])),
    **dict.fromkeys(_MAPPINGS, _Form([{'type': 'object'}])),
    # Seconds, or `P1DT2H` and `2:00:00` as pydantic reads them.
    datetime.timedelta: _Form(
        [{'type': 'number'}],
        [r'[+-]?P[\dYMWDTHS.,]+', r'[+-]?\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?'],
    ),
}


def _literal_form(members: tuple[object, ...]) -> _Form:
    data = [*members, *unquoted_words(members)]
    texts: list[str] = []
    for member in members:
        if isinstance(member, bool):
            data.append(int(member))
            texts += map(_any_case, _WORDS[member])
        else:
            word = 'null' if member is None else str(member)
            texts.append(_any_case(word) if word.islower() else _escaped(word))
    return _Form([{'enum': data}], texts)


def _union_form(members: tuple[Any, ...]) -> _Form:
    forms = [_form(member) for member in members]
    return _Form([data for form in forms for data in form.data], [text for form in forms for text in form.texts])


def _sequence_form(args: tuple[Any, ...]) -> _Form:
    items = [_form(arg) for arg in args if arg is not Ellipsis]
    if not all(item.data for item in items):
        return _Form()
    patterns = [_item_text(item) for item in items]
    if len(items) == 1:
        array: JsonSchema = {'type': 'array', 'items': option_schema(args[0])}
        texts = [rf'(?:{text})?(?:\s*,\s*(?:{text})?)*' for text in patterns]
    else:
        array = {'type': 'array', 'items': list(map(option_schema, args)), 'minItems': len(args), 'maxItems': len(args)}
        texts = [r'\s*(?:,\s*)+'.join(f'(?:{text})' for text in patterns)] if all(patterns) else []
    return _Form([array], [r'\[[\s\S]*', *texts])


def _item_text(item: _Form) -> str:
    """A pattern for one item of a list that is written as text with commas; empty if no text stands for an item."""
    return r'[^,\[\s](?:[^,]*[^,\s])?' if _takes_any_text(item) else '|'.join(item.texts)


def _takes_any_text(form: _Form) -> bool:
    return {} in form.data or {'type': 'string'} in form.data


def _any_case(word: str) -> str:
    return ''.join(f'[{letter}{letter.upper()}]' if letter.isalpha() else _escaped(letter) for letter in word)


def _escaped(text: str) -> str:
    return _REGEX_SPECIAL.sub(r'\\\g<0>', text)
