"""Work grows with the text, memory does not, and a text without a call comes out as it was."""

from __future__ import annotations as _annotations

import json
import re
from typing import Any

import pytest
from generated import generated
from hypothesis import given, strategies as st
from text.work import Work, counting

from pydantic_ai_compat.text import AUTO, TextCall, scanner as scanner_module, write_calls
from pydantic_ai_compat.text.dialects import source as source_module
from pydantic_ai_compat.text.dialects.registry import pick
from pydantic_ai_compat.text.dialects.source import MAX_HEADER
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


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    return counting(monkeypatch)


def scan(text: str, pieces: int, dialects: str = 'auto', scanner: Any = TextScanner) -> tuple[list[Segment], int]:
    """What was found in a text in so many pieces, and the most that waited."""
    scanner = scanner(TAGS, dialects=pick(dialects), tools=TOOLS)
    size = max(1, len(text) // pieces)
    found: list[Segment] = []
    held = 0
    for start in range(0, len(text), size):
        found += scanner.feed(text[start : start + size])
        held = max(held, scanner.held)
    return found + scanner.flush(), held


def text_of(segments: list[Segment]) -> str:
    return ''.join(segment.text for segment in segments if segment.kind in ('text', 'open', 'thought', 'close'))


@pytest.mark.parametrize('unit', UNITS)
@pytest.mark.untraced
def test_openings_without_end_cost_linear_work_and_bounded_memory(
    unit: str, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it is a call, so all of it comes out; only a thought without an end and one run of white space wait.

    A sixteenth of a header is let wait, so that short texts show the same; where they begin, less is looked at.
    """
    header = MAX_HEADER // 16
    monkeypatch.setattr(source_module, '_RUN', re.compile(rf'\s{{0,{header}}}'))
    for module in (source_module, scanner_module):
        monkeypatch.setattr(module, 'MAX_HEADER', header)
    each: list[float] = []
    for size in (1_250, 5_000):
        text = unit * (size // len(unit))
        before = work.characters
        segments, held = scan(text, size // 25, scanner=work.scanner)
        assert text_of(segments) == text
        assert held < 2 * header or '<think>' in unit or unit.isspace()
        each.append((work.characters - before) / len(text))
    assert each[1] <= each[0] * 1.25


def test_as_much_of_an_opening_waits_as_a_header_may_have() -> None:
    """4,096 characters, give or take the piece that goes beyond."""
    text = '<tool_call>{"a": "' + 'x' * 10_000
    segments, held = scan(text, len(text) // 100)
    assert text_of(segments) == text
    assert 4096 - 200 <= held <= 4096 + 200


@pytest.mark.parametrize('dialect', AUTO)
def test_a_large_argument_costs_work_in_proportion(dialect: str, work: Work) -> None:
    """One argument in many pieces, each family; most of it is given on as it comes."""
    each: list[float] = []
    for size in (2_048, 8_192):
        text = write_calls([TextCall('f', json.dumps({'a': 'line <b> of text\n' * (size // 17)}))], dialect)
        before = work.characters
        segments, _ = scan(text, size // 32, dialect, work.scanner)
        arguments = ''.join(segment.text for segment in segments if segment.kind == 'arguments')
        assert json.loads(arguments) == {'a': 'line <b> of text\n' * (size // 17)}
        each.append((work.characters - before) / len(text))
    assert each[1] <= each[0] * 1.1


def test_a_search_from_the_beginning_at_each_piece_would_be_seen(work: Work) -> None:
    """The count is not the scanner's own, so a reader that looks again at what it has seen fails these tests."""
    scanner = work.scanner(TAGS, dialects=pick('hermes'), tools=TOOLS)
    scanner.feed('<tool_call>{"name": "f", "arguments": {"a": "' + 'x' * 1000)
    examined, counted = scanner.examined, work.characters
    scanner._source.position = 0
    scanner._source.text += 'x' * 1000
    for _ in range(10):
        assert scanner._marks.search(scanner._source.text, 0, thought=False) is None
    assert (scanner.examined - examined, work.characters - counted >= 10_000) == (0, True)


@pytest.mark.parametrize('unit', PROSE)
@pytest.mark.parametrize('pieces', [1, 7, 300])
def test_a_text_without_a_call_comes_out_as_it_was(unit: str, pieces: int) -> None:
    """Prose, markup, code and other languages, with the dialects that are safe together."""
    text = unit * 10
    segments, _ = scan(text, pieces)
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
