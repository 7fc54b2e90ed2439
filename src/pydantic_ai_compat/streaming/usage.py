"""The usage of an answer, wherever and however often it comes."""

from __future__ import annotations as _annotations

from typing import Any, cast

from openai.types import CompletionUsage
from pydantic import BaseModel, ValidationError

from .fields import Dropped, holds_nothing, is_object, mended

__all__ = ('RunningUsage', 'read_usage')

_COUNTS = ('prompt_tokens', 'completion_tokens', 'total_tokens')
_OTHER_NAMES = {'prompt_tokens': 'input_tokens', 'completion_tokens': 'output_tokens'}


_PLAIN = frozenset((int, type(None)))


def read_usage(value: object) -> tuple[CompletionUsage | None, list[Dropped]]:
    """A usage in which every count is a number, and what of it did not fit.

    Args:
        value: What came; the same object comes back if it fits.
    """
    if isinstance(value, CompletionUsage):
        if _is_plain(value):
            return value, []
        data = value.model_dump(warnings=False)
        try:
            CompletionUsage.model_validate(data, strict=True)
        except ValidationError:
            data = {name: item for name, item in data.items() if item is not None}
        else:
            return value, []
    elif is_object(value):
        data = dict(value)
    else:
        return None, [] if holds_nothing(value) else [Dropped('usage', value)]
    if not data:
        return None, []
    for name, other in _OTHER_NAMES.items():
        if data.get(name) is None and other in data:
            data[name] = data[other]
    dropped = mended(CompletionUsage, data)
    usage = CompletionUsage.model_validate(data)
    if not usage.total_tokens:
        usage.total_tokens = usage.prompt_tokens + usage.completion_tokens
    return usage, [Dropped(f'usage.{one.place}', one.value) for one in dropped]


def _is_plain(usage: CompletionUsage) -> bool:
    """Whether a look at the types is enough to know that every count is a number: the fast path."""
    counts = vars(usage)
    kinds = list(map(type, counts.values()))
    # Besides the counts there are objects of details: where one of them is a number, it is no object.
    return None not in map(counts.get, _COUNTS) and kinds.count(int) == len(_COUNTS) and _PLAIN.issuperset(kinds)


class RunningUsage:
    """What the usages of one stream come to.

    Some servers send running totals with each chunk (<https://github.com/camel-ai/camel/issues/4217>), others what each
    chunk has used. Totals never fall, and they grow with what is said: as long as no count falls, the last usage holds;
    once one does, or where each chunk has the same counts beside a piece of its own, all are added up.
    """

    def __init__(self) -> None:
        self.reports = 0
        """How many usages came."""
        self.asked = False
        """Whether running totals were asked for."""
        self._falls = False
        self._grows = False
        self._repeats = False
        self._last: CompletionUsage | None = None
        self._sum: dict[str, Any] = {}

    def add(self, usage: CompletionUsage, *, beside_piece: bool = False) -> None:
        """Take the next usage.

        Args:
            usage: What came.
            beside_piece: Whether a piece of the answer came in the same chunk.
        """
        if self._last is not None:
            before, after = ([getattr(one, name) for name in _COUNTS] for one in (self._last, usage))
            self._falls |= any(map(int.__lt__, after, before))
            self._grows |= any(map(int.__gt__, after, before))
            self._repeats |= beside_piece and before == after and usage.completion_tokens > 0
            self._sum = _added(self._sum or _added({}, self._last), usage)
        self.reports += 1
        self._last = usage

    @property
    def is_running(self) -> bool:
        """Whether the usages so far can be running totals."""
        return not self._falls and (self._grows or not self._repeats)

    @property
    def total(self) -> CompletionUsage | None:
        """What the usages so far come to; `None` if none came."""
        if self.is_running or self._last is None:
            return self._last
        return CompletionUsage.model_validate(self._sum)


def _added(counts: dict[str, Any], more: BaseModel) -> dict[str, Any]:
    """The sum of all numbers, and the last of everything else."""
    return _merge(counts, more.model_dump(warnings=False))


def _merge(counts: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    merged = dict(counts)
    for name, value in more.items():
        before = merged.get(name)
        if isinstance(value, dict) and isinstance(before, dict):
            merged[name] = _merge(cast('dict[str, Any]', before), cast('dict[str, Any]', value))
        elif isinstance(value, int | float) and isinstance(before, int | float):
            merged[name] = before + value
        elif value is not None:
            merged[name] = value
    return merged
