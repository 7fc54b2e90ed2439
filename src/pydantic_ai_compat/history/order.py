"""The part of the check that looks at the order of roles."""

from __future__ import annotations as _annotations

from .policies import HistoryPolicy
from .rule import HistoryFault
from .wire import WireMessage

__all__ = ('ORDER_RULES', 'SYSTEM_ROLES', 'OrderCheck', 'may_end')

ORDER_RULES = frozenset({'H20', 'H21', 'H22', 'H23', 'H24', 'H25', 'H26'})
"""The rules on the order of roles."""

SYSTEM_ROLES = frozenset({'system', 'developer'})
"""The roles of system text."""


def may_end(message: WireMessage) -> bool:
    """Whether a history may end in this message where H26 holds; Mistral takes a prefix to go on from as well."""
    role = message['role']
    return role in ('user', 'tool') or (role == 'assistant' and message.get('prefix') is True)


class OrderCheck:
    """Follows the roles; only made use of where the policy holds one of its rules."""

    def __init__(self, policy: HistoryPolicy, faults: list[HistoryFault]) -> None:
        self.needed = bool(policy.rules & ORDER_RULES)
        self._rules = policy.rules
        self._faults = faults
        self._systems = 0
        self._turn_seen = self._user_seen = False
        self._previous = ''
        self._last: WireMessage | None = None

    def _fault(self, rule: str, index: int, text: str) -> None:
        if rule in self._rules:
            self._faults.append(HistoryFault(rule, index, None, text))

    def message(self, index: int, role: str, message: WireMessage) -> None:
        """The next message."""
        previous = self._previous
        if role in SYSTEM_ROLES:
            self._systems += 1
            if self._turn_seen:
                self._fault('H20', index, 'a system message stands behind the start')
            if self._systems > 1:
                self._fault('H21', index, 'there is a system message before this one')
        else:
            if not self._turn_seen:
                self._turn_seen = True
                if role != 'user':
                    self._fault('H23', index, f'the first turn has the role `{role}`')
            if role == 'user':
                self._user_seen = True
                if previous == 'tool':
                    self._fault('H24', index, 'a user turn follows a tool turn')
            if role == previous and role in ('user', 'assistant'):
                self._fault('H25', index, f'two neighbours have the role `{role}`')
        self._previous = role
        self._last = message

    def end(self, length: int) -> None:
        """The end of the history."""
        if not self._user_seen:
            self._fault('H22', length, 'there is no user turn')
        if self._last is None or not may_end(self._last):
            self._fault('H26', length, f'the last message has the role `{self._previous}`')
