"""Text from YAML, or from a caller that knows only strings, to the type that an annotation asks for.

The rules are derived from the annotation with pydantic, so a key that pydantic-ai adds to a profile or to the model
settings later is converted without a change here.
"""

from __future__ import annotations as _annotations

import collections.abc
import difflib
import importlib.util
import types
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    PydanticUserError,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import PydanticCustomError
from typing_extensions import ReadOnly, get_type_hints, is_typeddict

from ..errors import OptionError, UnknownOptionError, cut, shown
from .bounds import check_bounds
from .secrets import SECRET_OPTIONS
from .variables import ExpandedText, read_json_text

__all__ = (
    'convert',
    'convert_known',
    'describe',
    'key_annotations',
    'nearest_name',
    'unquoted_words',
)

_SEQUENCES = (list, set, frozenset, tuple, collections.abc.Sequence, collections.abc.Iterable)
_MAPPINGS = (dict, collections.abc.Mapping)


@cache
def key_annotations(typed_dict: type) -> Mapping[str, Any]:
    """The keys of a `TypedDict` with their resolved annotations, inherited ones included."""
    return types.MappingProxyType(get_type_hints(typed_dict))


def convert(option: str, value: object, annotation: Any) -> Any:
    """Convert one option's value to the type that `annotation` asks for.

    Args:
        option: The option's name, for the message.
        value: Text, or a value that already has a type, such as a YAML boolean, number, list or map.
        annotation: The resolved annotation. Booleans take `true/false/1/0/yes/no/on/off/y/n/t/f` in any case, and an
            empty text as false; `X | None` takes `null`; sequences and sets take `a, b` or JSON; mappings take JSON.

    Raises:
        OptionError: If the value does not fit; it names the option, the value and what is allowed.
    """
    check_bounds(option, value)
    try:
        converted = _adapter(annotation).validate_python(value)
    except ValidationError:
        given = '' if option in SECRET_OPTIONS else f'={shown(value)}'
        raise OptionError(f'`{option}`{given} does not fit: allowed is {describe(annotation)}.') from None
    if isinstance(value, str) and not isinstance(converted, str):
        check_bounds(option, converted)
    return converted


def convert_known(values: Mapping[str, object], typed_dict: type) -> dict[str, Any]:
    """Convert each value of a profile or of model settings by the annotation of its key.

    A key of another provider, such as `anthropic_thinking`, comes through untouched: pydantic-ai prefixes keys with
    the provider's name so that one dict can be merged for several models.

    Raises:
        OptionError: If a value does not fit.
        UnknownOptionError: If a key belongs to nobody; it names the nearest known one.
    """
    annotations = key_annotations(typed_dict)
    converted: dict[str, Any] = {}
    for key, value in values.items():
        if not isinstance(key, str):  # pyright: ignore[reportUnnecessaryIsInstance] - YAML has keys of any type
            raise UnknownOptionError(f'unknown option {shown(key)}: the name of an option is text.')
        if key in annotations:
            converted[key] = convert(key, value, annotations[key])
        elif _is_foreign(key):
            check_bounds(key, value)
            converted[key] = value
        else:
            raise UnknownOptionError(f'unknown option {shown(key)}{nearest_name(key, annotations)}')
    return converted


@cache
def _is_foreign(key: str) -> bool:
    """Whether a key carries the prefix of a provider other than OpenAI that pydantic-ai has a model or profile for."""
    prefix, separator, _ = key.partition('_')
    return (
        bool(separator)
        and prefix.isidentifier()
        and prefix != 'openai'
        and any(importlib.util.find_spec(f'pydantic_ai.{package}.{prefix}') for package in ('models', 'profiles'))
    )


_WIRE_NAMES = {
    'stop': 'stop_sequences',
    'max_completion_tokens': 'max_tokens',
    'reasoning_effort': 'openai_reasoning_effort',
    'user': 'openai_user',
    'logprobs': 'openai_logprobs',
    'top_logprobs': 'openai_top_logprobs',
    'store': 'openai_store',
    'prediction': 'openai_prediction',
}
"""Settings by their names in a request, where pydantic-ai has another."""


def nearest_name(name: str, known: Iterable[str]) -> str:
    """`, did you mean 'x'?` for the nearest of the `known` names, or an empty string if none is near."""
    names = list(known)
    meant = _WIRE_NAMES.get(name)
    # Cut, as the cost of a comparison grows with the product of the lengths.
    matches = [meant] if meant in names else difflib.get_close_matches(cut(name), map(cut, names), n=1, cutoff=0.4)
    return f', did you mean {matches[0]!r}?' if matches else ''


