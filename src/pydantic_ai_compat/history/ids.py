"""Tool call ids on the wire: which id goes out for the id that came in."""

from __future__ import annotations as _annotations

import hashlib
from collections.abc import Sequence
from string import ascii_letters, digits
from typing import cast

from .calls import id_fits
from .wire import MAX_ID_LENGTH

__all__ = ('IdMap',)

_ALPHANUMERICS = digits + ascii_letters


def _nine(text: str) -> str:
    """Nine letters and digits that stand for a text; among a million texts, two get the same with odds of 1 in 27,000."""
    number = int.from_bytes(hashlib.sha256(text.encode('utf-8', 'surrogatepass')).digest()[:8], 'big')
    characters: list[str] = []
    for _ in range(9):
        number, place = divmod(number, len(_ALPHANUMERICS))
        characters.append(_ALPHANUMERICS[place])
    return ''.join(characters)


class IdMap:
    """Gives each call of a history the id that goes out, turn by turn.

    An id that fits goes out as it came. Any other is derived from the id alone, or from the place of the call where it
    has none, so that a longer history maps its beginning in the same way.
    """

    def __init__(self, rules: frozenset[str]) -> None:
        self._rules = rules
        self._ever_used: set[str] | None = set() if 'H07' in rules else None
        self._verbatim = not rules & {'H07', 'H11', 'H12', 'H13'}
        self._tries: dict[str, int] = {}
        self._count = 0

    def turn(self, ids: Sequence[str | None], names: Sequence[str | None]) -> list[str]:
        """The ids that go out for the calls of the next turn.

        Args:
            ids: The ids as they came, `None` for a call without one.
            names: The names of the functions, as many as there are ids; only H13 reads them.
        """
        if self._verbatim and len({call_id for call_id in ids if call_id}) == len(ids):
            self._count += len(ids)
            return cast('list[str]', list(ids))
        taken: set[str] = set()
        given = {call_id for call_id in ids if call_id is not None and id_fits(call_id, self._rules)}
        if self._ever_used is None:
            self._tries = {}
        mapped: list[str] = []
        for call_id, name in zip(ids, names, strict=True):
            if call_id is None or call_id in taken or call_id not in given or self._used_before(call_id):
                wire = self._derived(call_id, name, taken, given)
            else:
                wire = call_id
            taken.add(wire)
            mapped.append(wire)
            self._count += 1
        if self._ever_used is not None:
            self._ever_used |= taken
        return mapped

    def _used_before(self, call_id: str) -> bool:
        return self._ever_used is not None and call_id in self._ever_used

    def _derived(self, call_id: str | None, name: str | None, taken: set[str], given: set[str]) -> str:
        """The first candidate for an id that no other call of the turn has, nor a call before it if H07 holds."""
        by_place = 'H13' in self._rules
        key = '' if by_place else call_id
        number = 0 if key is None else self._tries.get(key, 0)
        if by_place:
            number = max(number, self._count)
        while True:
            candidate = self._candidate(call_id, name, number)
            number += 1
            if candidate not in taken and candidate not in given and not self._used_before(candidate):
                break
        if key is not None:
            self._tries[key] = number
        return candidate

    def _candidate(self, call_id: str | None, name: str | None, number: int) -> str:
        if 'H13' in self._rules:
            return f'functions.{(name or "").replace(":", "_")}:{number}'
        base = f'no_id_{self._count}' if call_id is None else call_id
        text = f'{base}_{number + 1}' if number else base
        if 'H11' in self._rules:
            return _nine(text)
        if 'H12' in self._rules and len(text) > MAX_ID_LENGTH:
            return f'call_{hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]}'
        return text
