"""Field cases about tool returns, each by the id of its report.

`cases/requests.jsonl` holds the inputs, what was asked for, and the address of each report. Where something else was
built than what was asked for, the check says why.
"""

from __future__ import annotations as _annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, TextContent, ToolReturn
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    StructuredContent,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from support import Wire, completion, tool_call

CASES = {
    case['id']: case
    for case in map(json.loads, (Path(__file__).parent.parent / 'cases/requests.jsonl').read_text('utf-8').splitlines())
    if case['id'][0] in 'AX'
}


class Doc(BaseModel):
    nodes: list[str]
    as_text: str


class Person(BaseModel):
    name: str
    born: str


def image(name: str) -> BinaryContent:
    return BinaryContent(b'PNG' + name.encode(), media_type='image/png', identifier=f'id-{name}')


def python_value(value: Any) -> Any:
    """The Python object that a case's `$`-marked JSON stands for."""
    if isinstance(value, list):
        return [python_value(item) for item in cast('list[Any]', value)]
    if not isinstance(value, dict):
        return value
    marked = cast('dict[str, Any]', value)
    if '$image' in marked:
        return image(marked['$image'])
    if '$tuple' in marked:
        return tuple(python_value(marked['$tuple']))
    if '$text_content' in marked:
        return TextContent(marked['$text_content'], metadata=marked['metadata'])
    if '$tool_return' in marked:
        return ToolReturn(**marked['$tool_return'])
    if marked.get('$model') == 'Doc':
        # What a tool returns to have its own text sent: the value stays structured in the history.
        return StructuredContent(Doc(nodes=marked['nodes'], as_text=marked['as_text']), content=marked['as_text'])
    if marked.get('$model') == 'Person':
        return Person(name=marked['name'], born=marked['born'])
    return marked


async def run_tool(
    wire: Wire, case: dict[str, Any], instructions: str | None = None, **options: Any
) -> list[dict[str, Any]]:
    """Run an agent whose tool returns the value of a case; the messages of the request that carries the return."""
    value = python_value(case['input']['value'])

    def tool() -> Any:
        """Return the value."""
        return value

    wire.requests.clear()
    wire.answers.append(completion(tool_calls=[tool_call('tool')]))
    await Agent(wire.model(**options), tools=[tool], instructions=instructions).run('q')
    return wire.bodies[1]['messages']


def tool_content(messages: list[dict[str, Any]]) -> Any:
    (content,) = [message['content'] for message in messages if message['role'] == 'tool']
    return content


def history_of(messages: list[dict[str, Any]]) -> list[ModelMessage]:
    """The pydantic-ai history of a small wire history of one tool call."""
    history: list[ModelMessage] = []
    for message in messages:
        if message['role'] == 'user':
            history.append(ModelRequest(parts=[UserPromptPart(message['content'])]))
        elif message['role'] == 'assistant':
            (call,) = message['tool_calls']
            function = call['function']
            history.append(ModelResponse(parts=[ToolCallPart(function['name'], function['arguments'], call['id'])]))
        else:
            items = [image('i') if part['type'] == 'image_url' else part['text'] for part in message['content']]
            history.append(ModelRequest(parts=[ToolReturnPart('t', items, message['tool_call_id'])]))
    return history


