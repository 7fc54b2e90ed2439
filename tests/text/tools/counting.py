"""Work as a count, which no other load of the machine changes."""

from __future__ import annotations as _annotations

import sys
from collections.abc import Callable
from types import FrameType

__all__ = ('work',)


def work(run: Callable[[], object]) -> int:
    """How many functions are called, Python's and C's."""
    counted = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal counted
        counted += event in ('call', 'c_call')

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(before)
    return counted
