"""The names of tools on the way to a host that takes only some, and on the way back."""

from __future__ import annotations as _annotations

import dataclasses
import operator
from typing import Any, TypeVar, cast

from openai.types.chat.chat_completion_chunk import Choice, ChoiceDeltaToolCall, ChoiceDeltaToolCallFunction
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestParameters

from ..history import HistoryPolicy, NameMap
from ..options.profile import HistoryMode
from ..streaming.report import declared_tool_names

__all__ = ('StreamedNames', 'names_of', 'parameters_with_wire_names', 'with_given_names', 'with_wire_names')

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


class StreamedNames:
    """Gives the calls of one stream the names that the user gave the tools.

    A name that may go on to a longer one waits, with its delta, until arguments or the end of the answer come: the
    receiver adds up what it is given, so nothing of a name can be taken back.

    Args:
        names: The names that the tools went out with.
        parameters: Those of the request, with the tools under the names that went out.
    """

    def __init__(self, names: NameMap, parameters: ModelRequestParameters) -> None:
        self._names = names
        self._declared = declared_tool_names(parameters)
        self._waiting: dict[int, ChoiceDeltaToolCall] = {}
        self._named = set[int]()

    def read(self, choice: Choice) -> Choice:
        """The next choice with the given names; the very same one if it stays as it is."""
        given = choice.delta.tool_calls or []
        calls: list[ChoiceDeltaToolCall] = []
        for call in given:
            if call.index in self._named:
                calls.append(call)
            else:
                before = self._waiting.get(call.index)
                self._waiting[call.index] = call if before is None else _joined(before, call)
                calls += self._settled()
        if choice.finish_reason and self._waiting:
            calls += self._settled(at_end=True)
        if len(calls) == len(given) and all(map(operator.is_, calls, given)):
            return choice
        return choice.model_copy(update={'delta': choice.delta.model_copy(update={'tool_calls': calls or None})})

    def _settled(self, *, at_end: bool = False) -> list[ChoiceDeltaToolCall]:
        """The deltas that wait no more, in the order of their calls."""
        settled: list[ChoiceDeltaToolCall] = []
        for index, call in list(self._waiting.items()):
            name, arguments = _texts_of(call)
            if not (at_end or arguments) and any(
                longer != name and longer.startswith(name) for longer in self._declared
            ):
                break
            del self._waiting[index]
            self._named.add(index)
            given = self._names.given(name)
            settled.append(call if given == name else _with_texts(call, given, arguments))
        return settled


def _texts_of(call: ChoiceDeltaToolCall) -> tuple[str, str]:
    """The name and the arguments of a delta."""
    function = call.function
    return ('', '') if function is None else (function.name or '', function.arguments or '')


def _with_texts(call: ChoiceDeltaToolCall, name: str, arguments: str, **fields: Any) -> ChoiceDeltaToolCall:
    function = ChoiceDeltaToolCallFunction(name=name, arguments=arguments)
    return call.model_copy(update={**fields, 'function': function})


def _joined(before: ChoiceDeltaToolCall, call: ChoiceDeltaToolCall) -> ChoiceDeltaToolCall:
    """A delta with what the one before it brought."""
    name, arguments = (''.join(texts) for texts in zip(_texts_of(before), _texts_of(call), strict=True))
    extra = {**(before.model_extra or {}), **(call.model_extra or {})}
    return _with_texts(call, name, arguments, id=call.id or before.id, **extra)
