"""Calls that are broken off or spoiled in the middle: what was a call stays one that may not be run, the rest is text."""

from __future__ import annotations as _annotations

from typing import Any

import pytest
from generated import generated
from hypothesis import given, strategies as st
from text.dialects.cases import TAGS

from pydantic_ai_compat.text import read_text, write_calls
from pydantic_ai_compat.text.dialects.literals import read_json, read_literal
from pydantic_ai_compat.text.dialects.nested import read_nested, write_nested
from pydantic_ai_compat.text.dialects.registry import pick
from pydantic_ai_compat.text.dialects.schema import tool_schemas, types_of
from pydantic_ai_compat.text.reading import collect
from pydantic_ai_compat.text.scanner import TextScanner

TOOLS: dict[str, Any] = {
    'f': {'type': 'object', 'properties': {'s': {'type': 'string'}, 'n': {'type': 'integer'}, 'o': {'type': 'object'}}}
}

Part = str | tuple[str, str, bool]


def parts_of(dialect: str, text: str, size: int | None = None) -> list[Part]:
    """The text and the calls, the latter as their name, their arguments and whether they are whole."""
    scanner = TextScanner(TAGS, dialects=pick(dialect), tools=TOOLS)
    step = size or len(text)
    segments = [s for start in range(0, len(text), step) for s in scanner.feed(text[start : start + step])]
    parts = collect([*segments, *scanner.flush()]).parts
    return [part if isinstance(part, str) else (part.name, part.arguments, part.complete) for part in parts]


