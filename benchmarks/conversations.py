"""The conversations that are sent."""

from __future__ import annotations as _annotations

import json
from typing import Any, Literal

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

_SCHEMA: dict[str, Any] = {
    'type': 'object',
    'properties': {'query': {'type': 'string'}, 'limit': {'type': 'integer'}},
    'required': ['query', 'limit'],
    'additionalProperties': False,
}
Result = Literal['text', 'list']
"""What the tools return: a text, or a list of three."""

_LINES = ['The first line of what was found.', 'The second line, a bit longer.', 'The third.']
_RESULTS: dict[Result, str | list[str]] = {'text': '\n'.join(_LINES), 'list': _LINES}

PARAMETERS = ModelRequestParameters(
    function_tools=[
        ToolDefinition(name=name, description='Look something up.', parameters_json_schema=_SCHEMA, strict=False)
        for name in ('lookup', 'search', 'read', 'write', 'list')
    ]
)


def conversation(messages: int, result: Result) -> list[ModelMessage]:
    """A conversation of as many wire messages: two, then tool turns of a call and its result."""
    history: list[ModelMessage] = [ModelRequest(parts=[SystemPromptPart('Be brief.'), UserPromptPart('Find it.')])]
    for number in range((messages - 2) // 2):
        call_id = f'call_{number}'
        arguments = json.dumps({'query': f'what is {number}', 'limit': number})
        history.append(ModelResponse(parts=[ToolCallPart('lookup', arguments, call_id)]))
        history.append(ModelRequest(parts=[ToolReturnPart('lookup', _RESULTS[result], call_id)]))
    return history


def wire_messages(messages: int, result: Result) -> list[dict[str, Any]]:
    """The same as it is on the wire, for peers that take no other form; a list as the JSON text that stock sends."""
    content = _RESULTS[result]
    text = content if isinstance(content, str) else json.dumps(content)
    wire: list[dict[str, Any]] = [
        {'role': 'system', 'content': 'Be brief.'},
        {'role': 'user', 'content': 'Find it.'},
    ]
    for number in range((messages - 2) // 2):
        call_id = f'call_{number}'
        function = {'name': 'lookup', 'arguments': json.dumps({'query': f'what is {number}', 'limit': number})}
        call = {'id': call_id, 'type': 'function', 'function': function}
        wire.append({'role': 'assistant', 'content': None, 'tool_calls': [call]})
        wire.append({'role': 'tool', 'tool_call_id': call_id, 'content': text})
    return wire


def wire_tools() -> list[dict[str, Any]]:
    """The tools of `PARAMETERS` on the wire."""
    return [
        {
            'type': 'function',
            'function': {'name': tool.name, 'description': tool.description, 'parameters': tool.parameters_json_schema},
        }
        for tool in PARAMETERS.function_tools
    ]
