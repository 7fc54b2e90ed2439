"""A plain response as a stream of one chunk, and a stream as a plain response."""

from __future__ import annotations as _annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from openai.types.chat.chat_completion_chunk import (
    Choice as ChunkChoice,
    ChoiceDelta,
    ChoiceDeltaFunctionCall,
    ChoiceDeltaToolCall,
    ChoiceDeltaToolCallFunction,
)
from openai.types.chat.chat_completion_message_function_tool_call import ChatCompletionMessageFunctionToolCall
from pydantic import BaseModel

from ..lazy import errors
from .bodies.answers import as_chunk
from .fields import built, fields_of, is_object

__all__ = ('CompletionBuilder', 'completion_chunk')

_JOINED = ('content', 'refusal')


def completion_chunk(completion: ChatCompletion) -> ChatCompletionChunk:
    """A whole completion as the one chunk of a stream.

    Args:
        completion: The completion of the SDK, which has validated nothing in it.

    Raises:
        StreamError: If there is no answer in it; the message names the keys that came.
    """
    choices = cast('object', completion.choices)
    if not isinstance(choices, list) or not choices:
        raise _no_answer(f'`choices` is {choices!r}', completion)
    first = cast('list[object]', choices)[0]
    if not isinstance(first, Choice) or not isinstance(first.message, ChatCompletionMessage):  # pyright: ignore[reportUnnecessaryIsInstance]
        shown = first.model_dump(warnings=False) if isinstance(first, Choice) else first
        raise _no_answer(f'`choices[0]` is {str(shown)[:80]}', completion)
    fields = as_chunk(_fields_of(completion))
    return built(ChatCompletionChunk, {**_CHUNK, **fields, 'choices': [_choice(one) for one in fields['choices']]})


_CHUNK = dict.fromkeys(ChatCompletionChunk.model_fields)
_CHOICE = dict.fromkeys(ChunkChoice.model_fields)
_DELTA = dict.fromkeys(ChoiceDelta.model_fields)
_CALL = dict.fromkeys(ChoiceDeltaToolCall.model_fields)


def _no_answer(what: str, completion: ChatCompletion) -> errors.StreamError:
    keys = ', '.join(f'`{name}`' for name in [*sorted(completion.model_fields_set)])
    return errors.StreamError(f'The response holds no answer: {what}. The keys that came: {keys or "none"}.')


def _choice(choice: object) -> object:
    return built(ChunkChoice, {**_CHOICE, **choice, 'delta': _delta(choice['delta'])}) if is_object(choice) else choice


def _delta(delta: Any) -> ChoiceDelta:
    fields = {**_DELTA, **delta}
    if function := fields['function_call']:
        fields['function_call'] = _function(function, ChoiceDeltaFunctionCall)
    if isinstance(calls := fields['tool_calls'], list):
        fields['tool_calls'] = [_call(call) for call in cast('list[object]', calls)]
    return built(ChoiceDelta, fields)


def _call(call: object) -> object:
    if not is_object(call):
        return call
    function = _function(call.get('function'), ChoiceDeltaToolCallFunction)
    return built(ChoiceDeltaToolCall, {**_CALL, **call, 'function': function})


def _function(function: object, cls: type[BaseModel]) -> object:
    fields = fields_of(function)
    return function if fields is None else built(cls, {'name': None, 'arguments': None, **fields})


def _fields_of(value: BaseModel) -> dict[str, Any]:
    return cast('dict[str, Any]', fields_of(value))


class CompletionBuilder:
    """Puts corrected chunks together as the completion that a server would send in one piece.

    Args:
        reasoning_fields: The fields that thoughts come in.
    """

    def __init__(self, reasoning_fields: Iterable[str]) -> None:
        self._joined = frozenset((*_JOINED, *reasoning_fields))
        self._outer: dict[str, Any] = {}
        self._choice: dict[str, Any] = {}
        self._message: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self.calls: dict[int, dict[str, Any]] = {}
        """The calls by their index."""

    def add(self, chunk: ChatCompletionChunk) -> None:
        """Take the next chunk."""
        outer = _fields_of(chunk)
        choices = outer.pop('choices')
        _update(self._outer, outer)
        for choice in cast('list[ChunkChoice]', choices or []):
            fields = _fields_of(choice)
            delta = fields.pop('delta')
            if (logprobs := fields.pop('logprobs')) is not None:
                self._add_logprobs(logprobs)
            _update(self._choice, fields)
            if isinstance(delta, ChoiceDelta):
                self._add_delta(delta)

    def build(self, calls: Iterable[int], **outer: object) -> ChatCompletion:
        """The completion.

        Args:
            calls: The indexes of the calls in it.
            **outer: Fields of the completion that take the place of those of the chunks.
        """
        texts = {name: ''.join(pieces) for name, pieces in self._texts.items()}
        entries = [_completion_call(self.calls[index]) for index in calls]
        message = {**self._message, **texts, 'role': 'assistant', 'tool_calls': entries or None}
        choice = {'finish_reason': None, 'index': 0, 'logprobs': None, **self._choice}
        choice['message'] = built(
            ChatCompletionMessage, {**dict.fromkeys(ChatCompletionMessage.model_fields), **message}
        )
        fields = {**dict.fromkeys(ChatCompletion.model_fields), 'id': '', 'model': '', **self._outer, **outer}
        return built(ChatCompletion, {**fields, 'object': 'chat.completion', 'choices': [built(Choice, choice)]})

    def _add_delta(self, delta: ChoiceDelta) -> None:
        fields = _fields_of(delta)
        for call in cast('list[ChoiceDeltaToolCall]', fields.pop('tool_calls') or []):
            self._add_call(call)
        for name in self._joined & fields.keys():
            if isinstance(fields[name], str):
                self._texts.setdefault(name, []).append(fields.pop(name))
        for name, value in fields.items():
            before = self._message.get(name)
            if isinstance(value, list) and isinstance(before, list):
                self._message[name] = [*cast('list[object]', before), *cast('list[object]', value)]
            else:
                _update(self._message, {name: value})

    def _add_call(self, delta: ChoiceDeltaToolCall) -> None:
        fields = _fields_of(delta)
        function = cast('ChoiceDeltaToolCallFunction | None', fields.pop('function'))
        call = self.calls.setdefault(fields.pop('index'), {'name': '', 'arguments': ''})
        # Some servers say a name or arguments beside the function as well.
        _update(call, {name: value for name, value in fields.items() if name not in ('name', 'arguments')})
        if function is not None:
            call['name'] += function.name or ''
            call['arguments'] += function.arguments or ''

    def _add_logprobs(self, logprobs: BaseModel) -> None:
        before = self._choice.setdefault('logprobs', logprobs)
        if before is not logprobs:
            content = [*(before.content or ()), *(cast(Any, logprobs).content or ())]
            self._choice['logprobs'] = before.model_copy(update={'content': content})


def _update(fields: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Take what came later, but for what is empty."""
    fields.update({name: value for name, value in more.items() if value not in (None, '', 0) or name not in fields})


def _completion_call(fields: dict[str, Any]) -> ChatCompletionMessageFunctionToolCall:
    function = {'name': fields.pop('name'), 'arguments': fields.pop('arguments')}
    call: dict[str, Any] = {**fields, 'id': fields.get('id') or '', 'type': 'function', 'function': function}
    return ChatCompletionMessageFunctionToolCall.construct(**call)
