"""Fields of an answer that hold nothing, and fields that do not fit their type and that nobody needs."""

from __future__ import annotations as _annotations

import math
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from typing_extensions import TypeIs

__all__ = (
    'MOST_ROUNDS',
    'Dropped',
    'Place',
    'built',
    'fields_of',
    'fill',
    'holds_nothing',
    'is_object',
    'mended',
    'shown_dropped',
)

ModelT = TypeVar('ModelT', bound=BaseModel)

_ZEROS: Mapping[object, Callable[[], object]] = types.MappingProxyType(
    {one: one for one in (str, int, float, bool, list, dict)}
)
MOST_ROUNDS = 8
"""How often one object is validated: mending one field can uncover the next, but no deeper than the schema goes."""

Place = tuple[int | str, ...]
"""Where a field is, in the form of pydantic's error locations: keys and positions from the outside in."""


class Dropped(NamedTuple):
    """A value that did not fit its field."""

    place: str
    """Where it was, such as `usage.prompt_tokens` or `choices.0.message.role`."""

    value: object


def built(cls: type[ModelT], fields: Mapping[str, Any]) -> ModelT:
    """An object of the SDK with these fields, which are taken as they are.

    The SDK replaces pydantic's `model_construct` with one that goes through each value again.
    """
    return cast(ModelT, cast(Any, BaseModel.model_construct).__func__(cls, **fields))


def fields_of(value: object) -> dict[str, Any] | None:
    """The fields of a JSON object or of an object of the SDK, those that it does not declare included."""
    if isinstance(value, BaseModel):
        return {**vars(value), **(value.model_extra or {})}
    return cast('dict[str, Any]', value) if isinstance(value, dict) else None


def is_object(value: object) -> TypeIs[Mapping[str, object]]:
    """Whether a value is a JSON object."""
    return isinstance(value, Mapping)


def holds_nothing(value: object) -> bool:
    """Whether a value says nothing: null, zero, an empty string, or an object or list of such.

    Servers written in Go send every field of the schema, the empty ones with the zero value of their type.
    <https://docs.snowflake.com/en/user-guide/snowflake-cortex/cortex-rest-api>
    """
    if isinstance(value, BaseModel):
        return all(holds_nothing(item) for item in (vars(value) | (value.model_extra or {})).values())
    if isinstance(value, Mapping):
        return all(holds_nothing(item) for item in cast('Mapping[str, object]', value).values())
    if isinstance(value, list | tuple):
        return all(holds_nothing(item) for item in cast('Sequence[object]', value))
    return not value


def mended(
    cls: type[BaseModel], data: dict[str, Any], needed: Callable[[Place], bool] = lambda place: False
) -> list[Dropped]:
    """Put a default, a null or a zero in each place of the data where it does not fit the class.

    The places are those of pydantic's own validation, so a field that the SDK declares later needs no change here.

    Args:
        cls: The class that the data is to be validated as.
        data: The data; it is changed in place, so it has to be the caller's own.
        needed: Whether a place holds what the answer is made of, so that it must not be filled.

    Returns:
        What was in the places that were filled.

    Raises:
        ValidationError: If a needed value does not fit, or one that nothing can stand for.
    """
    dropped: list[Dropped] = []
    for _ in range(MOST_ROUNDS):
        try:
            cls.model_validate(data)
        except ValidationError as error:
            dropped += fill(cls, data, error, needed)
        else:
            break
    return dropped


def fill(
    cls: type[BaseModel], data: dict[str, Any], error: ValidationError, needed: Callable[[Place], bool]
) -> list[Dropped]:
    """One round of `mended`, for an error that a validation has raised.

    Raises:
        ValidationError: The same error, if a place is needed or nothing can stand for what is in it.
    """
    places = {_place(cls, detail['loc']): None for detail in error.errors(include_url=False)}
    if any(map(needed, places)):
        raise error
    filled = [_fill(cls, data, place, needed) for place in places]
    if None in filled:
        raise error
    _sweep([data, *(one.value for one in filled if one)])
    return [one for one in filled if one and not (holds_nothing(one.value) or one.value is _REMOVED)]


def shown_dropped(dropped: Sequence[Dropped]) -> str:
    """The places and types of dropped values for a warning; the values themselves may be the user's own words."""
    return ', '.join(f'`{one.place}` is {type(one.value).__name__}' for one in dropped)


