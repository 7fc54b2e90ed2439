"""A plain response under the rules of a streamed one, before and after pydantic-ai maps it."""

from __future__ import annotations as _annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from openai.types.chat.chat_completion_message_function_tool_call import ChatCompletionMessageFunctionToolCall
from pydantic_ai.messages import ModelResponse, ModelResponsePart, TextPart, ToolCallPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.profiles import DEFAULT_THINKING_TAGS, ModelProfile

from ..errors import StreamError
from ..text.events import TextEvent, read_events
from ..text.scanner import TextScanner, closed_thought
from .calls.arguments import ArgumentScanner, ArgumentState, argument_text
from .calls.open_call import ABORTED
from .response import declared_tool_names
from .rewrite import split_content
from .server_errors import server_error

__all__ = ('CompletionCorrector', 'take_text_events')

_EMPTY = '(empty)'
"""Stands in for an empty finish reason, which pydantic-ai's validation refuses."""


class CompletionCorrector:
    """Corrects one plain response.

    Args:
        profile: The profile of the model.
        model_name: The name of the model, for errors and for a response that names none.
    """

    def __init__(self, profile: ModelProfile, model_name: str) -> None:
        self._profile = cast('dict[str, Any]', profile)
        self._model_name = model_name
        self._empty_finish_reason = False

    def before(self, response: ChatCompletion) -> ChatCompletion:
        """Correct the response of the SDK, which has validated nothing in it.

        Raises:
            ModelAPIError: If the body is an error object, with the server's message.
            StreamError: If there is no answer in it, or a tool call that must not be run.
        """
        if error := (response.model_extra or {}).get('error'):
            raise server_error(error, self._model_name)
        choices = cast('object', response.choices)
        if not isinstance(choices, list) or not choices:
            raise StreamError(f'The response holds no answer: `choices` is {choices!r}.')
        choice = cast('list[object]', choices)[0]
        message = cast('object', choice.message) if isinstance(choice, Choice) else None
        if not isinstance(choice, Choice) or not isinstance(message, ChatCompletionMessage):
            raise StreamError(f'The response holds no answer: `choices[0]` is {str(choice)[:80]}.')
        self._fill_in(response, choice, message)
        self._correct_content(message)
        self._correct_calls(message, cast('str | None', choice.finish_reason))
        if cast('object', choice.finish_reason) == '':
            self._empty_finish_reason = True
            choice.finish_reason = cast(Any, _EMPTY)
        return response

    def after(self, response: ModelResponse) -> ModelResponse:
        """Correct what pydantic-ai made of it: the finish reason of a response that holds calls."""
        if self._empty_finish_reason:
            response.provider_details = {**(response.provider_details or {}), 'finish_reason': ''}
        if response.finish_reason == 'stop' and any(isinstance(part, ToolCallPart) for part in response.parts):
            response.finish_reason = 'tool_call'
        return response

    def _fill_in(self, response: ChatCompletion, choice: Choice, message: ChatCompletionMessage) -> None:
        """Give the fields that pydantic-ai's validation wants, and no answer depends on, a value if they have none."""
        defaults: list[tuple[object, str, object]] = [
            (response, 'id', ''),
            (response, 'model', self._model_name),
            (response, 'object', 'chat.completion'),
            (choice, 'index', 0),
            (message, 'role', 'assistant'),
        ]
        for owner, name, default in defaults:
            if getattr(owner, name, None) is None:
                setattr(owner, name, default)

    def _correct_content(self, message: ChatCompletionMessage) -> None:
        content = cast('object', message.content)
        if isinstance(content, list):
            content, others = split_content(cast('list[object]', content))
            if others:
                cast(Any, message).content_parts = others
        elif not isinstance(content, str):
            return
        tags = self._profile.get('thinking_tags', DEFAULT_THINKING_TAGS)
        starts_open = self._profile.get('openai_chat_thinking_starts_open', False) and not self._has_reasoning(message)
        message.content = closed_thought(content, tags, starts_open=starts_open)

    def _has_reasoning(self, message: ChatCompletionMessage) -> bool:
        fields = (self._profile.get('openai_chat_thinking_field'), 'reasoning', 'reasoning_content')
        return any(bool((message.model_extra or {}).get(name)) for name in fields if name)

    def _correct_calls(self, message: ChatCompletionMessage, finish_reason: str | None) -> None:
        entries = cast('object', message.tool_calls)
        if not entries and message.function_call is not None:
            entries = [{'function': message.function_call}]
            message.function_call = None
        if not entries:
            return
        if not isinstance(entries, list):
            raise StreamError(f'The response cannot be read: `tool_calls` is {type(entries).__name__}.')
        ids: set[str] = set()
        calls = [_call(entry, ids) for entry in cast('list[object]', entries) if entry is not None]
        for number, call in enumerate(calls, start=1):
            if isinstance(call, ChatCompletionMessageFunctionToolCall):
                _check_call(call, number, finish_reason)
        message.tool_calls = cast(Any, calls)


