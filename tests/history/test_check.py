from __future__ import annotations as _annotations

import json
from typing import Any

import pytest
from history.wire import assistant, call, calls, result, system, user

from pydantic_ai_compat.errors import HistoryError
from pydantic_ai_compat.history import (
    POLICIES,
    HistoryFault,
    HistoryPolicy,
    check_history,
    describe_faults,
    repair_history,
    repair_order,
)

NO_PAIRS = HistoryPolicy('no-pairs', frozenset({'H08', 'H10', 'H14', 'H18'}))


def test_each_fault_says_where_and_what() -> None:
    faults = check_history([user(), result('c9'), calls('c1', 'c2'), result('c1'), user(), result('c1')])
    assert faults == [
        HistoryFault('H04', 1, 'c9', "the result for 'c9' answers no call of the turn before it"),
        HistoryFault('H01', 2, 'c2', "the call 'c2' has no result"),
        HistoryFault('H05', 5, 'c1', "the call 'c1' has a result already"),
    ]
    assert str(faults[0]) == "H04 at messages[1]: the result for 'c9' answers no call of the turn before it"


def test_results_without_an_id_take_the_calls_that_no_other_result_names_and_those_too_many_are_left_out() -> None:
    messages = [user(), calls('c1', 'c2'), result(None, 'x'), result('c1', 'r'), result(None, 'y')]
    repaired = repair_history(messages)
    assert repaired.messages == [user(), calls('c1', 'c2'), result('c1', 'r'), result('c2', 'x')]
    assert [(repair.rule, repair.index) for repair in repaired.repairs] == [('H06', 2), ('H03', 3), ('H04', 4)]
    assert [fault.rule for fault in check_history([user(), calls('c1'), result('c1'), result(None)])] == ['H06']


def test_results_in_reverse_order_move_to_the_places_of_their_calls() -> None:
    turn = [user(), calls('c1', 'c2', 'c3')]
    repaired = repair_history([*turn, *(result(f'c{number}', f'r{number}') for number in (3, 2, 1))])
    assert repaired.messages == [*turn, *(result(f'c{number}', f'r{number}') for number in (1, 2, 3))]
    assert [(repair.rule, repair.call_id) for repair in repaired.repairs] == [('H03', 'c2'), ('H03', 'c1')]


def test_text_and_its_calls_that_are_parted_are_one_turn() -> None:
    """The first of the two answers the user, so no user turn is missing between them."""
    messages = [user(), calls('AbCdEf123', content='a'), result('AbCdEf123'), assistant('b'), user()]
    parted = [user(), assistant('a'), calls('AbCdEf123'), *messages[2:]]
    assert repair_history(messages, 'mistral+H16').messages == parted
    assert check_history(parted, 'mistral+H16') == []
    assert [(fault.rule, fault.index) for fault in check_history(parted, 'mistral')] == [('H26', 2)]


def test_a_thought_that_a_host_refuses_is_no_unknown_key_as_well() -> None:
    faults = check_history([user(), assistant('a', reasoning_content='t'), user()], 'mistral')
    assert [fault.rule for fault in faults] == ['H32']


def test_many_faults_are_described_in_a_few_lines() -> None:
    faults = check_history([result(f'c{number}') for number in range(25)])
    assert describe_faults(faults, 2).splitlines() == [
        "  H04 at messages[0]: the result for 'c0' answers no call of the turn before it",
        "  H04 at messages[1]: the result for 'c1' answers no call of the turn before it",
        '  and 23 more',
    ]


@pytest.mark.parametrize(
    ('element', 'found'),
    [
        ('text', 'found str'),
        (None, 'found NoneType'),
        (['role'], 'found list'),
        ({}, 'found an object with the role None'),
        ({'role': None}, 'found an object with the role None'),
        ({'role': 5, 'content': 'x'}, 'found an object with the role 5'),
        ({'role': ['user']}, r"found an object with the role \['user'\]"),
    ],
)
@pytest.mark.parametrize('function', [check_history, repair_history])
def test_something_that_is_no_message_is_refused_with_its_position(function: Any, element: Any, found: str) -> None:
    with pytest.raises(
        HistoryError, match=rf'messages\[1\] is not a message: expected an object with a `role`, {found}'
    ):
        function([user(), element])


@pytest.mark.parametrize('messages', [None, 5, {'role': 'user'}, iter([user()])])
@pytest.mark.parametrize('function', [check_history, repair_history])
def test_a_history_that_is_no_list_is_refused(function: Any, messages: Any) -> None:
    """A generator is empty when the repair comes to it, and so would be the history that is sent."""
    with pytest.raises(HistoryError, match='A history is a list of messages, found'):
        function(messages)