async def send_history(wire: Wire, case: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    wire.requests.clear()
    await wire.model(**options).request(history_of(case['input']['messages']), None, ModelRequestParameters())
    return wire.bodies[0]['messages']


async def list_content_of_a_history(wire: Wire, case: dict[str, Any]) -> None:
    """A05, A06, A09 and A10: a string by default, text parts with nothing but type and text when the flag is on."""
    (message,) = [message for message in case['input']['messages'] if message['role'] == 'tool']
    texts = [part['text'] for part in message['content']]
    assert tool_content(await send_history(wire, case)) == json.dumps(texts, separators=(',', ':'))
    assert tool_content(await send_history(wire, case, tool_return_as_list='false')) == json.dumps(
        texts, separators=(',', ':')
    )
    assert tool_content(await send_history(wire, case, tool_return_as_list='true')) == message['content']
    as_text = await send_history(wire, case, tool_return_as_list='true', openai_chat_tool_return_list_format='text')
    assert tool_content(as_text) == '\n'.join(texts)


async def a01(wire: Wire, case: dict[str, Any]) -> None:
    # Stock's '' stays the default, because a history is to go out as stock sends it; the option sends what is asked.
    for as_list in (True, False):
        messages = await run_tool(
            wire, case, tool_return_as_list=as_list, openai_chat_empty_tool_return=case['expected']['string_mode']
        )
        assert tool_content(messages) == '[]'
        assert tool_content(await run_tool(wire, case, tool_return_as_list=as_list)) == ''


async def a02(wire: Wire, case: dict[str, Any]) -> None:
    assert tool_content(await run_tool(wire, case)) == case['expected']['wire']


async def a03(wire: Wire, case: dict[str, Any]) -> None:
    for as_list in (True, False):
        text = json.dumps(await run_tool(wire, case, tool_return_as_list=as_list))
        assert all(word in text for word in case['expected']['wire_has'])
        assert not any(word in text for word in case['expected']['wire_lacks'])


async def a04(wire: Wire, case: dict[str, Any]) -> None:
    assert json.loads(tool_content(await run_tool(wire, case))) == case['expected']['wire_json']
    (part,) = tool_content(await run_tool(wire, case, tool_return_as_list=True))
    assert json.loads(part['text']) == case['expected']['wire_json'][0]


async def a08(wire: Wire, case: dict[str, Any]) -> None:
    messages = await send_history(wire, case, tool_return_as_list=True)
    assert [message['role'] for message in messages] == ['user', 'assistant', 'tool', 'user']
    assert tool_content(messages) == '["cap","See file id-i."]'
    assert [part['type'] for part in messages[-1]['content']] == ['text', 'image_url', 'text']


async def a12(wire: Wire, case: dict[str, Any]) -> None:
    for as_list in (True, False):
        assert tool_content(await run_tool(wire, case, tool_return_as_list=as_list)) == ''


async def a13(wire: Wire, case: dict[str, Any]) -> None:
    # A return with a file goes out as stock sends it, flag or not: its text is one string that refers to the file.
    messages = await run_tool(wire, case, tool_return_as_list=case['input']['tool_return_as_list'])
    assert tool_content(messages) == '["cap","See file id-png."]'
    assert messages[-1]['role'] == 'user' and 'image_url' in [part['type'] for part in messages[-1]['content']]


async def a14(wire: Wire, case: dict[str, Any]) -> None:
    messages = await run_tool(wire, case)
    assert tool_content(messages) == '["caption 1","See file id-1.","caption 2","See file id-2."]'
    parts = messages[-1]['content']
    opening = [part['text'] for part in parts if part['type'] == 'text' and not part['text'].startswith('</')]
    assert [part['image_url']['url'] for part in parts if part['type'] == 'image_url'] == [
        image('1').data_uri,
        image('2').data_uri,
    ]
    assert ['id-1' in opening[0], 'id-2' in opening[1]] == [True, True]
    assert all('c1' in tag for tag in opening)


async def a15(wire: Wire, case: dict[str, Any]) -> None:
    messages = await run_tool(wire, case)
    assert tool_content(messages) == '["cap","See file id-png."]'
    assert image('png').data_uri in json.dumps(messages[-1])


async def a16(wire: Wire, case: dict[str, Any]) -> None:
    for as_list in (False, True):
        await run_tool(wire, case, tool_return_as_list=as_list)
        sent = wire.requests[1].content.decode()
        assert case['expected']['wire_contains'] in sent and case['expected']['wire_lacks'] not in sent


async def a19(wire: Wire, case: dict[str, Any]) -> None:
    assert json.loads(tool_content(await run_tool(wire, case))) == case['input']['value']
    (part,) = tool_content(await run_tool(wire, case, tool_return_as_list=True))
    assert (part['type'], json.loads(part['text'])) == ('text', case['input']['value'][0])


async def x1(wire: Wire, case: dict[str, Any]) -> None:
    given = {'input': {'value': case['input']['tool_returns']}}
    messages = await run_tool(
        wire, given, instructions=case['input']['instructions'], openai_chat_supports_multiple_system_messages='false'
    )
    assert [message['role'] for message in messages] == case['expected']['roles']


async def x2(wire: Wire, case: dict[str, Any]) -> None:
    assert tool_content(await run_tool(wire, case, tool_return_as_list=True)) == case['expected']['list_mode']
    for messages in (await run_tool(wire, case), await run_tool(wire, case, tool_return_as_list=True)):
        assert case['expected']['wire_lacks'] not in json.dumps(messages)


async def x8(wire: Wire, case: dict[str, Any]) -> None:
    for as_list in (True, False):
        messages = await run_tool(wire, case, tool_return_as_list=as_list, openai_chat_empty_tool_return='no output')
        assert tool_content(messages) == 'no output'


CHECKS: dict[str, Callable[[Wire, dict[str, Any]], Awaitable[None]]] = {
    'A01': a01,
    'A02': a02,
    'A03': a03,
    'A04': a04,
    'A08': a08,
    'A12': a12,
    'A13': a13,
    'A14': a14,
    'A15': a15,
    'A16': a16,
    'A19': a19,
    'X1': x1,
    'X2': x2,
    'X8': x8,
    **dict.fromkeys(('A05', 'A06', 'A09', 'A10'), list_content_of_a_history),
}


def test_every_case_has_a_check() -> None:
    assert CHECKS.keys() == CASES.keys()


@pytest.mark.parametrize('case_id', sorted(CASES))
@pytest.mark.untraced
async def test_a_field_case_comes_out_as_asked(wire: Wire, case_id: str) -> None:
    await CHECKS[case_id](wire, CASES[case_id])
