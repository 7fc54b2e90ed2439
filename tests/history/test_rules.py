from __future__ import annotations as _annotations

import copy
import json

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
    assert [rule.id for rule in REQUEST_RULES] == [f'R{number:02}' for number in range(1, 12)]


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


@pytest.mark.parametrize(
    'body',
    [
        # https://github.com/ollama/ollama/issues/14795, over /v1 and natively; the second from a model made from a file
        {'error': {'message': 'registry.ollama.ai/library/gemma3:4b does not support tools', 'type': 'api_error'}},
        {'error': 'my-model does not support tools'},
        # https://github.com/ggml-org/llama.cpp/issues/10920
        {'error': {'code': 500, 'message': 'tools param requires --jinja flag', 'type': 'server_error'}},
        # https://github.com/vllm-project/vllm/issues/9986
        {
            'object': 'error',
            'message': '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
            'type': 'BadRequestError',
            'code': 400,
        },
        # https://github.com/Kilo-Org/kilocode/issues/9006
        {'error': {'message': 'No endpoints found that support tool use. Try disabling "read_file".', 'code': 404}},
        # https://github.com/langflow-ai/langflow/issues/11120, without the backticks
        {'error': {'message': 'tool calling is not supported with this model', 'param': 'tool calling'}},
        # https://github.com/AstrBotDevs/AstrBot/issues/2697
        {'error': {'message': 'deepseek-reasoner does not support Function Calling', 'code': 'invalid_request_error'}},
        # https://github.com/runpod-workers/worker-vllm/issues/85
        {
            'message': '1 validation errors for ChatCompletionRequest\ntool_choice\n  Extra inputs are not permitted '
            "[type=extra_forbidden, input_value='auto', input_type=str]"
        },
        # https://github.com/xorbitsai/inference/issues/4673
        {'detail': "Only ['qwen2.5-instruct', 'glm4-chat'] support tool calls"},
        # https://github.com/huggingface/smolagents/issues/1808
        {'message': 'The following parameters are not supported for this model: tools, tool_choice', 'code': '422'},
    ],
    ids=lambda body: str(body.get('error') or body)[:40],
)
def test_a_refusal_of_tools_leads_to_tools_as_text(body: dict[str, object]) -> None:
    """The bodies as the reports show them, as the server sends them and as an error of pydantic-ai shows them."""
    for said in (json.dumps(body), f'status_code: 400, model_name: m, body: {body}'):
        explanation = explain_error(said)
        assert explanation is not None
        assert explanation.rule.id == 'R07'
        assert explanation.fix.startswith("openai_chat_tools='text'")
