"""Field cases about request switches, each by the id of its report.

`cases/requests.jsonl` holds the inputs, what was asked for, and the address of each report. Where something else was
built than what was asked for, the check says why.
"""

from __future__ import annotations as _annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, NativeOutput, PromptedOutput, Tool, ToolOutput
from pydantic_ai.exceptions import PydanticAIDeprecationWarning
from pydantic_ai.messages import ModelMessage, ModelRequest, SystemPromptPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from support import Wire, completion, tool_call

CASES = {
    case['id']: case
    for case in map(json.loads, (Path(__file__).parent.parent / 'cases/requests.jsonl').read_text('utf-8').splitlines())
    if case['id'][0] == 'E'
}


class Person(BaseModel):
    name: str
    born: str


async def body_with(wire: Wire, case: dict[str, Any], **agent_options: Any) -> dict[str, Any]:
    """The body of one agent run under a case's flags, all given as text, and settings."""
    flags: dict[str, object] = {
        name: json.dumps(value) if isinstance(value, bool) else value
        for name, value in case['input'].get('flags', {}).items()
    }
    options = {name: value for name, value in flags.items() if name.startswith('openai_')}
    model = wire.model(
        profile={name: value for name, value in flags.items() if name not in options},
        settings=case['input'].get('settings'),
        **options,
    )
    await Agent(model, **agent_options).run('q')
    return wire.bodies[0]


async def e01(wire: Wire, case: dict[str, Any]) -> None:
    def t() -> None:
        """Only declared."""

    body = await body_with(wire, case, tools=[Tool(t, strict=True)])
    assert 'strict' not in body['tools'][0]['function']


async def e03(wire: Wire, case: dict[str, Any]) -> None:
    wire.answers.append(completion(tool_calls=[tool_call('final_result', name='Ana', born='2001')]))
    with pytest.warns(PydanticAIDeprecationWarning):
        body = await body_with(wire, case, output_type=ToolOutput(Person))
    assert body['tool_choice'] == 'auto'


async def e04(wire: Wire, case: dict[str, Any]) -> None:
    body = await body_with(wire, case)
    assert body['max_tokens'] == 5 and 'max_completion_tokens' not in body


async def e05(wire: Wire, case: dict[str, Any]) -> None:
    prompt, question = (message['content'] for message in case['input']['messages'])
    history: list[ModelMessage] = [ModelRequest(parts=[SystemPromptPart(prompt), UserPromptPart(question)])]
    await wire.model(openai_system_prompt_role='system').request(history, None, ModelRequestParameters())
    assert [message['role'] for message in wire.bodies[0]['messages']] == case['expected']['roles']


async def e08(wire: Wire, case: dict[str, Any]) -> None:
    def t() -> None:
        """Only declared."""

    with pytest.warns(UserWarning, match='parallel_tool_calls'):
        body = await body_with(wire, case, tools=[t])
    assert body['temperature'] == 0 and 'parallel_tool_calls' not in body


async def e10(wire: Wire, case: dict[str, Any]) -> None:
    wire.answers.append(completion(content='{"name": "Ana", "born": "2001"}'))
    # pydantic-ai refuses native output where the profile says that it is not there, and says so; prompted output is
    # what sends the schema in the prompt with `json_object`.
    body = await body_with(wire, case, output_type=PromptedOutput(Person))
    assert body['response_format'] == case['expected']['response_format']
    assert '"born"' in json.dumps(body['messages']).replace('\\', '')


async def e11(wire: Wire, case: dict[str, Any]) -> None:
    wire.answers.append(completion(content='{"name": "Ana", "born": "2001"}'))
    flags = {**case['input']['flags'], 'supports_json_schema_output': True}
    body = await body_with(wire, {'input': {'flags': flags}}, output_type=NativeOutput(Person))
    assert body['response_format']['type'] == case['expected']['response_format']
    assert '"born"' in json.dumps(body['messages'][0]).replace('\\', '')


async def e14(wire: Wire, case: dict[str, Any]) -> None:
    body = await body_with(wire, case)
    assert {name: body[name] for name in case['expected']['body_has']} == case['input']['settings']['extra_body']


CHECKS: dict[str, Callable[[Wire, dict[str, Any]], Awaitable[None]]] = {
    'E01': e01,
    'E03': e03,
    'E04': e04,
    'E05': e05,
    'E08': e08,
    'E10': e10,
    'E11': e11,
    'E14': e14,
}


def test_every_case_has_a_check() -> None:
    assert CHECKS.keys() == CASES.keys()


@pytest.mark.parametrize('case_id', sorted(CASES))
async def test_a_field_case_comes_out_as_asked(wire: Wire, case_id: str) -> None:
    await CHECKS[case_id](wire, CASES[case_id])
