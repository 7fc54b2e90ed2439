"""Where in a text marks stand, or may begin."""

from __future__ import annotations as _annotations

import re
from collections.abc import Sequence
from functools import cache

__all__ = ('any_of', 'partial')


def partial(text: str, position: int, terminals: Sequence[str]) -> int:
    """The length of the longest end of the text, from a position on, that may be the beginning of a terminal."""
    length = len(text)
    longest = min(max(map(len, terminals)) - 1, length - position)
    first = length
    for terminal in terminals:
        start = text.find(terminal[0], length - longest, first)
        while start >= 0:
            if terminal.startswith(text[start:]):
                first = start
                break
            start = text.find(terminal[0], start + 1, first)
    return length - first


@cache
def any_of(marks: tuple[str, ...]) -> re.Pattern[str]:
    """Finds one of the marks; of two that begin at the same place, the one that is named first."""
    return re.compile('|'.join(map(re.escape, marks)))