def _call(entry: object, ids: set[str]) -> object:
    """The call with its fields in their proper types; the very same object if they are."""
    if _get(entry, 'type') == 'custom':
        return entry
    function = _get(entry, 'function')
    name, arguments, id = _get(function, 'name'), _get(function, 'arguments'), _get(entry, 'id')
    text = argument_text(arguments)
    as_id = '' if id is None else str(id)
    unique = as_id not in ids
    ids.add(as_id)
    if isinstance(entry, ChatCompletionMessageFunctionToolCall) and (
        unique and as_id == id and text == arguments and isinstance(name, str) and entry.type == 'function'
    ):
        return entry
    extra = cast('dict[str, Any]', getattr(entry, 'model_extra', None) or {})
    return ChatCompletionMessageFunctionToolCall.construct(
        id=as_id if unique else '',
        type='function',
        function={'name': name if isinstance(name, str) else '', 'arguments': text},
        **extra,
    )


def _get(owner: object, name: str) -> object:
    if isinstance(owner, Mapping):
        return cast('Mapping[str, object]', owner).get(name)
    return getattr(owner, name, None)


def _check_call(call: ChatCompletionMessageFunctionToolCall, number: int, finish_reason: str | None) -> None:
    arguments = call.function.arguments
    if not call.function.name:
        raise StreamError(f'Tool call {number} of the response has no name; its arguments are {arguments[:80]!r}.')
    scanner = ArgumentScanner()
    scanner.feed(arguments)
    empty = scanner.state is ArgumentState.EMPTY
    if scanner.state is ArgumentState.OPEN or (empty and finish_reason in ABORTED):
        raise StreamError(
            f'The response ends inside the arguments of tool call {number} `{call.function.name}`, after '
            f'{len(arguments)} characters: …{arguments[-60:]!r}. Its finish reason is {finish_reason!r}; the call is '
            'not run.' + (' Raise `max_tokens` to let the model finish it.' if finish_reason == 'length' else '')
        )


def take_text_events(
    response: ModelResponse, profile: ModelProfile, parameters: ModelRequestParameters
) -> ModelResponse:
    """Take the name-only events out of the text of a plain response, as `openai_chat_text_events` says.

    Args:
        response: The response; a new one is made if there are events in it.
        profile: The profile of the model.
        parameters: Those of the request, for the tools it declares.
    """
    options = cast('dict[str, Any]', profile)
    tag: str | None = options.get('openai_chat_text_event_tag')
    if tag is None:
        return response
    tools = declared_tool_names(parameters) if options.get('openai_chat_text_events') == 'call' else None
    parts: list[ModelResponsePart] = []
    events: list[str] = []
    for part in response.parts:
        if isinstance(part, TextPart):
            scanner = TextScanner(options.get('thinking_tags', DEFAULT_THINKING_TAGS), tag)
            segments = [*scanner.feed(part.content), *scanner.flush()]
            parts += _without_events(part, read_events(segments, tag, tools), events, as_calls=tools is not None)
        else:
            parts.append(part)
    if not events:
        return response
    if tools is None:
        return replace(
            response, parts=parts, provider_details={**(response.provider_details or {}), 'text_events': events}
        )
    finish_reason = 'tool_call' if response.finish_reason == 'stop' else response.finish_reason
    return replace(response, parts=parts, finish_reason=finish_reason)


def _without_events(
    part: TextPart, pieces: list[str | TextEvent], events: list[str], *, as_calls: bool
) -> list[ModelResponsePart]:
    """The text part without its events, which are added to `events`; with a part for each if they are calls."""
    parts: list[ModelResponsePart] = []
    text: list[str] = []

    def end_text() -> None:
        if content := ''.join(text):
            parts.append(replace(part, content=content))
        text.clear()

    for piece in pieces:
        if isinstance(piece, str):
            text.append(piece)
            continue
        events.append(piece.name)
        if as_calls:
            end_text()
            parts.append(ToolCallPart(piece.name, '{}'))
    end_text()
    return parts
