"""What the values of a request are, as far as that decides who has to look at them and who writes them."""

from __future__ import annotations as _annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple

from pydantic_core import to_json

from ._private import stock_json

__all__ = ('Look', 'PlainList', 'body_text', 'look_at')


class PlainList(list[Any]):
    """A list whose maker says that it holds dicts of texts and nothing else, so that nobody has to look again."""

    __slots__ = ()


_ITEMS: dict[type, Callable[[Any], Iterable[object]]] = {dict: dict[str, object].values, list: iter, tuple: iter}
_PLAIN = frozenset({*_ITEMS, PlainList, str, int, float, bool, type(None)})
_TEXT = frozenset({str})
_PLACE = 0x8F1C_35D7_A2E9_4B60_7D3A_96C4_E51F_B28D
"""Stands for the messages in the text that the SDK writes; a number of its own, which no body has by chance."""
_DEPTH = 6
"""How deep the SDK's types of a message or a tool go: list, message, list, part, image, scalar."""


class Look(NamedTuple):
    """What a look at all values of a list has told."""

    is_plain: bool
    """Whether the SDK's transform would leave them all as they are, down to where its types end."""

    any_encoder: bool
    """Whether every encoder of JSON writes them alike: no number with a fraction, no key but text, and nothing deeper."""


def look_at(values: list[object]) -> Look:
    """Look at the values of messages, or of tools, level by level."""
    level: list[object] = [values]
    any_encoder = True
    for _ in range(_DEPTH):
        kinds = set(map(type, level))
        if not _PLAIN.issuperset(kinds):
            return Look(False, False)
        any_encoder = any_encoder and float not in kinds
        # By kinds, as most values are leaves: a look at each kind of a long list is cheaper than a choice for each value.
        below: list[object] = []
        for kind in kinds & _ITEMS.keys():
            alike: list[Any] = [value for value in level if type(value) is kind]
            if kind is dict and any_encoder:
                any_encoder = _TEXT.issuperset(map(type, chain.from_iterable(alike)))
            below.extend(chain.from_iterable(map(_ITEMS[kind], alike)))
        level = below
    return Look(True, any_encoder and not level)


def body_text(body: Mapping[str, object]) -> bytes:
    """The JSON text that the SDK sends for the body of a request whose messages every encoder writes alike.

    pydantic-core writes them in half of the time that Python's encoder takes; all else is left to the SDK.

    Raises:
        TypeError: If something in the body is no JSON.
        ValueError: If it holds what no JSON can, such as half of a surrogate pair, or the number that stands for the
            messages on the way.
    """
    parts = stock_json({**body, 'messages': _PLACE}).split(str(_PLACE).encode())
    if len(parts) != 2:
        raise ValueError('the number that holds the place of the messages is in the body as well')
    return to_json(body['messages']).join(parts)
