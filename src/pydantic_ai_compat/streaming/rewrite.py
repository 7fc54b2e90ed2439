"""Copies of a chunk with other content or calls; shallow, and made only where something has to change."""

from __future__ import annotations as _annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDelta, ChoiceDeltaToolCall

from .calls.deltas import CallDelta

__all__ = ('split_content', 'spread', 'tool_call_delta', 'with_delta', 'without_end')

PieceT = TypeVar('PieceT')


def split_content(content: list[object]) -> tuple[str, list[object]]:
    """The text of a content that a server sends as a list of parts, and the parts that are no text."""
    texts: list[str] = []
    others: list[object] = []
    for part in content:
        text = part if isinstance(part, str) else _part_text(part)
        if text is None:
            others.append(part)
        else:
            texts.append(text)
    return ''.join(texts), others


def _part_text(part: object) -> str | None:
    if not isinstance(part, Mapping):
        return None
    fields = cast('Mapping[str, object]', part)
    text = fields.get('text')
    return text if fields.get('type') == 'text' and isinstance(text, str) else None


def tool_call_delta(delta: CallDelta) -> ChoiceDeltaToolCall:
    """What goes on to the receiver of a call, as a delta."""
    function = {'name': delta.name or None, 'arguments': delta.arguments}
    return ChoiceDeltaToolCall.construct(
        index=delta.call.slot, id=delta.id, type='function', function=function, **delta.extra
    )


def with_delta(chunk: ChatCompletionChunk, choice: Choice, **changes: Any) -> ChatCompletionChunk:
    """A copy of the chunk with the one choice, whose delta has other fields."""
    delta = choice.delta.model_copy(update=changes)
    return chunk.model_copy(update={'choices': [choice.model_copy(update={'delta': delta})]})


def without_end(chunk: ChatCompletionChunk, choice: Choice, delta: ChoiceDelta) -> ChatCompletionChunk:
    """A copy of the chunk with another delta, and nothing of what counts once: finish reason, usage, logprobs."""
    bare = choice.model_copy(update={'delta': delta, 'finish_reason': None, 'logprobs': None})
    return chunk.model_copy(update={'choices': [bare], 'usage': None})


def spread(
    chunk: ChatCompletionChunk, choice: Choice, pieces: list[PieceT | str]
) -> list[PieceT | ChatCompletionChunk]:
    """Copies of the chunk that give its content piece by piece, each string as a delta of its own.

    The first holds what comes before text (a reasoning field), the last what comes after it or counts once (tool
    calls, finish reason, usage, logprobs).
    """
    if len(pieces) == 1 and isinstance(text := pieces[0], str):
        return [with_delta(chunk, choice, content=text)]
    delta = choice.delta
    first = delta.model_copy(update={'content': None, 'tool_calls': None, 'function_call': None})
    last = ChoiceDelta.construct(tool_calls=delta.tool_calls, function_call=delta.function_call)
    return [
        without_end(chunk, choice, first),
        *(
            without_end(chunk, choice, ChoiceDelta.construct(content=piece)) if isinstance(piece, str) else piece
            for piece in pieces
        ),
        chunk.model_copy(update={'choices': [choice.model_copy(update={'delta': last})]}),
    ]
