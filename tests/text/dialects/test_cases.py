"""Each dialect on texts as its models, its template or the field write them, whole and at any cut."""

from __future__ import annotations as _annotations

from collections.abc import Iterator
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


DIALECTS = list(dict.fromkeys(case['id'].split('-')[0] for case in CASES))


def cases_of(dialect: str) -> list[dict[str, Any]]:
    """A test for each dialect and not for each case: pytest's own work would cost more than the reading."""
    return [case for case in CASES if case['id'].startswith(f'{dialect}-')]


@pytest.mark.parametrize('dialect', DIALECTS)
def test_a_text_is_read_as_its_calls_and_the_text_around_them(dialect: str) -> None:
    """The expectations come from the rules that servers' parsers share, each differing case having been looked at."""
    cases = cases_of(dialect)
    otherwise = [case['id'] for case in cases if not is_right(case, read(case, [case['text']]))]
    assert otherwise == [case['id'] for case in cases if case['id'] in OTHERWISE]


def readings(number: int, text: str) -> Iterator[list[str]]:
    """Single characters, pieces of some, and in two at three places.

    The places move with the number of the case, so that the cases of a dialect, which are much alike, are together cut
    at each place of a call; a tag that is a piece of its own is another text.
    """
    yield list(text)
    size = 5 + number % 7
    yield [text[start : start + size] for start in range(0, len(text), size)]
    step = max(1, len(text) // 3)
    for cut in range(1 + number % step, len(text), step):
        yield [text[:cut], text[cut:]]


@pytest.mark.parametrize('dialect', DIALECTS)
@pytest.mark.untraced
def test_the_reading_does_not_depend_on_where_a_text_is_cut(dialect: str) -> None:
    """Whatever the pieces are that a server sends."""
    for number, case in enumerate(cases_of(dialect)):
        whole = read(case, [case['text']])
        for pieces in readings(number, case['text']):
            assert read(case, pieces) == whole, (case['id'], pieces)
