"""The names of tools on the way to a host that takes only some, and on the way back."""

from __future__ import annotations as _annotations

import dataclasses
from typing import Any, TypeVar, cast

from openai.types.chat.chat_completion_chunk import Choice, ChoiceDeltaToolCall
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestParameters

from ..history import HistoryPolicy, NameMap
from ..options.profile import HistoryMode

__all__ = ('choice_with_given_names', 'names_of', 'parameters_with_wire_names', 'with_given_names', 'with_wire_names')

_T = TypeVar('_T')


def names_of(parameters: ModelRequestParameters, policy: HistoryPolicy, mode: HistoryMode) -> NameMap | None:
    """The names under which the functions of a request go out; `None` if the policy has nothing against any name."""
    if mode == 'off' or 'H10' not in policy.rules:
        return None
    return NameMap(tool.name for tool in (*parameters.function_tools, *parameters.output_tools))


def parameters_with_wire_names(parameters: ModelRequestParameters, names: NameMap) -> ModelRequestParameters:
    """The parameters of a request with its tools under the names that they go out with."""
    return dataclasses.replace(
        parameters,
        function_tools=[dataclasses.replace(tool, name=names.wire(tool.name)) for tool in parameters.function_tools],
        output_tools=[dataclasses.replace(tool, name=names.wire(tool.name)) for tool in parameters.output_tools],
    )


def with_wire_names(value: _T, names: NameMap) -> _T:
    """Tool definitions, or a choice of tools, with the name that goes out in each `function` of them."""
    if isinstance(value, list):
        return cast(_T, [with_wire_names(item, names) for item in cast('list[Any]', value)])
    if not isinstance(value, dict):
        return value
    renamed: dict[str, Any] = dict(cast('dict[str, Any]', value))
    if 'function' in renamed:
        renamed['function'] = {**renamed['function'], 'name': names.wire(renamed['function']['name'])}
    if 'allowed_tools' in renamed:
        allowed = renamed['allowed_tools']
        renamed['allowed_tools'] = {**allowed, 'tools': with_wire_names(allowed['tools'], names)}
    return cast(_T, renamed)


def with_given_names(response: ModelResponse, names: NameMap) -> ModelResponse:
    """A response whose calls have the names that the user gave the tools; the very same one if they do already."""
    parts = [
        dataclasses.replace(part, tool_name=names.given(part.tool_name))
        if isinstance(part, ToolCallPart) and names.given(part.tool_name) != part.tool_name
        else part
        for part in response.parts
    ]
    if all(new is old for new, old in zip(parts, response.parts, strict=True)):
        return response
    return dataclasses.replace(response, parts=parts)


def choice_with_given_names(choice: Choice, names: NameMap) -> Choice:
    """A streamed choice whose calls have the names that the user gave the tools; the very same one if they do."""
    calls = [_call_with_given_name(call, names) for call in choice.delta.tool_calls or ()]
    if all(new is old for new, old in zip(calls, choice.delta.tool_calls or (), strict=True)):
        return choice
    return choice.model_copy(update={'delta': choice.delta.model_copy(update={'tool_calls': calls})})


def _call_with_given_name(call: ChoiceDeltaToolCall, names: NameMap) -> ChoiceDeltaToolCall:
    function = call.function
    if function is None or function.name is None or names.given(function.name) == function.name:
        return call
    return call.model_copy(update={'function': function.model_copy(update={'name': names.given(function.name)})})
