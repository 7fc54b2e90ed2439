"""Thoughts in the text of corrected chunks, where each thinking tag is a content of its own."""

from __future__ import annotations as _annotations

from typing import Literal

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice

from .rewrite import text_chunk

__all__ = ('PartThoughts', 'TagReader', 'reasoning_fields')


def reasoning_fields(thinking_field: str | None) -> tuple[str, ...]:
    """The fields that thoughts come in, in the order in which pydantic-ai looks at them."""
    return tuple(dict.fromkeys(name for name in (thinking_field, 'reasoning', 'reasoning_content') if name))


class TagReader:
    """Tells what the contents of corrected chunks are, in the way in which pydantic-ai reads them.

    Args:
        thinking_tags: The tags around thoughts.
    """

    def __init__(self, thinking_tags: tuple[str, str]) -> None:
        self.open, self.close = thinking_tags
        self.in_thought = False
        """Whether the last content was in a thought, or opened one."""

    def may_hold(self, text: str) -> bool:
        """Whether a text may hold a tag: the fast path."""
        return self.open[:1] in text or self.close[:1] in text

    def read(self, content: str) -> Literal['text', 'thought', 'tag']:
        """Take the content of the next chunk."""
        if content == (self.close if self.in_thought else self.open):
            self.in_thought = not self.in_thought
            return 'tag'
        return 'thought' if self.in_thought else 'text'


class PartThoughts:
    """Thoughts from a list of parts, written between tags, which is where pydantic-ai looks for them in the text.

    Args:
        thinking_tags: The tags around thoughts.
    """

    def __init__(self, thinking_tags: tuple[str, str]) -> None:
        self.open = False
        """Whether the last thought may go on."""
        self._tags = thinking_tags

    def thought(self, chunk: ChatCompletionChunk, choice: Choice, text: str) -> list[ChatCompletionChunk]:
        """The chunks for a thought that came in this chunk."""
        before = [] if self.open else [self._tags[0]]
        self.open = True
        return [text_chunk(chunk, choice, each)[0] for each in (*before, text)]

    def close(self, chunk: ChatCompletionChunk, choice: Choice) -> list[ChatCompletionChunk]:
        """The chunk that ends the thought before the text of this chunk."""
        self.open = False
        return [text_chunk(chunk, choice, self._tags[1])[0]]
