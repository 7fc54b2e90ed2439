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
    policies,
    repair_history,
)

TEXTS = [(rule, known) for rule in RULES.values() for known in rule.texts]


def test_the_rules_are_numbered_without_gaps() -> None:
    assert [rule.id for rule in HISTORY_RULES] == [f'H{number:02}' for number in range(1, 34)]
    assert {rule.id for rule in HISTORY_RULES} == policies._KNOWN_RULES
    assert [rule.id for rule in REQUEST_RULES] == [f'R{number:02}' for number in range(1, 14)]


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
@pytest.mark.untraced
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


@pytest.mark.parametrize(
    ('rule', 'fix', 'body'),
    [
        # https://github.com/editor-code-assistant/eca/issues/231
        (
            'R13',
            'openai_chat_supports_max_completion_tokens=False',
            {
                'object': 'error',
                'message': {
                    'detail': [
                        {
                            'type': 'extra_forbidden',
                            'loc': ['body', 'max_completion_tokens'],
                            'msg': 'Extra inputs are not permitted',
                            'input': 32000,
                        }
                    ]
                },
                'type': 'invalid_request_error',
            },
        ),
        # https://github.com/voideditor/void/issues/128, a list as Python shows it
        (
            'R13',
            'openai_chat_supports_max_completion_tokens=False',
            {
                'object': 'error',
                'message': "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), "
                "'msg': 'Extra inputs are not permitted', 'input': 8192}]",
            },
        ),
        # https://github.com/partITech/php-mistral/issues/76
        (
            'R03',
            'the field named in the text',
            {'detail': [{'type': 'extra_forbidden', 'loc': ['body', 'seed'], 'msg': 'Extra inputs are not permitted'}]},
        ),
        # https://github.com/vllm-project/vllm/pull/10463
        (
            'H28',
            "openai_chat_history_policy='mistral'",
            {
                'detail': [
                    {
                        'type': 'extra_forbidden',
                        'loc': ['body', 'messages', 0, 'name'],
                        'msg': 'Extra inputs are not permitted',
                    }
                ]
            },
        ),
        # https://github.com/vllm-project/vllm/issues/12864
        (
            'R03',
            'the field named in the text',
            {
                'message': '1 validation error for ChatCompletionRequest\nseed\n  Extra inputs are not permitted '
                "[type=extra_forbidden, input_value='bob', input_type=str]"
            },
        ),
        # https://github.com/xorbitsai/inference/issues/2387
        (
            'R03',
            'the field named in the text',
            {'detail': [{'loc': ['body', 'seed'], 'msg': 'extra fields not permitted', 'type': 'value_error.extra'}]},
        ),
        # https://github.com/MoonshotAI/kimi-cli/issues/2061
        (
            'R12',
            "profile={'json_schema_transformer': 'inline_defs'}",
            {
                'error': {
                    'message': 'Invalid request: tools.function.parameters is not a valid moonshot flavored json '
                    "schema, details: <At path 'properties.a': conflicting keywords found after $ref expansion>",
                    'type': 'invalid_request_error',
                }
            },
        ),
        # https://github.com/earendil-works/pi/issues/5352
        (
            'R12',
            "profile={'json_schema_transformer': 'inline_defs'}",
            {
                'type': 'error',
                'error': {
                    'message': 'JSON Schema not supported: could not understand the instance '
                    "`{'required': ['criteria']}`."
                },
            },
        ),
        # https://github.com/huggingface/text-generation-inference/pull/2309
        (
            'R12',
            "profile={'json_schema_transformer': 'inline_defs'}",
            {
                'error': "Input validation error: grammar is not valid: Grammar must have a 'properties' field",
                'error_type': 'validation',
            },
        ),
        # https://github.com/browseros-ai/BrowserOS/issues/255
        (
            'R12',
            "profile={'json_schema_transformer': 'inline_defs'}",
            {
                'error': {
                    'code': 400,
                    'message': 'JSON schema conversion failed:\nUnrecognized schema: {"description":"x"}',
                }
            },
        ),
        # https://github.com/openclaw/openclaw/issues/107430
        (
            'R12',
            "profile={'json_schema_transformer': 'openai'} and strict=True on the tool",
            {
                'error': {
                    'message': 'Unable to generate parser for this template. Automatic parser generation failed: JSON '
                    "schema conversion failed:\nPattern must start with '^' and end with '$'"
                }
            },
        ),
        # https://github.com/openswarm-ai/openswarm/issues/24, as the body of a list that Gemini answers with
        (
            'R12',
            "profile={'json_schema_transformer': 'google_openapi'}",
            {
                'error': {
                    'code': 400,
                    'message': 'Invalid JSON payload received. Unknown name "$schema" at '
                    "'tools[0].function_declarations[0].parameters': Cannot find field.",
                    'status': 'INVALID_ARGUMENT',
                }
            },
        ),
        # https://github.com/google-gemini/gemini-cli/issues/2282
        (
            'R12',
            "profile={'json_schema_transformer': 'google_openapi'}",
            {
                'error': {
                    'message': 'Unable to submit request because `create-field` functionDeclaration '
                    "`parameters.data.meta.width` schema didn't specify the schema type field."
                }
            },
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else '',
)
def test_a_refused_field_or_schema_leads_to_its_option(rule: str, fix: str, body: dict[str, object]) -> None:
    """The bodies as the reports show them, as a server sends them and as an error of pydantic-ai shows them."""
    for said in (json.dumps(body), json.dumps(body, separators=(',', ':')), f'body: {body}', f'body: {[body]}'):
        explanation = explain_error(said)
        assert explanation is not None, said
        assert (explanation.rule.id, explanation.fix.startswith(fix)) == (rule, True)
