"""The one scanner of what stands in a text: thoughts between tags, name-only events, tool calls, and plain text."""

from __future__ import annotations as _annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from .dialects.source import MAX_HEADER, NoCall, Source
from .events import read_event_tag
from .marks import marks_of
from .output import TextOutput
from .segments import Segment

if TYPE_CHECKING:
    from .dialects.schema import Tools
    from .dialects.table import Dialect

__all__ = ('TextScanner',)


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
        self._tools: Tools = tools or {}
        tags = (thinking_tags[0], thinking_tags[1])  # out of JSON or YAML they come as a list
        self._marks = marks_of(tags, event_tag, tuple(dialects), calls=bool(tools), calls_in_thoughts=calls_in_thoughts)
        self._in_tables = False
        """Whether the text is being read by a table of calls."""
        self._quiet = ''
        """The closing tag of thoughts that stay in the text, but hold no calls."""
        self._starts_open = starts_open
        self._source = Source()
        self._source.thinking_tags = thinking_tags
        self._output = TextOutput(self._source, self._marks)
        self._tried = False
        """Whether calls without a mark have been tried where the message begins."""
        self._alone = self._no_thought_ends = False
        self._certain = 0
        self._idle = True
        """Whether all that came has been read, and nothing has begun."""
        self._reader: Generator[None] | None = None
        """What reads, from the first piece that does not pass on."""

    @property
    def examined(self) -> int:
        """Characters looked at so far."""
        return self._source.examined

    @property
    def held(self) -> int:
        """How many characters wait until it is known what they are."""
        held = self._source.held_length if self._source.is_open else 0
        return self._source.waiting + held + self._source.gap_length

    @property
    def in_call(self) -> bool:
        """Whether the text is inside a tool call."""
        return self._source.call is not None

    @property
    def may_be_call(self) -> bool:
        """Whether the text may be inside a tool call, or at the beginning of one."""
        waits = self._source.text[self._source.position :]
        return self._marks.has_tables and (self._in_tables or bool(waits.strip()))

    @property
    def undecided(self) -> bool:
        """Whether it is still open if the text begins inside a thought."""
        return self._starts_open

    def begins_in_answer(self) -> None:
        """Take note that the thoughts came in a field of their own, so the text does not begin inside one."""
        self._starts_open = False

    def passes(self, text: str) -> bool:
        """Whether nothing waits and the text is of one kind and holds no mark: the fast path."""
        output = self._output
        if not self._idle or self._source.text or self._quiet or self._starts_open or self._source.gap_length:
            return False
        begins = self._marks.has_tables and output.fresh and not output.in_thought
        waits = begins and (not self._tried or text[:1].isspace())
        if waits or not self._marks.none_in(text, thought=output.in_thought):
            return False
        output.pass_plain(text)
        return True

    def feed(self, text: str) -> list[Segment]:
        """Read the next piece of the text, and return what is certain by now, in order; the rest waits."""
        self._alone = text == self._marks.open_tag and not self.held
        self._source.add(text)
        self._idle = False
        self._reader = self._reader or self._read()
        next(self._reader)
        self._alone = False
        if (source := self._source).position:
            source.add('')
        end = self._certain if source.is_open else len(source.out)
        out, source.out = source.out[:end], source.out[end:]
        self._certain = 0
        return out

    def flush(self) -> list[Segment]:
        """Release what waits, for nothing more comes; text that comes after all is read from here on."""
        source = self._source
        source.ended = True
        next(self._reader or iter(()), None)
        self._output.end()
        source.ended = False
        self._idle = True
        self._reader = None
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
            else:
                if not (self._tried or self._output.in_thought) and self._output.fresh in ('start', 'thought'):
                    yield from self._read_message_start()
                yield from self._read_span()

    def _read_start(self) -> Generator[None]:
        """Decide if the text begins inside a thought: it does unless the opening tag comes after all."""
        source = self._source
        length = yield from source.spaces_ahead()
        comes = yield from source.looking_at([self._marks.open_tag], length)
        if not self._starts_open:
            return
        if not comes and source.ended and self._marks.open_tag.startswith(source.text[source.position + length :]):
            source.out.append(Segment('text', source.take(len(source.text))))
            return
        self._starts_open = False
        if not comes:
            self._output.open_thought(self._marks.open_tag)

    def _read_message_start(self) -> Generator[None]:
        """Try the calls that have no mark, and so begin a message."""
        if not self._marks.at_message_start:
            return
        length = yield from self._source.spaces_ahead()  # It waits as what came, so that its chunk waits with it.
        self._output.give(self._source.take(self._source.position + length))
        if self._source.waiting:
            self._tried = True
            yield from self._read_call(self._marks.at_message_start)

    def _read_span(self) -> Generator[None]:
        """Read text, or a thought, up to and with the next mark."""
        source = self._source
        thought = self._output.in_thought
        found = self._marks.search(source.text, source.position, thought=thought)
        end = len(source.text)
        if found is not None:
            end = found.start()
            if not source.ended and self._marks.may_be_longer(found):
                found = None
        elif not source.ended:
            end -= self._marks.partial(source.text, source.position, thought=thought)
        self._output.give(source.take(end))
        if found is None:
            if source.waiting and not source.ended:
                yield
            return
        mark = found[0]
        if thought and mark == self._marks.close_tag:
            source.take(source.position + len(mark))
            self._output.close_thought(mark)
            # What follows thoughts alone begins the message still.
            self._tried = self._output.has_answer
        elif self._output.code.in_code:
            yield from self._output.pass_mark(mark)
        elif not thought and mark == self._marks.open_tag:
            yield from self._read_open_tag()
        elif not thought and mark == self._marks.event_open:
            yield from self._read_event()
        elif not thought and mark in self._marks.quiet_tags and (self._output.code.line_start or self._output.fresh):
            self._quiet = self._marks.quiet_tags[mark]
            self._output.give(source.take(source.position + len(mark)))
        elif not (yield from self._read_call(self._marks.tables.get(mark, ()))):
            yield from self._output.pass_mark(mark)

    def _read_open_tag(self) -> Generator[None]:
        """Decide if an opening tag opens a thought."""
        source = self._source
        tag = self._marks.open_tag
        if self._output.fresh != 'start':
            can_open = self._output.code.line_start or self._output.fresh or self._alone
            if not can_open or self._no_thought_ends or not (yield from self._thought_ends()):
                self._output.give(source.take(source.position + len(tag)))
                return
        source.take(source.position + len(tag))
        self._output.open_thought(tag)

    def _thought_ends(self) -> Generator[None, None, bool]:
        """Whether the closing tag comes, which is waited for."""
        source = self._source
        self._certain = len(source.out)
        source.hold(endless=True)
        found = yield from source.through(self._marks.close_tag, lambda _: None)
        source.rewind(source.give_back())
        self._no_thought_ends = not found
        return found

    def _read_quiet(self) -> Generator[None]:
        """Read a thought between tags that are not those of the profile: all of it stays in the text."""
        found = yield from self._source.through(self._quiet, self._output.give)
        if found:
            self._output.give(self._quiet)
            self._quiet = ''
            self._output.fresh = 'thought'

    def _read_event(self) -> Generator[None]:
        source = self._source
        self._certain = len(source.out)
        event = yield from read_event_tag(source, self._marks.event_open, self._marks.event_close)
        if event.kind == 'text':
            self._output.give(event.text)
            return
        self._source.release_gap()
        source.out.append(event)
        self._output.code.pass_text(event.text)
        self._output.fresh = ''

    def _read_call(self, tables: Sequence[Dialect]) -> Generator[None, None, bool]:
        """Read an envelope of calls by the first of the tables that fits; whether one does."""
        from .dialects.read import read_calls  # most texts hold no call, and most models have none in their text

        source = self._source
        for table in tables:
            if table.anchor == 'line' and not (self._output.code.line_start or self._output.fresh):
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
                        self._output.give(held)
                        return True
                    source.rewind(held)
                    continue
                if source.call is not None:
                    source.call.end()
                source.rewind(source.give_back())
            finally:
                self._in_tables = False
            source.drop_gap()
            self._output.fresh = 'call'
            return True
        return False
