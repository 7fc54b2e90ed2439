from __future__ import annotations as _annotations

from datetime import date
from typing import Any

import pytest
from history.stream_items import Call, Item
from history.wire import assistant, call, result, system, user
from pydantic import BaseModel, Field

from pydantic_ai_compat.errors import HistoryError
from pydantic_ai_compat.history import POLICIES, Transcript, check_history, repair_history
from pydantic_ai_compat.streaming import ChatStreamParser, StreamItem


def a_call(call_id: str | None = 'c1', raw: str | None = '{"a":1}') -> Item:
    return Item('provider_tool_call', tool_call=Call(call_id, raw_arguments=raw))


TURN = [
    Item('reasoning_delta', 'plan'),
    Item('message_delta', 'Let me '),
    Item('message_delta', 'see.'),
    a_call(),
    a_call('c2', '{"b": [1,  2]}'),
    Item('text_event', tool_call=Call(None, 'started')),
    Item('finish'),
]


def test_a_conversation_is_written_in_the_order_that_strict_hosts_want() -> None:
    transcript = Transcript()
    transcript.add_system('S')
    transcript.add_user('q')
    transcript.add_assistant(TURN)
    transcript.add_tool_return('c2', ['x', {'ö': None}])
    transcript.add_tool_return('c1', 'r1')
    transcript.add_assistant([Item('message_delta', 'done')])
    transcript.add_user([{'type': 'text', 'text': 'more'}])
    assert transcript.messages == [
        system(),
        user(),
        assistant('Let me see.', tool_calls=[call('c1'), call('c2', '{"b": [1,  2]}')]),
        result('c1', 'r1'),
        result('c2', '["x",{"ö":null}]'),
        assistant('done'),
        user([{'type': 'text', 'text': 'more'}]),
    ]
    for policy in ('standard', 'deepseek', 'openai', 'moonshot', 'minimax', 'groq', 'vllm'):
        assert check_history(transcript.messages, policy) == []


def chunk(**delta: Any) -> dict[str, Any]:
    return {
        'id': '1',
        'object': 'chat.completion.chunk',
        'created': 1,
        'model': 'm',
        'choices': [{'index': 0, 'delta': delta, 'finish_reason': None}],
    }


def test_the_items_of_a_parsed_stream_make_a_turn() -> None:
    """B14: a server that sends empty ids. https://github.com/microsoft/autogen/pull/5509"""
    parser = ChatStreamParser(tool_names={'t'})
    items: list[StreamItem] = []
    for delta in (
        {'content': 'Let me '},
        {'content': 'see.'},
        *({'tool_calls': [{**call(''), 'index': place}]} for place in range(2)),
    ):
        items += parser.feed(chunk(**delta))
    items += parser.flush()
    transcript = Transcript()
    transcript.add_user('q')
    message = transcript.add_assistant(items)
    assert message == assistant('Let me see.', tool_calls=[call('no_id_0'), call('no_id_1')])


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
    message = transcript.add_assistant([a_call(None), a_call(''), a_call(), a_call()])
    assert [made['id'] for made in message['tool_calls']] == ['no_id_0', 'no_id_1', 'c1', 'c1_2']
    assert transcript.open_calls == ('no_id_0', 'no_id_1', 'c1', 'c1_2')


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
    transcript.add_assistant([a_call(), a_call('c2')])
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


class Person(BaseModel):
    name: str
    born: date = Field(serialization_alias='birthDate')


@pytest.mark.parametrize(
    ('content', 'text'),
    [
        ('', ''),
        (None, 'null'),
        ({'ö': [1, None]}, '{"ö":[1,null]}'),
        (Person(name='Ana', born=date(2001, 2, 3)), '{"name":"Ana","birthDate":"2001-02-03"}'),
        ({date(2001, 2, 3)}, '["2001-02-03"]'),
        (b'x', '"eA=="'),
        (float('nan'), 'null'),
    ],
)
def test_a_result_that_is_no_text_is_sent_as_the_json_that_pydantic_makes_of_it(content: object, text: str) -> None:
    transcript = with_open_calls()
    transcript.add_tool_return('c2', content)
    assert transcript.messages[-1] == {'role': 'tool', 'tool_call_id': 'c2', 'content': text}


def test_a_result_that_json_cannot_hold_is_refused_by_the_id_of_its_call() -> None:
    transcript = with_open_calls()
    with pytest.raises(HistoryError, match="The result of the call 'c2' is neither text nor JSON: .*<class 'object'>"):
        transcript.add_tool_return('c2', object())
    assert transcript.open_calls == ('c2',)


@pytest.mark.parametrize('content', [None, 5, [], ['text'], {'type': 'text', 'text': 'x'}, [{'text': 'x'}]])
def test_a_user_turn_that_is_neither_text_nor_content_parts_is_refused_at_once(content: Any) -> None:
    transcript = Transcript()
    with pytest.raises(HistoryError, match='A user turn is text, or a list of content parts with a `type`'):
        transcript.add_user(content)
    with pytest.raises(HistoryError, match='An assistant turn follows a user turn'):
        transcript.add_assistant(TURN)


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
        transcript.add_assistant([Item('reasoning_delta', 'plan')])


@pytest.mark.parametrize('policy', POLICIES)
def test_a_transcript_is_repaired_for_any_host(policy: str) -> None:
    transcript = with_open_calls()
    transcript.add_tool_return('c2', 'r')
    assert check_history(repair_history(transcript.messages, policy).messages, policy) == []
