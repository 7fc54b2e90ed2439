"""An endpoint in the process that refuses what a host refuses, in the host's own words.

The hosts are written down from the reports that the rules cite, and not from the rules: a rule that is understood
wrongly fails here. Mistral's part is the validator of Mistral's own library.
"""

from __future__ import annotations as _annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import httpx2
from mistral_common.exceptions import MistralCommonException
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import MistralRequestValidatorV11, ValidationMode
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from support import completion, tool_call

from pydantic_ai_compat import OpenAICompatibleModel

__all__ = ('HOSTS', 'SILENT_HOSTS', 'StrictHost', 'refusal_of_mistral', 'validate_with')

Messages = list[dict[str, Any]]
Refusal = Callable[[Messages], str | None]


def _calls(message: dict[str, Any]) -> Messages:
    return message.get('tool_calls') or []


def _pairs(unanswered: str, orphan: str) -> Refusal:
    """Every call answered at once, once, and by a known id; what the hosts that pair have in common."""

    def refusal(messages: Messages) -> str | None:
        waiting: list[str] = []
        for message in messages:
            if message['role'] == 'tool':
                if message['tool_call_id'] not in waiting:
                    return orphan.format(id=message['tool_call_id'])
                waiting.remove(message['tool_call_id'])
                continue
            if waiting:
                return unanswered.format(ids=', '.join(waiting))
            waiting = [call['id'] for call in _calls(message)]
        return unanswered.format(ids=', '.join(waiting)) if waiting else None

    return refusal


def _openai_shapes(messages: Messages) -> str | None:
    for place, message in enumerate(messages):
        for number, call in enumerate(_calls(message)):
            if len(call['id']) > 40:
                return (
                    f"Invalid 'messages[{place}].tool_calls[{number}].id': string too long. Expected a string with "
                    f'maximum length 40, but got a string with length {len(call["id"])} instead.'
                )
    return None


def _deepseek_strings(messages: Messages) -> str | None:
    for place, message in enumerate(messages):
        if message['role'] == 'tool' and not isinstance(message['content'], str):
            return (
                f'Failed to deserialize the JSON body into the target type: messages[{place}]: invalid type: sequence, '
                'expected a string at line 1 column 100'
            )
    return None


def _deepseek_thinking(messages: Messages) -> str | None:
    if any(_calls(message) and 'reasoning_content' not in message for message in messages):
        return 'The reasoning_content in the thinking mode must be passed back to the API.'
    return None


def _moonshot_content(messages: Messages) -> str | None:
    for place, message in enumerate(messages):
        if message['role'] == 'assistant' and not _calls(message) and not message.get('content'):
            return f"Invalid request: the message at position {place} with role 'assistant' must not be empty"
        if _calls(message) and message.get('content') == '':
            return 'Invalid request: text content is empty'
    return None


def _moonshot_thinking(messages: Messages) -> str | None:
    for place, message in enumerate(messages):
        if _calls(message) and not message.get('reasoning_content'):
            return (
                f'thinking is enabled but reasoning_content is missing in assistant tool call message at index {place}'
            )
    return None


def _minimax_arguments(messages: Messages) -> str | None:
    for message in messages:
        for call in _calls(message):
            try:
                json.loads(call['function']['arguments'])
            except ValueError:
                return f'invalid params, invalid function arguments json string, tool_call_id: {call["id"]} (2013)'
    return None


def validate_with(validator: Any, messages: Any) -> None:
    """Raise what a validator of Mistral's library says of the messages; its own types are not whole."""
    request_class: Any = ChatCompletionRequest
    validator(ValidationMode.serving).validate_request(request_class.from_openai(messages=messages, model='m'))


def refusal_of_mistral(messages: Messages) -> str | None:
    """What Mistral's library says of a request, and the order that its API and templates kept longer."""
    try:
        validate_with(MistralRequestValidatorV11, messages)
    except (MistralCommonException, ValueError) as error:
        return str(error)
    for first, second in itertools.pairwise(messages):
        if (first['role'], second['role']) == ('tool', 'user'):
            return "Unexpected role 'user' after role 'tool'"
    return None


def _zai(messages: Messages) -> str | None:
    roles = [message['role'] for message in messages]
    if 'user' not in roles or any(a == b != 'tool' for a, b in itertools.pairwise(roles)):
        return 'The messages parameter is illegal. Please check the documentation.'
    return None


def _groq(messages: Messages) -> str | None:
    for place, message in enumerate(messages):
        for key in message:
            if key not in ('role', 'content', 'name', 'tool_calls', 'tool_call_id', 'reasoning'):
                return (
                    f"'messages.{place}' : for 'role:{message['role']}' the following must be satisfied[('messages.{place}'"
                    f" : property '{key}' is unsupported)]"
                )
    return None


def _cerebras(messages: Messages) -> str | None:
    for place, message in enumerate(messages):
        if 'reasoning_content' in message:
            return f"property 'messages.{place}.assistant.reasoning_content' is unsupported"
    return None


def _qwen_template(messages: Messages) -> str | None:
    roles = [message['role'] for message in messages]
    if 'system' in roles[1:]:
        return 'System message must be at the beginning.'
    return None if 'user' in roles else 'No user query found in messages.'


