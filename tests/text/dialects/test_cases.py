"""Each dialect on texts as its models, its template or the field write them, whole and at any cut."""

from __future__ import annotations as _annotations

from typing import Any

import pytest
from text.dialects.cases import is_right, load, read

CASES = load('cases.jsonl')
OTHERWISE = {
    'deepseek_v32-34-good-then-cut': 'the header of the cut call is whole, so it is a cut call and not text',
    'minimax-24-broken-line': 'an object that is no call is text, and the call before it is whole',
    'kimi_k2-31-good-then-undeclared': 'a tool that is not declared is text, with its marks, behind a whole call',
    'minimax_m2-28-good-then-undeclared': 'likewise',
    'functionary_v31-21-slash-end': 'what stands behind the call is text: no mark of the dialect is spelled like it',
    'functionary_v32-19-all-then-call': 'the message to all is text, with its header',
    'glm45-23-no-close': 'another argument could have followed, so it is a cut call and not text',
    'glm47-24-no-close': 'likewise',
}
"""Cases that come out otherwise than they expect, and why; none of them runs a call with other arguments."""


@pytest.mark.parametrize('case', CASES, ids=lambda case: case['id'])
def test_a_text_is_read_as_its_calls_and_the_text_around_them(case: dict[str, Any]) -> None:
    """The expectations come from the rules that servers' parsers share, each differing case having been looked at."""
    assert is_right(case, read(case, [case['text']])) is (case['id'] not in OTHERWISE)


def pieces_of(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


@pytest.mark.parametrize('case', CASES, ids=lambda case: case['id'])
def test_the_reading_does_not_depend_on_where_a_text_is_cut(case: dict[str, Any]) -> None:
    """Single characters, and in two at some sixteen places; a tag that is a piece of its own is another text."""
    text = case['text']
    whole = read(case, [text])
    assert read(case, text) == whole
    assert read(case, pieces_of(text, 3)) == whole
    for cut in range(1, len(text), max(1, len(text) // 16)):
        assert read(case, [text[:cut], text[cut:]]) == whole, cut
