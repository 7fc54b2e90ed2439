"""What it costs to write a conversation with tools as one without, as counts of work."""

from __future__ import annotations as _annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import pytest

from pydantic_ai_compat.text import AUTO
from pydantic_ai_compat.text.tools import conversation as module, harmless, tools_as_text

TOOLS: list[dict[str, Any]] = [
    {'type': 'function', 'function': {'name': 'look_up', 'description': 'Look up.', 'parameters': {}}}
]
RESULT = 'What was found:\nA line with <b>markup</b> and {"a": "value"}.'


class CountedReads(dict[str, Any]):
    """A message that counts how often its text is read."""

    def __init__(self, reads: Counter[int], number: int, message: dict[str, Any]) -> None:
        super().__init__(message)
        self._reads, self._number = reads, number

    def get(self, key: str, default: Any = None) -> Any:
        self._reads[self._number] += key == 'content'
        return super().get(key, default)


def conversation(turns: int, *, calls: int = 2, result: str = RESULT) -> list[dict[str, Any]]:
    """A question in each turn, calls at once, their results and an answer."""
    messages: list[dict[str, Any]] = [{'role': 'system', 'content': 'Be brief.'}]
    for turn in range(turns):
        ids = [f'call_{turn:03}_{place:03}' for place in range(calls)]
        function = {'name': 'look_up', 'arguments': json.dumps({'query': f'what is {turn:03}'})}
        messages += [
            {'role': 'user', 'content': f'What is {turn:03}?'},
            {
                'role': 'assistant',
                'content': 'I look.',
                'tool_calls': [{'id': id, 'type': 'function', 'function': function} for id in ids],
            },
            *({'role': 'tool', 'tool_call_id': id, 'content': result} for id in ids),
            {'role': 'assistant', 'content': 'This.'},
        ]
    return messages


def work(run: Callable[[], object]) -> int:
    """How many functions are called, Python's and C's."""
    counted = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal counted
        counted += event in ('call', 'c_call')

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(before)
    return counted


def cost(messages: Sequence[dict[str, Any]], dialect: str) -> int:
    """The work of one run, after one that fills what is kept for good, such as compiled patterns."""
    tools_as_text(conversation(1), TOOLS, dialects=[dialect])
    return work(lambda: tools_as_text(messages, TOOLS, dialects=[dialect]))


@pytest.mark.parametrize('dialect', ['hermes', 'kimi_k2', 'qwen3_coder', 'pythonic', 'xlam'])
def test_ten_times_the_turns_are_ten_times_the_work(dialect: str) -> None:
    """A dialect of each family, and one whose calls stand nowhere but first."""
    base, short, long = (cost(conversation(turns), dialect) for turns in (0, 10, 100))
    assert long - base <= 10 * (short - base) * 1.02


@pytest.mark.parametrize('dialect', ['hermes', 'mistral', 'kimi_k2'])
def test_ten_times_the_calls_of_one_turn_are_ten_times_the_work(dialect: str) -> None:
    base, short, long = (cost(conversation(1, calls=calls), dialect) for calls in (2, 12, 102))
    assert long - base <= 10 * (short - base) * 1.02


@pytest.mark.parametrize('turns', [10, 100])
def test_each_message_is_read_once_and_each_call_written_once(turns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is anything read back that was written, where nothing in the text could hide a call."""
    calls: Counter[str] = Counter()

    def counting(name: str) -> None:
        original = getattr(module, name)

        def counted(first: Any, *arguments: Any, **options: Any) -> Any:
            calls[name] += len(first) if name == 'write_calls' else 1
            return original(first, *arguments, **options)

        monkeypatch.setattr(module, name, counted)

    for name in ('write_calls', 'write_result', 'read_text', 'describe_tools'):
        counting(name)
    reads: Counter[int] = Counter()
    messages = conversation(turns)
    tools_as_text([CountedReads(reads, number, message) for number, message in enumerate(messages)], TOOLS)
    assert calls == {'write_calls': 2 * turns, 'write_result': 2 * turns, 'describe_tools': 1}
    # The text of an assistant turn and of the system message is read with the rest of the message.
    read_apart = [number for number, message in enumerate(messages) if message['role'] in ('user', 'tool')]
    assert +reads == dict.fromkeys(read_apart, 1)


@pytest.mark.parametrize('dialects', [['hermes'], list(AUTO)])
def test_text_without_a_mark_is_not_read_for_calls(dialects: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """One search for the marks tells that nothing of it can be a call."""
    read: list[str] = []
    original = harmless.read_text

    def reading(text: str, *arguments: Any) -> Any:
        read.append(text)
        return original(text, *arguments)

    monkeypatch.setattr(harmless, 'read_text', reading)
    tools_as_text(conversation(10, result='A line.'), TOOLS, dialects=dialects)
    assert read == []
    quoted = '<tool_call>{"name": "look_up"}</tool_call>'
    tools_as_text([*conversation(10, result='A line.'), {'role': 'user', 'content': quoted}], TOOLS, dialects=dialects)
    assert read == [quoted]
