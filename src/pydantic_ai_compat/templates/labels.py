"""Whether a prompt tells whose result an item is, where one tool message after the other holds an item of a list.

A template that labels results counts them (Kimi-K2 shows the second item of the first call as the result of the second
call), and one that does not label them tells calls apart by their order alone, which several messages for one call hide.
"""

from __future__ import annotations as _annotations

import itertools
import os.path
from collections.abc import Sequence
from typing import Literal, TypeAlias

__all__ = ('Belonging', 'Place', 'belonging')

Place: TypeAlias = 'tuple[int, int]'
"""Where an item stands in a prompt: its first character and the one after its last."""

Belonging = Literal['kept', 'mislabelled', 'not told apart']
"""Whether the prompt tells whose item it is: yes, it names another call, or nothing tells it from the next call's."""


def belonging(prompt: str, calls: Sequence[Sequence[Place]], *, each_a_message: bool) -> Sequence[Sequence[Belonging]]:
    """Whether the prompt tells of each item which call of a turn returned it.

    Args:
        prompt: The prompt.
        calls: For each call, where its items stand, in order; a call without any has an empty sequence.
        each_a_message: Whether each item reached the template as a tool message of its own, so that what stands before
            it is what the template writes before the result of a call.

    Returns:
        For each call, a word for each of its items.
    """
    found: list[list[Belonging]] = [['kept'] * len(places) for places in calls]
    shown = [(words, places) for words, places in zip(found, calls, strict=True) if places]
    for words, places in shown if each_a_message else ():
        before, after = prompt[: places[0][0]], prompt[places[-1][1] :]
        for position, pair in enumerate(itertools.pairwise(places), start=1):
            if _is_label(_between(prompt, *pair), before, after):
                words[position] = 'mislabelled'
    for (left_words, left), (right_words, right) in itertools.pairwise(shown):
        border = _between(prompt, left[-1], right[0])
        inner = (_between(prompt, *pair) for places in (left, right) for pair in itertools.pairwise(places))
        if border in inner and not _is_label(border, prompt[: left[0][0]], prompt[right[-1][1] :]):
            for words in (left_words, right_words):
                words[:] = [word if word == 'mislabelled' else 'not told apart' for word in words]
    return found


def _between(prompt: str, left: Place, right: Place) -> str:
    return prompt[left[1] : right[0]]


def _is_label(gap: str, before: str, after: str) -> bool:
    """Whether a gap between two items names another call than what stands before the first item and after the last.

    What the gap shares with these is the marks around every result, and the name of the items' own call.
    """
    end = len(os.path.commonprefix([gap, after[: len(gap)]]))
    start = len(gap) - len(os.path.commonprefix([gap[::-1], before[-len(gap) :][::-1]])) if gap else 0
    return any(character.isalnum() for character in gap[end:start])
