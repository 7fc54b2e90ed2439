"""The calls of a history as text, each written once however many requests it is a part of."""

from __future__ import annotations as _annotations

from typing import TypeAlias

from ..dialects.table import Dialect, TextCall
from ..dialects.write import write_calls

__all__ = ('CallWords', 'WrittenCalls')

CallWords: TypeAlias = tuple[str, str, str | None]
"""The name, the arguments and the id of a call."""

_KEPT_CHARACTERS = 2_000_000
"""More than the calls of any history that a context window holds."""


class WrittenCalls:
    """Writes the calls of turns in a dialect, and keeps what it wrote for the next request of the conversation.

    What the last requests had no use for is forgotten: as soon as there is `limit` of new text, what was written
    before the last time that there was.

    Args:
        dialect: The table of the dialect.
        limit: How many characters of calls are kept, twice.
    """

    def __init__(self, dialect: Dialect, limit: int = _KEPT_CHARACTERS) -> None:
        self._dialect = dialect
        self._limit = limit
        self._size = 0
        self._recent: dict[tuple[CallWords, ...], str] = {}
        self._older: dict[tuple[CallWords, ...], str] = {}

    def __call__(self, calls: tuple[CallWords, ...]) -> str:
        """The calls of one turn as text."""
        written = self._recent.get(calls)
        return self._keep(calls) if written is None else written

    def _keep(self, calls: tuple[CallWords, ...]) -> str:
        written = self._older.get(calls)
        if written is None:
            written = write_calls([TextCall(*call) for call in calls], self._dialect)
        self._size += len(written) + sum(len(arguments) for _, arguments, _ in calls)
        if self._size > self._limit:
            self._older, self._recent, self._size = self._recent, {}, len(written)
        self._recent[calls] = written
        return written
