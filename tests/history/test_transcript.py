from __future__ import annotations as _annotations

from typing import Any

import pytest
from history.wire import assistant, call, result, system, user

from pydantic_ai_compat.errors import HistoryError
from pydantic_ai_compat.history import POLICIES, Transcript, check_history, repair_history
from pydantic_ai_compat.streaming import StreamItem, ToolCallEvent


def a_call(name: str = 't', call_id: str | None = 'c1', raw: str | None = '{"a":1}') -> StreamItem:
    return StreamItem.provider_tool_call(ToolCallEvent(name, id=call_id, raw_arguments=raw))


TURN = [
    StreamItem.reasoning_delta('plan', 'reasoning_content'),
    StreamItem.message_delta('Let me '),
    StreamItem.message_delta('see.'),
    a_call(),
    a_call(call_id='c2', raw='{"b": [1,  2]}'),
    StreamItem.text_event(ToolCallEvent('started')),
    StreamItem.finish('tool_calls', provider_finish_reason='tool_calls'),
]


def test_a_conversation_is_written_in_the_order_that_strict_hosts_want() -> None:
    transcript = Transcript()
    transcript.add_system('S')
    transcript.add_user('q')
    transcript.add_assistant(TURN)
    transcript.add_tool_return('c2', ['x', {'ö': None}])
    transcript.add_tool_return('c1', 'r1')
    transcript.add_assistant([StreamItem.message_delta('done')])
    transcript.add_user([{'type': 'text', 'text': 'more'}])
    assert transcript.messages == [
        system(),
        user(),
        assistant('Let me see.', tool_calls=[call('c1'), call('c2', '{"b": [1,  2]}')]),
        result('c1', 'r1'),
        result('c2', '["x", {"ö": null}]'),
        assistant('done'),
        user([{'type': 'text', 'text': 'more'}]),
    ]
    for policy in ('standard', 'deepseek', 'openai', 'moonshot', 'minimax', 'groq', 'vllm'):
        assert check_history(transcript.messages, policy) == []


def test_a_turn_of_only_calls_has_empty_text() -> None:
    transcript = Transcript()
    transcript.add_user('q')
    assert transcript.add_assistant([a_call()]) == assistant('', tool_calls=[call()])
    assert transcript.open_calls == ('c1',)
    assert transcript.messages == [user(), assistant('', tool_calls=[call()])]


def test_thoughts_come_back_in_the_field_that_is_named() -> None:
    transcript = Transcript()
    transcript.add_user('q')
    message = transcript.add_assistant(TURN, reasoning_field='reasoning_content')
    assert message['reasoning_content'] == 'plan'


def test_a_call_gets_an_id_if_it_has_none_or_one_that_is_taken() -> None:
    transcript = Transcript()
    transcript.add_user('q')
    message = transcript.add_assistant([a_call(call_id=None), a_call(call_id=''), a_call(), a_call()])
    assert [made['id'] for made in message['tool_calls']] == ['call_0', 'call_1', 'c1', 'c1_2']
    assert transcript.open_calls == ('call_0', 'call_1', 'c1', 'c1_2')


@pytest.mark.parametrize('raw', ['{"a": ', '', None, '[1]'])
def test_cut_arguments_become_an_empty_object(raw: str | None) -> None:
    """Hosts refuse a history with broken JSON, and a call with cut arguments is never run."""
    transcript = Transcript()
    transcript.add_user('q')
    message = transcript.add_assistant([a_call(raw=raw)])
    assert message['tool_calls'][0]['function']['arguments'] == '{}'


def test_the_messages_are_a_new_list_each_time() -> None:
    transcript = Transcript()
    transcript.add_user('q')
    transcript.messages.clear()
    assert transcript.messages == [user()]


def with_open_calls() -> Transcript:
    transcript = Transcript()
    transcript.add_user('q')
    transcript.add_assistant([a_call(), a_call(call_id='c2')])
    transcript.add_tool_return('c1', 'r')
    return transcript


@pytest.mark.parametrize(
    ('step', 'arguments', 'message'),
    [
        ('add_user', ('x',), 'Calls are open before a user turn: add a result for c2'),
        ('add_assistant', (TURN,), 'Calls are open before an assistant turn: add a result for c2'),
        (
            'add_tool_return',
            (
                'c9',
                'r',
            ),
            "The last turn made no call 'c9'; open are c2",
        ),
        (
            'add_tool_return',
            (
                'c1',
                'r',
            ),
            "The call 'c1' has a result already",
        ),
        ('add_system', ('S',), 'A system message stands at the start'),
    ],
)
def test_what_would_break_the_order_is_refused_at_once(step: str, arguments: tuple[Any, ...], message: str) -> None:
    transcript = with_open_calls()
    before = transcript.messages
    with pytest.raises(HistoryError, match=message):
        getattr(transcript, step)(*arguments)
    assert transcript.messages == before


def test_a_result_needs_a_turn_with_its_call() -> None:
    transcript = Transcript()
    transcript.add_user('q')
    with pytest.raises(HistoryError, match="The last turn made no call 'c1'; no call is open"):
        transcript.add_tool_return('c1', 'r')


def test_an_assistant_turn_needs_a_user_turn_and_something_in_it() -> None:
    transcript = Transcript()
    with pytest.raises(HistoryError, match='An assistant turn follows a user turn'):
        transcript.add_assistant(TURN)
    transcript.add_user('q')
    with pytest.raises(HistoryError, match='neither text nor calls'):
        transcript.add_assistant([StreamItem.reasoning_delta('plan', 'reasoning')])


@pytest.mark.parametrize('policy', POLICIES)
def test_a_transcript_is_repaired_for_any_host(policy: str) -> None:
    transcript = with_open_calls()
    transcript.add_tool_return('c2', 'r')
    assert check_history(repair_history(transcript.messages, policy).messages, policy) == []
