"""The one scanner of what stands in a text: thoughts between tags, name-only events, tool calls, and plain text."""

from __future__ import annotations as _annotations

import re
from collections.abc import Generator, Sequence
from functools import lru_cache

from ..lazy import errors
from .code_regions import LONGEST_RUN, CodeRegions
from .dialects.read import read_calls
from .dialects.schema import Tools
from .dialects.source import MAX_HEADER, NoCall, Source, partial
from .dialects.table import Dialect
from .segments import Segment

__all__ = ('Segment', 'TextScanner', 'is_plain', 'without_start')

_TAG_NAME = re.compile(r'[A-Za-z_][\w.:-]*')
_NAMES = re.compile(r'[\w.:/,\s-]*')
"""What a list of names holds: another character before the closing tag, and it is no event."""

_BETWEEN_NAMES = re.compile(r'[\s,]+')
_RUN = rf'`{{1,{LONGEST_RUN}}}|~{{1,{LONGEST_RUN}}}'


class TextScanner:
    """Finds what stands in text that is cut anywhere.

    Each character is looked at a bounded number of times. What may be the beginning of a mark waits, which is never
    longer than a mark and the white space behind it; only a thought that begins in the middle of a message waits for
    its closing tag.

    Args:
        thinking_tags: The tags around thoughts in the text.
        event_tag: The name of the tag around name-only events; `None` for none.
        starts_open: Whether the text begins inside a thought, because the chat template holds the opening tag.
        dialects: The dialects in which tool calls are read.
        tools: The schema of the parameters of each declared tool; no other is called.
        calls_in_thoughts: Whether calls inside thoughts count, too.

    Raises:
        OptionError: If `event_tag` is not the name of a tag.
    """

    def __init__(
        self,
        thinking_tags: tuple[str, str],
        event_tag: str | None = None,
        *,
        starts_open: bool = False,
        dialects: Sequence[Dialect] = (),
        tools: Tools | None = None,
        calls_in_thoughts: bool = False,
    ):
        _check_event_tag(event_tag, thinking_tags)
        self._open_tag, self._close_tag = thinking_tags
        self._event_open = '' if event_tag is None else f'<{event_tag}>'
        self._event_close = f'</{event_tag}>'
        self._tools: Tools = tools or {}
        self._tables = _tables_by_opening(dialects if self._tools else ())
        self._at_message_start = self._tables.pop('', ())
        self._has_tables = bool(self._tables or self._at_message_start)
        self._in_tables = False
        """Whether the text is being read by a table of calls."""
        self._quiet_tags = dict(dialect.thinking for dialect in dialects if dialect.thinking[0] != self._open_tag)
        self._quiet = ''
        """The closing tag of thoughts that stay in the text, but hold no calls."""
        in_text = (*self._tables, *self._quiet_tags, *filter(None, (self._open_tag, self._event_open)))
        in_thought = (self._close_tag, *(self._tables if calls_in_thoughts else ()))
        self._patterns = {False: _pattern(in_text, runs=True), True: _pattern(in_thought, runs=calls_in_thoughts)}
        self._terminals = {False: in_text, True: in_thought}
        self._first = ''.join({terminal[0] for terminal in in_text} | {'`', '~'})
        self._starts_open = starts_open
        self._source = Source()
        self._source.thinking_tags = thinking_tags
        self._source.before_text = self._release_gap
        self._code = CodeRegions()
        self._in_thought = False
        self._fresh = 'start'
        """What came last, if nothing but white space came since: `'start'` of the message, a `'thought'`, a `'call'`."""
        self._gap: list[str] = []
        self._gap_length = 0
        self._tried = False
        """Whether calls without a mark have been tried where the message begins."""
        self._has_answer = False
        self._alone = False
        self._no_thought_ends = False
        self._certain = 0
        self._idle = True
        """Whether all that came has been read, and nothing has begun."""
        self._reader = self._read()

    @property
    def examined(self) -> int:
        """Characters looked at so far."""
        return self._source.examined

    @property
    def held(self) -> int:
        """How many characters wait until it is known what they are."""
        held = self._source.held_length if self._source.is_open else 0
        return self._source.waiting + held + self._gap_length

    @property
    def in_call(self) -> bool:
        """Whether the text is inside a tool call."""
        return self._source.call is not None

    @property
    def may_be_call(self) -> bool:
        """Whether the text may be inside a tool call, or at the beginning of one."""
        source = self._source
        waits = source.text[source.position :]
        return self._has_tables and (self._in_tables or not (waits.isspace() or not waits))

    @property
    def undecided(self) -> bool:
        """Whether it is still open if the text begins inside a thought."""
        return self._starts_open

    def begins_in_answer(self) -> None:
        """Take note that the thoughts came in a field of their own, so the text does not begin inside one."""
        self._starts_open = False

    def passes(self, text: str) -> bool:
        """Whether nothing waits and the text is of one kind and holds no mark: the fast path."""
        if not self._idle or self._source.text or self._quiet or self._starts_open or self._gap:
            return False
        if self._in_thought:
            return self._close_tag[0] not in text and self._passes_in_thought(text)
        if self._has_tables and self._fresh and (not self._tried or text[:1].isspace()):
            return False
        for character in self._first:
            if character in text:
                return False
        self._code.pass_text(text)
        if self._fresh and not text.isspace():
            self._fresh = ''
        return True

    def _passes_in_thought(self, text: str) -> bool:
        if len(self._terminals[True]) == 1:
            return True
        if any(character in text for character in self._first):
            return False
        self._code.pass_text(text)
        return True

    def feed(self, text: str) -> list[Segment]:
        """Read the next piece of the text.

        Returns:
            What is certain by now, in order; the rest waits.
        """
        self._alone = text == self._open_tag and not self.held
        self._source.add(text)
        self._idle = False
        next(self._reader)
        self._alone = False
        source = self._source
        if source.position:
            source.add('')
        end = self._certain if source.is_open else len(source.out)
        out, source.out = source.out[:end], source.out[end:]
        self._certain = 0
        return out

    def flush(self) -> list[Segment]:
        """Release what waits, for nothing more comes; text that comes after all is read from here on."""
        source = self._source
        source.ended = True
        next(self._reader, None)
        if self._gap and self._fresh != 'call':
            self._out(''.join(self._gap))
        self._drop_gap()
        source.ended = False
        self._idle = True
        self._reader = self._read()
        out, source.out = source.out, []
        return out

    def _read(self) -> Generator[None]:
        source = self._source
        while True:
            if source.position >= len(source.text):
                if source.ended:
                    return
                self._idle = True
                yield
            elif self._starts_open:
                yield from self._read_start()
            elif self._quiet:
                yield from self._read_quiet()
            elif self._in_thought:
                yield from self._read_span()
            else:
                if self._at_message_start and self._fresh in ('start', 'thought') and not self._tried:
                    yield from self._read_message_start()
                yield from self._read_span()

    def _read_start(self) -> Generator[None]:
        """Decide if the text begins inside a thought: it does unless the opening tag comes after all."""
        source = self._source
        length = yield from source.spaces_ahead()
        comes = yield from source.looking_at([self._open_tag], length)
        if not self._starts_open:
            return
        if not comes and source.ended and self._open_tag.startswith(source.text[source.position + length :]):
            self._out(source.take(len(source.text)))
            return
        self._starts_open = False
        if not comes:
            source.out.append(Segment('open', self._open_tag))
            self._in_thought = True

    def _read_message_start(self) -> Generator[None]:
        """Try the calls that have no mark, and so begin a message."""
        # White space waits as what came, so that its chunk waits with it.
        length = yield from self._source.spaces_ahead()
        self._give_text(self._source.take(self._source.position + length))
        if self._source.waiting:
            self._tried = True
            yield from self._read_call(self._at_message_start)

    def _read_span(self) -> Generator[None]:
        """Read text, or a thought, up to and with the next mark."""
        source = self._source
        thought = self._in_thought
        found = self._patterns[thought].search(source.text, source.position)
        end = len(source.text)
        if found is not None:
            end = found.start()
            if not source.ended and self._may_be_longer(found):
                found = None
        elif not source.ended:
            end -= self._partial(thought)
        self._give_text(source.take(end))
        if found is None:
            if source.waiting and not source.ended:
                yield
            return
        mark = found[0]
        if thought and mark == self._close_tag:
            source.take(source.position + len(mark))
            self._end_thought(mark)
        elif self._code.in_code:
            yield from self._pass_mark(mark)
        elif not thought and mark == self._open_tag:
            yield from self._read_open_tag()
        elif not thought and mark == self._event_open:
            yield from self._read_event()
        elif not thought and mark in self._quiet_tags and (self._code.line_start or self._fresh):
            self._quiet = self._quiet_tags[mark]
            self._give_text(source.take(source.position + len(mark)))
        elif not (yield from self._read_call(self._tables.get(mark, ()))):
            yield from self._pass_mark(mark)

    def _may_be_longer(self, found: re.Match[str]) -> bool:
        """Whether a run of backticks or tildes at the end of the text may go on, or be the beginning of a mark."""
        if found[0][0] not in '`~':
            return False
        if found.end() == len(found.string):
            return len(found[0]) < LONGEST_RUN
        rest = found.string[found.start() :]
        return any(rest != opening and opening.startswith(rest) for opening in self._tables)

    def _partial(self, thought: bool) -> int:
        source = self._source
        return partial(source.text, source.position, self._terminals[thought])

    def _pass_mark(self, mark: str) -> Generator[None]:
        """Give a mark that is none as the text that it is."""
        source = self._source
        if mark[0] not in '`~':
            self._give_text(source.take(source.position + len(mark)))
            return
        run = mark[: len(mark) - len(mark.lstrip(mark[0]))]
        closes_line = False
        if self._code.in_fence:
            length = yield from source.spaces_ahead(len(run))
            start = source.position + len(run)
            closes_line = start + length == len(source.text) or '\n' in source.text[start : start + length]
        self._give_text(source.take(source.position + len(run)), tracked=False)
        self._code.pass_run(run, closes_line=closes_line)

    def _read_open_tag(self) -> Generator[None]:
        """Decide if an opening tag opens a thought."""
        source = self._source
        tag = self._open_tag
        if self._fresh != 'start':
            can_open = self._code.line_start or self._fresh or self._alone
            if not can_open or self._no_thought_ends or not (yield from self._thought_ends()):
                self._give_text(source.take(source.position + len(tag)))
                return
        self._release_gap()
        source.take(source.position + len(tag))
        source.out.append(Segment('open', tag))
        self._in_thought = True

    def _thought_ends(self) -> Generator[None, None, bool]:
        """Whether the closing tag comes, which is waited for."""
        source = self._source
        self._certain = len(source.out)
        source.hold(endless=True)
        found = yield from source.through(self._close_tag, lambda _: None)
        source.rewind(source.give_back())
        self._no_thought_ends = not found
        return found

    def _read_quiet(self) -> Generator[None]:
        """Read a thought between tags that are not those of the profile: all of it stays in the text."""
        found = yield from self._source.through(self._quiet, self._give_text)
        if found:
            self._give_text(self._quiet)
            self._quiet = ''
            self._fresh = 'thought'

    def _end_thought(self, tag: str) -> None:
        self._source.out.append(Segment('close', tag))
        self._in_thought = False
        self._fresh = 'thought'
        # What follows thoughts alone begins the message still.
        self._tried = self._has_answer

    def _read_event(self) -> Generator[None]:
        source = self._source
        self._certain = len(source.out)
        source.hold(endless=True)
        source.take(source.position + len(self._event_open))
        names = yield from source.word(_NAMES, MAX_NAMES)
        closed = yield from source.match([self._event_close])
        text = source.give_back()
        listed = tuple(name for name in _BETWEEN_NAMES.split(names) if name)
        self._release_gap()
        if closed and listed:
            source.out.append(Segment('event', text, listed))
            self._code.pass_text(text)
            self._fresh = ''
        else:
            self._give_text(text)

    def _read_call(self, tables: Sequence[Dialect]) -> Generator[None, None, bool]:
        """Read an envelope of calls by the first of the tables that fits; whether one does."""
        source = self._source
        for table in tables:
            if table.anchor == 'line' and not (self._code.line_start or self._fresh):
                continue
            self._certain = len(source.out)
            commits = source.commits
            source.hold()
            self._in_tables = True
            try:
                yield from read_calls(source, table, self._tools)
            except NoCall:
                if source.commits == commits:
                    del source.out[self._certain :]
                    source.call = None
                    length = source.held_length
                    held = source.give_back()
                    if length > MAX_HEADER:
                        self._give_text(held)
                        return True
                    source.rewind(held)
                    continue
                if source.call is not None:
                    source.call.end()
                source.rewind(source.give_back())
            finally:
                self._in_tables = False
            self._drop_gap()
            self._fresh = 'call'
            return True
        return False

    def _give_text(self, text: str, *, tracked: bool = True) -> None:
        """Give text, or a thought; white space waits where it may belong to the marks of calls."""
        if not text:
            return
        if tracked and (not self._in_thought or len(self._terminals[True]) > 1):
            self._code.pass_text(text)
        if self._in_thought:
            self._source.out.append(Segment('thought', text))
            return
        if self._fresh:
            if text.isspace():
                if self._has_tables:
                    self._gap.append(text)
                    self._gap_length += len(text)
                    return
            else:
                self._release_gap()
                self._fresh = ''
                self._has_answer = True
        self._out(text)

    def _out(self, text: str) -> None:
        self._source.out.append(Segment('text', text))

    def _release_gap(self) -> None:
        gap = ''.join(self._gap)
        self._drop_gap()
        if gap:
            self._out(gap)

    def _drop_gap(self) -> None:
        self._gap.clear()
        self._gap_length = 0


MAX_NAMES = 1 << 16
"""How many characters the names in an event may have."""


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


def is_plain(segments: list[Segment]) -> bool:
    """Whether segments hold neither a tag, an event nor a call."""
    return all(segment.kind in ('text', 'thought') for segment in segments)


def without_start(segments: list[Segment], length: int) -> list[Segment]:
    """Segments of plain text without their first characters."""
    kept: list[Segment] = []
    for segment in segments:
        text = segment.text[length:]
        length = max(0, length - len(segment.text))
        if text:
            kept.append(segment._replace(text=text))
    return kept
