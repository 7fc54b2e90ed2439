"""The requests that a probe of an endpoint sends, each for one question."""

from __future__ import annotations as _annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import OptionError

__all__ = ('PROBES', 'Probe', 'plan')


@dataclass(frozen=True)
class Probe:
    """One request."""

    name: str
    question: str
    """What its answer tells, for people."""

    body: Mapping[str, Any] | None
    """The body of a request to `/chat/completions` but for the model, or `None` for `GET /models`."""

    @property
    def token_limit(self) -> int:
        """An upper estimate of the tokens that the request costs, prompt and answer."""
        if self.body is None:
            return 0
        # Three characters a token is pessimistic for English and JSON; a template adds some words for tools.
        prompt = len(json.dumps([self.body.get('messages'), self.body.get('tools')])) // 3 + 150
        return prompt + self.body['max_tokens']


_CITY = {'type': 'string', 'enum': ['Paris', 'Rome']}
"""The values are listed, so that where the server holds a model to the schema, even the weakest makes a whole call."""


def _tool(**function: Any) -> dict[str, Any]:
    parameters = {
        'type': 'object',
        'properties': {'city': _CITY},
        'required': ['city'],
        'additionalProperties': False,
    }
    described = {'name': 'get_weather', 'description': 'The weather in a city.', 'parameters': parameters}
    return {'type': 'function', 'function': {**described, **function}}


_SYSTEM = {'role': 'system', 'content': 'You are a helpful assistant.'}
_SECOND = {'role': 'system', 'content': 'Answer briefly.'}
_USER = {'role': 'user', 'content': 'What is the weather in Paris?'}
_FREE = {'role': 'user', 'content': 'What is the weather in Paris? Ask the tool.'}
_BOTH = {'role': 'user', 'content': 'What is the weather in Paris and in Rome? Ask for both at once.'}
_ANSWER = {'role': 'assistant', 'content': 'I will find out.'}
_CALL = {'id': 'callAB123', 'type': 'function', 'function': {'name': 'get_weather', 'arguments': '{"city": "Paris"}'}}
_PARTS = [{'type': 'text', 'text': 'sunny'}, {'type': 'text', 'text': '21 degrees'}]
_SHORT, _LONG = 16, 200


def _turn(result: Any, **assistant: Any) -> list[dict[str, Any]]:
    calling = {'role': 'assistant', 'tool_calls': [_CALL], **assistant}
    return [_SYSTEM, _USER, calling, {'role': 'tool', 'tool_call_id': 'callAB123', 'content': result}]


def _probe(
    name: str, question: str, messages: Sequence[Any], max_tokens: int = _SHORT, *, stream: bool = False, **more: Any
) -> Probe:
    body: dict[str, Any] = {'messages': messages, 'max_tokens': max_tokens, **more}
    if stream:
        body |= {'stream': True, 'stream_options': {'include_usage': True}}
    return Probe(name, question, body)


_SCHEMA = {
    'name': 'weather',
    'strict': True,
    'schema': {
        'type': 'object',
        'properties': {'city': _CITY},
        'required': ['city'],
        'additionalProperties': False,
    },
}

_LARGE_TOOL = _tool(
    name='plan_journey',
    description='Plans a journey by rail. ' + 'Every leg is checked against the timetable of its day. ' * 12,
)
"""A tool that nobody can overlook: it is some 150 tokens, whatever the tokenizer."""

PROBES: Mapping[str, Probe] = {
    probe.name: probe
    for probe in (
        Probe('models', 'Is the model listed?', None),
        _probe('chat', 'Does it answer, with a finish reason and usage?', [_SYSTEM, _USER]),
        _probe('stream', 'Does it stream, with a finish reason, usage and [DONE]?', [_SYSTEM, _USER], stream=True),
        _probe(
            'tools', 'Do tools reach the prompt? (counted: prompt tokens with a large tool and without)',
            [_SYSTEM, _USER], tools=[_LARGE_TOOL],
        ),
        _probe(
            'tool call', 'Does it call a tool when told to?', [_SYSTEM, _USER], _LONG,
            tools=[_tool()], tool_choice='required',
        ),
        _probe(
            'free tool call', 'Does it call a tool when free to, and as a call?', [_SYSTEM, _FREE], _LONG,
            tools=[_tool()], tool_choice='auto',
        ),
        _probe(
            'streamed tool call', 'Is a streamed call whole?', [_SYSTEM, _USER], _LONG, stream=True,
            tools=[_tool()], tool_choice='required',
        ),
        _probe(
            'parallel calls', 'Does it make two calls at once?', [_SYSTEM, _BOTH], _LONG, stream=True,
            tools=[_tool()], tool_choice='required', parallel_tool_calls=True,
        ),
        _probe(
            'strict tool', 'Does it take a strict tool?', [_SYSTEM, _USER], _LONG,
            tools=[_tool(strict=True)], tool_choice='required',
        ),
        _probe('string result', 'Does it take a result that is a string?', _turn('sunny'), tools=[_tool()]),
        _probe('list result', 'Does it take a result that is a list of text parts?', _turn(_PARTS), tools=[_tool()]),
        _probe(
            'repeated result', 'Does it take two results for one call?',
            [*_turn('sunny'), {'role': 'tool', 'tool_call_id': 'callAB123', 'content': '21 degrees'}], tools=[_tool()],
        ),
        _probe(
            'null content', 'Does it take `content: null` beside calls?', _turn('sunny', content=None), tools=[_tool()]
        ),
        _probe(
            'empty content', "Does it take `content: ''` beside calls?", _turn('sunny', content=''), tools=[_tool()]
        ),
        _probe('two systems', 'Does it take two system messages?', [_SYSTEM, _SECOND, _USER]),
        _probe('later system', 'Does it take a system message later on?', [_SYSTEM, _USER, _ANSWER, _SECOND, _USER]),
        _probe(
            'json schema', 'Does it keep to a JSON schema?', [_SYSTEM, _USER], _LONG,
            response_format={'type': 'json_schema', 'json_schema': _SCHEMA},
        ),
        _probe(
            'json object', 'Does it keep to JSON?', [_SYSTEM, {'role': 'user', 'content': 'The city of Rome, as JSON.'}],
            _LONG, response_format={'type': 'json_object'},
        ),
    )
}  # fmt: skip
"""All probes by name, in the order in which they are sent."""


def plan(only: Sequence[str] = ()) -> list[Probe]:
    """The probes to send: all of them, or those named.

    Raises:
        OptionError: There is no probe of a name.
    """
    for name in only:
        if name not in PROBES:
            raise OptionError(f'`only`={name!r} does not fit: allowed are {", ".join(PROBES)}.')
    return [probe for name, probe in PROBES.items() if not only or name in only]
