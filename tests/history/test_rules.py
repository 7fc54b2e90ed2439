from __future__ import annotations as _annotations

import copy

import pytest
from history.rule_examples import EXAMPLES, RuleExample

from pydantic_ai_compat.history import (
    HISTORY_RULES,
    REQUEST_RULES,
    RULES,
    ErrorText,
    HistoryRule,
    check_history,
    explain_error,
    get_policy,
    repair_history,
)

TEXTS = [(rule, known) for rule in RULES.values() for known in rule.texts]


def test_the_rules_are_numbered_without_gaps() -> None:
    assert [rule.id for rule in HISTORY_RULES] == [f'H{number:02}' for number in range(1, 34)]
    assert [rule.id for rule in REQUEST_RULES] == [f'R{number:02}' for number in range(1, 7)]


def test_each_rule_has_evidence_and_an_option() -> None:
    """A rule without a host that enforces it would make histories worse for nothing."""
    for rule in RULES.values():
        assert rule.sentence.endswith('.')
        assert rule.option
        assert rule.texts
        for known in rule.texts:
            assert known.source.startswith('https://')
            assert known.host
            assert bool(known.text) != bool(known.consequence)


def test_each_history_rule_has_an_example() -> None:
    assert {example.rule for example in EXAMPLES} == {rule.id for rule in HISTORY_RULES}


@pytest.mark.parametrize('example', EXAMPLES, ids=lambda example: f'{example.rule}-{len(example.broken)}')
def test_a_history_that_breaks_a_rule_is_found_and_repaired(example: RuleExample) -> None:
    given = copy.deepcopy(example.broken)
    faults = check_history(given, example.policy)
    assert [fault.index for fault in faults if fault.rule == example.rule][:1] == [example.index]
    repaired = repair_history(given, example.policy)
    assert repaired.messages == example.repaired
    assert example.rule in {repair.rule for repair in repaired.repairs}
    assert given == example.broken


@pytest.mark.parametrize('example', EXAMPLES, ids=lambda example: f'{example.rule}-{len(example.broken)}')
def test_a_history_that_holds_a_rule_is_left_alone(example: RuleExample) -> None:
    assert check_history(example.repaired, example.policy) == []
    result = repair_history(example.repaired, example.policy)
    assert result.messages is example.repaired
    assert (result.repairs, result.faults) == ((), ())


@pytest.mark.parametrize('example', EXAMPLES, ids=lambda example: f'{example.rule}-{len(example.broken)}')
def test_a_rule_that_a_policy_does_not_hold_finds_nothing(example: RuleExample) -> None:
    pairing = {'H01', 'H02', 'H03', 'H04', 'H06', 'H09'}
    if example.rule in pairing:
        policy = get_policy(example.policy).extended(without=get_policy(example.policy).rules)
    else:
        policy = get_policy(example.policy).extended(without=[example.rule])
    assert example.rule not in {fault.rule for fault in check_history(example.broken, policy)}


@pytest.mark.parametrize(('rule', 'known'), [(rule, known) for rule, known in TEXTS if known.text])
def test_an_error_text_leads_to_its_rule(rule: HistoryRule, known: ErrorText) -> None:
    """Each text as its host sends it, inside a JSON body as an error of pydantic-ai shows it."""
    said = known.text.replace('{}', 'functions.t:0, call_1')
    explanation = explain_error(f'status_code: 400, model_name: m, body: { {"error": {"message": said, "code": 400}} }')
    assert explanation is not None
    assert (explanation.rule, explanation.known) == (rule, known)
