from __future__ import annotations as _annotations

import pytest

from pydantic_ai_compat.errors import OptionError
from pydantic_ai_compat.options.variables import ExpandedText, expand_variables


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('KEY', 'sk-1')
    monkeypatch.setenv('EMPTY', '')
    monkeypatch.setenv('NESTED', '${KEY}')
    monkeypatch.delenv('UNSET', raising=False)


@pytest.mark.parametrize(
    ('text', 'expanded'),
    [
        ('${KEY}', 'sk-1'),
        ('a${KEY}b${KEY}', 'ask-1bsk-1'),
        ('${EMPTY}', ''),
        ('${UNSET:-fallback}', 'fallback'),
        ('${EMPTY:-fallback}', 'fallback'),
        ('${KEY:-fallback}', 'sk-1'),
        ('${UNSET:-}', ''),
        ('${UNSET:-http://h:80/v1}', 'http://h:80/v1'),
        ('$${KEY}', '${KEY}'),
        ('$$${KEY}', '$${KEY}'),
        ('sk-a$HOME-b', 'sk-a$HOME-b'),
        ('100$', '100$'),
        ('{KEY}', '{KEY}'),
        ('', ''),
        ('${NESTED}', '${KEY}'),
    ],
)
def test_references_are_replaced_and_everything_else_stays(text: str, expanded: str) -> None:
    """A lone `$` is part of a key: <https://github.com/NousResearch/hermes-agent/pull/33919>."""
    assert expand_variables(text, option='api_key') == expanded


def test_an_unset_variable_is_named_with_its_option() -> None:
    with pytest.raises(OptionError) as caught:
        expand_variables('sk-part-${UNSET}', option='api_key')
    assert str(caught.value) == (
        '`api_key` refers to the environment variable UNSET, which is not set: '
        'set it, or give a default with `${UNSET:-default}`.'
    )


@pytest.mark.parametrize('text', ['sk-${', '${}', '${A B}', '${1A}', '${KEY', '${KEY:-${UNSET}}', '${KEY-x}'])
def test_a_broken_reference_is_an_error_and_never_sent(text: str) -> None:
    with pytest.raises(OptionError, match='does not open a reference') as caught:
        expand_variables(text, option='headers.X')
    assert 'sk-' not in str(caught.value)


def test_text_that_is_expanded_already_is_not_expanded_again() -> None:
    assert expand_variables(ExpandedText('${KEY}'), option='api_key') == '${KEY}'