CASES: dict[str, tuple[str, str, list[Part]]] = {
    'tagged, cut before the first key': ('qwen3_coder', '<tool_call>\n<function=f>\n<parameter=', [('f', '{', False)]),
    'tagged, cut in a value that is no string': (
        'qwen3_coder',
        '<tool_call>\n<function=f>\n<parameter=n>\n1',
        [('f', '{"n": ', False)],
    ),
    'tagged, a key without its end': ('glm45', '<tool_call>f<arg_key>s</arg_key>x</tool_call>', [('f', '{sx', False)]),
    'tagged, a name without its second quotation mark': (
        'minimax_m2',
        '<invoke name="f></invoke>',
        ['<invoke name="f></invoke>'],
    ),
    'harmony, a header of no known channel': (
        'openai',
        '<|channel|>other<|message|>{}<|call|>',
        ['<|channel|>other<|message|>{}<|call|>'],
    ),
    'harmony, arguments that are no object': (
        'openai',
        '<|channel|>commentary to=functions.f<|message|>[1]<|call|>',
        ['<|channel|>commentary to=functions.f<|message|>[1]<|call|>'],
    ),
    'harmony, broken arguments': (
        'openai',
        '<|channel|>commentary to=functions.f<|message|>{"s": ]}<|call|>',
        [('f', '{"s": ]}', False)],
    ),
    'json, the name behind the arguments': (
        'hermes',
        '<tool_call>{"arguments": {"s": "x"}, "name": "f"}</tool_call>',
        [('f', '{"s": "x"}', True)],
    ),
    'json, arguments of no kind before the name': (
        'hermes',
        '<tool_call>{"arguments": 5, "name": "f"}</tool_call>',
        ['<tool_call>{"arguments": 5, "name": "f"}</tool_call>'],
    ),
    'json, arguments of no kind behind the name': (
        'hermes',
        '<tool_call>{"name": "f", "arguments": 5}</tool_call>',
        ['<tool_call>{"name": "f", "arguments": 5}</tool_call>'],
    ),
    'json, an id that is null and one that is a number': (
        'mistral',
        '[TOOL_CALLS][{"id": null, "name": "f", "arguments": {}}, {"id": 5, "name": "f", "arguments": {}}]',
        [('f', '{}', True), ('f', '{}', True)],
    ),
    'json, a name that is no string': (
        'hermes',
        '<tool_call>{"name": 5, "arguments": {}}</tool_call>',
        ['<tool_call>{"name": 5, "arguments": {}}</tool_call>'],
    ),
    'json, no comma between two keys': (
        'hermes',
        '<tool_call>{"name": "f" "arguments": {}}</tool_call>',
        ['<tool_call>{"name": "f" "arguments": {}}</tool_call>'],
    ),
    'json, no comma before a key behind the arguments': (
        'hermes',
        '<tool_call>{"name": "f", "arguments": {} "id": 1}</tool_call>',
        [('f', '{}', True), '"id": 1}</tool_call>'],
    ),
    'json, a key without quotation marks': (
        'hermes',
        '<tool_call>{name: "f"}</tool_call>',
        ['<tool_call>{name: "f"}</tool_call>'],
    ),
    'json, a key without quotation marks behind the arguments': (
        'hermes',
        '<tool_call>{"name": "f", "arguments": {}, id: 1}</tool_call>',
        [('f', '{}', True), 'id: 1}</tool_call>'],
    ),
    'json, a key without a colon': (
        'hermes',
        '<tool_call>{"name" "f"}</tool_call>',
        ['<tool_call>{"name" "f"}</tool_call>'],
    ),
    'json, a key without a colon behind the arguments': (
        'mistral',
        '[TOOL_CALLS][{"name": "f", "arguments": {}, "id" 5}, {"name": "f"}]',
        [('f', '{}', True), '5}, {"name": "f"}]'],
    ),
    'json, a key that is cut': ('hermes', '<tool_call>{"na', ['<tool_call>{"na']),
    'json, broken arguments': (
        'hermes',
        '<tool_call>{"name": "f", "arguments": {"s": ]}}</tool_call>',
        [('f', '{"s": ]}}</tool_call>', False)],
    ),
    'json, a broken value of another key': (
        'hermes',
        '<tool_call>{"x": ], "name": "f"}</tool_call>',
        ['<tool_call>{"x": ], "name": "f"}</tool_call>'],
    ),
    'json, a string that holds no object': (
        'hermes',
        '<tool_call>{"name": "f", "arguments": "x y"}</tool_call>',
        [('f', 'x y', False)],
    ),
    'json, no arguments': ('hermes', '<tool_call>{"name": "f"}</tool_call>', [('f', '{}', True)]),
    'json, another key than a call has, without marks': (
        'llama3_json',
        '{"name": "f", "x": 1, "parameters": {}}',
        ['{"name": "f", "x": 1, "parameters": {}}'],
    ),
    'json, no item of an array is a call': ('mistral', '[TOOL_CALLS][]', ['[TOOL_CALLS][]']),
    'json, a broken item of an array': (
        'mistral',
        '[TOOL_CALLS][{"name": "g", "x": ]}]',
        ['[TOOL_CALLS][{"name": "g", "x": ]}]'],
    ),
    'json, no comma between items': (
        'mistral',
        '[TOOL_CALLS][{"name": "f", "arguments": {}} {"name": "f", "arguments": {}}]',
        [('f', '{}', True), ('f', '{}', True)],
    ),
    'json, an item that is no object behind a call': (
        'mistral',
        '[TOOL_CALLS][{"name": "f", "arguments": {}} x]',
        [('f', '{}', True), 'x]'],
    ),
    'json, an item that is no object': ('mistral', '[TOOL_CALLS][x]', ['[TOOL_CALLS][x]']),
    'json, another item first': (
        'mistral',
        '[TOOL_CALLS][{"name": "g"} {"name": "f", "arguments": {}}]',
        ['[TOOL_CALLS][{"name": "g"}', ('f', '{}', True)],
    ),
    'json, an array without marks and without commas': (
        'xlam',
        '[{"name": "f", "arguments": {}} {"name": "f", "arguments": {}}]',
        ['[{"name": "f", "arguments": {}} {"name": "f", "arguments": {}}]'],
    ),
    'json, an array without marks, and nothing in it': ('xlam', '[]', ['[]']),
    'json, the name is the only key, and there is none': (
        'apertus',
        '<|tools_prefix|>[{}]<|tools_suffix|>',
        ['<|tools_prefix|>[{}]<|tools_suffix|>'],
    ),
    'json, semicolons between objects': (
        'llama3_json',
        '{"name": "f", "parameters": {}}; {"name": "f", "parameters": {}}',
        [('f', '{}', True), ('f', '{}', True)],
    ),
    'named, no mark behind the id': ('solar', '<|tool_call:begin|>1 f', ['<|tool_call:begin|>1 f']),
    'named, broken arguments': ('mistral_v11', '[TOOL_CALLS]f[ARGS]{"s": ]}', [('f', '{"s": ]}', False)]),
    'python, no bracket behind a call': ('pythonic', '[f(s="x") more', ['[f(s="x") more']),
    'python, what is no key behind one': (
        'lfm2',
        '<|tool_call_start|>[f(s="x", ?)]<|tool_call_end|>',
        [('f', '{"s": "x", …?)]', False)],
    ),
    'python, cut behind an argument': ('lfm2', '<|tool_call_start|>[f(s="x", ', [('f', '{"s": "x"', False)]),
    'python, a value that closes nothing': (
        'lfm2',
        '<|tool_call_start|>[f(s=])]<|tool_call_end|>',
        [('f', '{"s": …])]', False)],
    ),
    'python, a string in three quotation marks': (
        'lfm2',
        "<|tool_call_start|>[f(s='''it''s\\'''')]<|tool_call_end|>",
        [('f', '{"s": "it\'\'s\'"}', True)],
    ),
    'python, a string in three quotation marks that is cut': (
        'lfm2',
        "<|tool_call_start|>[f(s='''it''",
        [('f', '{"s": ', False)],
    ),
}