def describe(annotation: Any) -> str:
    """What an annotation allows, in words for an error message."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ', '.join(_literal_text(member) for member in args)
    if origin in (Union, types.UnionType):
        return ' or '.join(describe(arg) for arg in args)
    if origin in _SEQUENCES:
        items = [arg for arg in args if arg is not Ellipsis]
        return f'a list of {describe(items[0])}' if items else 'a list'
    if annotation in _SEQUENCES:
        return 'a list'
    if origin in _MAPPINGS and args[1:] not in ((object,), (Any,)):
        return f'a map of names to {describe(args[1])}'
    if origin in _MAPPINGS or annotation in _MAPPINGS or is_typeddict(annotation):
        return 'a map'
    if origin is type:
        from .schema_transformers import class_names  # with pydantic-ai's profiles that hold them

        names = ', '.join(map(repr, class_names(annotation)))
        return f'{names} or a class' if names else 'a class, which only Python code can give (`profile=`)'
    return _PLAIN_WORDS.get(annotation) or getattr(annotation, '__name__', str(annotation))


_PLAIN_WORDS: dict[Any, str] = {
    bool: 'true or false',
    int: 'a whole number',
    float: 'a number',
    str: 'text',
    type(None): 'null',
    object: 'any value',
    Any: 'any value',
}


def _literal_text(member: object) -> str:
    if member is None:
        return 'null'
    return str(member).lower() if isinstance(member, bool) else repr(member)


@cache
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    readable = _readable_from_text(annotation)
    try:
        # JSON carries neither `nan` nor `inf`, and no request or time limit has them.
        return TypeAdapter(readable, config=ConfigDict(arbitrary_types_allowed=True, allow_inf_nan=False))
    except PydanticUserError as error:
        # A dataclass or model has a configuration of its own.
        if error.code != 'type-adapter-config-unused':  # pragma: no cover - only for a type pydantic cannot describe
            raise
        return TypeAdapter(readable)


def _readable_from_text(annotation: Any) -> Any:
    """The annotation with a step before each type that reads text."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in (Annotated, Required, NotRequired, ReadOnly):
        return _readable_from_text(args[0])
    if origin is Literal:
        return Annotated[annotation, BeforeValidator(_literal_reader(args))]
    if origin in (Union, types.UnionType):
        return _readable_union(args)
    if origin in _SEQUENCES:
        return Annotated[_readable_sequence(origin, args), BeforeValidator(_read_items)]
    if origin in _MAPPINGS or is_typeddict(annotation):
        # The values of a `TypedDict` of the OpenAI SDK are left to the SDK: it is the one that knows them.
        values = tuple(_readable_from_text(arg) for arg in args) or (str, Any)
        return Annotated[dict.__class_getitem__(values), BeforeValidator(_read_json)]
    if origin is type:
        from .schema_transformers import read_class

        return Annotated[annotation, BeforeValidator(read_class)]
    if annotation is bool:
        return Annotated[bool, BeforeValidator(_read_bool)]
    if annotation is str:
        return Annotated[str, WrapValidator(_read_text)]
    if annotation in (int, float):
        return Annotated[annotation, BeforeValidator(_read_number)]
    if annotation in (object, Any):
        return Annotated[Any, BeforeValidator(_read_json)]
    return annotation


def _readable_union(members: tuple[Any, ...]) -> Any:
    # From left to right, the narrowest first: `'auto'` of `Literal['auto'] | list[str]` is the word, not a list of it.
    ordered = sorted((m for m in members if m is not type(None)), key=lambda m: get_origin(m) is not Literal)
    union = Union[tuple(_readable_from_text(member) for member in ordered)]  # noqa: UP007 - built at run time
    readable = Annotated[union, Field(union_mode='left_to_right')] if len(ordered) > 1 else union
    return Annotated[readable | None, BeforeValidator(_read_null)] if len(ordered) < len(members) else readable


def _readable_sequence(origin: Any, args: tuple[Any, ...]) -> Any:
    items = tuple(arg if arg is Ellipsis else _readable_from_text(arg) for arg in args)
    # `Iterable` would be checked lazily, by an object that JSON cannot write.
    return list[items[0]] if origin is collections.abc.Iterable else origin[items]


def _read_bool(value: object) -> object:
    # An empty value is what an unset `${FLAG:-}` leaves behind, and no flag is what it says.
    return value.strip() or False if isinstance(value, str) else value


def _read_text(value: object, validate: ValidatorFunctionWrapHandler) -> object:
    # Pydantic makes plain text of it, whose `${` would be taken for a variable once more.
    return value if isinstance(value, ExpandedText) else validate(value)


def _read_number(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError('boolean', 'a boolean is no number')
    return value


def _read_null(value: object) -> object:
    return None if isinstance(value, str) and value.strip().lower() == 'null' else value


def unquoted_words(members: tuple[object, ...]) -> dict[bool | None, str]:
    """The words of a `Literal` that YAML 1.1 reads as another value if they stand without quotes, by that value.

    <https://yaml.org/type/bool.html>
    """
    words: tuple[tuple[bool | None, str], ...] = ((None, 'null'), (False, 'off'), (True, 'on'))
    return {value: word for value, word in words if word in members and not any(value is one for one in members)}


def _literal_reader(members: tuple[Any, ...]) -> Callable[[object], object]:
    words = {_literal_text(member): member for member in members if isinstance(member, bool) or member is None}
    unquoted = unquoted_words(members)
    booleans = TypeAdapter(bool)

    def read(value: object) -> object:
        if value is None or isinstance(value, bool):
            return unquoted.get(value, value)
        if not isinstance(value, str) or value in members:
            return value
        text = value.strip().lower()
        if text in members:
            return text
        if text in words:
            return words[text]
        try:
            flag = booleans.validate_python(text)
        except ValidationError:
            return value
        return words.get(_literal_text(flag), value)

    return read


def _read_items(value: object) -> object:
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith('['):
        return _read_json(value)
    return [item.strip() for item in value.split(',') if item.strip()]


def _read_json(value: object) -> object:
    if not isinstance(value, str) or not value.lstrip().startswith(('{', '[')):
        return value
    try:
        return read_json_text(value)
    except (ValueError, RecursionError):
        return value
