"""What stands around a result in a user turn."""

from __future__ import annotations as _annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from .table import Dialect

__all__ = ('ResultFrame',)

_TAG = re.compile(r'[<\[]/?[^\s<>\[\]{}]+')
"""A tag in a frame, without its closing bracket, behind which attributes may stand."""

_FIRST_TAG = re.compile(r'[<\[][^\s<>\[\]]+[>\]]')
_EVERYDAY_TAG = re.compile(r'<[a-z]+>')
"""An element that any XML may have, such as `<response>`."""


@dataclass(frozen=True)
class ResultFrame:
    """The marks around the result of a call, as a dialect writes them."""

    before: str
    after: str
    section: tuple[str, str]
    """What stands before the first result of a turn and behind the last."""

    @staticmethod
    def of(dialect: Dialect) -> ResultFrame:
        """The frame of a dialect."""
        return _frame(dialect.result, dialect.result_section)

    @cached_property
    def names_call(self) -> bool:
        """Whether something of the call stands in the frame."""
        return '{name}' in self.before or '{id}' in self.before

    def tells(self, name: str, names: Sequence[str]) -> bool:
        """Whether the frame says which call of a turn a result is of: by its id, or by a name that is called once."""
        return '{id}' in self.before or '{name}' in self.before and names.count(name) == 1

    @property
    def stop_word(self) -> str:
        """What a model writes first when it makes up a result of its own; `''` where an answer may have that word, too."""
        tag = _FIRST_TAG.search(f'{self.section[0]}{self.before}')
        return '' if tag is None or _EVERYDAY_TAG.fullmatch(tag[0]) else tag[0]

    def around(self, name: str, id: str) -> tuple[str, str]:
        """What stands before and behind the result of a call."""
        if not self.names_call:
            return self.before, self.after
        return self.before.replace('{name}', name).replace('{id}', id), self.after

    @cached_property
    def first_characters(self) -> frozenset[str]:
        """What a tag of the frame begins with: text without one of them is harmless."""
        return frozenset(tag[0] for tag in self._spelled)

    @cached_property
    def _spelled(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_TAG.findall(' '.join((self.before, self.after, *self.section)))))

    @cached_property
    def _tags(self) -> re.Pattern[str]:
        spaced = [r'\s*'.join(map(re.escape, re.findall(r'\w+|[^\w\s]', tag))) for tag in self._spelled]
        return re.compile('|'.join(rf'{tag}(?!\w)' for tag in spaced), re.IGNORECASE)

    def harmless(self, text: str) -> str:
        r"""The text with a backslash in each tag of the frame, as `<\/tool_response>`, so that it neither ends nor is one.

        Everything else stays as it is, so that code and markup in a result stay readable.
        <https://github.com/ebongard/renfield/issues/686>
        """
        return self._tags.sub(lambda tag: f'{tag[0][0]}\\{tag[0][1:]}', text)


@cache
def _frame(result: str, section: tuple[str, str]) -> ResultFrame:
    before, _, after = result.partition('{result}')
    return ResultFrame(before, after, section)
