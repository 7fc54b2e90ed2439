"""What a rule about a history is made of."""

from __future__ import annotations as _annotations

from dataclasses import dataclass
from typing import NamedTuple

__all__ = ('ErrorText', 'HistoryFault', 'HistoryRepair', 'HistoryRule')


class ErrorText(NamedTuple):
    """What one host says, or does, when a request breaks a rule."""

    host: str
    """The provider or server, by the name that its users know it by."""

    text: str
    """The error text as reported, `{}` for each part that differs; empty if the host breaks without an error."""

    source: str
    """Where the text or the behaviour was reported, as a URL."""

    consequence: str = ''
    """What happens at a host that sends no error text."""

    fix: str = ''
    """The option with its value, as in `openai_chat_history_policy='groq'`; empty for the rule's own."""


class HistoryRule(NamedTuple):
    """One rule that some host enforces on the messages of a request, or on the request around them."""

    id: str
    """`H` and two digits for a rule on the messages, `R` and two digits for one on the request around them."""

    sentence: str
    """What holds where the rule does."""

    texts: tuple[ErrorText, ...]
    """Who enforces it, and how that host says so."""

    option: str
    """The option that concerns the rule, with its value."""


@dataclass(frozen=True, slots=True)
class _AtMessage:
    """What is said of one message of a history."""

    rule: str
    """The id of the rule, such as `'H04'`."""

    index: int
    """The position in the list of messages that was given; the list's length for what concerns its end."""

    call_id: str | None
    """The tool call id as it was given, if one call is concerned."""

    text: str
    """A sentence about it."""

    def __str__(self) -> str:
        return f'{self.rule} at messages[{self.index}]: {self.text}'


class HistoryFault(_AtMessage):
    """One place where a history breaks a rule of its policy."""

    __slots__ = ()


class HistoryRepair(_AtMessage):
    """One change that made a history valid: `rule` asked for it, and `text` says what was changed."""

    __slots__ = ()
