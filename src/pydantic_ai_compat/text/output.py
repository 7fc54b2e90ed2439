"""The text that goes on: white space beside calls waits, for it may belong to their marks."""

from __future__ import annotations as _annotations

from collections.abc import Generator
from typing import Literal

from .code_regions import CodeRegions
from .dialects.source import Source
from .marks import Marks
from .segments import Segment

__all__ = ('TextOutput',)


class TextOutput:
    """Gives text and thoughts on.

    Args:
        source: Where the segments go.
        marks: What is looked for.
    """

    def __init__(self, source: Source, marks: Marks) -> None:
        self.code = CodeRegions()
        self.in_thought = False
        self.fresh: Literal['start', 'thought', 'call', ''] = 'start'
        """What came last, if nothing but white space came since: the start of the message, a thought, a call."""
        self.has_answer = False
        """Whether any text came that is no thought and no white space."""
        self._source = source
        self._marks = marks

    def pass_plain(self, text: str) -> None:
        """Take note of text without a mark, which goes on as it is."""
        if self.in_thought:
            if self._marks.in_thoughts:
                self.code.pass_text(text)
            return
        self.code.pass_text(text)
        if self.fresh and not text.isspace():
            self._begin_answer()

    def give(self, text: str, *, tracked: bool = True) -> None:
        """Give text, or a thought.

        Args:
            text: The text.
            tracked: Whether it holds no run that begins or ends code.
        """
        if not text:
            return
        if tracked and (not self.in_thought or self._marks.in_thoughts):
            self.code.pass_text(text)
        if self.in_thought:
            self._source.out.append(Segment('thought', text))
            return
        if self.fresh:
            if text.isspace():
                if self._marks.has_tables:
                    self._source.add_gap(text)
                    return
            else:
                self._source.release_gap()
                self._begin_answer()
        self._source.out.append(Segment('text', text))

    def pass_mark(self, mark: str) -> Generator[None]:
        """Give a mark that is none as the text that it is, from where the text is read."""
        source = self._source
        if mark[0] not in '`~':
            self.give(source.take(source.position + len(mark)))
            return
        run = mark[: len(mark) - len(mark.lstrip(mark[0]))]
        closes_line = False
        if self.code.in_fence:
            length = yield from source.spaces_ahead(len(run))
            start = source.position + len(run)
            closes_line = start + length == len(source.text) or '\n' in source.text[start : start + length]
        self.give(source.take(source.position + len(run)), tracked=False)
        self.code.pass_run(run, closes_line=closes_line)

    def open_thought(self, tag: str) -> None:
        """A thought begins."""
        self._source.release_gap()
        self._source.out.append(Segment('open', tag))
        self.in_thought = True

    def close_thought(self, tag: str) -> None:
        """The thought ends."""
        self._source.out.append(Segment('close', tag))
        self.in_thought = False
        self.fresh = 'thought'

    def _begin_answer(self) -> None:
        self.fresh = ''
        self.has_answer = True

    def end(self) -> None:
        """Nothing more comes: white space behind the last call belonged to its marks."""
        if self.fresh == 'call':
            self._source.drop_gap()
        self._source.release_gap()
