"""Calls out of which a server took the special tokens: read at the start of a message, if the dialect is named.

What vLLM and SGLang leave while `skip_special_tokens` is on and their tool parser is off; which marks are special
tokens is inferred from what their parsers ask for.
"""

from __future__ import annotations as _annotations

import json

import pytest

from pydantic_ai_compat.text import DIALECTS, TextReading
from pydantic_ai_compat.text.dialects.registry import pick
from pydantic_ai_compat.text.dialects.stripped import stripped
from pydantic_ai_compat.text.reading import collect, read_text
from pydantic_ai_compat.text.scanner import TextScanner

TOOLS = {'f': {'properties': {'a': {'type': 'integer'}}}}
LEFT = {
    'mistral': '[{"name": "f", "arguments": {"a": 1}}]',
    'mistral_v11': 'f[ARGS]{"a": 1}',
    'mistral_v13': 'f[ARGS]{"a": 1}',
    'granite': '[{"name": "f", "arguments": {"a": 1}}]',
    'jamba': '[\n{"name": "f", "arguments": {"a": 1}}\n]',
    'internlm': '\n{"name": "f", "parameters": {"a": 1}}',
    'apertus': '[{"f": {"a": 1}}]',
    'llama_python_tag': '{"name": "f", "parameters": {"a": 1}}',
    'cohere_command3': '[\n{"tool_call_id": "0", "tool_name": "f", "parameters": {"a": 1}}\n]',
    'deepseek_v3': 'functionf\n```json\n{"a": 1}\n```',
    'deepseek_v31': 'f{"a": 1}',
    'kimi_k2': 'functions.f:0{"a": 1}',
    'functiongemma': 'call:f{a:1}',
    'gemma4': 'call:f{a:1}',
    'llama4_pythonic': '[f(a=1)]',
    'lfm2': '[f(a=1)]',
}
NOT_READ = {
    'openai': 'the header is glued to the thought before it',
    'solar': 'the id is glued to the name',
    'minicpm3': 'what is left is a fence of Python, as in any answer about code',
    **dict.fromkeys(('hy_v3', 'minimax_m3', 'step3', 'kimi_k3'), 'keys and values are glued together'),
}
"""Dialects with special tokens whose calls cannot be told without them, and why."""


def read(text: str, dialects: str, size: int) -> TextReading:
    scanner = TextScanner(('<think>', '</think>'), dialects=pick(dialects), tools=TOOLS)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    return collect([segment for piece in pieces for segment in scanner.feed(piece)] + scanner.flush())


def test_each_dialect_with_special_tokens_is_read_without_them_or_there_is_a_reason() -> None:
    special = {name for name, dialect in DIALECTS.items() if dialect.special}
    assert special == {*LEFT, *NOT_READ}
    assert {name for name in special if not stripped(DIALECTS[name])} == {*NOT_READ}


@pytest.mark.parametrize('dialect', LEFT)
@pytest.mark.parametrize('size', [1, 3, 1_000])
def test_what_is_left_of_a_call_is_read_where_the_dialect_is_named(dialect: str, size: int) -> None:
    """Not by `auto`, and not behind other text: nothing but its place tells it from an answer."""
    text = LEFT[dialect]
    reading = read(f'<think>So.</think>\n{text}', dialect, size)
    assert [(call.name, json.loads(call.arguments), call.complete) for call in reading.calls] == [('f', {'a': 1}, True)]
    assert reading.text == ''
    for text_alone, dialects in ((text, 'auto'), (f'I call {text}', dialect), (text.replace('f', 'no'), dialect)):
        assert read(text_alone, dialects, size).parts == (text_alone,)


def test_a_dialect_that_is_named_beside_auto_is_read_without_its_special_tokens() -> None:
    for names in ('auto, kimi_k2', 'kimi_k2, auto'):
        assert read_text(LEFT['kimi_k2'], TOOLS, names).calls[0].id == 'functions.f:0'


@pytest.mark.parametrize('size', [1, 1_000])
def test_a_call_without_a_mark_is_read_behind_thoughts_alone(size: int) -> None:
    """The thoughts of a model are no part of its answer, so the answer begins behind them."""
    call = '{"name": "f", "parameters": {"a": 1}}'
    for thoughts in ('<think>x</think>\n', '<think>x</think>\n<think>y</think>'):
        assert [one.name for one in read(thoughts + call, 'llama3_json', size).calls] == ['f']
    for answer in ('x\n<think>y</think>\n', '<think>x</think>y\n<think>z</think>'):
        assert read(answer + call, 'llama3_json', size).calls == ()
