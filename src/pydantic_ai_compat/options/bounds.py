"""How large a value may be, written out: what YAML aliases share is written as often as it is named."""

from __future__ import annotations as _annotations

from collections.abc import Iterable
from typing import Any, cast

from ..errors import OptionError

__all__ = ('check_bounds',)

_LARGEST = 1_000_000
_DEEPEST = 100


def check_bounds(option: str, value: object) -> None:
    """Refuse data that a walk, a repr or a request would not come to the end of.

    Each list and map is looked at once, however often aliases share it.

    Args:
        option: The option's name, for the message.
        value: Data as YAML and JSON have it. A value counts as one character, and a text as its own as well.

    Raises:
        OptionError: If it has more than 1,000,000 characters written out, or is nested more than 100 levels deep, as
            a list that holds itself is.
    """
    if _written_length(option, value, 0, {}) > _LARGEST:
        raise OptionError(
            f'`{option}` does not fit: allowed are {_LARGEST:,} characters, with what aliases share written out.'
        )


def _written_length(option: str, value: object, depth: int, known: dict[int, int]) -> int:
    if isinstance(value, str):
        return len(value) + 1
    if not isinstance(value, dict | list | tuple):
        return 1
    if depth > _DEEPEST:
        raise OptionError(
            f'`{option}` does not fit: allowed are {_DEEPEST} levels of lists and maps, and none in itself.'
        )
    identity = id(cast(object, value))
    if identity not in known:
        items = _items(cast('dict[Any, Any] | list[Any] | tuple[Any, ...]', value))
        known[identity] = 1 + sum(_written_length(option, item, depth + 1, known) for item in items)
    return known[identity]


def _items(value: dict[Any, Any] | list[Any] | tuple[Any, ...]) -> Iterable[object]:
    return (*value, *value.values()) if isinstance(value, dict) else value
