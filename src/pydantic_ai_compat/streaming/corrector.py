"""Chunks of any server in, the chunks that the API's own server would send out."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Literal

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDelta

from ..text.events import TextEvent
from .calls.assembler import CallAssembler
from .calls.entries import CallEntries
from .choices import FollowedChoice
from .cumulative import CumulativeFilter
from .fields import Dropped, holds_nothing
from .notes import AnswerNotes
from .outer_fields import is_regular_around, is_regular_choice, mend_choice, mend_chunk, usage_in_choice
from .parts import read_parts
from .rewrite import bare_chunk, changed, text_chunk, tool_call_delta, with_empty_delta
from .tags import PartThoughts, TagReader, reasoning_fields
from .text_chunks import TextCorrector
from .thought_calls import ThoughtCalls
from .thoughts import FieldThoughts
from .usage import RunningUsage

if TYPE_CHECKING:
    from ..text.dialects.schema import Tools
    from ..text.dialects.table import Dialect

__all__ = ('ChunkCorrector', 'Corrected')

Corrected = ChatCompletionChunk | TextEvent
"""A chunk that pydantic-ai's own mapping reads right, or a name-only event found in the text."""


class ChunkCorrector:
    """Corrects the chunks of one answer; a plain response is one of a single chunk.

    A chunk with nothing to correct comes out as the very same object. One whose text may be the beginning of a tag
    waits, with those behind it, until that is known.

    Args:
        tool_names: The tools that the request declares.
        optional_tool_names: Those of them that need no arguments.
        thinking_tags: The tags around thoughts in the text.
        thinking_starts_open: Whether the text begins inside a thought.
        thinking_field: The field of the thoughts, if it is neither `reasoning` nor `reasoning_content`.
        text_event_tag: The name of the tag around name-only events; `None` for none.
        text_events: Whether such an event comes out as an event, or as a call of the declared tool it names.
        streamed: Whether the answer is a stream; only the words of errors depend on it.
        text_tool_calls: The dialects in which tool calls are read from the text.
        tools: The schema of the parameters of each declared tool, for these.
        calls_in_thoughts: Whether such calls count inside thoughts, too.

    Raises:
        OptionError: If `text_event_tag` is not the name of a tag.
    """

    def __init__(
        self,
        tool_names: Collection[str] = (),
        *,
        optional_tool_names: Collection[str] = (),
        thinking_tags: tuple[str, str] = ('<think>', '</think>'),
        thinking_starts_open: bool = False,
        thinking_field: str | None = None,
        text_event_tag: str | None = None,
        text_events: Literal['report', 'call'] = 'report',
        streamed: bool = True,
        text_tool_calls: Sequence[Dialect] = (),
        tools: Tools | None = None,
        calls_in_thoughts: bool = False,
    ) -> None:
        self.notes = AnswerNotes(streamed=streamed)
        """What came up so far."""
        self.calls = CallAssembler(tool_names, optional_tool_names, self.notes.quirks)
        self.finished_chunks = 0
        """How many of them had a finish reason."""
        self.finish_reason: str | None = None
        """The provider's last word on why it stopped."""
        self.usage = RunningUsage()
        """What the answer has used."""
        self.text = TextCorrector(
            self.calls,
            self.notes,
            tool_names if text_events == 'call' else None,
            thinking_tags=thinking_tags,
            thinking_starts_open=thinking_starts_open,
            text_event_tag=text_event_tag,
            dialects=text_tool_calls,
            tools=tools,
            calls_in_thoughts=calls_in_thoughts,
        )
        fields = reasoning_fields(thinking_field)
        calls = (
            ThoughtCalls(self.text.written, text_tool_calls, tools or {}, thinking_tags)
            if calls_in_thoughts and text_tool_calls
            else None
        )
        self.thoughts = FieldThoughts(fields, calls, self.notes)
        """The thoughts that come in a field of their own."""
        self._cumulative = CumulativeFilter(fields)
        self._looks_cumulative = True
        self._entries = CallEntries(self.calls, self.notes, self.text.written)
        self._parts = PartThoughts(thinking_tags)
        self._tags = TagReader(thinking_tags)
        self._followed = FollowedChoice(self.notes)

    @property
    def characters_examined(self) -> int:
        """Characters of text and arguments looked at so far: a constant number of times those that came."""
        return self.text.scanner.examined + self.calls.characters_examined + self._cumulative.examined

    def feed(self, chunk: ChatCompletionChunk) -> Sequence[Corrected]:
        """Take the next chunk.

        Returns:
            What goes on, in order; nothing while it is not known what the text is.

        Raises:
            StreamError: If the chunk has a shape that nothing can be made of.
        """
        self.notes.chunks += 1
        if not isinstance(chunk, ChatCompletionChunk):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise self.notes.malformed('it', chunk)
        choices = chunk.choices
        choice = choices[0] if type(choices) is list and choices else None
        extra = choice.model_extra if type(choice) is Choice else None
        if choice is None or chunk.usage is not None or not is_regular_around(chunk) or (extra and 'usage' in extra):
            chunk = self._mend(chunk, choice)
        if not choices:
            if choices is None:  # pyright: ignore[reportUnnecessaryComparison]
                self.notes.quirks.add('choices-missing')
            return self.text.behind(chunk)
        followed = self._followed
        if not followed.came or type(choice) is not Choice or len(choices) > 1 or choice.index != followed.index:
            selected = followed.select(chunk, choices)
            if selected is None:
                self.notes.quirks.add('other-choice')
                return self.text.behind(chunk.model_copy(update={'choices': []})) if chunk.usage else ()
            chunk, choice = selected
        if not is_regular_choice(choice):
            chunk, choice, dropped = mend_choice(chunk, choice)
            self.notes.drop(dropped)
        if choice.finish_reason:
            self.finish_reason = choice.finish_reason
            self.finished_chunks += 1
        if not self._looks_cumulative:
            return self._correct(chunk, choice)
        pieces = self._cumulative.feed(chunk, choice)
        self._looks_cumulative = not self._cumulative.settled
        if len(pieces) == 1:
            return self._correct(*pieces[0])
        return [one for piece in pieces for one in self._correct(*piece)]

    def flush(self) -> list[Corrected]:
        """Release all that waits, for nothing more comes; call it once."""
        out = [one for piece in self._cumulative.flush() for one in self._correct(*piece)]
        # An id or a model's name on these would go for one that came late.
        index = self._followed.index or 0
        out += self.thoughts.end(index, self.notes.chunks)
        out += self._noted(self.text.finish())
        if deltas := [*self.text.written.finish(), *self.calls.finish()]:
            out.append(bare_chunk(index, tool_calls=[tool_call_delta(delta) for delta in deltas]))
        return out

    @property
    def is_cumulative(self) -> bool:
        """Whether text or thoughts came cumulatively."""
        return self._cumulative.found

    @property
    def choice_came(self) -> bool:
        """Whether there was a choice, without which nothing is an answer."""
        return self._followed.came

    @property
    def calls_came(self) -> bool:
        """Whether the message holds tool calls."""
        return bool(self.calls.calls) or self.text.made_calls

    def _mend(self, chunk: ChatCompletionChunk, choice: object) -> ChatCompletionChunk:
        """The chunk with outer fields that fit, its usage noted."""
        if isinstance(choice, Choice) and (moved := usage_in_choice(chunk, choice)) is not None:
            self.notes.quirks.add('usage-in-choice')
            chunk = moved
        chunk, dropped = mend_chunk(chunk)
        self.notes.drop(dropped)
        if chunk.usage is not None:
            delta = choice.delta if isinstance(choice, Choice) else None
            piece = isinstance(delta, ChoiceDelta) and bool(delta.content or delta.tool_calls)
            self.usage.add(chunk.usage, beside_piece=piece)
        return chunk

    def _correct(self, chunk: ChatCompletionChunk, choice: Choice) -> Sequence[Corrected]:
        delta: Any = choice.delta  # a call of `cast` for each chunk costs more than the check
        if not isinstance(delta, ChoiceDelta):
            if delta is None:
                self.notes.quirks.add('delta-missing')
                # pydantic-ai passes a choice without a delta over, and with it the finish reason.
                return self.text.behind(with_empty_delta(chunk, choice) if choice.finish_reason else chunk)
            raise self.notes.malformed('its `delta`', delta)
        if delta.refusal is not None and type(delta.refusal) is not str:
            self.notes.drop([Dropped('choices.0.delta.refusal', delta.refusal)] if delta.refusal else [])
            chunk, choice, delta = changed(chunk, choice, refusal=None)
        reasoning = False
        if extra := delta.model_extra:
            chunk, choice, delta, reasoning = self.thoughts.read(chunk, choice, delta, extra, self.notes.chunks)
        has_calls = bool(delta.tool_calls or delta.function_call)
        if has_calls:
            if (calls := self._entries.correct(delta, self.notes.chunks)) is not None:
                chunk, choice, delta = changed(chunk, choice, tool_calls=calls or None, function_call=None)
                has_calls = bool(calls)
        elif delta.tool_calls is not None:
            self.notes.quirks.add('no-tool-calls')
        return self._correct_text(chunk, choice, delta.content, reasoning=reasoning, last=has_calls)

    def _correct_text(
        self, chunk: ChatCompletionChunk, choice: Choice, content: object, *, reasoning: bool, last: bool
    ) -> Sequence[Corrected]:
        settled: Sequence[Corrected] = ()
        if content and self.thoughts.reads_calls:
            settled = self.thoughts.end(choice.index, self.notes.chunks)
        if (reasoning or (last and not content)) and self.text.waits:
            settled = [*settled, *self._noted(self.text.settle(in_answer=reasoning))]
        if not content:
            if content is not None and not isinstance(content, str):
                chunk = changed(chunk, choice, content=None)[0]
            behind = self.text.behind(chunk)
            return [*settled, *behind] if settled else behind
        if not isinstance(content, str):
            return [*settled, *self._correct_parts(chunk, choice, content, last=last)]
        if self._parts.open:
            settled = [*settled, *self._parts.close(chunk, choice)]
        out = self.text.feed(chunk, choice, content, last=last)
        if len(out) != 1 or out[0] is not chunk or self._tags.may_hold(content):
            self._noted(out, chunk)
        return [*settled, *out] if settled else out

    def _correct_parts(
        self, chunk: ChatCompletionChunk, choice: Choice, content: object, *, last: bool
    ) -> list[Corrected]:
        """The same with strings for a list of parts; see `read_parts`."""
        parts = read_parts(content)
        others = [part.value for part in parts if part.kind == 'other']
        texts = [part for part in parts if part.kind != 'other']
        if not isinstance(content, list) and not texts and not holds_nothing(content):
            raise self.notes.malformed('`content`', content)
        self.notes.quirks.add('content-parts')
        kept = {'content_parts': others} if others else {}
        if all(part.kind == 'text' for part in texts):
            text = ''.join(str(part.value) for part in texts)
            chunk, choice, _ = changed(chunk, choice, content=text, **kept)
            return [*self._correct_text(chunk, choice, text, reasoning=False, last=last)]
        self.notes.quirks.add('thinking-parts')
        out: list[Corrected] = []
        for part in texts:
            text = str(part.value)
            if part.kind == 'thought':
                out += self._noted(self.text.settle(in_answer=True))
                out += self._parts.thought(chunk, choice, text)
            else:
                piece, its_choice = text_chunk(chunk, choice, text)
                out += self._correct_text(piece, its_choice, text, reasoning=False, last=last)
        rest, _, _ = changed(chunk, choice, content=None, **kept)
        return [*out, *self.text.behind(rest)]

    def _noted(self, out: Sequence[Corrected], chunk: ChatCompletionChunk | None = None) -> Sequence[Corrected]:
        """The same; what of it are tags is noted.

        Args:
            out: What goes on.
            chunk: The chunk that it came from.
        """
        for one in out:
            if isinstance(one, TextEvent) or not one.choices or not (content := one.choices[0].delta.content):
                continue
            kind = self._tags.read(content)
            if kind == 'tag':
                self.notes.quirks.add('thinking-in-text')
                if one is not chunk and self.notes.streamed:
                    self.notes.quirks.add('tag-cut')
            elif kind == 'text' and self._tags.close in content:
                self.notes.quirks.add('closing-tag-alone')
        return out
