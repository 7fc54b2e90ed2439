from __future__ import annotations as _annotations

from typing import Any

import pytest

from pydantic_ai_compat.errors import OptionError
from pydantic_ai_compat.history import HOSTS, POLICIES, HistoryPolicy, get_policy, policy_name_for_url


def test_the_policies_that_are_promised_are_there() -> None:
    promised = (
        'standard deepseek mistral moonshot minimax dashscope zai groq cerebras openai azure tgi vllm sglang llamacpp '
        'ollama'
    )
    assert set(promised.split()) <= set(POLICIES)


def test_a_policy_is_found_by_name_and_returned_as_it_is() -> None:
    assert get_policy('deepseek') is POLICIES['deepseek']
    assert get_policy(POLICIES['deepseek']) is POLICIES['deepseek']


def test_a_policy_is_extended_in_one_expression() -> None:
    in_python = POLICIES['vllm'].extended('H24', 'H26', without=('H22',))
    assert in_python.rules == POLICIES['vllm'].rules - {'H22'} | {'H24', 'H26'}
    assert in_python.name == 'vllm+H24+H26-H22'
    assert get_policy('vllm+H24-H22+H26') == in_python
    assert get_policy('moonshot-thinking-H05').call_content == ('null', 'omit')


def test_an_extension_by_what_holds_already_changes_nothing() -> None:
    assert POLICIES['vllm'].extended('H20', without=('H24',)) == POLICIES['vllm']


@pytest.mark.parametrize(
    ('expression', 'message'),
    [
        ('deepsek', r"there is no policy 'deepsek'\. Did you mean 'deepseek'\? Use one of standard, deepseek,"),
        ('qqqq', r"there is no policy 'qqqq'\. Use one of"),
        ('', r"there is no policy ''"),
        (None, 'A history policy is a `HistoryPolicy` or the name of one, not None'),
        (['mistral'], 'A history policy is a `HistoryPolicy` or the name of one'),
        ('Mistral', r"there is no policy 'Mistral'\. Did you mean 'mistral'\?"),
        ('mistral+24', r"there is no policy 'mistral\+24'"),
        ('mistrall+H24', r"there is no policy 'mistrall\+H24'\. Did you mean 'mistral'\?"),
        ('standard+H99', r'there is no rule H99, only H01 to H33'),
        ('standard-H04', r'H01, H02, H03, H04, H06, H09 hold together or not at all; H04 is missing'),
        ('standard-H01-H02-H03-H04-H06-H09', r'H05 needs the rules that pair calls and results'),
        ('mistral+H13', r'H11 and H13 cannot both hold: an id has one shape'),
        ('openai+H13', r'H12 and H13 cannot both hold'),
        ('tgi+H25', r'H16 and H25 cannot both hold'),
        ('groq+H29', r'H29 and H32 cannot both hold'),
        ('cerebras+H30', r'H30 and H32 cannot both hold'),
    ],
)
def test_an_expression_that_does_not_fit_is_refused_with_what_would(expression: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        get_policy(expression)


def test_a_policy_of_ones_own_needs_no_other() -> None:
    policy = HistoryPolicy('mine', frozenset({'H08', 'H14'}))
    assert get_policy(policy) is policy
    assert not policy.pairs_strictly


@pytest.mark.parametrize('policy', POLICIES.values(), ids=lambda policy: policy.name)
def test_every_policy_is_found_by_its_own_name(policy: HistoryPolicy) -> None:
    assert POLICIES[policy.name] is policy
    assert get_policy(policy.name) is policy


def test_every_host_picks_a_policy_that_exists() -> None:
    for host, name in HOSTS.items():
        assert name in POLICIES
        assert policy_name_for_url(f'https://{host}/v1') == name
        assert policy_name_for_url(f'https://eu.{host}:443/v1') == name
        assert policy_name_for_url(f'https://not{host}/v1') == 'standard'


@pytest.mark.parametrize('base_url', ['', 'http://localhost:11434/v1', 'http://[::1]:8080', 'https://com', '/v1'])
def test_an_unknown_host_gets_what_every_host_accepts(base_url: str) -> None:
    assert policy_name_for_url(base_url) == 'standard'
