"""Calls in tags that lack a closing mark, and arguments that are wrapped in one."""

from __future__ import annotations as _annotations

import json
from typing import Any

import pytest
from generated import generated
from hypothesis import given, strategies as st

from pydantic_ai_compat.text import DIALECTS, TextCall, TextReading, write_calls
from pydantic_ai_compat.text.dialects.registry import pick
from pydantic_ai_compat.text.reading import collect, read_text
from pydantic_ai_compat.text.scanner import TextScanner

TAGGED = [dialect for dialect in DIALECTS.values() if dialect.family == 'tagged' and dialect.name != 'minimax_m3']
KEYS = ('a', 'b', 'c')
TOOLS: dict[str, Any] = {
    'f': {'properties': {key: {'type': 'string'} for key in KEYS}},
    'g': {'properties': {'a': {'type': 'integer'}}},
    'ping': {'properties': {}},
}
VALUES = st.lists(st.text('xy <>/=', min_size=1, max_size=8), min_size=2, max_size=3)


def read(text: str, dialect: str, size: int) -> TextReading:
    scanner = TextScanner(('<think>', '</think>'), dialects=pick(dialect), tools=TOOLS)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    return collect([segment for piece in pieces for segment in scanner.feed(piece)] + scanner.flush())


def calls_in(reading: TextReading) -> list[tuple[str, Any]]:
    return [(call.name, json.loads(call.arguments) if call.complete else None) for call in reading.calls]


@pytest.mark.parametrize('dialect', TAGGED, ids=lambda dialect: dialect.name)
@generated(15)
@given(values=VALUES, size=st.integers(1, 60), data=st.data())
def test_an_argument_that_is_not_closed_ends_where_the_next_begins(
    dialect: Any, values: list[str], size: int, data: st.DataObject
) -> None:
    """vLLM's parser of `qwen3_coder` reads it like this; models drop the mark between two arguments."""
    arguments = dict(zip(KEYS, values, strict=False))
    text = write_calls([TextCall('f', json.dumps(arguments))], dialect)
    close = ''.join(dialect.parameter_close)
    before, *rest = text.split(close)
    lost = data.draw(st.integers(0, len(values) - 2))
    for number, piece in enumerate(rest):
        before += ('' if number == lost else close) + piece
    assert calls_in(read(before, dialect.name, size)) == [('f', arguments)], before


@pytest.mark.parametrize('dialect', TAGGED, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize('size', [1, 7, 10_000])
@pytest.mark.parametrize('first', [('f', {'a': 'x', 'b': 'y'}), ('ping', {})], ids=['with arguments', 'without'])
def test_a_call_that_is_not_closed_ends_where_the_next_begins(dialect: Any, size: int, first: Any) -> None:
    """It is whole: no argument of it can follow the beginning of another call.

    Without arguments it is text, as its tag alone would be; where the name has no tag of its own (GLM) or the section
    ends with the call, it is a call.
    """
    calls = [first, ('g', {'a': 1})]
    text = write_calls([TextCall(name, json.dumps(arguments)) for name, arguments in calls], dialect)
    for mark in dialect.close:
        text = text.replace(mark.strip(), '', 1)
    is_call = first[1] or not dialect.name_end or dialect.section_per_call
    expected = calls if is_call else calls[1:]
    assert calls_in(read(text, dialect.name, size)) == expected, text


@pytest.mark.parametrize('dialect', TAGGED, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize('key', ['arguments', 'input'])
@pytest.mark.parametrize('size', [1, 10_000])
def test_arguments_that_are_wrapped_in_one_are_taken_out(dialect: Any, key: str, size: int) -> None:
    """A model that calls with JSON puts the object into one argument; vLLM's `deepseek_v32` takes it out."""
    arguments = {'a': 'x', 'b': 'y'}
    text = write_calls([TextCall('f', json.dumps({key: arguments}))], dialect)
    assert calls_in(read(text, dialect.name, size)) == [('f', arguments)]
    no_object = write_calls([TextCall('f', json.dumps({key: '[1]'}))], dialect)
    assert calls_in(read(no_object, dialect.name, size)) == [('f', {key: '[1]'})]
    no_json = write_calls([TextCall('f', json.dumps({key: 'a b'}))], dialect)
    assert calls_in(read(no_json, dialect.name, size)) == [('f', {key: 'a b'})]
    a_list = write_calls([TextCall('f', json.dumps({key: [1]}))], dialect)
    assert calls_in(read(a_list, dialect.name, size)) == [('f', {key: [1] if dialect.attribute else '[1]'})]
    two = write_calls([TextCall('f', json.dumps({key: arguments, 'c': 'z'}))], dialect)
    assert calls_in(read(two, dialect.name, size)) == [('f', None)]
    second = write_calls([TextCall('f', json.dumps({'c': 'z', key: '{} x'}))], dialect)
    assert calls_in(read(second, dialect.name, size)) == [('f', {'c': 'z', key: '{} x'})]


def test_arguments_stay_wrapped_where_the_tool_has_such_an_argument_or_takes_any() -> None:
    text = '<function=f>\n<parameter=input>\n{"a": 1}\n</parameter>\n</function>'
    schemas: list[dict[str, Any]] = [
        {'properties': {'input': {'type': 'object'}}},
        {'properties': {}, 'additionalProperties': {'type': 'object'}},
    ]
    for schema in schemas:
        assert read_text(text, {'f': schema}, 'qwen3_coder').calls == (TextCall('f', '{"input": {"a": 1}}'),)
    assert read_text(text, ['f'], 'qwen3_coder').calls == (TextCall('f', '{"input": "{\\"a\\": 1}"}'),)


@pytest.mark.parametrize(
    'value',
    [
        '<parameter=b>\n1\n</parameter> is how it is written',
        'The tag is <parameter=b>',
        '<parameter=c>, which is none of the two',
    ],
)
@pytest.mark.parametrize('size', [1, 10_000])
def test_a_value_that_holds_the_opening_of_an_argument_is_never_cut_without_a_word(value: str, size: int) -> None:
    """The mark may be data: the call goes back to the model then, for one with other arguments must not be run."""
    arguments = {'a': value, 'b': 'y'}
    text = write_calls([TextCall('f', json.dumps(arguments))], 'qwen3_coder')
    tools = {'f': {'properties': {key: {'type': 'string'} for key in ('a', 'b')}}}
    scanner = TextScanner(('<think>', '</think>'), dialects=pick('qwen3_coder'), tools=tools)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    reading = collect([segment for piece in pieces for segment in scanner.feed(piece)] + scanner.flush())
    expected = [('f', arguments if '<parameter=b>' not in value else None)]
    assert calls_in(reading) == expected
