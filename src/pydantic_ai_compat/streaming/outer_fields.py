"""The fields of a chunk around what the answer is made of: each fits its type, or is put aside."""

from __future__ import annotations as _annotations

from typing import Any, cast

from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice, ChoiceLogprobs
from pydantic import BaseModel

from .fields import Dropped, holds_nothing, is_object, mended
from .usage import read_usage

__all__ = ('is_regular_around', 'is_regular_choice', 'mend_choice', 'mend_chunk', 'usage_in_choice')

_NEUTRAL: dict[str, Any] = {'id': '', 'created': 0, 'model': '', 'object': 'chat.completion.chunk', 'choices': []}

_TIMES = range(-62_135_596_800_000, 253_402_300_800_000)
"""The numbers that pydantic reads as a time, those above 2e10 as milliseconds: the years 1 to 9999. A server that counts
nanoseconds is beyond them."""


def is_regular_around(chunk: ChatCompletionChunk | ChatCompletion) -> bool:
    """Whether a look at its fields is enough to know that `mend_chunk` has nothing to do but for the usage: the fast path."""
    return (
        type(chunk.created) is int
        and chunk.created in _TIMES
        and type(chunk.id) is str
        and type(chunk.model) is str
        and (chunk.service_tier is None or type(chunk.service_tier) is str)  # servers have words of their own
        and chunk.moderation is None
    )


def is_regular_choice(choice: Choice) -> bool:
    """Likewise for `mend_choice`."""
    finish_reason = choice.finish_reason
    return (finish_reason is None or type(finish_reason) is str) and choice.logprobs is None and not choice.model_extra


def mend_chunk(chunk: ChatCompletionChunk) -> tuple[ChatCompletionChunk, list[Dropped]]:
    """A chunk whose outer fields fit, the same object if they do, and what did not fit."""
    usage, dropped = read_usage(chunk.usage)
    changes: dict[str, object] = {} if usage is chunk.usage else {'usage': usage}
    if is_regular_around(chunk):
        return (chunk.model_copy(update=changes) if changes else chunk), dropped
    given = {name: _plain(getattr(chunk, name)) for name in ('id', 'created', 'model', 'moderation')}
    if not isinstance(chunk.service_tier, str):
        given['service_tier'] = chunk.service_tier
    given = {name: value for name, value in given.items() if value is not None}
    fields = {**_NEUTRAL, **given}
    dropped += mended(ChatCompletionChunk, fields)
    fields['created'] = ChatCompletionChunk.model_validate(fields).created
    if fields['created'] not in _TIMES:
        dropped.append(Dropped('created', fields['created']))
        fields['created'] = 0
    changes |= {name: fields[name] for name, value in given.items() if fields[name] is not value}
    return (chunk.model_copy(update=changes) if changes else chunk), dropped


def mend_choice(chunk: ChatCompletionChunk, choice: Choice) -> tuple[ChatCompletionChunk, Choice, list[Dropped]]:
    """A chunk whose one choice has outer fields that fit, the same objects if they do, and what did not fit."""
    changes: dict[str, object] = {}
    dropped: list[Dropped] = []
    finish_reason = cast('object', choice.finish_reason)
    if finish_reason is not None and not isinstance(finish_reason, str):
        changes['finish_reason'] = None
        dropped.append(Dropped('choices.0.finish_reason', finish_reason))
    if choice.logprobs is not None:
        logprobs = cast('dict[str, Any] | None', _plain(choice.logprobs))
        lost = mended(ChoiceLogprobs, logprobs) if isinstance(logprobs, dict) else [Dropped('', logprobs)]
        if lost or logprobs != _plain(choice.logprobs):
            changes['logprobs'] = ChoiceLogprobs.model_validate(logprobs) if isinstance(logprobs, dict) else None
        dropped += [Dropped(f'choices.0.logprobs.{one.place}'.rstrip('.'), one.value) for one in lost]
    if changes:
        choice = choice.model_copy(update=changes)
        chunk = chunk.model_copy(update={'choices': [choice]})
    return chunk, choice, [one for one in dropped if not holds_nothing(one.value)]


def usage_in_choice(chunk: ChatCompletionChunk, choice: Choice) -> ChatCompletionChunk | None:
    """The chunk with the usage that its choice holds, in its own place.

    Moonshot puts it there: <https://github.com/AstrBotDevs/AstrBot/issues/6614>. `None` if there is none.
    """
    value = (choice.model_extra or {}).get('usage')
    if chunk.usage is not None or not is_object(value):
        return None
    return chunk.model_copy(update={'usage': value})


def _plain(value: object) -> Any:
    return value.model_dump(warnings=False) if isinstance(value, BaseModel) else value
