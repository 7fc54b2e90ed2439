"""One call that is none, or is broken, does not take the others with it."""

from __future__ import annotations as _annotations

import json
from itertools import product
from typing import Any

import pytest
from generated import generated
from hypothesis import given, strategies as st

from pydantic_ai_compat.text import TextCall, read_text
from pydantic_ai_compat.text.dialects.registry import pick
from pydantic_ai_compat.text.reading import TextReading, collect
from pydantic_ai_compat.text.scanner import TextScanner

TOOLS: dict[str, dict[str, Any]] = {'f': {'properties': {'a': {}}}}
GOOD = '{"name": "f", "arguments": {"a": 1}}'
BAD = (
    '{"name": "no_such_tool", "arguments": {"a": ["}]"]}}',
    '{"arguments": {}}',
    '{}',
    '{"name": 3}',
    '{"name": "f", "arguments": 3}',
    '{1: "f"}',
)
MARKS = {'mistral': ('[TOOL_CALLS]', ''), 'jamba': ('<tool_calls>', '</tool_calls>'), 'granite': ('<|tool_call|>', '')}


def read_in_pieces(text: str, dialect: str, size: int) -> TextReading:
    scanner = TextScanner(('<think>', '</think>'), dialects=pick(dialect), tools=TOOLS)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    return collect([segment for piece in pieces for segment in scanner.feed(piece)] + scanner.flush())


@pytest.mark.parametrize(('dialect', 'bad'), [*product(MARKS, BAD)])
def test_an_item_that_is_no_call_is_text_and_the_items_behind_it_are_calls(dialect: str, bad: str) -> None:
    """Wherever it stands in an array between marks; white space before the array belongs to the text then."""
    opening, closing = MARKS[dialect]
    call = TextCall('f', '{"a": 1}')
    first = read_text(f'\n\n{opening}[{bad}, {GOOD}]{closing}', TOOLS, dialect)
    assert first.parts == (f'\n\n{opening}[{bad}', call)
    middle = read_text(f'{opening}[{GOOD}, {bad}, {bad}, {GOOD}]{closing}', TOOLS, dialect)
    assert middle.parts == (call, f', {bad}, {bad}', call)
    last = read_text(f'{opening}[{GOOD}, {bad}]{closing}', TOOLS, dialect)
    assert last.parts == (call, f', {bad}')
    alone = f'{opening}[{bad}]{closing}'
    assert read_text(alone, TOOLS, dialect).parts == (alone,)


@generated()
@given(
    st.lists(st.sampled_from((GOOD, *BAD)), min_size=1, max_size=6),
    st.sampled_from(('mistral', 'jamba', 'granite')),
    st.integers(1, 40),
)
def test_every_good_item_is_a_call_and_every_bad_one_text_at_any_cut(items: list[str], dialect: str, size: int) -> None:
    opening, closing = MARKS[dialect]
    text = f'{opening}[{", ".join(items)}]{closing}'
    reading = read_in_pieces(text, dialect, size)
    assert [json.loads(call.arguments) for call in reading.calls] == [{'a': 1}] * items.count(GOOD)
    assert all(reading.text.count(bad) >= items.count(bad) for bad in BAD)
    assert reading == read_in_pieces(text, dialect, len(text))


MISMATCHED = (
    '{"name": "no_such_tool", "arguments": {"a": [}}',
    '{"name": "no_such_tool", "arguments": "{\\"a\\""]}',
    '{"name": [}',
    '{"name": "f", "arguments": [}',
)
BROKEN = (
    '{"name": "f", "arguments": {"a": [}}',
    '{"name": "f", "arguments": {"a": [1, {"b": 2]}',
    '{"name": "f", "arguments": {"a": [1, 2}, "b": ", {"}}',
)


@generated()
@given(
    st.lists(st.sampled_from((GOOD, *MISMATCHED, *BROKEN)), min_size=1, max_size=5),
    st.sampled_from(('mistral', 'jamba', 'granite')),
    st.integers(1, 40),
)
def test_an_item_whose_brackets_do_not_match_ends_where_the_next_begins(
    items: list[str], dialect: str, size: int
) -> None:
    each_ends_where_the_next_begins(items, dialect, size)


@pytest.mark.parametrize('dialect', MARKS)
def test_each_item_whose_brackets_do_not_match_ends_before_a_good_one(dialect: str) -> None:
    for item in (*MISMATCHED, *BROKEN):
        each_ends_where_the_next_begins([item, GOOD], dialect, 1)


def each_ends_where_the_next_begins(items: list[str], dialect: str, size: int) -> None:
    """Without the name of a declared tool it is text, and with it a broken call; the others are what they are."""
    opening, closing = MARKS[dialect]
    reading = read_in_pieces(f'{opening}[{", ".join(items)}]{closing}', dialect, size)
    expected = [item == GOOD for item in items if item not in MISMATCHED]
    assert [call.complete for call in reading.calls] == expected
    assert all(item in reading.text for item in items if item in MISMATCHED)
    assert all(call.arguments == '{"a": 1}' for call in reading.calls if call.complete)


def test_an_item_of_apertus_ends_where_the_name_of_a_declared_tool_begins_the_next() -> None:
    reading = read_text(
        '<|tools_prefix|>[{"f": {"a": [}}, {"x": 1}, {"f": {"a": 1}}]<|tools_suffix|>', TOOLS, 'apertus'
    )
    assert [(call.arguments, call.complete) for call in reading.calls] == [
        ('{"a": [}}, {"x": 1}', False),
        ('{"a": 1}', True),
    ]


def test_many_items_that_are_no_calls_cost_linear_work() -> None:
    """Each is looked at twice, and no more of them is held than a header may have."""
    work: list[float] = []
    for count in (500, 2_000):
        text = '[TOOL_CALLS][' + '{},' * count
        scanner = TextScanner(('<think>', '</think>'), dialects=pick('mistral'), tools=TOOLS)
        segments = scanner.feed(text) + scanner.flush()
        assert ''.join(segment.text for segment in segments) == text
        work.append(scanner.examined / len(text))
    assert work[1] <= work[0] * 1.5