def test_keys_of_unknown_types_on_joined_messages_do_no_harm() -> None:
    """Clients keep keys of their own on any message; the calls and thoughts of an assistant are joined."""
    first = {'role': 'system', 'content': 'a', 'reasoning_content': 5, 'tool_calls': 5}
    repaired = repair_history([first, {'role': 'system', 'content': 'b', 'reasoning_content': 'c'}, user()], 'minimax')
    assert repaired.messages == [{**first, 'content': 'a\n\nb', 'reasoning_content': '5\n\nc'}, user()]


def test_a_role_that_nobody_knows_is_left_to_the_server() -> None:
    """A kind of message that is added to the API later must still get through."""
    messages = [user(), {'role': 'critic', 'content': 'x'}]
    assert repair_history(messages).messages is messages


def test_several_results_for_one_call_stand_together_where_they_are_allowed() -> None:
    policy = POLICIES['llamacpp']
    good = [user(), calls('c1', 'c2'), result('c1', 'x'), result('c1', 'y'), result('c2')]
    assert check_history(good, policy) == []
    apart = [user(), calls('c1', 'c2'), result('c1', 'x'), result('c2'), result('c1', 'y')]
    assert [(fault.rule, fault.index) for fault in check_history(apart, policy)] == [('H03', 4)]
    assert repair_history(apart, policy).messages == good
    late = [user(), calls('c1'), result('c1', 'x'), user(), result('c1', 'y')]
    assert [(fault.rule, fault.index) for fault in check_history(late, policy)] == [('H02', 4)]
    assert repair_history(late, policy).messages == [*late[:3], late[4], late[3]]


def test_a_result_that_comes_after_the_next_turn_goes_back_to_its_call() -> None:
    """A deferred result is real; only a result that stands before its call may be of another."""
    messages = [user(), calls('c1'), assistant('working on it'), result('c1'), user()]
    assert repair_history(messages).messages == [user(), calls('c1'), result('c1'), assistant('working on it'), user()]


def test_a_result_before_its_call_never_answers_it() -> None:
    """An id that is used twice would turn a cancelled call into a success."""
    made = repair_history([user(), result('c1', 'old'), calls('c1'), user()]).messages
    assert 'interrupted' in made[2]['content']


def test_the_call_of_a_custom_tool_is_left_alone() -> None:
    custom = {'id': 'c1', 'type': 'custom', 'custom': {'name': 'sql', 'input': 'select 1'}}
    messages = [user(), assistant(None, tool_calls=[custom]), result()]
    assert check_history(messages, 'openai') == []
    as_text = repair_history(messages, 'no-tool-role').messages
    assert as_text[1]['content'] == 'Tool call c1: sql(select 1)'


def test_a_policy_without_pairs_leaves_calls_and_results_where_they_are() -> None:
    odd: list[Any] = [
        user(),
        assistant('a', tool_calls='c1'),
        assistant('a', tool_calls=[None, {'id': 'c1'}, call('c1', '{"a"', 'a.b')]),
        user(),
        result(None),
    ]
    assert [fault.rule for fault in check_history(odd, NO_PAIRS)] == ['H08', 'H10']
    made = repair_history(odd, NO_PAIRS).messages
    assert made == [*odd[:2], assistant('a', tool_calls=[None, {'id': 'c1'}, call('c1', '{}', 'a_b')]), *odd[3:]]


def test_a_message_that_is_faulty_for_another_reason_keeps_the_calls_that_no_rule_is_about() -> None:
    custom = {'id': 'c1', 'type': 'custom', 'custom': {'name': 'sql', 'input': 'select 1'}}
    messages = [user(), assistant([], tool_calls=[custom]), result()]
    assert repair_history(messages).messages == [user(), assistant(None, tool_calls=[custom]), result()]
    nothing: tuple[tuple[Any, Any], ...] = (('standard', None), (NO_PAIRS, []), (NO_PAIRS, None))
    for policy, calls_of_nothing in nothing:
        assert repair_history([user(), assistant(None, tool_calls=calls_of_nothing)], policy).messages == [user()]


def test_each_repair_says_where_and_what() -> None:
    repairs = repair_history([user(), calls('c1'), result('c9')]).repairs
    assert [str(repair) for repair in repairs] == [
        "H01 at messages[1]: the call 'c1' got a result that says it was interrupted",
        "H04 at messages[2]: the result for 'c9' is left out, it answers no call",
    ]


def test_an_id_without_a_value_or_a_key_that_is_null_is_no_fault_where_it_does_not_matter() -> None:
    messages = [user(), assistant('a', tool_calls=None), assistant(None, refusal='no')]
    assert check_history(messages) == []


