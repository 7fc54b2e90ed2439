"""Tool calls written in the text, through a model and an agent."""

from __future__ import annotations as _annotations

import warnings
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart
from streaming.streams import chunk, stream_answer
from support import Wire, completion

from pydantic_ai_compat.errors import CompatWarning, OptionError
from pydantic_ai_compat.options.profile import build_profile

CALL = 'I look.\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'


def agent_of(wire: Wire, **options: Any) -> Agent:
    agent = Agent(wire.model(**options))

    @agent.tool_plain
    def f(a: int) -> str:
        return f'got {a}'

    return agent


def answers(wire: Wire, *texts: str, streamed: bool) -> None:
    for text in texts:
        pieces = [chunk(content=text[n : n + 5]) for n in range(0, len(text), 5)]
        wire.answers.append(stream_answer([*pieces, chunk('stop')]) if streamed else completion(content=text))


async def run(agent: Agent, *, streamed: bool) -> list[Any]:
    if not streamed:
        return (await agent.run('hi')).all_messages()
    async with agent.iter('hi') as run:
        async for node in run:
            if Agent.is_model_request_node(node):
                async with node.stream(run.ctx) as response:
                    async for _ in response:
                        pass
    assert run.result is not None
    return run.result.all_messages()


@pytest.mark.parametrize('streamed', [False, True])
async def test_an_agent_runs_a_call_in_the_text_and_sends_it_back_as_a_call(wire: Wire, streamed: bool) -> None:
    """The next request has it in `tool_calls`, with the id of its result."""
    answers(wire, CALL, 'Done.', streamed=streamed)
    messages = await run(agent_of(wire, openai_chat_text_tool_calls='hermes'), streamed=streamed)
    _, called, returned, last = messages
    assert isinstance(called, ModelResponse)
    assert isinstance(returned, ModelRequest)
    assert (called.text, called.finish_reason, last.text) == ('I look.\n', 'tool_call', 'Done.')
    [call] = [part for part in called.parts if isinstance(part, ToolCallPart)]
    [result] = [part for part in returned.parts if isinstance(part, ToolReturnPart)]
    assert (call.args, result.content, result.tool_call_id) == ('{"a": 1}', 'got 1', call.tool_call_id)
    sent = wire.bodies[-1]['messages'][1]
    assert [one['id'] for one in sent['tool_calls']] == [call.tool_call_id]


@pytest.mark.parametrize('streamed', [False, True])
async def test_without_the_option_the_text_stays_and_one_warning_says_what_would_read_it(
    wire: Wire, streamed: bool
) -> None:
    """Once for each model."""
    answers(wire, CALL, CALL, streamed=streamed)
    agent = agent_of(wire)
    with pytest.warns(CompatWarning, match="`openai_chat_text_tool_calls`='hermes' would make it a call"):
        messages = await run(agent, streamed=streamed)
    assert messages[-1].text == CALL
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        await run(agent, streamed=streamed)


@pytest.mark.parametrize('value', ['hermes, qwen3_coder', ['hermes', 'qwen3_coder'], '["hermes", "qwen3_coder"]'])
def test_the_option_takes_a_list_or_text(value: object) -> None:
    profile = build_profile({'openai_chat_text_tool_calls': value})
    assert profile['openai_chat_text_tool_calls'] == ['hermes', 'qwen3_coder']  # pyright: ignore[reportTypedDictNotRequiredAccess]


def test_a_dialect_that_nobody_knows_is_refused_with_the_nearest() -> None:
    """Before anything is sent."""
    with pytest.raises(OptionError, match=r"`openai_chat_text_tool_calls`: .* 'hermez', did you mean 'hermes'\?"):
        build_profile({'openai_chat_text_tool_calls': 'hermez'})
