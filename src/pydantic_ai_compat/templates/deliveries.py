"""What became of a tool's results in a prompt: found by looking for the needles in them."""

from __future__ import annotations as _annotations

import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .labels import Place, Turn, belonging

__all__ = ('KEPT', 'Arrival', 'Delivery', 'Needle', 'find_delivery', 'find_turn_delivery', 'worst_delivery')

Arrival = Literal[
    'separate',
    'joined',
    'escaped',
    'json',
    'mislabelled',
    'not told apart',
    'repr',
    'partial',
    'repeated',
    'dropped',
    'garbled',
    'raises',
]
"""How the items of a tool's result arrive:

* `separate`: each between marks of the template's own;
* `joined`: all of them, with nothing but white space between;
* `escaped`: all of them, as JSON strings or otherwise escaped, whatever stands between;
* `json`, `repr`: the list itself was written into the prompt, as JSON or as Python shows it;
* `mislabelled`: an item stands under the label of another call, or of none that there was;
* `not told apart`: in a turn of several calls, nothing tells an item of one from an item of the next;
* `partial`, `repeated`, `dropped`, `garbled`: some are missing, more than once there, all missing, or taken apart;
* `raises`: the template refuses the conversation.
"""

KEPT: tuple[Arrival, ...] = ('separate', 'joined', 'escaped', 'json')
"""The arrivals with which every item is there once, and under its call."""


@dataclass(frozen=True)
class Needle:
    """A text that is found again in a prompt even where quotes, line ends or other letters were escaped."""

    number: int

    @property
    def first(self) -> str:
        """The letters it begins with, which no escaping changes."""
        return f'Qa{self.number}zq'

    @property
    def last(self) -> str:
        """The letters it ends with."""
        return f'qz{self.number}aQ'

    @property
    def text(self) -> str:
        """The whole text: quotes, a line end, markup and a letter beyond ASCII."""
        return f'{self.first} "\u00e9"\n<b> & {self.last}'


@dataclass(frozen=True)
class Delivery:
    """How the items of a tool's result arrived in a prompt."""

    arrival: Arrival
    separator: str = ''
    """What stood between the first two items, if they are `joined`."""

    separate: bool = False
    """Whether marks of the template's own stood between the items, `escaped` or not."""

    error: str = ''
    """The template's words, if it `raises`."""

    excerpt: str = ''
    """The prompt from shortly before the first item to shortly after the last."""

    @property
    def intact(self) -> bool:
        """Whether every item arrived exactly once and unescaped."""
        return self.arrival in ('separate', 'joined')


def find_delivery(prompt: str, needles: Sequence[Needle]) -> Delivery:
    """How the needles arrived in this prompt."""
    counts = [prompt.count(needle.first) for needle in needles]
    if not any(counts):
        return Delivery('dropped')
    excerpt = _excerpt(prompt, needles)
    if not all(counts):
        return Delivery('partial', excerpt=excerpt)
    style = _style(prompt, needles)
    start = prompt.index(needles[0].first)
    if style == 'repr' or _PYTHON_KEY.search(prompt[max(start - 40, 0) : start]):
        return Delivery('repr', excerpt=excerpt)
    if max(counts) > 1:
        return Delivery('json' if style == 'json' else 'repeated', excerpt=excerpt)
    gaps = [_gap(prompt, left, right) for left, right in itertools.pairwise(needles)]
    separators = [gap for gap in gaps if gap is not None]
    if len(separators) < len(gaps) or style == 'garbled':
        return Delivery('garbled', excerpt=excerpt)
    if style == 'json' and _is_json_list(prompt[:start], separators):
        return Delivery('json', excerpt=excerpt)
    # Where the text was escaped, so was the line end that joins it.
    plain = separators if style == 'verbatim' else [separator.replace('\\n', '') for separator in separators]
    separate = any(separator.strip(_BETWEEN_JOINED) for separator in plain)
    if style != 'verbatim':
        return Delivery('escaped', separate=separate, excerpt=excerpt)
    if separate:
        return Delivery('separate', separate=True, excerpt=excerpt)
    return Delivery('joined', separator=separators[0] if separators else '', excerpt=excerpt)


