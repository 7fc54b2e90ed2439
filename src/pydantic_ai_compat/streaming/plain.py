"""The answer to a request that asked for no stream, whatever came: its body is read as that of a stream is."""

from __future__ import annotations as _annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from traceback import walk_tb
from typing import Any, TypeGuard, cast

from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from pydantic_ai.exceptions import ModelAPIError

from ..lazy import errors
from .bodies.answers import find_answer, no_answer_error
from .bodies.pages import Origin
from .bodies.reader import BodyReader

__all__ = ('is_answer', 'read_response', 'undecoded_body')


def undecoded_body(error: Exception) -> str | bytes | None:
    """The body that the SDK could not decode, from the error that it became; `None` for any other error.

    The SDK takes a label of JSON for a promise, and raises what `json` raises.

    Raises:
        StreamError: If the body is not known any more: it is nested too deep, or holds a number without end.
    """
    if isinstance(error, ModelAPIError):
        cause = error.__cause__
        if isinstance(cause, json.JSONDecodeError):
            return cause.doc
        return cause.object if isinstance(cause, UnicodeDecodeError) else None
    modules = [str(frame.f_globals.get('__name__')) for frame, _ in walk_tb(error.__traceback__)]
    if 'openai._response' in modules and modules[-1].startswith('json.'):
        why = 'it is nested too deep' if isinstance(error, RecursionError) else str(error)
        raise errors.StreamError(f'The response cannot be decoded: {why}.') from error
    return None


def read_response(response: object, origin: Origin) -> ChatCompletion | list[ChatCompletionChunk]:
    """The completion in what the SDK made of a body, or the chunks of one that came as a stream.

    A server that always streams: <https://github.com/kaito-project/kaito/issues/1880>

    Args:
        response: A completion that nobody validated; it comes back as it is if it holds an answer, or nothing that
            says why there is none. Or a body that is no JSON, or any other JSON.
        origin: Where the body comes from, for error messages.

    Raises:
        StreamError: If the body is no answer: a page, text, nothing at all.
    """
    if is_answer(response):
        return response
    if isinstance(response, str | bytes):
        answers = list(_answers_in(response, origin))
    else:
        # Google's compatible endpoint has its errors in a list.
        items = cast('list[object]', response) if isinstance(response, list) else [response]
        answers = [find_answer(fields) if (fields := _fields(item)) is not None else item for item in items]
        if isinstance(response, ChatCompletion) and not _says_something(answers[0]):
            return response
    return _completion_or_chunks(answers, origin)


def _fields(item: object) -> dict[str, Any] | None:
    if isinstance(item, ChatCompletion):
        return item.to_dict(mode='python', warnings=False)
    return cast('dict[str, Any]', item) if isinstance(item, dict) else None


def is_answer(response: object) -> TypeGuard[ChatCompletion]:
    """Whether a body is a completion with an answer, as far as its shape says, and without an error beside it."""
    if not isinstance(response, ChatCompletion):
        return False
    choices = cast('object', response.choices)
    choice = cast('list[object]', choices)[0] if isinstance(choices, list) and choices else None
    return (
        isinstance(choice, Choice)
        and isinstance(cast('object', choice.message), ChatCompletionMessage)
        and not (response.model_extra or {}).get('error')
        and not (choice.model_extra or {}).get('error')
    )


def _answers_in(body: str | bytes, origin: Origin) -> Iterator[object]:
    reader = BodyReader(origin, size=math.inf)
    data = body.encode(errors='replace') if isinstance(body, str) else body
    for step in (reader.feed(data), reader.finish(drop_cut=True)):
        for event in step:
            if event.is_done:
                return
            yield event.answer()


def _completion_or_chunks(answers: Sequence[object], origin: Origin) -> ChatCompletion | list[ChatCompletionChunk]:
    """The first error, the whole completion, or the chunks."""
    found = [cast('dict[str, Any]', answer) for answer in answers if isinstance(answer, dict)]
    if not found:
        raise errors.StreamError(origin.describe_text(''.join(map(str, answers))))
    refusals = (answer for answer in found if answer.get('error'))
    whole = (answer for answer in found if _first_choice(answer).get('message') is not None)
    if answer := next(chain(refusals, whole), None):
        return ChatCompletion.construct(**answer)
    if not any(map(_says_something, found)):
        raise no_answer_error(found[0])
    return [ChatCompletionChunk.construct(**answer) for answer in found]


def _says_something(answer: object) -> bool:
    """Whether an object is an error, a completion or a chunk."""
    fields = cast('dict[str, Any]', answer) if isinstance(answer, dict) else {}
    choice = _first_choice(fields)
    return bool(fields.get('error')) or choice.get('message') is not None or 'delta' in choice


def _first_choice(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    choices: object = answer.get('choices')
    choice = cast('list[object]', choices)[0] if isinstance(choices, list) and choices else None
    return cast('dict[str, Any]', choice) if isinstance(choice, dict) else {}