def _gemma_template(messages: Messages) -> str | None:
    turns = [m['role'] for m in messages if m['role'] == 'user' or (m['role'] == 'assistant' and not _calls(m))]
    if any(role != ('user', 'assistant')[place % 2] for place, role in enumerate(turns)):
        return (
            'After the optional system message, conversation roles must alternate user and assistant roles except for '
            'tool calls and results.'
        )
    return None


def _llama_cpp_python(messages: Messages) -> str | None:
    for place, message in enumerate(messages):
        kind = {'assistant': 'Assistant', 'tool': 'Tool', 'system': 'System', 'user': 'User'}[message['role']]
        if 'content' in message and not isinstance(message['content'], str):
            return (
                f"7 validation errors:\n  {{'type': 'string_type', 'loc': ('body', 'messages', {place}, "
                f"'ChatCompletionRequest{kind}Message', 'content'), 'msg': 'Input should be a valid string', "
                f"'input': {message['content']}}}"
            )
    return None


_MUST = 'must be followed by tool messages responding to each'
_OPENAI = _pairs(
    f"An assistant message with 'tool_calls' {_MUST} 'tool_call_id'. The following tool_call_ids did not have response "
    'messages: {ids}',
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
)
_DEEPSEEK = _pairs(
    f"An assistant message with 'tool_calls' {_MUST} 'tool_call_id'. (insufficient tool messages following tool_calls "
    'message)',
    "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
)
_DASHSCOPE = _pairs(
    f'<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" {_MUST} "tool_call_id". The '
    'following tool_call_ids did not have response messages: message[2].role',
    '<400> InternalError.Algo.InvalidParameter: messages with role "tool" must be a response to a preceeding message '
    'with "tool_calls".',
)
_MINIMAX = _pairs(
    'invalid params, tool call and result not match (2013)',
    "invalid params, tool result's tool id({id}) not found (2013)",
)

HOSTS: dict[str, tuple[Refusal, ...]] = {
    'deepseek': (_DEEPSEEK, _deepseek_strings),
    'deepseek-thinking': (_DEEPSEEK, _deepseek_strings, _deepseek_thinking),
    'mistral': (refusal_of_mistral,),
    'moonshot': (_OPENAI, _moonshot_content),
    'moonshot-thinking': (_OPENAI, _moonshot_content, _moonshot_thinking),
    'minimax': (_MINIMAX, _minimax_arguments),
    'dashscope': (_DASHSCOPE, _qwen_template),
    'zai': (_zai,),
    'groq': (_groq,),
    'cerebras': (_cerebras,),
    'openai': (_OPENAI, _openai_shapes),
    'azure': (_OPENAI, _openai_shapes),
    'vllm': (_qwen_template,),
    'sglang': (_qwen_template,),
    'llamacpp': (_qwen_template,),
    'llama-cpp-python': (_llama_cpp_python,),
    'alternating': (_gemma_template,),
}
"""The hosts that answer with an error, by the name of their policy."""

SILENT_HOSTS = ('standard', 'kimi', 'tgi', 'ollama', 'no-tool-role')
"""The policies whose hosts lose something without an error, or have no host of their own."""


class StrictHost:
    """An endpoint that enforces the rules of one host, and plays a scripted conversation where they hold."""

    def __init__(self, name: str) -> None:
        self._refusals = HOSTS[name]
        self.bodies: list[dict[str, Any]] = []
        self.refused = 0
        self._nine = name == 'mistral'
        self._thoughts = {'reasoning_content': 'plan'} if name.endswith('-thinking') else {}
        self.client = httpx2.AsyncClient(transport=httpx2.MockTransport(self._answer))

    def model(self, **options: Any) -> OpenAICompatibleModel:
        provider = OpenAICompatibleProvider('wire', base_url='http://wire/v1', api_key='k', http_client=self.client)
        return OpenAICompatibleModel('m', provider=provider, **options)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        self.bodies.append(body)
        messages: Messages = body['messages']
        for refusal in self._refusals:
            if (text := refusal(messages)) is not None:
                self.refused += 1
                return httpx2.Response(400, json={'error': {'message': text, 'type': 'invalid_request_error'}})
        return httpx2.Response(200, json=self._turn(messages, bool(body.get('tools'))))

    def _turn(self, messages: Messages, has_tools: bool) -> dict[str, Any]:
        """Two calls to begin with, one more after their results, and then an answer."""
        last_user = max((place for place, message in enumerate(messages) if message['role'] == 'user'), default=-1)
        results = sum(message['role'] == 'tool' for message in messages[last_user + 1 :])
        number = len(self.bodies)
        if not has_tools or results >= 3:
            return completion(content='done')
        count = 1 if results else 2
        calls = [tool_call('get_weather', self._id(number, place), city=f'c{place}') for place in range(count)]
        return completion(tool_calls=calls, **self._thoughts)

    def _id(self, number: int, place: int) -> str:
        return f'Id{number:05}{place}{place}' if self._nine else f'call_{number}_{place}'
