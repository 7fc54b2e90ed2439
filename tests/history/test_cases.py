"""Histories from public bug reports; `cases.jsonl` holds each with its id and URL."""

from __future__ import annotations as _annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from history.wire import assistant, calls, result, system, user

from pydantic_ai_compat.history import POLICIES, HistoryPolicy, check_history, repair_history, with_call_content
from pydantic_ai_compat.history.repair_order import BRIDGE
from pydantic_ai_compat.history.repair_pairs import INTERRUPTED

CASES: dict[str, Any] = {
    case['id']: case
    for case in map(json.loads, Path(__file__).with_name('cases.jsonl').read_text(encoding='utf-8').splitlines())
}


def repaired(case_id: str, policy: str | HistoryPolicy = 'standard') -> Any:
    messages = CASES[case_id]['messages']
    before = copy.deepcopy(messages)
    made = repair_history(messages, policy).messages
    assert messages == before
    assert check_history(made, policy) == []
    return made


@pytest.mark.parametrize('case_id', CASES)
@pytest.mark.parametrize('policy', POLICIES)
@pytest.mark.untraced
def test_every_reported_history_becomes_valid_under_every_policy(case_id: str, policy: str) -> None:
    made = repaired(case_id, policy)
    assert repair_history(made, policy).messages is made


@pytest.mark.parametrize('case_id', ['B01', 'B06', 'B07', 'B21'])
def test_the_wire_is_the_one_that_the_report_asks_for(case_id: str) -> None:
    expected = json.loads(json.dumps(CASES[case_id]['expected']['wire']).replace('<interrupted note>', INTERRUPTED))
    assert repaired(case_id) == expected


def test_b02_a_second_result_is_a_fault_and_goes() -> None:
    assert [(fault.rule, fault.index) for fault in check_history(CASES['B02']['messages'])] == [('H05', 3)]
    assert repaired('B02') == CASES['B02']['messages'][:3]


def test_b04_a_call_without_a_result_gets_one_before_the_user_turn() -> None:
    assert repaired('B04') == [user(), calls('c1'), result('c1', INTERRUPTED), user('again')]


def test_b08_images_stand_behind_all_results() -> None:
    assert repaired('B08') == [
        user(),
        calls('c1', 'c2'),
        result('c1'),
        result('c2'),
        user('<image 1>'),
        user('<image 2>'),
    ]


def test_b09_a_long_id_becomes_one_short_one_on_both_sides() -> None:
    assert repaired('B09') is CASES['B09']['messages']
    made = repaired('B09', 'openai')
    call_id = made[1]['tool_calls'][0]['id']
    assert call_id == made[2]['tool_call_id']
    assert len(call_id) <= 40


def test_b10_a_foreign_id_becomes_nine_alphanumerics_on_both_sides() -> None:
    made = repaired('B10', 'mistral')
    call_id = made[1]['tool_calls'][0]['id']
    assert call_id == made[2]['tool_call_id']
    assert len(call_id) == 9
    assert call_id.isalnum()


def test_b11_an_id_of_kimi_stays_byte_for_byte() -> None:
    for policy in ('standard', 'moonshot', 'kimi'):
        assert repaired('B11', policy) is CASES['B11']['messages']


def test_b11_a_foreign_id_gets_the_shape_of_kimi_only_under_its_policy() -> None:
    foreign = [user(), calls('toolu_01'), result('toolu_01')]
    assert repair_history(foreign, 'moonshot').messages is foreign
    assert repair_history(foreign, 'kimi').messages == [user(), calls('functions.t:0'), result('functions.t:0')]


def test_b13_an_id_used_in_two_turns_keeps_both_pairs() -> None:
    assert repaired('B13') is CASES['B13']['messages']
    assert repaired('B13', 'ollama') == [
        user(),
        calls('exec:80'),
        result('exec:80', 'r1'),
        calls('exec:80_2'),
        result('exec:80_2', 'r2'),
    ]


@pytest.mark.parametrize(
    ('form', 'expected'),
    [
        ('null', calls('c1')),
        ('empty', calls('c1', content='')),
        ('omit', {key: value for key, value in calls('c1').items() if key != 'content'}),
    ],
)
@pytest.mark.parametrize('case_id', ['B15', 'B16'])
def test_b15_and_b16_content_beside_calls_has_three_forms(case_id: str, form: str, expected: Any) -> None:
    assert with_call_content(CASES[case_id]['messages'], form)[1] == json.loads(json.dumps(expected))


def test_b17_a_bridge_stands_between_a_tool_turn_and_a_user_turn_only_where_it_is_wanted() -> None:
    assert repaired('B17') is CASES['B17']['messages']
    policy = POLICIES['standard'].extended('H24')
    assert repaired('B17', policy) == [user(), calls('c1'), result(), assistant(BRIDGE), user('more')]


def test_b19_system_messages_become_one() -> None:
    assert repaired('B19', POLICIES['standard'].extended('H21')) == CASES['B19']['expected']['flag_on']


def test_b20_broken_arguments_become_an_object_and_the_result_is_kept() -> None:
    made = repaired('B20')
    assert made[1]['tool_calls'][0]['function']['arguments'] == '{}'
    assert made[2] == CASES['B20']['messages'][2]


def test_e06_a_system_message_in_the_middle_becomes_tagged_user_text_in_its_place() -> None:
    tagged = user('<system>S2</system>\n\nb')
    assert repaired('E06', 'vllm') == [system('S1'), user('a'), assistant('r'), tagged]


def test_e09_thinking_comes_back_or_is_left_out_but_never_becomes_text() -> None:
    assert repaired('E09', 'deepseek') is CASES['E09']['messages']
    assert repaired('E09', 'cerebras') == [user(), calls('c1'), result()]
