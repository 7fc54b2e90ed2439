"""Work grows with the text, memory does not, and a text without a call comes out as it was."""

from __future__ import annotations as _annotations

import json

import pytest
from generated import generated
from hypothesis import given, strategies as st

from pydantic_ai_compat.text import AUTO, TextCall, write_calls
from pydantic_ai_compat.text.dialects.registry import pick
from pydantic_ai_compat.text.scanner import TextScanner
from pydantic_ai_compat.text.segments import Segment

TAGS = ('<think>', '</think>')
TOOLS = {'f': {'properties': {'a': {'type': 'string'}}}}
UNITS = (
    *('<', '[', '{"a":', '`', ' \n', '~~~\n', '<tool_call>', '<tool_call>{"name":', '<|channel|>', '[TOOL_CALLS]f'),
    *('<tool_call>{"arguments":["<tool_call>{",', '<｜DSML｜invoke name="', '<|tool_call_begin|>f', 'a\n<think>'),
    '<function=f>\n',
)
PROSE = (
    'Use `<tool_call>` here: a < b, [x](y), {"name": "f"} and f(a=1).\n',
    '<html><body class="x">&lt;tool_call&gt;</body></html>\n',
    '```json\n{"name": "f", "arguments": {}}\n```\n| a | b |\n|---|---|\n',
    '日本語のテキスト。«Текст» 🎉\n\n[TOOL] <tool> <|im_start|> <invoke> </tool_call>\n',
)


def scan(text: str, pieces: int, dialects: str = 'auto') -> tuple[TextScanner, list[Segment], int]:
    """The scanner behind a text in so many pieces, what it found, and the most that waited."""
    scanner = TextScanner(TAGS, dialects=pick(dialects), tools=TOOLS)
    size = max(1, len(text) // pieces)
    found: list[Segment] = []
    held = 0
    for start in range(0, len(text), size):
        found += scanner.feed(text[start : start + size])
        held = max(held, scanner.held)
    return scanner, found + scanner.flush(), held


def text_of(segments: list[Segment]) -> str:
    return ''.join(segment.text for segment in segments if segment.kind in ('text', 'open', 'thought', 'close'))


@pytest.mark.parametrize('unit', UNITS)
def test_openings_without_end_cost_linear_work_and_bounded_memory(unit: str) -> None:
    """Nothing of it is a call, so all of it comes out; only a thought without an end may wait for one."""
    work: list[float] = []
    for size in (20_000, 80_000):
        text = unit * (size // len(unit))
        scanner, segments, held = scan(text, 128)
        assert text_of(segments) == text
        assert held < 8192 or '<think>' in unit
        work.append(scanner.examined / len(text))
    assert work[1] <= work[0] * 1.1


@pytest.mark.parametrize('dialect', AUTO)
def test_a_large_argument_costs_work_in_proportion(dialect: str) -> None:
    """One argument in many pieces, each family; most of it is given on as it comes."""
    work: list[float] = []
    for size in (8_192, 32_768):
        text = write_calls([TextCall('f', json.dumps({'a': 'line <b> of text\n' * (size // 17)}))], dialect)
        scanner, segments, _ = scan(text, 512, dialect)
        arguments = ''.join(segment.text for segment in segments if segment.kind == 'arguments')
        assert json.loads(arguments) == {'a': 'line <b> of text\n' * (size // 17)}
        work.append(scanner.examined / len(text))
    assert work[1] <= work[0] * 1.1


@pytest.mark.parametrize('unit', PROSE)
@pytest.mark.parametrize('pieces', [1, 7, 1000])
def test_a_text_without_a_call_comes_out_as_it_was(unit: str, pieces: int) -> None:
    """Prose, markup, code and other languages, with the dialects that are safe together."""
    text = unit * 50
    _, segments, _ = scan(text, pieces)
    assert text_of(segments) == text
    assert {segment.kind for segment in segments} == {'text'}


@generated(200)
@given(st.lists(st.sampled_from((*UNITS, *PROSE, ' ', 'f', '\n', '}', ']', '</tool_call>')), max_size=12))
def test_any_mixture_of_openings_comes_out_as_it_was_where_nothing_is_called(pieces: list[str]) -> None:
    """Without a declared tool that is named, each opening is false."""
    text = ''.join(pieces)
    scanner = TextScanner(TAGS, dialects=pick('auto'), tools={'another': {}})
    segments = [segment for piece in pieces for segment in scanner.feed(piece)] + scanner.flush()
    assert text_of(segments) == text
