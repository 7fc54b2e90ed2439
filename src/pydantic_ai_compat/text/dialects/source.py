"""The text that a reader of a dialect reads: it comes in pieces, and what turns out to be no call is given back."""

from __future__ import annotations as _annotations

import re
import sys
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, TypeVar

from ..segments import Segment
from .finding import partial

if TYPE_CHECKING:
    from .call import OpenTextCall

__all__ = ('NoCall', 'Reading', 'Source')

ResultT = TypeVar('ResultT')

Reading = Generator[None, None, ResultT]
"""A reader: it yields when it needs more text, and is resumed when there is more, or the text has ended."""

MAX_HEADER = 4096
"""How many characters may be held back before a call has the name of a declared tool."""

MAX_HELD_ARGUMENTS = 1 << 20
"""How many may be, where a call has its arguments before its name."""

_SPACE = re.compile(r'\s*')
_RUN = re.compile(r'\s{0,4096}')
"""White space that is looked past; a longer run stands between no two marks."""


class NoCall(Exception):
    """What began like a call is none."""


class Source:
    """A text with a position, to which pieces are added at the end.

    What has been read is dropped, or, while it is open if it is a call, held.
    """

    def __init__(self) -> None:
        self.text = ''
        self.position = 0
        self.ended = False
        """Whether no more text comes."""
        self.examined = 0
        """Characters looked at so far."""
        self.out: list[Segment] = []
        """What is certain and has not been fetched."""
        self.thinking_tags: tuple[str, str] = ('<think>', '</think>')
        """The tags by which a thought is given, whatever marks it came between."""
        self.call: OpenTextCall | None = None
        """The call that the text is inside of."""
        self.commits = 0
        """How often something was certain to be a call, or another message of its dialect."""
        self.limit = MAX_HEADER
        self._held: list[str] | None = None
        self._before: list[str] = []
        """What of the held text stands before the item that is read."""
        self._passed = 0
        """How many pieces of `_before` are text, whatever comes: up to the end of the last item that is no call."""
        self.held_length = 0
        """How many characters have been read that may turn out to be no call."""
        self._gap: list[str] = []
        self.gap_length = 0
        """How many characters of white space wait beside calls, for they may belong to their marks."""

    def add(self, text: str) -> None:
        """Add a piece at the end."""
        self.text = self.text[self.position :] + text
        self.position = 0
        self.examined += len(text)

    def add_gap(self, text: str) -> None:
        """Let white space wait."""
        self._gap.append(text)
        self.gap_length += len(text)

    def release_gap(self) -> None:
        """Give the white space that waits."""
        gap = ''.join(self._gap)
        self.drop_gap()
        if gap:
            self.out.append(Segment('text', gap))

    def drop_gap(self) -> None:
        """The white space that waits belongs to marks."""
        self._gap.clear()
        self.gap_length = 0

    @property
    def waiting(self) -> int:
        """How many characters have not been read."""
        return len(self.text) - self.position

    def hold(self, *, endless: bool = False) -> None:
        """Begin to hold what is read from here on.

        Args:
            endless: Whether it may be of any length.
        """
        self._forget()
        self._held = []
        self.limit = sys.maxsize if endless else MAX_HEADER

    def commit(self) -> None:
        """Drop what is held: it belongs to a call, but for the items before that are none."""
        if self._passed:
            self.release_gap()
            self.out.append(Segment('text', ''.join(self._before[: self._passed])))
        self._forget()
        self.commits += 1

    def _forget(self) -> None:
        self._held = None
        self._before = []
        self._passed = 0
        self.held_length = 0

    def begin_item(self) -> None:
        """An item of an envelope begins, which may be no call while others are."""
        if self._held is None:
            self.hold()
        self._before += self._held or ()
        self._held = []

    def again(self) -> None:
        """Put the position before the item."""
        item = ''.join(self._held or ())
        self._held = []
        self.held_length -= len(item)
        self.rewind(item)

    def pass_item(self) -> None:
        """The item that was read is no call, so all that is held is text."""
        self.begin_item()
        self._passed = len(self._before)

    @property
    def is_open(self) -> bool:
        """Whether it is still open if what is read is a call."""
        return self._held is not None

    def give_back(self) -> str:
        """Take back what is held; the position is behind it still."""
        held = ''.join((*self._before, *(self._held or ())))
        self._forget()
        return held

    def rewind(self, held: str) -> None:
        """Put the position before a text that was read."""
        self.text = held + self.text[self.position :]
        self.position = 0
        self.examined += len(held)

    def take(self, end: int) -> str:
        """Read up to a position of `text`.

        Raises:
            NoCall: More is held than may be.
        """
        piece = self.text[self.position : end]
        self.position = end
        if self._held is not None and piece:
            self._held.append(piece)
            self.held_length += len(piece)
            if self.held_length > self.limit:
                raise NoCall
        return piece

    def peek(self, length: int = 1) -> Reading[str]:
        """The next characters, fewer only at the end of the text."""
        while len(self.text) - self.position < length and not self.ended:
            yield
        return self.text[self.position : self.position + length]

    def space(self) -> Reading[str]:
        """Read white space."""
        pieces: list[str] = []
        while True:
            found = _SPACE.match(self.text, self.position)
            assert found is not None
            pieces.append(self.take(found.end()))
            if self.position < len(self.text) or self.ended:
                return ''.join(pieces)
            yield

    def match(self, terminals: Sequence[str]) -> Reading[str]:
        """Read the longest of the terminals that stands here; `''` for none."""
        found = yield from self.looking_at(terminals)
        self.take(self.position + len(found))
        return found

    def looking_at(self, terminals: Sequence[str], offset: int = 0) -> Reading[str]:
        """The longest of the terminals that stands here, or so many characters further; `''` for none."""
        while True:
            start = self.position + offset
            best, wait = '', False
            for terminal in terminals:
                if self.text.startswith(terminal, start):
                    best = max(best, terminal, key=len)
                elif not self.ended and len(self.text) - start < len(terminal):
                    wait = wait or terminal.startswith(self.text[start:])
            if not wait:
                return best
            yield

    def mark(self, parts: Sequence[str]) -> Reading[bool]:
        """Read a mark, with white space between its parts; whether it stands here.

        Raises:
            NoCall: The first part stands here, and the next does not.
        """
        for number, part in enumerate(parts):
            if number:
                yield from self.space()
            if not (yield from self.match([part.strip()])) and part.strip():
                if number:
                    raise NoCall
                return False
        return True

    def maybe(self, parts: Sequence[str]) -> Reading[None]:
        """Read those parts of a mark that are there, and white space before them."""
        for part in parts:
            yield from self.after_space([part.strip()])

    def after_space(self, terminals: Sequence[str]) -> Reading[str]:
        """Read white space and one of the terminals; nothing at all if none is there."""
        length = yield from self.spaces_ahead()
        found = yield from self.looking_at(terminals, length)
        if found:
            self.take(self.position + length + len(found))
        return found

    def spaces_ahead(self, offset: int = 0) -> Reading[int]:
        """How many white-space characters come next, or so many characters further."""
        end = self.position + offset
        while True:
            start = self.position + offset
            found = _RUN.match(self.text, start if end - start >= MAX_HEADER else max(end, start))
            assert found is not None
            length = found.end() - start
            if length >= MAX_HEADER or found.end() < len(self.text) or self.ended:
                return min(length, MAX_HEADER)
            before = self.position
            yield
            end = found.end() - before + self.position

    def word(self, pattern: re.Pattern[str], limit: int) -> Reading[str]:
        """Read the characters that a pattern matches one by one.

        Raises:
            NoCall: There are more of them than `limit`.
        """
        pieces: list[str] = []
        length = 0
        while True:
            found = pattern.match(self.text, self.position)
            piece = self.take(found.end()) if found else ''
            pieces.append(piece)
            length += len(piece)
            if length > limit:
                raise NoCall
            if self.position < len(self.text) or self.ended:
                return ''.join(pieces)
            yield

    def through(self, terminal: str, give: Callable[[str], None]) -> Reading[bool]:
        """Read up to and with a terminal; whether it came.

        Args:
            terminal: What ends it.
            give: Takes what stands before, in pieces.
        """
        while True:
            end = self.text.find(terminal, self.position)
            if end >= 0:
                give(self.take(end))
                self.take(end + len(terminal))
                return True
            keep = 0 if self.ended else partial(self.text, self.position, (terminal,))
            give(self.take(len(self.text) - keep))
            if self.ended:
                return False
            yield
