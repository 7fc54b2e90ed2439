"""Tool calls in thoughts that come in a field of their own, where some reasoning parsers leave them."""

from __future__ import annotations as _annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..text.scanner import TextScanner
from ..text.segments import Segment
from .calls.deltas import CallDelta
from .text_calls import TextCalls, deltas_of

if TYPE_CHECKING:
    from ..text.dialects.schema import Tools
    from ..text.dialects.table import Dialect

__all__ = ('ThoughtCalls',)


class ThoughtCalls:
    """Takes the calls out of thoughts.

    <https://github.com/vllm-project/vllm/issues/39056>

    Args:
        written: The calls that were written in the text.
        dialects: The dialects in which they are read.
        tools: The schema of the parameters of each declared tool.
        thinking_tags: The tags around thoughts in the text.
    """

    def __init__(
        self, written: TextCalls, dialects: Sequence[Dialect], tools: Tools, thinking_tags: tuple[str, str]
    ) -> None:
        self.scanner = TextScanner(thinking_tags, dialects=dialects, tools=tools)
        self.field: str | None = None
        """The field that the last thought came in."""
        self._written = written

    def feed(self, field: str, text: str, chunk: int) -> tuple[str, list[CallDelta]]:
        """Take the next piece of the thoughts.

        Args:
            field: The field that it came in.
            text: The piece.
            chunk: The number of its chunk, counted from 1.

        Returns:
            The thoughts without the calls, as far as they are certain, and what goes on of the calls.
        """
        self.field = field
        return self._split(self.scanner.feed(text), chunk)

    def flush(self, chunk: int) -> tuple[str, list[CallDelta]]:
        """Release what waits, for the thoughts do not go on."""
        return self._split(self.scanner.flush(), chunk)

    def _split(self, segments: Sequence[Segment], chunk: int) -> tuple[str, list[CallDelta]]:
        kinds = ('text', 'open', 'thought', 'close')
        return ''.join(s.text for s in segments if s.kind in kinds), deltas_of(segments, self._written, chunk)
