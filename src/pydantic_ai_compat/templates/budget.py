"""How much work and text one rendering may cost; counted, not timed, so that the answer is the same on every machine."""

from __future__ import annotations as _annotations

from collections.abc import Generator, ItemsView, KeysView, Sequence, ValuesView
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, cast

from jinja2.exceptions import SecurityError
from jinja2.utils import Namespace

from ._private import namespace_attributes

__all__ = ('MAX_INTEGER_BITS', 'Budget', 'RenderLimits', 'TemplateLimitError', 'current_budget', 'spending', 'weigh')

MAX_INTEGER_BITS = 16_384
"""The largest integer a template may make; arithmetic on larger ones costs more than linear time."""

_CHARACTERS_PER_STEP = 64
"""Characters that are copied in about the time that a template needs for one step."""


_STEPS_PER_CALL = 4
"""Steps that a filter, a method or an operator on text takes before it does anything."""


class TemplateLimitError(SecurityError):
    """A template wants more work, text or memory than its limits allow."""


@dataclass(frozen=True)
class RenderLimits:
    """What one rendering may cost before it fails.

    The two counts grow with the conversation, so that a long one never runs into a limit that a short one needs: for
    a conversation of `m` messages and `c` characters a template has `steps + 8 * m ** 2 + c` steps and
    `characters + 256 * c` characters. The defaults end a hostile template after one to three seconds.
    """

    steps: int = 2_000_000
    """Turns of a loop weighed by the size of its body, calls, and items of containers that are read whole."""

    characters: int = 32_000_000
    """Characters written or joined, intermediate strings included."""

    source: int = 262_144
    """Characters of the template itself; the longest published ones have about 20,000."""

    def budget(self, messages: int = 0, characters: int = 0) -> Budget:
        """The budget for a conversation of this many messages and characters."""
        return Budget(self.steps + 8 * messages**2 + characters, self.characters + 256 * characters)


class Budget:
    """What is left of the limits during one rendering."""

    __slots__ = ('characters', 'macro_costs', 'steps', 'template_cost')

    def __init__(self, steps: int, characters: int):
        """Start with `steps` and `characters` to spend."""
        self.steps = steps
        self.characters = characters
        self.macro_costs: dict[str, int] = {}
        self.template_cost = 1

    def spend(self, steps: int) -> None:
        """Take `steps` away; raises `TemplateLimitError` when none are left."""
        self.steps -= steps
        if self.steps < 0:
            raise TemplateLimitError('the template takes more steps than its limit allows')

    def make(self, characters: int) -> None:
        """Take away what a text of this length costs; to be called before the text is made."""
        self.characters -= characters
        if self.characters < 0:
            raise TemplateLimitError('the template makes more text than its limit allows')
        self.spend(_STEPS_PER_CALL + characters // _CHARACTERS_PER_STEP)


_budget: ContextVar[Budget] = ContextVar('template_budget')


def current_budget() -> Budget:
    """The budget of the rendering that runs now."""
    return _budget.get()


@contextmanager
def spending(budget: Budget) -> Generator[Budget]:
    """Make `budget` the one that guards take from, for the duration of one compilation or rendering."""
    token = _budget.set(budget)
    try:
        yield budget
    finally:
        _budget.reset(token)


def weigh(value: object, budget: Budget) -> tuple[int, int]:
    """Walk a value as deep as a `repr`, a comparison or a JSON dump would, and pay a step for each item met.

    A list that holds another list twice is walked twice, as those operations do: thirty such levels would otherwise
    cost a billion steps inside a single call that nothing can interrupt.

    Returns:
        The number of items and the number of characters in all of its strings.
    """
    if isinstance(value, (str, bytes)):
        return 1, len(value)
    items, characters = 1, 0
    containers: list[Any] = [value]
    while containers:
        container = containers.pop()
        kind = container.__class__
        if kind is dict:
            children = (*container, *container.values())
        elif kind is list or kind is tuple:
            children = container
        else:
            children = _children(container)
        count = len(children)
        items += count
        budget.spend(count + 1)
        for child in children:
            kind = child.__class__
            if kind is str:
                characters += len(child)
            elif kind not in _SCALARS:
                containers.append(child)
    return items, characters


_SCALARS = frozenset([int, bool, float, type(None)])


def _children(item: object) -> Sequence[Any]:
    if isinstance(item, Namespace):
        return (namespace_attributes(item),)
    if isinstance(item, (str, bytes)):
        return (str(item),) if type(item) is not str else ()
    if isinstance(item, (list, tuple, dict, set, frozenset, KeysView, ValuesView, ItemsView)):
        return list(cast('list[Any]', item))
    return ()