def find_turn_delivery(prompt: str, calls: Sequence[Sequence[Needle]], *, single: str | None) -> Delivery:
    """How the needles of a turn's calls arrived, and whether the prompt tells whose they are.

    Args:
        prompt: The prompt.
        calls: For each call, the needles in its result.
        single: The prompt of the same turn with one tool message for each call, where each needle reached the template
            as a message of its own; an empty one if the template renders none.

    Returns:
        The delivery of the first call whose items did not all arrive, if there is one. Else that of the first call, with
        the whole turn as its excerpt.
    """
    deliveries = [find_delivery(prompt, needles) for needles in calls]
    if lost := next((delivery for delivery in deliveries if delivery.arrival not in KEPT), None):
        return lost
    judged = belonging(_turn(prompt, calls), None if single is None else _turn(single, calls))
    words = {word for found in judged for word in found}
    excerpt = _excerpt(prompt, [needle for needles in calls for needle in needles])
    for word in ('mislabelled', 'not told apart'):
        if word in words:
            return replace(deliveries[0], arrival=word, excerpt=excerpt)
    return replace(deliveries[0], excerpt=excerpt)


def worst_delivery(deliveries: Sequence[Delivery]) -> Delivery:
    """The first of several trials of the same that did not bring every item to its call, else the first."""
    return next((delivery for delivery in deliveries if delivery.arrival not in KEPT), deliveries[0])


def _turn(prompt: str, calls: Sequence[Sequence[Needle]]) -> Turn:
    return Turn(prompt, [[place for needle in needles if (place := _place(prompt, needle))] for needles in calls])


def _place(prompt: str, needle: Needle) -> Place | None:
    start, end = prompt.find(needle.first), prompt.find(needle.last)
    return (start, end + len(needle.last)) if 0 <= start < end else None


_BETWEEN_JOINED = ' \t\r\n",;'

_PYTHON_KEY = re.compile(r"'(?:type|text|output)': ")


def _excerpt(prompt: str, needles: Sequence[Needle]) -> str:
    starts = [prompt.find(needle.first) for needle in needles]
    ends = [prompt.rfind(needle.last) for needle in needles]
    start = min(start for start in starts if start >= 0)
    return prompt[max(start - 40, 0) : max(max(ends) + len(needles[0].last), start) + 40]


def _gap(prompt: str, left: Needle, right: Needle) -> str | None:
    """What stands between two needles, or `None` if they are not whole and in order."""
    end, start = prompt.find(left.last), prompt.find(right.first)
    if not prompt.find(left.first) < end < start < prompt.find(right.last):
        return None
    return prompt[end + len(left.last) : start]


def _style(prompt: str, needles: Sequence[Needle]) -> Literal['verbatim', 'repr', 'json', 'escaped', 'garbled']:
    texts = [prompt[prompt.index(needle.first) : prompt.find(needle.last) + len(needle.last)] for needle in needles]
    pairs = [(text, needle.text) for text, needle in zip(texts, needles, strict=True)]
    if all(found == text for found, text in pairs):
        return 'verbatim'
    if all(found == repr(text)[1:-1] for found, text in pairs):
        return 'repr'
    if all(found in (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]) for found, text in pairs):
        return 'json'
    # HTML entities, a string dumped twice, and the like: nothing lost, and not what the tool said.
    whole = all(
        found.startswith(needle.first) and len(found) < 80 for found, needle in zip(texts, needles, strict=True)
    )
    return 'escaped' if whole else 'garbled'


_JSON_BETWEEN = re.compile(r'"\s*[}\]]?\s*,\s*[{\[]?\s*(?:"\w+"\s*:\s*"[^"]*"\s*,\s*)*(?:"\w+"\s*:\s*)?"')


def _is_json_list(before: str, separators: Sequence[str]) -> bool:
    """Whether the items are the strings of one JSON list: between them is JSON and nothing of the template's own."""
    if not separators:
        return bool(re.search(r'[\[{]\s*"(?:\w+"\s*:\s*")*$', before[-80:]))
    return all(len(separator) < 200 and _JSON_BETWEEN.fullmatch(separator) for separator in separators)
