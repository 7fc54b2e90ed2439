"""What a model's own template writes for a turn with calls is read as these calls, and so is what is written here."""

from __future__ import annotations as _annotations

import json
import string
from typing import Any

import pytest
from generated import generated
from hypothesis import given, strategies as st
from text.dialects.cases import decoded, load

from pydantic_ai_compat.text import DIALECTS, TextCall, read_text, write_calls

NAMES = st.sampled_from(['get_items', 'ping', 'a.b-c', 'f'])
LETTERS = f'{string.ascii_letters}_'
KEYS = st.builds(str.__add__, st.sampled_from(LETTERS), st.text(LETTERS + string.digits, max_size=8))
TEXTS = st.text(st.characters(exclude_categories=('Cs',), exclude_characters='\x00'), max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize('row', load('round_trip.jsonl'), ids=lambda row: row['id'])
@pytest.mark.untraced
def test_what_a_template_writes_is_read_as_the_calls_that_it_was_given(row: dict[str, Any]) -> None:
    """277 assistant turns as 88 chat templates write them."""
    reading = read_text(row['text'], row['tools'], [row['dialect']])
    assert [{'name': call.name, 'arguments': decoded(call)} for call in reading.calls] == row['calls']


def schema_of(value: object) -> dict[str, Any]:
    """A schema that the value fits."""
    for type_, name in ((bool, 'boolean'), (int, 'integer'), (float, 'number'), (str, 'string'), (list, 'array')):
        if isinstance(value, type_):
            return {'type': name, **({'items': {}} if name == 'array' else {})}
    return {'type': 'null' if value is None else 'object'}


@pytest.mark.parametrize('dialect', DIALECTS)
@generated(20)
@given(
    # A tool for each call, as the tagged dialects tell a text from a null by the one schema that a tool has.
    calls=st.lists(
        st.tuples(NAMES, st.dictionaries(KEYS, VALUES, max_size=3)),
        min_size=1,
        max_size=3,
        unique_by=lambda call: call[0],
    )
)
def test_what_is_written_is_read_as_the_same_calls(dialect: str, calls: list[tuple[str, dict[str, Any]]]) -> None:
    come_back(dialect, calls)


EVERY_TYPE: dict[str, Any] = {
    'none': None,
    'yes': True,
    'number': 1.5,
    'text': '\n\'"1',
    'list': [[1, 2], ['a', [None]], {}],
    'object': {'a': ['b', 1], 'c': {'d': False}},
}


@pytest.mark.parametrize('dialect', DIALECTS)
def test_a_value_of_every_type_comes_back(dialect: str) -> None:
    come_back(dialect, [('f', EVERY_TYPE), ('ping', {})])


def come_back(dialect: str, calls: list[tuple[str, dict[str, Any]]]) -> None:
    """The same table reads and writes, so arguments of every type come back."""
    written = [TextCall(name, json.dumps(arguments), f'call{n:05}') for n, (name, arguments) in enumerate(calls)]
    text = write_calls(written, dialect)
    tools: dict[str, Any] = {name: {'type': 'object', 'properties': {}} for name, _ in calls}
    for name, arguments in calls:
        tools[name]['properties'] |= {key: schema_of(value) for key, value in arguments.items()}
    reading = read_text(text, tools, [dialect])
    assert [(call.name, decoded(call)) for call in reading.calls] == calls, text
    assert reading.text == ''
