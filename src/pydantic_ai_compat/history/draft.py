"""A history while it is being repaired: the messages that are to be sent, and what was changed so far."""

from __future__ import annotations as _annotations

from typing import Any, NamedTuple

from .names import NameMap
from .policies import HistoryPolicy
from .rule import HistoryRepair

__all__ = ('Draft', 'Entry')


class Entry(NamedTuple):
    """One message of a draft. It is shared with the history that was given, so a change makes a new one."""

    origin: int
    """The position, in the history that was given, of the message this one is or comes from."""

    message: dict[str, Any]


class Draft:
    """The messages of a repair between its passes, and the list of its changes."""

    def __init__(self, policy: HistoryPolicy, names: NameMap) -> None:
        self.policy = policy
        self.rules = policy.rules
        self.names = names
        self.entries: list[Entry] = []
        self.repairs: list[HistoryRepair] = []
        self.unreadable: set[tuple[int, int]] = set()
        """Each call whose arguments were no JSON object, as the index of its message and its place in the turn."""

    def note(self, rule: str, index: int, text: str, call_id: str | None = None) -> None:
        """Write down one change."""
        self.repairs.append(HistoryRepair(rule, index, call_id, text))