@pytest.mark.parametrize('case', CASES)
def test_a_spoiled_call_is_never_read_as_another(case: str) -> None:
    """A call whose header is whole may have come in a stream, so it stays; anything else is text as it came."""
    dialect, text, expected = CASES[case]
    assert parts_of(dialect, text) == expected
    assert parts_of(dialect, text, 1) == expected


@pytest.mark.parametrize(
    ('text', 'mark', 'value'),
    [
        ('abc', '<|"|>', 'abc'),
        ('{1: 2, True: 3}', '', {'1': 2, 'true': 3}),
        (r"'\101\x41\u0041\q'", '', r'AAA\q'),
        ('(1, 0x_f, .5)', '', [1, 15, 0.5]),
    ],
)
def test_a_literal_of_python_or_gemma_is_the_value_it_means(text: str, mark: str, value: object) -> None:
    """<https://docs.python.org/3/reference/lexical_analysis.html>"""
    assert read_literal(text, mark) == value


@pytest.mark.parametrize(
    ('text', 'mark'),
    [
        ('[1 2]', ''),
        ('1 x', ''),
        ('{:1}', ''),
        ('{"a" 1}', ''),
        ('"abc', ''),
        ('<|"|>abc', '<|"|>'),
        ('[' * 200_000, ''),
        ('', ''),
    ],
)
def test_what_is_no_literal_raises_a_value_error(text: str, mark: str) -> None:
    """Whoever reads arguments keeps the text of what is no literal."""
    with pytest.raises(ValueError):
        read_literal(text, mark)


def test_json_nested_deeper_than_python_goes_raises_a_value_error() -> None:
    """The decoder raises `RecursionError`, which no caller would catch."""
    with pytest.raises(ValueError, match='nested too deep'):
        read_json('[' * 200_000)


SCHEMAS: list[tuple[Any, set[str]]] = [
    ({'$ref': '#/$defs/X', '$defs': {'X': {'type': 'integer'}}}, {'integer'}),
    ({'type': ['integer', 'null', 3]}, {'integer', 'null'}),
    (
        {'enum': [None, True, 1, 1.5, 'a', {}, []]},
        {'null', 'boolean', 'integer', 'number', 'string', 'object', 'array'},
    ),
    ({'const': 1}, {'integer'}),
    ({'anyOf': [{'type': 'integer'}, {'const': 'x'}]}, {'integer', 'string'}),
    ({'properties': {}}, {'object'}),
    ({'items': {}}, {'array'}),
    ({}, {'string'}),
    (None, {'string'}),
    ({'$ref': '#/$defs/X', '$defs': {'X': {'$ref': '#/$defs/X'}}}, {'string'}),
]