def test_arguments_that_hosts_refuse_are_found() -> None:
    """`NaN` is no JSON to a strict parser; 300 levels are too deep for some; a lone surrogate is no text."""
    for arguments in ('{"a": NaN}', '[]', '1', '"{}"', 'null', '{"a":1}{"b":2}', '{"a":1', '\ud800', '{"a":' * 300):
        faults = check_history([user(), calls(call('c1', arguments)), result()])
        assert [fault.rule for fault in faults] == ['H08'], arguments
    for arguments in ('{}', ' {"a": "😀"} ', '{"a": 1e3, "a": 2}', json.dumps({'a': 'x' * 100_000})):
        assert check_history([user(), calls(call('c1', arguments)), result()]) == []


@pytest.mark.parametrize(
    ('arguments', 'mended'),
    [
        ({'a': 'ö'}, '{"a": "ö"}'),
        ('"{\\"a\\": 1}"', '{"a": 1}'),
        ('{"a": "\\ud83d"}', '{"a": "\ufffd"}'),
        ('{"a": "\ud83d"}', '{"a": "\ufffd"}'),
        ({'a': '\ud83d\ude00'}, '{"a": "😀"}'),
    ],
)
def test_arguments_that_are_an_object_in_another_form_are_kept(arguments: Any, mended: str) -> None:
    result_of = repair_history([user(), calls(call('c1', arguments))])
    assert result_of.messages[1]['tool_calls'][0]['function']['arguments'] == mended
    assert 'interrupted' in result_of.messages[2]['content']


def test_arguments_as_an_object_that_json_does_not_know_become_empty() -> None:
    made = repair_history([user(), calls(call('c1', {'a': {1, 2}}))]).messages
    assert made[1]['tool_calls'][0]['function']['arguments'] == '{}'
    assert 'was not run' in made[2]['content']


class CountingList(list[Any]):
    """Counts how often an element is looked at."""

    def __init__(self, *elements: Any) -> None:
        super().__init__(*elements)
        self.visits = 0

    def __iter__(self) -> Any:
        for element in super().__iter__():
            self.visits += 1
            yield element


def test_each_message_is_visited_once() -> None:
    turn = [user(), calls('c1', 'c2'), result('c1'), result('c2'), assistant()]
    for policy in POLICIES:
        messages = CountingList(turn * 20)
        check_history(messages, policy)
        assert messages.visits == len(messages)


class CountedId(str):
    """An id that counts how often it is compared, over all ids."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedId.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.mark.parametrize('policy', ['standard', 'ollama', 'kimi', 'llamacpp'])
@pytest.mark.parametrize('shape', ['reversed', 'same', 'unanswered', 'doubled'])
@pytest.mark.untraced
def test_one_huge_turn_costs_in_proportion_to_its_calls(policy: str, shape: str) -> None:
    """10,000 comparisons of ids would be enough for 1,000 calls only if each is compared a bounded number of times."""
    number = 1000
    ids = [CountedId('c' if shape == 'same' else f'c{place}') for place in range(number)]
    answers = {'reversed': ids[::-1], 'same': ids, 'unanswered': [], 'doubled': [*ids, *ids]}[shape]
    messages = [user(), calls(*(call(call_id) for call_id in ids)), *(result(call_id) for call_id in answers)]
    CountedId.compared = 0
    made = repair_history(messages, policy).messages
    assert CountedId.compared < 40 * number
    assert check_history(made, policy) == []


@pytest.mark.parametrize('make', [user, system])
def test_text_joined_from_many_messages_is_copied_a_bounded_number_of_times(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Joined one after the other, 1,000 messages would copy the text of the first 1,000 times."""
    copied = 0
    join = repair_order._joined_content

    def counted(first: Any, second: Any) -> Any:
        nonlocal copied
        joined = join(first, second)
        copied += len(joined)
        return joined

    monkeypatch.setattr(repair_order, '_joined_content', counted)
    made = repair_history([make('x' * 98) for _ in range(1000)], 'alternating').messages
    assert made == [make('\n\n'.join(['x' * 98] * 1000))]
    assert copied < 11 * 100 * 1000


def test_system_messages_stay_where_they_were() -> None:
    """Only what stands at the start is system text to such a host; the rest is not said before its time."""
    messages = [system('1'), user(), system('2'), assistant(), system('3')]
    assert repair_history(messages, 'mistral+H21').messages == [
        system('1'),
        user(),
        user('<system>2</system>'),
        assistant(),
        user('<system>3</system>'),
    ]


def test_signed_thoughts_without_a_text_are_something() -> None:
    """OpenRouter asks for `reasoning_details` back; an assistant message with nothing else is no empty one."""
    thoughts = {'role': 'assistant', 'content': None, 'reasoning_details': [{'type': 'reasoning.text', 'text': 'Hm.'}]}
    messages = [{'role': 'user', 'content': 'hi'}, thoughts, {'role': 'user', 'content': 'go on'}]
    assert check_history(messages) == []
