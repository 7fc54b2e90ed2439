"""The answer to a request that asked for no stream, whatever came: its body is read as that of a stream is."""

from __future__ import annotations as _annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from traceback import walk_tb
from typing import Any, cast

from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from pydantic_ai.exceptions import ModelAPIError

from ..errors import StreamError
from .bodies.answers import find_answer, no_answer_error
from .bodies.pages import Origin
from .bodies.reader import BodyReader
from .calls.open_call import OpenCall
from .corrector import ChunkCorrector, Corrected

__all__ = ('read_response', 'undecoded_body')


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
        raise StreamError(f'The response cannot be decoded: {why}.') from error
    return None


def read_response(response: object, origin: Origin) -> ChatCompletion:
    """The completion in what the SDK made of a body.

    Args:
        response: A completion that nobody validated; it comes back as it is if it holds an answer, or nothing that
            says why there is none. Or a body that is no JSON, or any other JSON.
        origin: Where the body comes from, for error messages.

    Raises:
        StreamError: If the body is no answer: a page, text, nothing at all.
    """
    if isinstance(response, ChatCompletion) and _is_answer(response):
        return response
    if isinstance(response, str | bytes):
        answers = list(_answers_in(response, origin))
    else:
        # Google's compatible endpoint has its errors in a list.
        items = cast('list[object]', response) if isinstance(response, list) else [response]
        answers = [find_answer(fields) if (fields := _fields(item)) is not None else item for item in items]
        if isinstance(response, ChatCompletion) and not _says_something(answers[0]):
            return response
    return ChatCompletion.construct(**_completion(answers, origin))


def _fields(item: object) -> dict[str, Any] | None:
    if isinstance(item, ChatCompletion):
        return item.to_dict(mode='python', warnings=False)
    return cast('dict[str, Any]', item) if isinstance(item, dict) else None


def _is_answer(response: ChatCompletion) -> bool:
    """Whether a completion is one, as far as its shape says, without an error beside it."""
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


def _completion(answers: Sequence[object], origin: Origin) -> dict[str, Any]:
    """The first error, the whole completion, or the chunks put together."""
    found = [cast('dict[str, Any]', answer) for answer in answers if isinstance(answer, dict)]
    if not found:
        raise StreamError(origin.describe_text(''.join(map(str, answers))))
    for answer in found:
        if answer.get('error') or _first_choice(answer).get('message') is not None:
            return answer
    if not any(map(_says_something, found)):
        raise no_answer_error(found[0])
    return put_together(found)


def _says_something(answer: object) -> bool:
    """Whether an object is an error, a completion or a chunk."""
    fields = cast('dict[str, Any]', answer) if isinstance(answer, dict) else {}
    choice = _first_choice(fields)
    return bool(fields.get('error')) or choice.get('message') is not None or 'delta' in choice


def _first_choice(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    choices: object = answer.get('choices')
    choice = cast('list[object]', choices)[0] if isinstance(choices, list) and choices else None
    return cast('dict[str, Any]', choice) if isinstance(choice, dict) else {}


def put_together(chunks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The completion that a stream of chunks amounts to, corrected as a stream is.

    A server that always streams: <https://github.com/kaito-project/kaito/issues/1880>

    Raises:
        StreamError: If a chunk has a shape that nothing can be made of.
    """
    corrector = ChunkCorrector()
    completion: dict[str, Any] = {'object': 'chat.completion'}
    fields: dict[str, list[object]] = {}
    for chunk in chunks:
        built = ChatCompletionChunk.construct(**chunk)
        # The last word on each field counts.
        completion |= {name: value for name, value in built if name not in ('choices', 'object') and value is not None}
        _add(fields, corrector.feed(built))
    _add(fields, corrector.flush())
    message = {'role': 'assistant', 'content': None, **{name: _joined(values) for name, values in fields.items()}}
    if calls := corrector.calls.calls:
        message['tool_calls'] = [_whole_call(call, corrector.finish_reason) for call in calls]
    return {**completion, 'choices': [{'index': 0, 'message': message, 'finish_reason': corrector.finish_reason}]}


def _add(fields: dict[str, list[object]], corrected: Iterable[Corrected]) -> None:
    """Keep what deltas say beside calls, each field with all that came in it."""
    for one in corrected:
        if isinstance(one, ChatCompletionChunk) and one.choices:
            for name, value in one.choices[0].delta or ():
                if name not in ('tool_calls', 'function_call', 'role') and value is not None:
                    fields.setdefault(name, []).append(value)


def _joined(values: list[object]) -> object:
    """Text joined, lists joined; of anything else the last that came."""
    if all(isinstance(value, str) for value in values):
        return ''.join(cast('list[str]', values))
    if all(isinstance(value, list) for value in values):
        return list(chain.from_iterable(cast('list[list[object]]', values)))
    return values[-1]


def _whole_call(call: OpenCall, finish_reason: str | None) -> dict[str, Any]:
    arguments = call.outcome(finish_reason).raw_arguments
    return {**call.extra, 'id': call.id, 'type': 'function', 'function': {'name': call.name, 'arguments': arguments}}