@pytest.mark.parametrize(('schema', 'types'), SCHEMAS)
def test_a_schema_allows_the_types_that_it_says(schema: object, types: set[str]) -> None:
    """<https://json-schema.org/draft/2020-12/json-schema-validation>; a text about which it says nothing is a string."""
    assert types_of(schema) == types


def test_tools_are_named_or_declared_as_in_the_api() -> None:
    """<https://platform.openai.com/docs/api-reference/chat/create>"""
    parameters: dict[str, Any] = {'type': 'object', 'properties': {}}
    tools: list[Any] = [
        'a',
        {'type': 'function', 'function': {'name': 'b', 'parameters': parameters}},
        {'name': 'c', 'parameters': None},
    ]
    assert tool_schemas(tools) == {'a': {}, 'b': parameters, 'c': {}}
    assert tool_schemas({'a': parameters}) == {'a': parameters}


def test_a_definition_of_the_tool_gives_a_parameter_its_type() -> None:
    """A schema made by pydantic holds the types of its enums and models under `$defs`."""
    tools = {'f': {'properties': {'n': {'$ref': '#/$defs/N'}}, '$defs': {'N': {'type': 'integer'}}}}
    text = '<tool_call>\n<function=f>\n<parameter=n>\n1\n</parameter>\n</function>\n</tool_call>'
    assert [call.arguments for call in read_text(text, tools, 'qwen3_coder').calls] == ['{"n": 1}']


def test_an_id_is_the_text_that_stands_there_and_none_is_none() -> None:
    """Mistral's ids are strings; models write numbers and `null`, too."""
    text = '[TOOL_CALLS][{"id": null, "name": "f", "arguments": {}}, {"name": "f", "arguments": {}, "id": 5}]'
    assert [call.id for call in read_text(text, TOOLS, 'mistral').calls] == [None, '5']


SCALARS = st.none() | st.booleans() | st.integers() | st.text(st.sampled_from('abc1 '), max_size=4)


@generated()
@given(st.lists(st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3), max_leaves=5), max_size=3))
def test_a_nested_value_comes_back_where_the_schema_says_nothing_of_its_items(value: list[Any]) -> None:
    comes_back_nested(value)


def test_lists_in_lists_come_back_where_the_schema_says_nothing_of_their_items() -> None:
    comes_back_nested([[1, ['a', [None]]], 'b', [[True]]])
    comes_back_nested([[1, []], []])


def comes_back_nested(value: list[Any]) -> None:
    """`{}`, `true` and no schema at all say the same of a value: nothing."""
    schemas: list[dict[str, Any]] = [{'items': {}}, {'items': True}, {}]
    for schema in ({'type': 'array', **items} for items in schemas):
        assert read_nested(write_nested(value, '|'), schema, '|') == value


def test_no_calls_are_written_as_no_text() -> None:
    """Not as an empty section either."""
    assert write_calls([], 'kimi_k2') == ''


def test_a_thought_passes_quickly_only_without_what_may_begin_a_call() -> None:
    """The fast path of the scanner; where calls in thoughts count, their marks are looked for in them, too."""
    for inside in (True, False):
        scanner = TextScanner(TAGS, dialects=pick('hermes'), tools=TOOLS, calls_in_thoughts=inside)
        scanner.feed('<think>a')
        assert (scanner.passes('plain'), scanner.passes('a `b`')) == (True, not inside)
        assert not scanner.passes('a <')


def test_a_thought_of_the_dialect_that_does_not_end_stays_text_without_calls() -> None:
    """Tags of thoughts that are not those of the profile are text, to the end if they are not closed."""
    text = '<think>{}'.format('<tool_call>{"name": "f", "arguments": {}}</tool_call>')
    assert read_text(text, TOOLS, 'hermes', thinking_tags=('<t>', '</t>')).parts == (text,)
