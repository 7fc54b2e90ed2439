"""What a provider's error text means: the rule behind it, and the option that helps."""

from __future__ import annotations as _annotations

import re
from functools import cache
from typing import NamedTuple

from .rule import ErrorText, HistoryRule
from .rules import RULES

__all__ = ('ErrorExplanation', 'explain_error')

_LONGEST_TEXT = 50_000
"""Characters of an error text that are looked at; some servers send the whole request back in it."""

_LONGEST_PART = 300
"""Characters that a part of a text which differs may have, such as an id or a list of ids."""


class ErrorExplanation(NamedTuple):
    """The rule that a refused request broke."""

    rule: HistoryRule
    """The rule."""

    known: ErrorText
    """The known text that was found in the one given."""

    @property
    def fix(self) -> str:
        """The option with the value to set."""
        return self.known.fix or self.rule.option

    @property
    def line(self) -> str:
        """One line for a person: the rule, the host that is known for it, and the option with its value."""
        return f'{self.rule.id} ({self.known.host}): {self.rule.sentence} Set {self.fix}. See {self.known.source}'


def explain_error(text: str) -> ErrorExplanation | None:
    """The rule behind a provider's error text, `None` if the text is of no known rule.

    Quotes, escapes, case, line breaks and the spaces of JSON do not matter, so the text may be a whole response body or a log line. Where
    several texts fit, the longest is taken.

    Args:
        text: The error text, or anything that holds it.
    """
    plain = _plain(text[:_LONGEST_TEXT])
    for pattern, explanation in _patterns():
        if pattern.search(plain):
            return explanation
    return None


def _plain(text: str) -> str:
    text = re.sub(r'\\u([0-9a-fA-F]{4})', lambda match: chr(int(match[1], 16)), text)
    text = re.sub(r'\\[nrt]', ' ', text)
    text = re.sub(r'[\'"`\\]', '', text).replace('(', '[').replace(')', ']')
    # A body is shown as JSON with and without spaces, and as Python shows it, with its tuples.
    return re.sub(r' ?([][{}:,]) ?', r'\1', re.sub(r'\s+', ' ', text)).casefold()


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], ErrorExplanation], ...]:
    """Each known text as a pattern, the most specific first."""
    explanations = [ErrorExplanation(rule, known) for rule in RULES.values() for known in rule.texts if known.text]
    explanations.sort(key=lambda explanation: -len(explanation.known.text.replace('{}', '')))
    return tuple((_pattern(explanation.known.text), explanation) for explanation in explanations)


def _pattern(text: str) -> re.Pattern[str]:
    """A known text as a pattern that begins and ends with words, so that no search starts at every character."""
    words = [re.escape(words) for part in text.split('{}') if (words := _plain(part).strip())]
    return re.compile(f' ?.{{0,{_LONGEST_PART}}}? ?'.join(words))