def _place(cls: type[BaseModel], location: Place) -> Place:
    """The location without what pydantic adds for the member of a union that it tried."""
    place: list[int | str] = []
    annotation: object = cls
    for key in location:
        inner = _inner(annotation, key)
        if inner is None:
            continue
        place.append(key)
        annotation = inner
    return tuple(place)


def _inner(annotation: object, key: int | str) -> object:
    """The annotation of what is under a key of a value with an annotation; `None` if that has no such key."""
    for member in _members(annotation):
        if isinstance(member, type) and issubclass(member, BaseModel):
            if isinstance(key, str) and (field := _field(member, key)) is not None:
                return field.annotation
        elif get_origin(member) is list and isinstance(key, int):
            return get_args(member)[0]
        elif get_origin(member) is dict and isinstance(key, str):
            return get_args(member)[1]
    return None


def _field(cls: type[BaseModel], key: str) -> FieldInfo | None:
    return cls.model_fields.get(key) or next((f for f in cls.model_fields.values() if f.alias == key), None)


def _members(annotation: object) -> tuple[object, ...]:
    """The members of a union, those inside `Annotated` included; the annotation itself if it is none."""
    if hasattr(annotation, '__metadata__'):
        annotation = cast(Any, annotation).__origin__
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(one for member in get_args(annotation) for one in _members(member))
    return (annotation,)


def _fill(cls: type[BaseModel], data: dict[str, Any], place: Place, needed: Callable[[Place], bool]) -> Dropped | None:
    """Put what stands for nothing into a place, or into the nearest one around it that can be empty."""
    for end in range(len(place), 0, -1):
        if needed(place[:end]):
            return None
        around: object = data
        annotation: object = cls
        for key in place[: end - 1]:
            around = _item(around, key)
            annotation = _inner(annotation, key)
        key = place[end - 1]
        name = '.'.join(map(str, place[:end]))
        if not isinstance(around, list if isinstance(key, int) else dict):
            continue  # another error has taken care of the object, or pydantic named a member of a union
        before = _item(cast(object, around), key)
        owner = cast(Any, around)
        if isinstance(key, int):
            # A list holds only what fits; the others are kept with what was dropped.
            owner[key] = _REMOVED
            return Dropped(name, before)
        field = _field_of(annotation, key)
        if field is not None and (converted := _converted(field.annotation, before)) is not None:
            owner[key] = converted
            # A fraction of a whole number is lost; a number as text says the same.
            return Dropped(name, None if converted in (before, str(before)) else before)
        if field is not None and (default := _default(field)) is not _NONE:
            owner[key] = default
            return Dropped(name, before)
    return None


_REMOVED = object()
_NONE = object()


def _sweep(value: object) -> None:
    """Take the marks of removed items out of all lists."""
    items: Iterable[object] = ()
    if isinstance(value, list):
        items = cast('list[object]', value)
        items[:] = [item for item in items if item is not _REMOVED]
    elif isinstance(value, dict):
        items = cast('dict[str, object]', value).values()
    for item in items:
        _sweep(item)


def _item(owner: object, key: int | str) -> object:
    """What is under a key of a list or an object; `None` if there is nothing under it."""
    if isinstance(key, int):
        items = cast('list[object]', owner) if isinstance(owner, list) else []
        return items[key] if key < len(items) else None
    return cast('dict[str, object]', owner).get(key) if isinstance(owner, dict) else None


def _field_of(annotation: object, key: str) -> FieldInfo | None:
    for member in _members(annotation):
        if isinstance(member, type) and issubclass(member, BaseModel) and (field := _field(member, key)) is not None:
            return field
    return None


def _converted(annotation: object, value: object) -> object:
    """A number as the text, or the whole number, that a field holds; `None` if it is no number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return None
    allowed = _members(annotation)
    return str(value) if str in allowed else int(value) if int in allowed else None


def _default(field: FieldInfo) -> object:
    """What stands for nothing in a field; `_NONE` if nothing does."""
    if not field.is_required():
        return cast(object, field.get_default(call_default_factory=True))
    allowed = _members(field.annotation)
    if type(None) in allowed:
        return None
    for one in allowed:
        if get_origin(one) is Literal:
            return get_args(one)[0]
        if (zero := _ZEROS.get(get_origin(one) or one)) is not None:
            return zero()
    return _NONE
