from __future__ import annotations as _annotations

import json

import pytest

from pydantic_ai_compat.history import explain, explain_error

ORPHAN = "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"


@pytest.mark.parametrize(
    'text',
    [
        ORPHAN,
        f'prefix {ORPHAN} suffix',
        json.dumps({'error': {'message': ORPHAN}}),
        json.dumps(json.dumps({'error': {'message': ORPHAN}})),
        repr({'error': {'message': ORPHAN}}),
        ORPHAN.replace("'", '`').upper(),
        ORPHAN.replace(' ', '\n  '),
        ORPHAN.replace(' ', '\\n'),
    ],
)
def test_quotes_escapes_case_and_line_breaks_do_not_matter(text: str) -> None:
    explanation = explain_error(text)
    assert explanation is not None
    assert explanation.rule.id == 'H04'


def test_a_text_in_another_script_is_found_escaped_or_not() -> None:
    for text in ('messages 参数非法。请检查文档。', json.dumps('messages 参数非法。请检查文档。')):
        explanation = explain_error(text)
        assert explanation is not None
        assert explanation.rule.id == 'H22'


def test_the_longest_known_text_wins() -> None:
    """DeepSeek's and OpenAI's texts begin with the same sentence."""
    explanation = explain_error(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        'The following tool_call_ids did not have response messages: call_1'
    )
    assert explanation is not None
    assert explanation.known.host == 'OpenAI, Azure, Moonshot'


def test_the_line_names_rule_host_option_and_source() -> None:
    explanation = explain_error("('messages.3' : property 'reasoning_content' is unsupported)")
    assert explanation is not None
    assert explanation.line == (
        "H32 (Groq): No message carries `reasoning_content`. Set openai_chat_history_policy='groq'. "
        'See https://github.com/janhq/jan/issues/8136'
    )


@pytest.mark.parametrize('text', ['', 'no such luck', 'tool', "role 'tool'", '{}', '\\ud800'])
def test_an_unknown_text_has_no_explanation(text: str) -> None:
    assert explain_error(text) is None


def test_a_search_starts_only_where_a_known_text_begins() -> None:
    """A pattern that began with a gap would be tried, gap by gap, at every character."""
    for pattern, explanation in explain._patterns():
        assert pattern.pattern[0] not in ' .', explanation.known.text


def test_a_text_of_any_size_is_read_to_a_limit() -> None:
    assert explain_error('x' * 10_000_000 + ORPHAN) is None
    explanation = explain_error(ORPHAN + 'x' * 10_000_000)
    assert explanation is not None
