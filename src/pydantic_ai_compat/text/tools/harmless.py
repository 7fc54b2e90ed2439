"""Text that could be taken for a call or for a result, written so that it is neither."""

from __future__ import annotations as _annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ..dialects.frame import ResultFrame
from ..dialects.schema import tool_schemas
from ..dialects.table import Dialect
from ..reading import read_text

__all__ = ('Harmless',)


class Harmless:
    """Makes text of users, models and tools harmless.

    A quoted mark would be read as a call where the model echoes it (<https://github.com/vllm-project/vllm/issues/54686>),
    and the frame of a result inside of one would end it (<https://github.com/ebongard/renfield/issues/686>).

    Args:
        dialects: The dialects that answers are read in; the first is the one that is written.
        tools: The tools, in the form of the API.
    """

    def __init__(self, dialects: Sequence[Dialect], tools: Sequence[Mapping[str, Any]]) -> None:
        self._dialects = dialects
        self._tools = tool_schemas(tools)
        self._frame = ResultFrame.of(dialects[0])

    def __call__(self, text: str) -> str:
        """The text, with a backslash behind the first character of each mark that makes it a call or a result."""
        for character in self._hints:
            if character in text:
                break
        else:
            return text
        text = self._frame.harmless(text)
        if self._marks.search(text) and self._is_read(text):
            return self._marks.sub(lambda mark: f'{mark[0][:1]}\\{mark[0][1:]}', text)
        return text

    def _is_read(self, text: str) -> bool:
        return bool(read_text(text, self._tools, [dialect.name for dialect in self._dialects]).calls)

    @cached_property
    def _openings(self) -> frozenset[str]:
        return frozenset(
            opening for dialect in self._dialects for table in dialect.tables for opening in table.openings
        )

    @cached_property
    def _needed(self) -> tuple[str, ...]:
        """What a call that begins without a mark has to have in it, if there may be one."""
        return ('{', *self._tools) if '' in self._openings else ()

    @cached_property
    def _hints(self) -> tuple[str, ...]:
        """A text with none of these is looked at no further, and most have none."""
        first = {opening[0] for opening in self._openings if opening}
        return (*sorted(first | self._frame.first_characters), *self._needed)

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        """Everything that a call can begin with.

        It is the start of the text where a call can begin there without a mark, and the text has a tool's name in it or
        the brace of an object, in which a name may be written with escapes.
        """
        marks = [re.escape(opening) for opening in sorted(self._openings - {''}, key=len, reverse=True)]
        if self._needed:
            marks.append(rf'\A(?=.*?(?:{"|".join(map(re.escape, self._needed))}))')
        return re.compile('|'.join(marks), re.DOTALL)
