"""The text of a stream, chunk by chunk: tags that were cut apart or glued to text become chunks of their own."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDelta

from ..text.events import TextEvent, read_event
from ..text.scanner import TextScanner
from ..text.segments import Segment, is_plain, without_start
from .calls.assembler import CallAssembler
from .calls.deltas import CallDelta
from .calls.open_call import OpenCall
from .notes import AnswerNotes
from .rewrite import spread, tool_call_delta, with_delta, without_end
from .text_calls import TextCalls

if TYPE_CHECKING:
    from ..text.dialects.schema import Tools
    from ..text.dialects.table import Dialect

__all__ = ('TextCorrector',)

_Out = ChatCompletionChunk | TextEvent


class TextCorrector:
    """Gives pydantic-ai each thinking tag as a chunk of its own, the form in which it knows them, and calls as calls.

    Args:
        calls: Where calls made of events, or written in the text, get their index.
        notes: Where the chunks are counted.
        callable_names: The tools that an event may call; `None` if an event stays an event.
        thinking_tags: The tags around thoughts.
        thinking_starts_open: Whether the text begins inside a thought.
        text_event_tag: The name of the tag around events; `None` for none.
        dialects: The dialects in which tool calls are read.
        tools: The schema of the parameters of each declared tool.
        calls_in_thoughts: Whether calls inside thoughts count, too.
    """

    def __init__(
        self,
        calls: CallAssembler,
        notes: AnswerNotes,
        callable_names: Collection[str] | None,
        *,
        thinking_tags: tuple[str, str],
        thinking_starts_open: bool,
        text_event_tag: str | None,
        dialects: Sequence[Dialect] = (),
        tools: Tools | None = None,
        calls_in_thoughts: bool = False,
    ) -> None:
        self.scanner = TextScanner(
            thinking_tags,
            text_event_tag,
            starts_open=thinking_starts_open,
            dialects=dialects,
            tools=tools,
            calls_in_thoughts=calls_in_thoughts,
        )
        self.made_calls = False
        """Whether an event became a call."""
        self.written = TextCalls(calls)
        """The calls that were written in the text."""
        self._calls = calls
        self._notes = notes
        self._callable_names = callable_names
        self._tag = text_event_tag
        self._open_tag = thinking_tags[0]
        self._held: list[tuple[ChatCompletionChunk, Choice | None]] = []
        self._segments: list[Segment] = []
        self._length = 0
        self._carried = False

    @property
    def waits(self) -> bool:
        """Whether it is still open what the text is."""
        return bool(self._held) or self.scanner.undecided

    @property
    def _in_call(self) -> bool:
        """Whether the text is inside a call, of which something is there to go on, or has gone on."""
        return self.scanner.in_call and (self._carried or not is_plain(self._segments))

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
        self._length += len(text)
        if 0 < waits <= len(text) and self._held and self._is_plain([*self._segments, *segments], waits):
            # What waited was no tag, and what waits now begins in this chunk.
            held, self._held = self._held, []
            self._segments.clear()
            for one, its_choice in held:
                released += self._plain(one, its_choice)
            segments = without_start(segments, before)
            self._length = len(text)
        self._held.append((chunk, choice))
        self._segments += segments
        if last and waits:
            return [*released, *self.settle()]
        if not waits or (self._segments and self._in_call):
            released += self._release()
        return released

    def settle(self, *, in_answer: bool = False) -> Sequence[_Out]:
        """Release what waits, for the text does not go on.

        What is or may be a call in the text is not at its end: some servers send it as a call as well, piece by piece,
        and the calls of a server that parses some only come in between. As long as it is open which it is, all waits.

        Args:
            in_answer: Whether the thoughts come in a field of their own, so that text does not begin inside one.
        """
        if in_answer:
            self.scanner.begins_in_answer()
        if not self._in_call:
            if self.scanner.may_be_call:
                return ()
            self._segments += self.scanner.flush()
        return self._release()

    def finish(self) -> Sequence[_Out]:
        """Release all that waits, for nothing more comes."""
        self._segments += self.scanner.flush()
        return self._release()

    def _release(self) -> Sequence[_Out]:
        held, self._held = self._held, []
        segments, self._segments = self._segments, []
        plain = self._is_plain(segments, self.scanner.held)
        self._length = 0
        # What waits inside of a call has lost its chunk, so that whatever becomes of it is no chunk that came.
        self._carried = self.scanner.held > 0
        if not held:
            held, segments = self._without_chunk(segments)
            if not held:
                return []
        if _is_bare_tag(held, segments):
            return [held[0][0]]
        if plain:
            return [one for chunk, choice in held for one in self._plain(chunk, choice)]
        chunk, choice = held[0]
        assert choice is not None, 'only text makes a chunk wait'
        pieces = self._pieces(chunk, choice, segments)
        out: list[_Out] = []
        out += spread(chunk, choice, pieces) if pieces else [with_delta(chunk, choice, content=None)]
        for chunk, choice in held[1:]:
            out.append(chunk if choice is None else with_delta(chunk, choice, content=None))
        return out

    def _is_plain(self, segments: list[Segment], waits: int) -> bool:
        """Whether all that came, but for what waits, is text that goes on as it came."""
        return (
            not self._carried
            and is_plain(segments)
            and sum(len(segment.text) for segment in segments) == self._length - waits
        )

    def _without_chunk(
        self, segments: list[Segment]
    ) -> tuple[list[tuple[ChatCompletionChunk, Choice | None]], list[Segment]]:
        """A chunk of our own for what came of a call whose text went on before."""
        if not segments:
            return [], segments
        choice = Choice.construct(index=0, delta=ChoiceDelta.construct(), finish_reason=None)
        chunk = ChatCompletionChunk.construct(choices=[choice])
        return [(chunk, choice)], segments

    def _plain(self, chunk: ChatCompletionChunk, choice: Choice | None) -> Sequence[_Out]:
        """A chunk of plain text; one that looks like the opening tag is split, since it would be taken for it."""
        if choice is None or choice.delta.content != self._open_tag:
            return (chunk,)
        return spread(chunk, choice, self._as_text(self._open_tag))

    def _as_text(self, text: str) -> list[_Out | str]:
        return [text[:1], text[1:]] if text == self._open_tag else [text]

    def _pieces(self, chunk: ChatCompletionChunk, choice: Choice, segments: list[Segment]) -> list[_Out | str]:
        pieces: list[_Out | str] = []
        text: list[str] = []
        deltas: list[CallDelta] = []

        def end_run() -> None:
            if text:
                pieces.extend(self._as_text(''.join(text)))
                text.clear()
            if deltas:
                calls = ChoiceDelta.construct(tool_calls=[tool_call_delta(delta) for delta in deltas])
                pieces.append(without_end(chunk, choice, calls))
                deltas.clear()

        for segment in segments:
            if segment.kind in ('call', 'arguments', 'id', 'end'):
                if text:
                    end_run()
                deltas += self.written.take(segment, self._notes.chunks)
                continue
            for piece in read_event(segment, self._tag, self._callable_names) if segment.kind == 'event' else ():
                if isinstance(piece, str):
                    text.append(piece)
                    continue
                end_run()
                pieces.append(piece if self._callable_names is None else self._call(chunk, choice, piece.name))
            if segment.kind == 'text':
                if deltas:
                    end_run()
                text.append(segment.text)
            elif segment.kind != 'event':
                end_run()
                pieces.append(segment.text)
        end_run()
        return pieces

    def _call(self, chunk: ChatCompletionChunk, choice: Choice, name: str) -> ChatCompletionChunk:
        self.made_calls = True
        call = OpenCall(index=None, slot=self._calls.reserve_slot(), id=None, chunk=0)
        delta = ChoiceDelta.construct(tool_calls=[tool_call_delta(CallDelta(call, None, name, '{}', {}))])
        return without_end(chunk, choice, delta)


def _is_bare_tag(held: list[tuple[ChatCompletionChunk, Choice | None]], segments: list[Segment]) -> bool:
    """Whether it is one chunk with one tag and nothing else, as pydantic-ai wants it."""
    if len(held) != 1 or len(segments) != 1 or segments[0].kind not in ('open', 'close', 'thought'):
        return False
    choice = held[0][1]
    return choice is not None and choice.delta.content == segments[0].text
