"""The part of the check that looks at the order of roles."""

from __future__ import annotations as _annotations

from .policies import HistoryPolicy
from .rule import HistoryFault
from .wire import WireMessage, content_form

__all__ = ('ORDER_RULES', 'SYSTEM_ROLES', 'OrderCheck', 'may_end', 'was_given_an_end')

ORDER_RULES = frozenset({'H20', 'H21', 'H22', 'H23', 'H24', 'H25', 'H26'})
"""The rules on the order of roles."""

SYSTEM_ROLES = frozenset({'system', 'developer'})
"""The roles of system text."""


def may_end(message: WireMessage) -> bool:
    """Whether a history may end in this message where H26 holds; Mistral takes a prefix to go on from as well."""
    role = message['role']
    return role in ('user', 'tool') or (role == 'assistant' and message.get('prefix') is True)


def was_given_an_end(message: WireMessage, previous: WireMessage | None, rules: frozenset[str]) -> bool:
    """Whether an assistant turn answers a request that was given a user turn at its end, as H26 wants one there.

    That turn has to stand before the answer in every later request as well. Where H16 holds, text and the calls behind
    it are one turn that was parted.
    """
    if message['role'] != 'assistant' or (previous is not None and may_end(previous)):
        return False
    if previous is None or 'H16' not in rules or previous['role'] != 'assistant' or previous.get('tool_calls'):
        return True
    return not message.get('tool_calls') or content_form(message) == 'text'


class OrderCheck:
    """Follows the roles; only made use of where the policy holds one of its rules."""

    def __init__(self, policy: HistoryPolicy, faults: list[HistoryFault]) -> None:
        self.needed = bool(policy.rules & ORDER_RULES)
        self._rules = policy.rules
        self._faults = faults
        self._systems = 0
        self._turn_seen = self._user_seen = False
        self._begins_without_user: int | None = None
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
                    self._begins_without_user = index
                    self._fault('H23', index, f'the first turn has the role `{role}`')
            if role == 'user':
                self._user_seen = True
                if previous == 'tool':
                    self._fault('H24', index, 'a user turn follows a tool turn')
            if role == previous and role in ('user', 'assistant'):
                self._fault('H25', index, f'two neighbours have the role `{role}`')
            if 'H26' in self._rules and was_given_an_end(message, self._last, self._rules):
                self._fault('H26', index, 'an assistant turn follows what no request may end in')
        self._previous = role
        self._last = message

    def end(self, length: int) -> None:
        """The end of the history."""
        if not self._user_seen:
            self._fault('H22', length, 'there is no user turn')
        elif self._begins_without_user is not None:
            self._fault('H22', self._begins_without_user, 'there is no user turn before the first other one')
        if self._last is None or not may_end(self._last):
            self._fault('H26', length, f'the last message has the role `{self._previous}`')
