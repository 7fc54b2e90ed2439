"""Which choice of an answer is followed."""

from __future__ import annotations as _annotations

from typing import cast

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice

from .notes import AnswerNotes

__all__ = ('FollowedChoice',)


class FollowedChoice:
    """The first choice of the answer, since pydantic-ai asks for one answer only.

    Args:
        notes: Where other choices are noted.
    """

    def __init__(self, notes: AnswerNotes) -> None:
        self.index: int | None = None
        """Its index, once it is known."""
        self.came = False
        """Whether anything of it came."""
        self._notes = notes

    def select(self, chunk: ChatCompletionChunk, choices: object) -> tuple[ChatCompletionChunk, Choice] | None:
        """The chunk with no other choice, and its choice; `None` if it belongs to others.

        Raises:
            StreamError: If nothing can be made of the choices.
        """
        if not isinstance(choices, list):
            raise self._notes.malformed('its `choices`', choices)
        known: list[Choice] = []
        for choice in cast('list[object]', choices):
            if not isinstance(choice, Choice):
                raise self._notes.malformed('a choice', choice)
            known.append(choice)
        indexes = [choice.index for choice in known if isinstance(choice.index, int)]  # pyright: ignore[reportUnnecessaryIsInstance]
        if self.index is None and indexes:
            self.index = min(indexes)
        for choice in known:
            if choice.index == self.index or not isinstance(choice.index, int):  # pyright: ignore[reportUnnecessaryIsInstance]
                if len(known) > 1:
                    self._notes.quirks.add('other-choice')
                    chunk = chunk.model_copy(update={'choices': [choice]})
                self.came = True
                return chunk, choice
        return None
