"""The `reasoning_details` of OpenRouter and others: encrypted or signed thoughts that have to go back as they came."""

from __future__ import annotations as _annotations

from typing import Any, cast

from .fields import is_object

__all__ = ('ReasoningDetails',)

_GROWING = ('text', 'summary', 'data')
"""The fields of an entry that come in pieces."""


class ReasoningDetails:
    """The entries of one answer, put together from the pieces that a stream holds.

    A piece belongs to the entry with its `index` and `type`; without an index it goes on with the last entry of its type,
    unless it brings an `id` of its own.
    <https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning>
    """

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        """The entries, in the order in which they began."""
        self._pieces: dict[tuple[int, str], list[str]] = {}

    def add(self, details: object) -> None:
        """Take the list of one chunk; what is no list of objects is passed over."""
        for piece in cast('list[object]', details) if isinstance(details, list) else []:
            if is_object(piece):
                self._add(dict(piece))

    def merged(self) -> list[dict[str, Any]]:
        """The entries with their texts put together."""
        return [
            {**entry, **{name: ''.join(texts) for (at, name), texts in self._pieces.items() if at == number}}
            for number, entry in enumerate(self.entries)
        ]

    def _add(self, piece: dict[str, Any]) -> None:
        number = self._number_of(piece)
        if number is None:
            number = len(self.entries)
            self.entries.append({})
        entry = self.entries[number]
        for name, value in piece.items():
            if name in _GROWING and isinstance(value, str):
                self._pieces.setdefault((number, name), []).append(value)
                entry.setdefault(name, '')
            elif value is not None or name not in entry:
                entry[name] = value

    def _number_of(self, piece: dict[str, Any]) -> int | None:
        """The entry that a piece goes on with; `None` if it begins a new one."""
        for number in range(len(self.entries) - 1, -1, -1):
            entry = self.entries[number]
            if entry.get('type') != piece.get('type') or entry.get('index') != piece.get('index'):
                continue
            same_id = piece.get('id') in (None, entry.get('id')) or entry.get('id') is None
            return number if same_id else None
        return None
