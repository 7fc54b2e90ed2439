"""A plain response in which nothing is to be corrected, as most servers send it: the fast path."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

from openai.types.chat import ChatCompletion
from openai.types.chat.chat_completion_message import ChatCompletionMessage
from openai.types.chat.chat_completion_message_function_tool_call import (
    ChatCompletionMessageFunctionToolCall,
    Function,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.profiles import DEFAULT_THINKING_TAGS, ModelProfile
from typing_extensions import TypeIs

from .calls.arguments import decode_object
from .ending import FINISH_REASONS
from .outer_fields import is_regular_around
from .plain import is_answer
from .report import declared_tool_names
from .tags import reasoning_fields
from .usage import read_usage

__all__ = ('calls_fit', 'is_regular_completion')


def is_regular_completion(
    completion: ChatCompletion, profile: ModelProfile, parameters: ModelRequestParameters
) -> bool:
    """Whether a look at its fields is enough to know that the corrector has nothing to do and nothing to say.

    Args:
        completion: The completion of the SDK, which has validated nothing in it.
        profile: The profile of the model.
        parameters: Those of the request, for the tools that it declares.
    """
    if not is_answer(completion):
        return False
    choices = completion.choices
    choice = choices[0]
    message = choice.message
    calls = message.tool_calls
    finish_reason = choice.finish_reason
    if (
        len(choices) != 1
        or type(choice.index) is not int
        or choice.logprobs is not None
        or type(finish_reason) is not str
        or finish_reason not in FINISH_REASONS
        or 'usage' in (choice.model_extra or ())
        or not completion.model
        or not is_regular_around(completion)
        or read_usage(completion.usage)[0] is not completion.usage
        or not calls_fit(calls)
        or message.refusal is not None
        or message.function_call is not None
        or not _is_regular_text(message, cast('Mapping[str, Any]', profile))
    ):
        return False
    if not calls:
        return True
    names = declared_tool_names(parameters)
    entries = cast('list[ChatCompletionMessageFunctionToolCall]', calls)
    return finish_reason != 'stop' and all(_is_regular_call(call, names) for call in entries)


def _is_regular_text(message: ChatCompletionMessage, options: Mapping[str, Any]) -> bool:
    """Whether content and thoughts are strings, and no mark is in them that is looked for."""
    content = cast('object', message.content)
    if content is not None and type(content) is not str:
        return False
    if content:
        if options.get('openai_chat_thinking_starts_open'):
            return False
        if options.get('openai_chat_text_tool_calls'):
            return False
        if any(tag in content for tag in options.get('thinking_tags', DEFAULT_THINKING_TAGS)):
            return False
        event_tag = options.get('openai_chat_text_event_tag')
        if event_tag is not None and f'<{event_tag}>' in content:
            return False
    if not (extra := message.model_extra):
        return True
    thoughts = [extra[name] for name in reasoning_fields(options.get('openai_chat_thinking_field')) if extra.get(name)]
    if thoughts and options.get('openai_chat_text_tool_calls_in_thoughts'):
        return False
    return not extra.get('reasoning_details') and all(type(thought) is str for thought in thoughts)


def calls_fit(calls: object) -> bool:
    """Whether `tool_calls` pass pydantic-ai's validation, which a stream has none of, and each has an id of its own."""
    if type(calls) is not list:
        return calls is None
    entries = cast('list[object]', calls)
    return len({call.id for call in entries if _fits(call)}) == len(entries)


def _fits(call: object) -> TypeIs[ChatCompletionMessageFunctionToolCall]:
    if type(call) is not ChatCompletionMessageFunctionToolCall or call.type != 'function':
        return False
    function = call.function
    return type(function) is Function and all(
        type(text) is str for text in (call.id, function.name, function.arguments)
    )


def _is_regular_call(call: ChatCompletionMessageFunctionToolCall, tool_names: Collection[str]) -> bool:
    """Whether a call that fits has an id, the name of a tool, a JSON object for arguments, and nothing else."""
    function = call.function
    named = bool(call.id) and function.name in tool_names
    return named and not call.model_extra and decode_object(function.arguments) is not None
