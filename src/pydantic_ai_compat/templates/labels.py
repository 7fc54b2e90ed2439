"""Whether a prompt tells whose result an item is, where one tool message after the other holds an item of a list.

A template that labels results may count them (Kimi-K2 shows the second item of the first call as the result of the
second call, and all that follow as results of none), and one that does not label them tells calls apart by their order
alone, which several messages for one call hide. How a template labels the result of each call is what it writes for the
same turn with one message for each call.
"""

from __future__ import annotations as _annotations

import itertools
import os.path
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ('Belonging', 'Place', 'Turn', 'belonging')

Place: TypeAlias = 'tuple[int, int]'
"""Where an item stands in a prompt: its first character and the one after its last."""

Belonging = Literal['kept', 'mislabelled', 'not told apart']
"""Whether the prompt tells whose item it is: yes, it names another call, or nothing tells it from the next call's."""


@dataclass(frozen=True)
class Turn:
    """The results of a turn's calls in a prompt."""

    prompt: str
    calls: Sequence[Sequence[Place]]
    """For each call, where its items stand, in order; a call without any has an empty sequence."""

    def before(self, call: int) -> str:
        """What stands before the first item of a call."""
        return self.prompt[: self.calls[call][0][0]]

    def after(self, call: int) -> str:
        """What stands behind the last item of a call."""
        return self.prompt[self.calls[call][-1][1] :]

    def between(self, left: int, right: int) -> str:
        """What stands between the last item of one call and the first of a later one."""
        return self.prompt[self.calls[left][-1][1] : self.calls[right][0][0]]

    def within(self, call: int) -> list[str]:
        """What stands between each two items of a call."""
        return [self.prompt[left[1] : right[0]] for left, right in itertools.pairwise(self.calls[call])]


def belonging(turn: Turn, single: Turn | None) -> Sequence[Sequence[Belonging]]:
    """Whether the prompt tells of each item which call of a turn returned it.

    Args:
        turn: The prompt and its items.
        single: The same turn with one tool message for each call, where items of `turn` had messages of their own, so
            that what stands before an item is what the template writes before the result of a call. A turn that lacks
            one of the calls tells nothing, and `turn` is then asked itself: its first items are taken to be labelled
            right.

    Returns:
        For each call, a word for each of its items.
    """
    shown = [call for call, places in enumerate(turn.calls) if places]
    found: list[list[Belonging]] = [['kept'] * len(places) for places in turn.calls]
    for left, right in itertools.pairwise(shown):
        border, lefts, rights = turn.between(left, right), turn.within(left), turn.within(right)
        # The label of a call stands on one side of its items, so that no border has the label of both calls.
        alike = border in lefts and border in rights
        if alike or (border in [*lefts, *rights] and not _is_label(border, turn.before(left), turn.after(right))):
            for words in (found[left], found[right]):
                words[:] = ['not told apart' for _ in words]
    if single is not None and _counts(turn, single if all(single.calls[call] for call in shown) else turn, shown):
        first = next((call for call in shown if len(turn.calls[call]) > 1), len(found))
        # Up to the second item of a call, a template that counts is right.
        for call, words in enumerate(found):
            kept = len(words) if call < first else 1 if call == first else 0
            words[kept:] = ['mislabelled' for _ in words[kept:]]
    return found


def _counts(turn: Turn, single: Turn, shown: Sequence[int]) -> bool:
    """Whether the template labels each message as the result of the next call, however many a call has."""
    return any(
        _is_label(gap, single.before(call), turn.after(call)) for call in shown for gap in turn.within(call)
    ) or any(
        _words(turn.between(left, right)) != _words(single.between(left, right))
        for left, right in itertools.pairwise(shown)
    )


def _words(text: str) -> list[str]:
    return ''.join(character if character.isalnum() else ' ' for character in text).split()


def _is_label(gap: str, before: str, after: str) -> bool:
    """Whether a gap between two items names another call than what stands before the first item and after the last.

    What the gap shares with these is the marks around every result, and the name of the items' own call.
    """
    end = len(os.path.commonprefix([gap, after[: len(gap)]]))
    start = len(gap) - len(os.path.commonprefix([gap[::-1], before[-len(gap) :][::-1]])) if gap else 0
    return any(character.isalnum() for character in gap[end:start])
