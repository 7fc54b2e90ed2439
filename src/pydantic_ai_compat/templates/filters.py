"""Filters that count: the ones that `rewrite` puts into a template, and the guard around each of jinja2's own."""

from __future__ import annotations as _annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import GeneratorType
from typing import Any, cast

from jinja2.runtime import Context
from jinja2.utils import Namespace, pass_context

from .budget import MAX_INTEGER_BITS, Budget, current_budget, weigh
from .guards import COSTLY, STEPS_PER_ITEM, guard_arguments, guard_result

__all__ = ('GUARD_FILTERS', 'all_of', 'guarded', 'joined', 'to_json')

_CONSUMING = frozenset(['groupby', 'join', 'list', 'max', 'min', 'sort', 'sum', 'unique'])
"""Filters that take a generator, such as the result of `map`, and read all of it; the others refuse it or are lazy."""

_SHORT_TEXT = 64
"""Texts up to this length are not counted one by one: the steps of the code that makes them bound how many there are."""

_SHORT_COMPARISON = 64
"""Characters that are compared or searched in about the time of one step."""

_MAX_INTEGER = 1 << MAX_INTEGER_BITS

_EMPTY: dict[Any, Any] = {}

_EQUALITY = frozenset(['==', 'eq', 'equalto', '!=', 'ne'])

_REPR_GROWS: tuple[type, ...] = (
    *(list, tuple, dict, set, frozenset, Namespace),
    *(type(_EMPTY.keys()), type(_EMPTY.values()), type(_EMPTY.items())),
)
"""What shows the values in it when it is printed, and compares them when it is compared."""


def guarded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, the filter or test of this name, paid for before it runs."""
    first = 1 if hasattr(function, 'jinja_pass_arg') else 0

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        budget = current_budget()
        value = args[first]
        # `messages | selectattr('role', 'equalto', 'tool')`: one of the two is short, and so is the comparison.
        if name in _EQUALITY and all(type(one) is str for one in args) and min(map(len, args)) <= _SHORT_TEXT:
            return function(*args)
        if type(value) is str and len(args) == first + 1 and not kwargs and name not in COSTLY:
            budget.make(len(value))
            return function(*args)
        if any(isinstance(one, GeneratorType) for one in args):
            args = (*args[:first], *(_drawn(name, one, budget) for one in args[first:]))
        guard_arguments(name, args[first:], kwargs, budget)
        if name == 'int':
            return _grown(function(*args, **kwargs))
        return function(*args, **kwargs)

    return call


def _drawn(name: str, value: Any, budget: Budget) -> Any:
    """A generator for a filter: read at once by one that needs all of it, and paid for item by item by one that is lazy."""
    if not isinstance(value, GeneratorType) or name in _CONSUMING:
        return all_of(value)
    return _counted(cast('Iterable[Any]', value), STEPS_PER_ITEM.get(name, 1), budget)


def all_of(items: Any) -> Any:
    """A generator's items as a list, each of them counted; anything else as it is."""
    if isinstance(items, GeneratorType):
        return list(_counted(cast('Iterable[Any]', items), 1, current_budget()))
    return items


def joined(pieces: Iterable[str]) -> str:
    """What the environment joins the pieces of an output with: the bound on how long it gets."""
    texts = list(pieces)
    current_budget().make(sum(map(len, texts)))
    return ''.join(texts)


def _printed(value: Any) -> Any:
    """A value that is printed: its `repr` is paid for, and a text is counted when the output is joined."""
    given: Any = value
    if type(value) is not str and isinstance(value, _REPR_GROWS):
        budget = current_budget()
        items, characters = weigh(cast(object, value), budget)
        budget.make(items + characters)
    return given


_FEW_ITEMS = 32


def to_json(
    x: object,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """The filter `tojson` as transformers defines it: no HTML escapes, and no ASCII escapes unless asked for."""
    if indent is not None:
        budget = current_budget()
        width = len(indent) if isinstance(indent, str) else max(indent, 0)
        items, _ = weigh(x, budget)
        # A few items are not nested deeper than they are many, and that bound costs no second walk.
        budget.make(items * (items if items <= _FEW_ITEMS else _depth(x)) * width)
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _depth(value: object) -> int:
    children: Iterable[object] = ()
    if isinstance(value, dict):
        children = cast('dict[object, object]', value).values()
    elif isinstance(value, (list, tuple)):
        children = cast('list[object]', value)
    return 1 + max((_depth(child) for child in children), default=0)


def _counted(items: Iterable[Any], cost: int, budget: Budget) -> Iterator[Any]:
    for item in items:
        budget.spend(cost)
        yield item


@pass_context
def _iterated(context: Context, value: Any, cost: int) -> Any:
    """What a `for` loops over; `cost` is the size of its body, so that a long body cannot hide in few turns."""
    budget = current_budget()
    if isinstance(value, GeneratorType):
        return _counted(cast('Iterable[Any]', value), cost, budget)
    # `Undefined` has the length 0; what has none is no iterable, and the loop says so itself.
    if hasattr(value, '__len__'):
        budget.spend(len(value) * cost)
    budget.spend(cost)
    return value


@pass_context
def _copied(context: Context, value: Any) -> Any:
    """A slice or a long literal, whose items are copied each time it is evaluated."""
    budget = current_budget()
    if isinstance(value, str):
        budget.make(len(value))
    else:
        budget.spend(len(value))
    return value


def _compared(value: Any) -> Any:
    """An operand of a comparison or a key, which Python walks to its full depth."""
    given: Any = value
    if type(value) is str:
        if len(value) > _SHORT_COMPARISON:
            current_budget().spend(len(value) // _SHORT_COMPARISON)
    elif isinstance(value, _REPR_GROWS):
        budget = current_budget()
        _, characters = weigh(cast(object, value), budget)
        budget.spend(characters // _SHORT_COMPARISON)
    return given


def _searched(value: Any) -> Any:
    """What `in` looks through: a mapping has an index, which a key's own walk has paid for."""
    given: Any = value
    if isinstance(value, GeneratorType):
        return _counted(cast('Iterable[Any]', value), 1, current_budget())
    return given if type(value) is dict else _compared(value)


def _as_text(value: Any) -> Any:
    """A value that becomes text: an operand of `~`, or the input of a filter such as `trim` or `tojson`."""
    if type(value) is str:
        if len(value) > _SHORT_TEXT:
            current_budget().make(len(value))
        return value
    return _printed(value)


def _grown(value: Any) -> Any:
    """The result of `+` or `-` where it is kept: a text, a list or a number that may have doubled."""
    if type(value) is int:
        if not -_MAX_INTEGER < value < _MAX_INTEGER:
            guard_result(value, current_budget())
    elif type(value) is not str or len(value) > _SHORT_TEXT:
        guard_result(value, current_budget())
    return value


GUARD_FILTERS: Mapping[str, Callable[..., Any]] = {
    '_as_text': _as_text,
    '_compared': _compared,
    '_copied': _copied,
    '_grown': _grown,
    '_iterated': _iterated,
    '_printed': _printed,
    '_searched': _searched,
}
"""Named with an underscore, which no filter of jinja2 or transformers is."""
