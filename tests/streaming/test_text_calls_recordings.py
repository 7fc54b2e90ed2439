"""Calls that vLLM 0.32 swallowed: its reasoning parser took an answer without thoughts for one long thought."""

from __future__ import annotations as _annotations

from pathlib import Path
from typing import Any

import pytest

from pydantic_ai_compat.streaming import ChatStreamParser, iter_sse_chunks

RECORDINGS = Path(__file__).parent / 'recordings'
TOOLS: dict[str, Any] = {
    'get_weather': {'properties': {'city': {'type': 'string'}, 'days': {'type': 'integer'}}},
    'get_time': {'properties': {'zone': {'type': 'string'}}},
}
WEATHER_AND_TIME = [('get_weather', {'city': 'Rome', 'days': 3}), ('get_time', {'zone': 'CET'})]


def read(name: str, **options: Any) -> tuple[str, list[tuple[str, Any]]]:
    """The thoughts and the calls of a recorded stream."""
    parser = ChatStreamParser(tools=TOOLS, text_tool_calls='hermes', **options)
    lines = (RECORDINGS / f'vllm-qwen3tmpl-scripted-{name}-stream.sse').read_text('utf-8').splitlines()
    items = [item for chunk in iter_sse_chunks(lines) for item in parser.feed(chunk)] + list(parser.flush())
    thoughts = ''.join(item.text for item in items if item.kind == 'reasoning_delta')
    calls = [(item.tool_call.name, item.tool_call.arguments) for item in items if item.kind == 'provider_tool_call']
    return thoughts, calls


@pytest.mark.parametrize(
    ('name', 'thoughts', 'calls'),
    [
        ('two', '', WEATHER_AND_TIME),
        ('texttool', 'Let me check that. ', [('get_time', {'zone': 'UTC'})]),
        ('think', '\nI should look up the weather.\n', [('get_weather', {'city': 'Paris', 'days': 1})]),
    ],
)
def test_a_swallowed_call_is_found_with_the_option_for_thoughts(
    name: str, thoughts: str, calls: list[tuple[str, Any]]
) -> None:
    """The last one has its thought, so its call came as one: it is there once."""
    assert read(name, calls_in_thoughts=True) == (thoughts, calls)


def test_without_the_option_a_thought_is_no_call() -> None:
    """Models write of calls in their thoughts that they then do not make."""
    thoughts, calls = read('two')
    assert (thoughts.count('<tool_call>'), calls) == (2, [])
