"""An agent whose tools are text, on llama.cpp: the same run as with native tools.

llama.cpp parses no call where no tools were sent, so the scripted model's `<tool_call>` arrives as text.
"""

from __future__ import annotations as _annotations

from typing import Any, Literal, cast

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, ModelMessage, ModelRetry, ToolCallPart, ToolOutput
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.demo.server import LlamaCppServer

FINAL = 'Final answer after the tool result.'
QUESTIONS = ('Hello.', '#two', '#think', '#texttool', '#plain', '#unicode')


class Weather(BaseModel):
    """The weather that was asked for."""

    city: str
    days: int


def make_agent(
    server: LlamaCppServer, tools: Literal['native', 'text'] | None, *, retry: bool = False, **options: Any
) -> Agent[None, str]:
    if tools:
        options['openai_chat_tools'] = tools
    model = OpenAICompatibleModel(server.model_name, base_url=server.base_url, tool_return_as_list=True, **options)
    agent = Agent(model)

    @agent.tool_plain
    def get_weather(city: str, days: int) -> list[str]:
        """Weather of a city."""
        if retry:
            raise ModelRetry('Ask again later.')
        return ['sunny, 18 °C', 'rain, 11 °C']

    @agent.tool_plain
    def get_time(zone: str) -> list[dict[str, str]]:
        """Time of a zone."""
        return [{'zone': zone}, {'time': '12:00'}]

    return agent


def exchanged(messages: list[ModelMessage]) -> list[tuple[Any, ...]]:
    """What was said, called and returned, without ids and times."""
    told: list[tuple[Any, ...]] = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                told.append(('call', part.tool_name, part.args_as_dict()))
            elif part.part_kind in ('tool-return', 'retry-prompt'):
                content = cast('object', getattr(part, 'content', None))
                told.append((part.part_kind, getattr(part, 'tool_name', None), content))
            elif isinstance(part, TextPart | ThinkingPart) and part.content.strip():
                told.append((part.part_kind, part.content.strip()))
        if isinstance(message, ModelResponse):
            told.append(('finish', message.finish_reason))
    return told


async def run(agent: Agent[None, Any], question: str, *, streamed: bool) -> list[tuple[Any, ...]]:
    assert isinstance(agent.model, OpenAICompatibleModel)
    async with agent.model.client:
        if not streamed:
            return exchanged((await agent.run(question)).all_messages())
        async with agent.run_stream_events(question) as events:
            seen: list[Any] = [event async for event in events]
        return exchanged(seen[-1].result.all_messages())


@pytest.mark.parametrize('streamed', [False, True], ids=['plain', 'streamed'])
@pytest.mark.parametrize('question', QUESTIONS)
@pytest.mark.untraced
async def test_the_messages_are_those_of_native_tools(
    llama_server: LlamaCppServer, question: str, streamed: bool
) -> None:
    native = await run(make_agent(llama_server, 'native'), question, streamed=streamed)
    as_text = await run(make_agent(llama_server, 'text'), question, streamed=streamed)
    assert as_text == native
    assert (('text', FINAL) in as_text) == (question not in ('#plain', '#unicode'))


@pytest.mark.parametrize('streamed', [False, True], ids=['plain', 'streamed'])
async def test_a_retry_and_an_output_tool_are_those_of_native_tools(
    llama_server: LlamaCppServer, streamed: bool
) -> None:
    runs: list[Any] = []
    ways: tuple[Literal['native', 'text'], ...] = ('native', 'text')
    for tools in ways:
        agent = make_agent(llama_server, tools, retry=True)
        model = OpenAICompatibleModel(llama_server.model_name, base_url=llama_server.base_url, openai_chat_tools=tools)
        output = Agent(model, output_type=ToolOutput(Weather, name='get_weather'))
        told = [await run(agent, 'Hello.', streamed=streamed), await run(output, 'Hello.', streamed=streamed)]
        runs.append(told)
    assert runs[0] == runs[1]
    assert ('retry-prompt', 'get_weather', 'Ask again later.') in runs[1][0] or any(
        part[:2] == ('tool-return', 'get_weather') and 'Ask again later.' in str(part[2]) for part in runs[1][0]
    )
    assert runs[1][1][0] == ('call', 'get_weather', {'city': 'Paris', 'days': 2})


async def test_a_template_without_tools_runs_an_agent(start_llama_server: Any, tmp_path: Any) -> None:
    """The server takes no tool message at all, and the agent gets its results."""
    template = tmp_path / 'chat_template.jinja'
    template.write_text(
        "{% for m in messages %}{% if m['role'] not in ('system', 'user', 'assistant') or m.get('tool_calls') %}"
        "{{ raise_exception('no tools here') }}{% endif %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n"
        '{% endfor %}<|im_start|>assistant\n',
        'utf-8',
    )
    server = start_llama_server(chat_template=template)
    # The option is set, or follows from the template that the server tells.
    for agent in (make_agent(server, 'text'), make_agent(server, None, chat_template='server')):
        told = await run(agent, '#two', streamed=False)
        assert [part[1] for part in told if part[0] == 'tool-return'] == ['get_weather', 'get_time']
        assert ('text', FINAL) in told
