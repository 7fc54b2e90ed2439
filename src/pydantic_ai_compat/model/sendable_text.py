"""Text that UTF-8 cannot hold: half of a surrogate pair, as a cut emoji or a file name of no encoding leaves it."""

from __future__ import annotations as _annotations

import copy
import dataclasses
import warnings
from collections import deque
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any, TypeVar, cast

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from ..errors import HistoryRepairWarning

__all__ = ('is_unsendable_text', 'with_sendable_text')

_T = TypeVar('_T')

_COLLECTIONS = (list, tuple, deque, set, frozenset)


def is_unsendable_text(error: Exception) -> bool:
    """Whether a request was not sent, or not even written, because half of a surrogate pair stands in it."""
    return isinstance(error, UnicodeEncodeError) or (
        isinstance(error, PydanticSerializationError) and 'surrogates not allowed' in str(error)
    )


def with_sendable_text(request: _T) -> _T:
    """What is sent with U+FFFD for each half of a surrogate pair, wherever in it that stands, and a warning that says so.

    A request pays for this only when it could not be sent. What is stored is not changed: a message, a part, a tool's
    definition or a value that holds such a half is copied.

    Args:
        request: Messages, or what goes out with them: settings, and the definitions of tools.

    Returns:
        The very object that was given if it holds none.
    """
    sendable = _sendable(request)
    if sendable is not request:
        warnings.warn(
            'A request holds half of a surrogate pair, which none can: it is sent as U+FFFD.',
            HistoryRepairWarning,
            stacklevel=2,
        )
    return cast(_T, sendable)


def _sendable(value: Any) -> Any:
    """The value with text that can be sent; the very same object if it holds no other."""
    if isinstance(value, str):
        return _sendable_text(value)
    if isinstance(value, Mapping):
        items = cast('Mapping[Any, Any]', value).items()
        pairs = [(_sendable(key), _sendable(item)) for key, item in items]
        if all(key is old_key and item is old for (key, item), (old_key, old) in zip(pairs, items, strict=True)):
            return cast(Any, value)
        return dict(pairs)
    if isinstance(value, _COLLECTIONS):
        old_items = list(cast('Collection[Any]', value))
        new_items = [_sendable(item) for item in old_items]
        if all(new is old for new, old in zip(new_items, old_items, strict=True)):
            return cast(Any, value)
        return tuple(new_items) if isinstance(value, tuple) else new_items
    if isinstance(value, BaseModel):
        held = {**vars(value), **(value.__pydantic_extra__ or {})}
        changed = _changed(held)
        return value.model_copy(update=changed) if changed else value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _sendable_dataclass(value)
    return value


def _sendable_text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        # Both halves of a pair, each on its own, are the letter that they stand for.
        return text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')
    return text


def _sendable_dataclass(value: Any) -> Any:
    names = [field.name for field in dataclasses.fields(value)]
    changed = _changed({name: getattr(value, name) for name in names if hasattr(value, name)})
    if not changed:
        return value
    copied = copy.copy(value)
    held = cast('dict[str, Any]', getattr(copied, '__dict__', {}))
    for name in [name for name in held if isinstance(getattr(cast(Any, type(value)), name, None), cached_property)]:
        del held[name]  # it was made of what is changed here
    for name, item in changed.items():
        object.__setattr__(copied, name, item)
    return copied


def _changed(held: Mapping[str, Any]) -> dict[str, Any]:
    cleaned = {name: _sendable(item) for name, item in held.items()}
    return {name: item for name, item in cleaned.items() if item is not held[name]}
