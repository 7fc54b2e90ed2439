"""What holds for any list of wire messages under any policy."""

from __future__ import annotations as _annotations

import copy
import itertools
from collections.abc import Iterator
from typing import Any

from generated import generated
from history.strategies import broken_histories, healthy_histories, policies
from hypothesis import assume, example, given

from pydantic_ai_compat.history import HistoryPolicy, check_history, get_policy, repair_history

Messages = list[dict[str, Any]]


def answered(messages: Messages) -> Iterator[tuple[Any, tuple[Any, Any, Any]]]:
    """The id of each call with its name, arguments and each result among the tool messages right behind its turn."""
    for place, message in enumerate(messages):
        calls = calls_of(message)
        results = (
            list(itertools.takewhile(lambda other: other['role'] == 'tool', messages[place + 1 :])) if calls else []
        )
        for call, result in itertools.product(calls, results):
            function = call.get('function', {})
            if result.get('tool_call_id') == call.get('id'):
                yield call.get('id'), (function.get('name'), function.get('arguments'), result.get('content'))


def valid_pairs(messages: Messages) -> list[tuple[Any, Any, Any]]:
    """The pairs that any host takes: with an id of their own, and made by a healthy agent."""
    ids = [call.get('id') for message in messages for call in calls_of(message)]
    answers = [message.get('tool_call_id') for message in messages if message['role'] == 'tool']
    return [
        pair
        for call_id, pair in answered(messages)
        if ids.count(call_id) == answers.count(call_id) == 1 and str(pair[1]).startswith('{"n"')
    ]


def calls_of(message: dict[str, Any]) -> list[Any]:
    """The calls of an assistant message that are objects, up to the first that is none."""
    calls: list[Any] = message.get('tool_calls') or [] if message['role'] == 'assistant' else []
    return list(itertools.takewhile(lambda call: isinstance(call, dict), calls))


@generated(600)
@given(broken_histories(), policies)
@example([{'role': 'assistant', 'content': None, 'tool_calls': [{'id': 'c1'}] * 3}], get_policy('standard'))
@example(
    [
        {
            'role': 'assistant',
            'tool_calls': [{'id': 'c1', 'type': 'function', 'function': {'name': 't', 'arguments': None}}],
        }
    ],
    get_policy('standard'),
)
def test_a_repaired_history_is_valid_and_is_not_repaired_again(messages: Messages, policy: HistoryPolicy) -> None:
    before = copy.deepcopy(messages)
    result = repair_history(messages, policy)
    assert messages == before
    assert check_history(result.messages, policy) == []
    again = repair_history(result.messages, policy)
    assert again.messages is result.messages
    assert (result.messages is messages) == (not result.faults)
    assert bool(result.repairs) == bool(result.faults)


@generated(300)
@given(broken_histories(), policies.filter(lambda policy: 'H27' not in policy.rules))
@example(
    [
        {'role': 'user', 'content': 'q'},
        {
            'role': 'assistant',
            'content': None,
            'tool_calls': [{'id': 'c1', 'type': 'function', 'function': {'name': 't', 'arguments': '{"n": 1}'}}],
        },
        {'role': 'tool', 'content': 'whose?', 'tool_call_id': ''},
        {'role': 'tool', 'content': 'mine', 'tool_call_id': 'c1'},
    ],
    get_policy('standard'),
)
def test_every_valid_pair_is_still_there(messages: Messages, policy: HistoryPolicy) -> None:
    """Told apart by name, arguments and result, as an id may be mapped."""
    remaining = [pair for _, pair in answered([dict(message) for message in repair_history(messages, policy).messages])]
    for pair in valid_pairs(messages):
        assert pair in remaining


@generated(200)
@given(healthy_histories())
def test_a_healthy_history_is_sent_as_it_is(messages: Messages) -> None:
    assert repair_history(messages).messages is messages


@generated(300)
@given(broken_histories(), policies.filter(lambda policy: 'H26' not in policy.rules))
def test_a_longer_history_is_repaired_to_one_that_begins_with_the_shorter(
    messages: Messages, policy: HistoryPolicy
) -> None:
    """A provider's prompt cache holds the prefix of the former request."""
    assume(any(message['role'] == 'user' for message in messages))
    former = list(repair_history(messages, policy).messages)
    role = 'user' if former and former[-1]['role'] == 'assistant' else 'assistant'
    latter = repair_history([*messages, {'role': role, 'content': 'next'}], policy).messages
    if former and former[-1]['role'] in ('user', 'assistant', 'tool'):
        assert latter[: len(former)] == former
