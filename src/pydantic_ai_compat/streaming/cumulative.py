"""Text and thoughts of which each piece holds all that came before."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDelta

from .rewrite import with_delta

__all__ = ('CumulativeFilter', 'CumulativeText')

_LEAST = 16
"""How long a text must be before it can count as cumulative: short ones repeat by chance."""


class CumulativeText:
    """The text of one field, piece by piece.

    It is cumulative only where no other reading is likely: of its first three pieces each begins with the whole text
    before it and is longer, and the third has 16 characters at least. So the second piece waits for the third.
    <https://github.com/QwenLM/qwen-code/pull/3896>
    """

    def __init__(self) -> None:
        self.state: Literal['first', 'second', 'third', 'cumulative', 'pieces'] = 'first'
        self.examined = 0
        """Characters compared so far."""
        self.added = ''
        """What the piece that waits adds, if the text is cumulative."""
        self._whole = ''

    def take(self, text: str) -> str | None:
        """Take the next piece.

        Returns:
            What it adds to the text; `None` if it has to wait for the next one.
        """
        if self.state == 'pieces':
            return text
        before, self._whole = self._whole, text
        if self.state == 'first':
            self.state = 'second'
            return text
        self.examined += len(before)
        begins = text.startswith(before)
        if self.state == 'cumulative':
            if not begins:
                self._whole = before + text
            return text[len(before) :] if begins else text
        grows = begins and len(text) > len(before)
        if self.state == 'second' and grows:
            self.state = 'third'
            self.added = text[len(before) :]
            return None
        if self.state == 'third' and grows and len(text) >= _LEAST:
            self.state = 'cumulative'
            return text[len(before) :]
        self.give_up()
        return text

    def give_up(self) -> None:
        """Take the text for one that comes in pieces."""
        self.state = 'pieces'
        self._whole = ''


class _Held(NamedTuple):
    chunk: ChatCompletionChunk
    choice: Choice
    field: str


class CumulativeFilter:
    """Reduces chunks with cumulative text to what each of them adds.

    Args:
        fields: The fields that thoughts come in, beside `content`.
    """

    def __init__(self, fields: Sequence[str]) -> None:
        self._texts = {name: CumulativeText() for name in ('content', *fields)}
        self._held: _Held | None = None

    @property
    def examined(self) -> int:
        """Characters compared so far."""
        return sum(text.examined for text in self._texts.values())

    @property
    def found(self) -> bool:
        """Whether a field turned out to be cumulative."""
        return any(text.state == 'cumulative' for text in self._texts.values())

    @property
    def settled(self) -> bool:
        """Whether nothing is left to be looked at: the text comes in pieces, and so did the thoughts before it."""
        return self._texts['content'].state == 'pieces' and not self.found and self._held is None

    def feed(self, chunk: ChatCompletionChunk, choice: Choice) -> list[tuple[ChatCompletionChunk, Choice]]:
        """Take the next chunk.

        Returns:
            What goes on, in order: nothing while a chunk waits for the next one with text.
        """
        delta: Any = choice.delta
        # Asking an object of the SDK for a field that it lacks costs more than a look at all that it has.
        has_delta = isinstance(delta, ChoiceDelta)
        if self._held is None and not (has_delta and (delta.content or delta.model_extra)):
            return [(chunk, choice)]
        texts = _texts_in(delta, self._texts) if has_delta else {}
        ends = bool(choice.finish_reason) or (has_delta and bool(delta.tool_calls or delta.function_call))
        held = self._held
        out = self.flush() if held is not None and held.field not in texts and (texts or ends) else []
        changes: dict[str, str] = {}
        waits: str | None = None
        for name, text in texts.items():
            added = self._texts[name].take(text)
            if added is None:
                waits = name
            elif added is not text:
                changes[name] = added
        out += self._release()
        if changes:
            chunk = with_delta(chunk, choice, **changes)
            choice = chunk.choices[0]
        if waits is None:
            return [*out, (chunk, choice)]
        self._held = _Held(chunk, choice, waits)
        return [*out, *(self.flush() if ends else ())]

    def flush(self) -> list[tuple[ChatCompletionChunk, Choice]]:
        """Release the chunk that waits, for its text does not go on: it is no cumulative one."""
        if self._held is None:
            return []
        self._texts[self._held.field].give_up()
        return self._release()

    def _release(self) -> list[tuple[ChatCompletionChunk, Choice]]:
        """The chunk that waits, if it is known by now what its text is."""
        if self._held is None or (text := self._texts[self._held.field]).state == 'third':
            return []
        (chunk, choice, name), self._held = self._held, None
        if text.state == 'cumulative':
            chunk = with_delta(chunk, choice, **{name: text.added})
            choice = chunk.choices[0]
        return [(chunk, choice)]


def _texts_in(delta: ChoiceDelta, names: Collection[str]) -> dict[str, str]:
    fields = {'content': delta.content, **(delta.model_extra or {})}
    return {name: text for name, text in fields.items() if text and isinstance(text, str) and name in names}
