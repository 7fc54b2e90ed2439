"""Names of functions on the wire, where a host takes only letters, digits, underscores and dashes (H10)."""

from __future__ import annotations as _annotations

import hashlib
import re
from collections.abc import Iterable

from .wire import NAME

__all__ = ('NameMap',)

_LONGEST = 64
_REFUSED = re.compile(r'[^a-zA-Z0-9_-]')


class NameMap:
    """Gives each function the name that goes out, and a name that comes back the function it stands for.

    A name that fits goes out as it is. Any other has its refused characters replaced with underscores, and a mark of
    the whole name behind it if it is too long or what is left stands for another function. Names are handed out in the
    order in which they are asked for, those of the declared tools first, so that a longer history maps its beginning in
    the same way.

    Args:
        declared: The names of the tools that the request declares.
    """

    def __init__(self, declared: Iterable[str] = ()) -> None:
        names = list(declared)
        self._wire: dict[str, str] = {}
        self._given: dict[str, str] = {}
        refused = [name for name in names if not self.fits(name)]
        for name in refused:
            self.wire(name)
        self.changes = bool(refused)
        """Whether a declared tool goes out under another name."""
        self._declared = dict(self._given)

    def fits(self, name: str) -> bool:
        """Whether a name goes out as it is: the host takes it, and it stands for no function that was asked about."""
        return NAME.fullmatch(name) is not None and self._given.setdefault(name, name) == name

    def wire(self, name: str) -> str:
        """The name that goes out."""
        known = self._wire.get(name)
        if known is not None:
            return known
        readable = _REFUSED.sub('_', name)
        candidate = readable
        tries = 0
        while not candidate or len(candidate) > _LONGEST or self._given.get(candidate, name) != name:
            mark = hashlib.sha256(f'{name}{tries or ""}'.encode('utf-8', 'surrogatepass')).hexdigest()[:8]
            candidate = f'{readable[: _LONGEST - 9]}_{mark}'
            tries += 1
        self._wire[name] = candidate
        self._given[candidate] = name
        return candidate

    def given(self, wire_name: str) -> str:
        """The declared tool that a name which came back stands for; the very name if it is of none."""
        return self._declared.get(wire_name, wire_name)
