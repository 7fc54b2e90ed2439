"""The description of the tools: what it says, what it costs, and that it is the same for the same tools."""

from __future__ import annotations as _annotations

import json
import re
from typing import Any

import pytest
from generated import generated
from hypothesis import given, strategies as st

from pydantic_ai_compat.text import DIALECTS, read_text
from pydantic_ai_compat.text.tools import check_prompt, describe_tools


def tool(number: int) -> dict[str, Any]:
    """A tool of the size of those that people write: three parameters and a sentence or two."""
    return {
        'type': 'function',
        'function': {
            'name': f'find_invoices_{number:02}',
            'description': 'Finds the invoices of a customer that are due up to a date. Answers with at most `limit`.',
            'parameters': {
                'type': 'object',
                'properties': {
                    'customer': {'type': 'string', 'description': 'The number of the customer, as on the contract.'},
                    'until': {'type': 'string', 'format': 'date', 'description': 'The last day that counts.'},
                    'limit': {'type': 'integer', 'default': 10},
                },
                'required': ['customer', 'until'],
                'additionalProperties': False,
            },
        },
    }


HERMES = DIALECTS['hermes']


@pytest.mark.parametrize('dialect', DIALECTS.values(), ids=DIALECTS.keys())
def test_the_section_for_twenty_tools_costs_little_more_than_their_json(dialect: Any) -> None:
    """The measure is the compact JSON in which native tools go over the wire."""
    tools = [tool(number) for number in range(20)]
    native = json.dumps(tools, ensure_ascii=False, separators=(',', ':'))
    assert len(describe_tools(tools, dialect)) <= 1.15 * len(native)


@generated()
@given(numbers=st.permutations(range(4)), keys=st.permutations(['name', 'description', 'parameters', 'strict']))
def test_the_same_tools_are_the_same_section_in_any_order(numbers: list[int], keys: list[str]) -> None:
    """Down to the order of keys, or else a toolset that lists its tools in another order breaks every prompt cache."""
    tools = [tool(number) for number in range(4)]
    shuffled = [tools[number] for number in numbers]
    for one in shuffled:
        one['function'] = {key: one['function'].get(key, True) for key in keys}
    assert describe_tools(shuffled, HERMES) == describe_tools([tool(number) for number in range(4)], HERMES)


def test_the_whole_section_for_hermes() -> None:
    weather = {
        'type': 'function',
        'function': {
            'name': 'get_weather',
            'description': 'The weather — now.',
            'parameters': {'type': 'object', 'properties': {'city': {'type': 'string'}}},
            'strict': True,
        },
    }
    ping: dict[str, Any] = {'type': 'function', 'function': {'name': 'ping', 'parameters': {}}}
    assert describe_tools([ping, weather], HERMES) == (
        '# Tools\n'
        '\n'
        'These tools can be called. Each line is one of them: its name, what it does, and the JSON schema of its '
        'arguments.\n'
        '\n'
        '<tools>\n'
        '{"name": "get_weather", "description": "The weather — now.", "parameters": {"properties": {"city": {"type": '
        '"string"}}, "type": "object"}}\n'
        '{"name": "ping"}\n'
        '</tools>\n'
        '\n'
        'A call has exactly this form, with the name and the arguments of the tool:\n'
        '\n'
        '<tool_call>\n'
        '{"name": "tool_name", "arguments": {"argument": "value"}}\n'
        '</tool_call>\n'
        '\n'
        'Several calls are written one after the other.\n'
        '\n'
        'Stop after the last call: what the tools return comes in the next user turn. Never write that yourself. '
        'Where no tool is needed, answer without a call.'
    )


@pytest.mark.parametrize('dialect', DIALECTS.values(), ids=DIALECTS.keys())
def test_the_example_is_what_is_read(dialect: Any) -> None:
    """Rule and example of others named two tags: https://github.com/minpeter/ai-sdk-tool-call-middleware/pull/54"""
    section = describe_tools([tool(1)], dialect)
    form, _, rest = section.partition('of the tool:\n\n')[2].partition('\n\nStop after')
    assert rest
    blocks = re.split(r'\n\n(?:[A-Z][^\n]*\n)*(?:[A-Z][^\n]*(?:\n\n|\Z))', form)
    calls = [
        [call.name for call in read_text(block, ['tool_name', 'other_tool'], [dialect.name]).calls] for block in blocks
    ]
    assert [names for names in calls if names] in ([['tool_name']], [['tool_name'], ['tool_name', 'other_tool']])


def test_a_text_of_ones_own_gets_tools_and_example() -> None:
    own = 'Tools: {tools}\nLike {example} or {"name": …}. Not {result}.'
    assert describe_tools([{'type': 'function', 'function': {'name': 'a{example}'}}], HERMES, own) == (
        'Tools: {"name": "a{example}"}\n'
        'Like <tool_call>\n{"name": "tool_name", "arguments": {"argument": "value"}}\n</tool_call> or {"name": …}. '
        'Not {result}.'
    )


def test_a_function_makes_the_whole_text() -> None:
    def own(tools: Any, example: str) -> str:
        return f'{[one["function"]["name"] for one in tools]} {example[:11]}'

    assert describe_tools([tool(2), tool(1)], HERMES, own) == "['find_invoices_01', 'find_invoices_02'] <tool_call>"


@pytest.mark.parametrize(
    ('prompt', 'missing'),
    [('{tools} {example}', None), ('{example}', '{tools}'), ('{tools}', '{example}'), ('', '{tools}')],
)
def test_a_text_of_ones_own_needs_both_placeholders(prompt: str, missing: str | None) -> None:
    assert check_prompt(prompt) == missing
