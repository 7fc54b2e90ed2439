"""The text of a stream, chunk by chunk: tags that were cut apart or glued to text become chunks of their own."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Sequence

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDelta

from ..text.events import TextEvent, read_events
from ..text.scanner import Segment, TextScanner, is_plain, without_start
from .calls.assembler import CallAssembler
from .calls.deltas import CallDelta
from .calls.open_call import OpenCall
from .rewrite import spread, tool_call_delta, with_delta, without_end

__all__ = ('TextCorrector',)

_Out = ChatCompletionChunk | TextEvent


class TextCorrector:
    """Gives pydantic-ai each thinking tag as a chunk of its own, the form in which it knows them.

    Args:
        calls: Where calls made of events get their index.
        callable_names: The tools that an event may call; `None` if an event stays an event.
        thinking_tags: The tags around thoughts.
        thinking_starts_open: Whether the text begins inside a thought.
        text_event_tag: The name of the tag around events; `None` for none.
    """

    def __init__(
        self,
        calls: CallAssembler,
        callable_names: Collection[str] | None,
        *,
        thinking_tags: tuple[str, str],
        thinking_starts_open: bool,
        text_event_tag: str | None,
    ) -> None:
        self.scanner = TextScanner(thinking_tags, text_event_tag, starts_open=thinking_starts_open)
        self.made_calls = False
        """Whether an event became a call."""
        self._calls = calls
        self._callable_names = callable_names
        self._tag = text_event_tag
        self._held: list[tuple[ChatCompletionChunk, Choice | None]] = []
        self._segments: list[Segment] = []

    @property
    def waits(self) -> bool:
        """Whether it is still open what the text is."""
        return bool(self._held) or self.scanner.undecided

    def behind(self, chunk: ChatCompletionChunk) -> Sequence[ChatCompletionChunk]:
        """Take a chunk without text: it goes on, behind the chunks that wait."""
        if not self._held:
            return (chunk,)
        self._held.append((chunk, None))
        return ()

    def feed(self, chunk: ChatCompletionChunk, choice: Choice, text: str, *, last: bool) -> Sequence[_Out]:
        """Take a chunk with text.

        Args:
            chunk: The chunk.
            choice: Its choice.
            text: Its text.
            last: Whether the text ends here, because the chunk holds a tool call too.
        """
        if not self._held and self.scanner.passes(text):
            return (chunk,)
        before = self.scanner.held
        segments = self.scanner.feed(text)
        waits = self.scanner.held
        released: list[_Out] = []
        if 0 < waits <= len(text) and self._held and is_plain([*self._segments, *segments]):
            # What waited was no tag, and what waits now begins in this chunk.
            released = [held for held, _ in self._held]
            self._held.clear()
            self._segments.clear()
            segments = without_start(segments, before)
        self._held.append((chunk, choice))
        self._segments += segments
        if last and waits:
            return [*released, *self.settle()]
        return released if waits else self._release()

    def settle(self, *, in_answer: bool = False) -> Sequence[_Out]:
        """Release what waits, for the text does not go on.

        Args:
            in_answer: Whether the thoughts come in a field of their own, so that text does not begin inside one.
        """
        if in_answer:
            self.scanner.begins_in_answer()
        self._segments += self.scanner.flush()
        return self._release()

    def _release(self) -> Sequence[_Out]:
        held, self._held = self._held, []
        segments, self._segments = self._segments, []
        if is_plain(segments) or _is_bare_tag(held, segments):
            return [chunk for chunk, _ in held]
        chunk, choice = held[0]
        assert choice is not None, 'only text makes a chunk wait'
        out = spread(chunk, choice, self._pieces(chunk, choice, segments))
        for chunk, choice in held[1:]:
            out.append(chunk if choice is None else with_delta(chunk, choice, content=None))
        return out

    def _pieces(self, chunk: ChatCompletionChunk, choice: Choice, segments: list[Segment]) -> list[_Out | str]:
        pieces = read_events(segments, self._tag, self._callable_names)
        if self._callable_names is None:
            return [*pieces]
        return [
            without_end(chunk, choice, self._call(piece.name)) if isinstance(piece, TextEvent) else piece
            for piece in pieces
        ]

    def _call(self, name: str) -> ChoiceDelta:
        self.made_calls = True
        call = OpenCall(index=None, slot=self._calls.reserve_slot(), id=None, chunk=0)
        return ChoiceDelta.construct(tool_calls=[tool_call_delta(CallDelta(call, None, name, '{}', {}))])


def _is_bare_tag(held: list[tuple[ChatCompletionChunk, Choice | None]], segments: list[Segment]) -> bool:
    """Whether it is one chunk with one tag and nothing else, as pydantic-ai wants it."""
    if len(held) != 1 or len(segments) != 1 or segments[0].kind == 'event':
        return False
    choice = held[0][1]
    return choice is not None and choice.delta.content == segments[0].text
