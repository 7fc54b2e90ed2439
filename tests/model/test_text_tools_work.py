"""What the mapping of a history with tools as text costs beside that with native tools, as counts of work."""

from __future__ import annotations as _annotations

import asyncio
import sys
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition
from text.tools.counting import work

from pydantic_ai_compat import OpenAICompatibleModel

PARAMETERS = ModelRequestParameters(
    function_tools=[ToolDefinition(name=name, description='Look it up.') for name in ('look_up', 'search', 'read')]
)


def history(turns: int) -> list[ModelMessage]:
    messages: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('Find it.')])]
    for turn in range(turns):
        call_id = f'call_{turn}'
        messages.append(ModelResponse(parts=[ToolCallPart('look_up', f'{{"query": "what is {turn}"}}', call_id)]))
        messages.append(ModelRequest(parts=[ToolReturnPart('look_up', 'What was found:\n<b>Nothing</b>.', call_id)]))
    return messages


def mapping_work(messages: list[ModelMessage], **options: Any) -> int:
    """The work of mapping a history whose earlier requests were mapped before, as those of a run of an agent are."""
    model = OpenAICompatibleModel('m', base_url='http://localhost/v1', api_key='k', **options)

    def map_messages() -> None:
        asyncio.run(model._map_messages(messages, PARAMETERS))

    map_messages()
    return work(map_messages)


def test_the_mapping_costs_at_most_a_fifth_more_than_with_native_tools() -> None:
    """Its work is counted, and the figures are printed; `benchmarks` measures the time of whole requests."""
    messages = history(300)
    native, text = mapping_work(messages), mapping_work(messages, openai_chat_tools='text')
    sys.stdout.write(f'\n{native} calls of functions with native tools, {text} as text: {text / native:.3f} times\n')
    assert text <= 1.2 * native


def test_the_cost_of_a_message_does_not_grow_with_the_history() -> None:
    short, middle, long = (mapping_work(history(turns), openai_chat_tools='text') for turns in (0, 30, 300))
    assert long - short <= 10 * (middle - short) * 1.02
