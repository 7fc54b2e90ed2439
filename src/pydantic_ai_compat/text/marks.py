"""What ends a stretch of text: thinking tags, the tag of events, what calls begin with, and runs around code."""

from __future__ import annotations as _annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ..lazy import errors
from .code_regions import LONGEST_RUN
from .dialects.finding import partial

if TYPE_CHECKING:
    from .dialects.table import Dialect

__all__ = ('Marks', 'marks_of')

_TAG_NAME = re.compile(r'[A-Za-z_][\w.:-]*')
_RUN = rf'`{{1,{LONGEST_RUN}}}|~{{1,{LONGEST_RUN}}}'


class Marks:
    """The marks that are looked for in the text and in thoughts.

    Args:
        thinking_tags: The tags around thoughts in the text.
        event_tag: The name of the tag around name-only events; `None` for none.
        dialects: The dialects in which tool calls are read.
        calls: Whether calls are read in them; if not, their thoughts still stay in the text.
        calls_in_thoughts: Whether calls inside thoughts count, too.

    Raises:
        OptionError: If `event_tag` is not the name of a tag.
    """

    def __init__(
        self,
        thinking_tags: tuple[str, str],
        event_tag: str | None,
        dialects: Sequence[Dialect],
        *,
        calls: bool,
        calls_in_thoughts: bool,
    ) -> None:
        _check_event_tag(event_tag, thinking_tags)
        self.open_tag, self.close_tag = thinking_tags
        self.event_open = '' if event_tag is None else f'<{event_tag}>'
        self.event_close = f'</{event_tag}>'
        self.tables = _tables_by_opening(dialects if calls else ())
        """The tables by the first mark of what they read."""
        self.at_message_start = self.tables.pop('', ())
        """The tables of calls without a mark."""
        self.has_tables = bool(self.tables or self.at_message_start)
        self.quiet_tags = dict(dialect.thinking for dialect in dialects if dialect.thinking[0] != self.open_tag)
        """The tags of thoughts that stay in the text."""
        self.in_thoughts = calls_in_thoughts and bool(self.tables)
        """Whether there is more in a thought than its end."""
        in_text = (*self.tables, *self.quiet_tags, *filter(None, (self.open_tag, self.event_open)))
        in_thought = (self.close_tag, *(self.tables if calls_in_thoughts else ()))
        self._patterns = {False: _pattern(in_text, runs=True), True: _pattern(in_thought, runs=calls_in_thoughts)}
        self._terminals = {False: in_text, True: in_thought}
        self._first = ''.join({terminal[0] for terminal in in_text} | {'`', '~'})

    def none_in(self, text: str, *, thought: bool) -> bool:
        """Whether no mark can begin in a text, or in a thought."""
        if thought and not self.in_thoughts:
            return self.close_tag[0] not in text
        for character in self._first:
            if character in text:
                return False
        return not thought or self.close_tag[0] not in text

    def search(self, text: str, position: int, *, thought: bool) -> re.Match[str] | None:
        """The next mark from a position on."""
        return self._patterns[thought].search(text, position)

    def partial(self, text: str, position: int, *, thought: bool) -> int:
        """The length of the end of the text that may be the beginning of a mark."""
        return partial(text, position, self._terminals[thought])

    def may_be_longer(self, found: re.Match[str]) -> bool:
        """Whether a run of backticks or tildes at the end of the text may go on, or be the beginning of a mark."""
        if found[0][0] not in '`~':
            return False
        if found.end() == len(found.string):
            return len(found[0]) < LONGEST_RUN
        rest = found.string[found.start() :]
        return any(rest != opening and opening.startswith(rest) for opening in self.tables)


@lru_cache(maxsize=64)
def marks_of(
    thinking_tags: tuple[str, str],
    event_tag: str | None,
    dialects: tuple[Dialect, ...],
    *,
    calls: bool,
    calls_in_thoughts: bool,
) -> Marks:
    """The marks for these arguments of `Marks`, which are made once for all answers that are read with them."""
    return Marks(thinking_tags, event_tag, dialects, calls=calls, calls_in_thoughts=calls_in_thoughts)


def _check_event_tag(event_tag: str | None, thinking_tags: tuple[str, str]) -> None:
    if event_tag is not None and not _TAG_NAME.fullmatch(event_tag):
        raise errors.OptionError(
            f'`openai_chat_text_event_tag`={event_tag!r} is not the name of a tag: leave out `<` and `>`, '
            "as in 'agent_events'."
        )
    if f'<{event_tag}>' in thinking_tags:
        raise errors.OptionError(
            f'`openai_chat_text_event_tag`={event_tag!r} is the tag around thoughts: no event is read in a thought.'
        )


def _tables_by_opening(dialects: Sequence[Dialect]) -> dict[str, tuple[Dialect, ...]]:
    """The tables by the first mark of what they read; under `''` those of calls without a mark."""
    found: dict[str, list[Dialect]] = {}
    for dialect in dialects:
        for table in dialect.tables:
            for opening in table.openings:
                found.setdefault(opening, []).append(table)
    return {opening: tuple(tables) for opening, tables in found.items()}


@lru_cache(maxsize=64)
def _pattern(terminals: tuple[str, ...], *, runs: bool) -> re.Pattern[str]:
    longest_first = sorted(terminals, key=len, reverse=True)
    return re.compile('|'.join([*map(re.escape, longest_first), *([_RUN] if runs else [])]))
