"""With every option at its default the wire is stock's: on generated histories, and on recorded exchanges."""

from __future__ import annotations as _annotations

import json
from pathlib import Path
from typing import Any, Literal, cast, get_args

import pytest
from generated import generated
from hypothesis import HealthCheck, given, strategies as st
from pydantic_ai import Agent, BinaryContent, ImageUrl
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.tools import ToolDefinition
from support import Wire, completion, tool_call

# What a server left in the text of its recordings stays there, and the model says which option would read it.
pytestmark = pytest.mark.filterwarnings('ignore:The answer of .* holds a tool call in its text')

RECORDED = {
    exchange['id']: exchange
    for exchange in map(json.loads, (Path(__file__).parent / 'recordings.jsonl').read_text('utf-8').splitlines())
}

texts = st.text(max_size=12)
words = st.text('abc', min_size=1, max_size=6)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda values: st.lists(values, max_size=3) | st.dictionaries(words, values, max_size=3),
    max_leaves=6,
)
files = st.builds(BinaryContent, st.binary(min_size=1, max_size=4), media_type=st.just('image/png')) | st.just(
    ImageUrl('http://h/a.png')
)
returns = json_values | st.tuples(texts, st.integers()) | st.lists(texts | files, max_size=3) | files
Outcome = Literal['success', 'failed', 'denied', 'interrupted', 'retried']
outcomes: st.SearchStrategy[Outcome] = st.sampled_from(get_args(Outcome))
user_content = texts | st.lists(cast('st.SearchStrategy[UserContent]', texts | files), min_size=1, max_size=3)
# Made once, as a strategy that is new in each draw is looked through in each draw.
leading_texts = st.lists(texts, max_size=2)
names_called = st.lists(words, max_size=3)
arguments = st.dictionaries(words, json_values, max_size=2)
said_before: st.SearchStrategy[list[ModelResponsePart]] = st.lists(
    st.builds(TextPart, st.text(min_size=1, max_size=9))
    | st.builds(ThinkingPart, words, id=st.sampled_from(['reasoning_content', 'content']), provider_name=words),
    max_size=2,
)


@st.composite
def turns(draw: st.DrawFn, number: int) -> list[ModelMessage]:
    """A user turn, what the model answered, and the returns of all its calls in any order."""
    leading = [SystemPromptPart(text) for text in draw(leading_texts)] if not number else []
    messages: list[ModelMessage] = [ModelRequest(parts=[*leading, UserPromptPart(draw(user_content))])]
    calls = [
        ToolCallPart(name, draw(arguments), f'call-{number}-{index}') for index, name in enumerate(draw(names_called))
    ]
    messages.append(ModelResponse(parts=[*draw(said_before), *calls]))
    if calls:
        answers: list[ModelRequestPart] = [
            ToolReturnPart(call.tool_name, draw(returns), call.tool_call_id, outcome=draw(outcomes)) for call in calls
        ]
        messages += [ModelRequest(parts=answers), ModelResponse(parts=[TextPart('then')])]
    return messages


@st.composite
def histories(draw: st.DrawFn) -> list[ModelMessage]:
    """A history as an agent run stores it, ended by a user turn."""
    messages: list[ModelMessage] = []
    for number in range(draw(st.integers(1, 3))):
        messages += draw(turns(number))
    return [*messages, ModelRequest(parts=[UserPromptPart('and now?')])]


async def sent_bytes(wire: Wire, model: OpenAIChatModel, history: list[ModelMessage]) -> bytes:
    await model.request(history, None, ModelRequestParameters())
    return wire.requests[-1].content


@generated(200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=histories())
async def test_a_generated_history_is_sent_byte_for_byte_as_stock_sends_it(
    wire: Wire, history: list[ModelMessage]
) -> None:
    stock = await sent_bytes(wire, wire.stock(), history)
    assert await sent_bytes(wire, wire.model(), history) == stock


def as_history(messages: list[dict[str, Any]]) -> list[ModelMessage]:
    """The pydantic-ai history of recorded wire messages."""
    history: list[ModelMessage] = []
    for message in messages:
        content: Any = message.get('content')
        if message['role'] == 'assistant':
            calls = [
                ToolCallPart(call['function']['name'], call['function']['arguments'], call['id'])
                for call in message['tool_calls']
            ]
            history.append(ModelResponse(parts=calls))
        elif message['role'] == 'tool':
            items = content if isinstance(content, str) else [part['text'] for part in content]
            history.append(ModelRequest(parts=[ToolReturnPart('get_weather', items, message['tool_call_id'])]))
        elif message['role'] == 'system':
            history.append(ModelRequest(parts=[SystemPromptPart(content)]))
        else:
            text = content if isinstance(content, str) else [part['text'] for part in content]
            history.append(ModelRequest(parts=[UserPromptPart(text)]))
    return history


@pytest.mark.parametrize('exchange_id', sorted(RECORDED))
@pytest.mark.untraced
async def test_a_recorded_exchange_is_sent_and_read_as_stock_does(wire: Wire, exchange_id: str) -> None:
    """Recorded from llama.cpp, vLLM, transformers serve, llama-cpp-python and LiteLLM in front of llama.cpp."""
    exchange = RECORDED[exchange_id]
    history = as_history(exchange['messages'])
    tools = [tool['function'] for tool in exchange['tools']]
    definitions = [
        ToolDefinition(name=tool['name'], description=tool['description'], parameters_json_schema=tool['parameters'])
        for tool in tools
    ]
    parameters = ModelRequestParameters(function_tools=definitions)
    wire.answers.extend([exchange['response']] * 2)
    stock = await wire.stock().request(history, None, parameters)
    ours = await wire.model().request(history, None, parameters)
    assert wire.requests[1].content == wire.requests[0].content
    assert ours.parts == stock.parts
    assert (ours.usage, ours.provider_details, ours.model_name) == (
        stock.usage,
        stock.provider_details,
        stock.model_name,
    )


async def test_an_agents_whole_run_is_sent_byte_for_byte_as_stock_sends_it(wire: Wire) -> None:
    def get_weather(city: str, days: int = 1) -> Any:
        """Weather for a city."""
        return ['alpha', {'city': city}, days]

    sent: list[list[bytes]] = []
    for model in (wire.stock(), wire.model()):
        wire.requests.clear()
        wire.answers.append(completion(content='Let me see.', tool_calls=[tool_call('get_weather', city='Paris')]))
        agent = Agent(model, tools=[get_weather], system_prompt='Be brief.', instructions='In French.')
        result = await agent.run('Weather?')
        assert result.output == 'done'
        sent.append([request.content for request in wire.requests])
    assert sent[0] == sent[1]
    assert len(sent[0]) == 2
