"""Copies of a chunk with other content or calls; shallow, and made only where something has to change."""

from __future__ import annotations as _annotations

from typing import Any, TypeVar

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import (
    Choice,
    ChoiceDelta,
    ChoiceDeltaToolCall,
    ChoiceDeltaToolCallFunction,
)

from .calls.deltas import CallDelta
from .fields import built

__all__ = (
    'bare_chunk',
    'changed',
    'spread',
    'text_chunk',
    'tool_call_delta',
    'with_delta',
    'with_empty_delta',
    'without_end',
)

PieceT = TypeVar('PieceT')

_NO_DELTA = dict.fromkeys(ChoiceDelta.model_fields)


def tool_call_delta(delta: CallDelta) -> ChoiceDeltaToolCall:
    """What goes on to the receiver of a call, as a delta."""
    function = built(ChoiceDeltaToolCallFunction, {'name': delta.name or None, 'arguments': delta.arguments})
    fields = {'index': delta.call.slot, 'id': delta.id, 'type': 'function', 'function': function}
    return built(ChoiceDeltaToolCall, {**delta.extra, **fields})


def with_delta(chunk: ChatCompletionChunk, choice: Choice, **changes: Any) -> ChatCompletionChunk:
    """A copy of the chunk with the one choice, whose delta has other fields."""
    delta = choice.delta.model_copy(update=changes)
    return chunk.model_copy(update={'choices': [choice.model_copy(update={'delta': delta})]})


def changed(
    chunk: ChatCompletionChunk, choice: Choice, **changes: Any
) -> tuple[ChatCompletionChunk, Choice, ChoiceDelta]:
    """The same copy, with its choice and its delta."""
    copy = with_delta(chunk, choice, **changes)
    return copy, copy.choices[0], copy.choices[0].delta


def text_chunk(chunk: ChatCompletionChunk, choice: Choice, text: str) -> tuple[ChatCompletionChunk, Choice]:
    """A copy of the chunk with a text and nothing else, and its choice."""
    copy = without_end(chunk, choice, built(ChoiceDelta, {**_NO_DELTA, 'content': text}))
    return copy, copy.choices[0]


def with_empty_delta(chunk: ChatCompletionChunk, choice: Choice) -> ChatCompletionChunk:
    """A copy of the chunk whose one choice has a delta, which says nothing."""
    return chunk.model_copy(update={'choices': [choice.model_copy(update={'delta': built(ChoiceDelta, _NO_DELTA)})]})


def bare_chunk(index: int, **delta: Any) -> ChatCompletionChunk:
    """A chunk with a delta and nothing else, so that it changes neither an id nor the name of the model."""
    fields = {'index': index, 'delta': built(ChoiceDelta, {**_NO_DELTA, **delta})}
    choice = built(Choice, {**dict.fromkeys(Choice.model_fields), **fields})
    outer = {'id': '', 'model': '', 'created': 0, 'object': 'chat.completion.chunk', 'choices': [choice]}
    return built(ChatCompletionChunk, {**dict.fromkeys(ChatCompletionChunk.model_fields), **outer})


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
    last = built(ChoiceDelta, {**_NO_DELTA, 'tool_calls': delta.tool_calls, 'function_call': delta.function_call})
    return [
        without_end(chunk, choice, first),
        *(text_chunk(chunk, choice, piece)[0] if isinstance(piece, str) else piece for piece in pieces),
        chunk.model_copy(update={'choices': [choice.model_copy(update={'delta': last})]}),
    ]
