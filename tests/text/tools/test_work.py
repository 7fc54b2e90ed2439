"""What it costs to write a conversation with tools as one without, as counts of work."""

from __future__ import annotations as _annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from text.tools.counting import work

from pydantic_ai_compat.text import AUTO, TextCall
from pydantic_ai_compat.text.dialects.registry import find
from pydantic_ai_compat.text.tools import WrittenCalls, conversation as module, harmless, merge, tools_as_text, written

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

    def counting(module: Any, name: str) -> None:
        original = getattr(module, name)

        def counted(first: Any, *arguments: Any, **options: Any) -> Any:
            calls[name] += len(first) if name == 'write_calls' else 1
            return original(first, *arguments, **options)

        monkeypatch.setattr(module, name, counted)

    counting(written, 'write_calls')
    counting(module, 'read_text')
    counting(module, 'describe_tools')
    reads: Counter[int] = Counter()
    messages = conversation(turns)
    tools_as_text([CountedReads(reads, number, message) for number, message in enumerate(messages)], TOOLS)
    assert calls == {'write_calls': 2 * turns, 'describe_tools': 1}
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


def counted_writes(monkeypatch: pytest.MonkeyPatch) -> list[TextCall]:
    """The calls that are written from now on."""
    calls: list[TextCall] = []
    original = written.write_calls

    def writing(turn: Sequence[TextCall], dialect: Any) -> str:
        calls.extend(turn)
        return original(turn, dialect)

    monkeypatch.setattr(written, 'write_calls', writing)
    return calls


def test_a_call_is_written_once_however_many_requests_it_is_a_part_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent's requests repeat the history of the one before."""
    expected = [tools_as_text(conversation(turns), TOOLS) for turns in range(20)]
    calls = counted_writes(monkeypatch)
    keep = WrittenCalls(find('hermes'))
    assert [tools_as_text(conversation(turns), TOOLS, written=keep) for turns in range(20)] == expected
    assert len(calls) == 2 * 19


@pytest.mark.parametrize('limit', [0, 300, 900])
def test_written_calls_that_no_request_needs_are_forgotten_and_written_again(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept is bounded, and the text does not depend on it."""
    expected = tools_as_text(conversation(20), TOOLS)
    calls = counted_writes(monkeypatch)
    keep = WrittenCalls(find('hermes'), limit)
    for _ in range(2):
        assert tools_as_text(conversation(20), TOOLS, written=keep) == expected
    assert 2 * 20 < len(calls) <= 2 * 2 * 20
    tools_as_text(conversation(2), TOOLS, written=keep)
    calls.clear()
    tools_as_text(conversation(2), TOOLS, written=keep)
    assert calls == []


@pytest.mark.parametrize('calls', [3, 300])
def test_the_results_of_one_turn_are_joined_at_once(calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, each would copy all that stand before it."""
    copied: list[int] = []
    original = merge.joined

    def joining(contents: Sequence[Any], separators: Sequence[str]) -> Any:
        copied.append(sum(map(len, contents)))
        return original(contents, separators)

    monkeypatch.setattr(merge, 'joined', joining)
    messages = tools_as_text(conversation(1, calls=calls), TOOLS)
    assert copied == [len(messages[3]['content']) - (calls - 1)]
