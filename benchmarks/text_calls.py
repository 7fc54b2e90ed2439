"""The goals of reading calls in the text, each measured: `python -m benchmarks --text-calls`."""

from __future__ import annotations as _annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from openai.types.chat import ChatCompletionChunk

from pydantic_ai_compat.streaming import ChatStreamParser
from pydantic_ai_compat.text import AUTO, TextCall, read_text, write_calls
from pydantic_ai_compat.text.dialects.registry import pick
from pydantic_ai_compat.text.scanner import TextScanner
from tests.text.dialects.cases import decoded, is_right, load, read

from .text_peers import Compared, compare

__all__ = ('Goal', 'beside', 'goals')

_TAGS = ('<think>', '</think>')
_TOOLS: dict[str, dict[str, Any]] = {'f': {'properties': {'a': {'type': 'string'}}}}
_PIECES = 4_096
_PLAIN = {
    'prose': 'The quick brown fox [1] is < 3 m away; see `a[0]` and "b". ',
    'code': 'def f(a: int) -> dict[str, int]:\n    return {"name": a} if a < 3 else {}\n',
    'JSON': '{"name": "g", "arguments": {"a": [1, 2, {"b": null}]}},\n',
    'XML': '<function name="g"><parameter key="a">1</parameter></function>\n',
    'Markdown': '# Title\n\n* [link](x) and **bold**\n\n```json\n{"name": "f", "arguments": {}}\n```\n',
    'other languages': '日本語のテキスト。«Текст» 🎉 नमस्ते\n',
}
_ADVERSARIAL = ('<', '[', '{"a":', '<tool_call>', '<tool_call>{"name":', '[TOOL_CALLS][{},', '<|channel|>', '`')


@dataclass(frozen=True)
class Goal:
    """One line of the table."""

    measure: str
    goal: str
    found: str
    met: bool


def goals(sglang: str | None = None, *, quick: bool = False) -> Iterator[Goal]:
    """Measure each goal in turn.

    Args:
        sglang: A Python that has `llm-router-utils`, SGLang's parsers; `None` to compare with published figures.
        quick: Whether to do with a part of the cases, smaller texts and fewer rounds, which shows that all works and
            says less.
    """
    every = 16 if quick else 1
    yield from _cases(every)
    yield _round_trip(every)
    yield _linear('one argument in 4,096 pieces, four times the size', _arguments(2 if quick else 128), 1.1)
    yield _linear('openings without an end, four times the size', _openings(2_000 if quick else 262_144), 1.1)
    yield _unchanged(20_000 if quick else 10_000_000)
    yield _ratio(1 if quick else 9, 500 if quick else 5_000)
    yield from map(beside, compare(sglang, rounds=1 if quick else 5, limit=5.0 if quick else 60.0))


def _cases(every: int) -> Iterator[Goal]:
    cases = load('cases.jsonl')
    for tier, least in (('must', 1.0), ('should', 150 / 156), ('may', 0.0)):
        wanted = [case for case in cases if case['tier'] == tier][::every]
        right = sum(is_right(case, read(case, [case['text']])) for case in wanted)
        in_pieces = sum(is_right(case, read(case, case['text'])) for case in wanted)
        yield Goal(
            f'cases of tier {tier}, whole and character by character',
            f'{round(least * len(wanted))} of {len(wanted)}' if least else '',
            f'{right} and {in_pieces}',
            min(right, in_pieces) >= round(least * len(wanted)),
        )


def _round_trip(every: int) -> Goal:
    rows = load('round_trip.jsonl')[::every]
    equal = 0
    for row in rows:
        reading = read_text(row['text'], row['tools'], [row['dialect']])
        equal += [{'name': call.name, 'arguments': decoded(call)} for call in reading.calls] == row['calls']
    return Goal('turns as chat templates write them, read back', f'{len(rows)}', f'{equal}', equal == len(rows))


def _scan(text: str, pieces: int, dialects: str = 'auto') -> tuple[float, str]:
    """Characters examined per character of a text, and what of it came out as text."""
    scanner = TextScanner(_TAGS, dialects=pick(dialects), tools=_TOOLS)
    size = max(1, len(text) // pieces)
    out: list[str] = []
    for start in range(0, len(text), size):
        out += [s.text for s in scanner.feed(text[start : start + size]) if s.kind == 'text']
    out += [s.text for s in scanner.flush() if s.kind == 'text']
    return scanner.examined / len(text), ''.join(out)


def _arguments(kib: int) -> Iterator[tuple[str, str, str]]:
    line = 'line <b> of text\n'
    for dialect in AUTO:
        small, large = (
            write_calls([TextCall('f', json.dumps({'a': line * (size * 1024 // len(line))}))], dialect)
            for size in (kib, 4 * kib)
        )
        yield dialect, small, large


def _openings(length: int) -> Iterator[tuple[str, str, str]]:
    for unit in _ADVERSARIAL:
        yield 'auto', unit * (length // len(unit)), unit * (4 * length // len(unit))


def _linear(measure: str, pairs: Iterator[tuple[str, str, str]], most: float) -> Goal:
    growth, work = 0.0, 0.0
    for dialect, small, large in pairs:
        first, _ = _scan(small, _PIECES, dialect)
        second, _ = _scan(large, _PIECES, dialect)
        growth, work = max(growth, second / first), max(work, second)
    found = f'{growth * 4:.2f} times the work; each character examined {work:.1f} times at most'
    return Goal(measure, f'at most {most * 4:.1f} times the work', found, growth <= most)


def _unchanged(length: int) -> Goal:
    same = 0
    for unit in _PLAIN.values():
        text = unit * (length // len(unit))
        same += _scan(text, length // 1_000)[1] == text
    kinds = ', '.join(_PLAIN)
    return Goal(f'{length:,} characters each of {kinds}, unchanged', f'{len(_PLAIN)}', f'{same}', same == len(_PLAIN))


def _ratio(rounds: int, count: int) -> Goal:
    chunks = [
        ChatCompletionChunk.model_validate(
            {
                'id': 'c',
                'object': 'chat.completion.chunk',
                'created': 0,
                'model': 'm',
                'choices': [{'index': 0, 'delta': {'content': word}, 'finish_reason': None}],
            }
        )
        for word in (' The', ' fox', ' is', ' quick', ',', ' and', ' it', ' runs', '.', '\n') * (count // 10)
    ]
    ratios = [_cpu(chunks, 'auto') / _cpu(chunks, '') for _ in range(rounds)]
    ratio = statistics.median(ratios)
    return Goal('streamed plain text with `auto`, by its cost without', 'at most 1.15', f'{ratio:.2f}', ratio <= 1.15)


def _cpu(chunks: list[ChatCompletionChunk], dialects: str) -> float:
    parser = ChatStreamParser(tools=_TOOLS, text_tool_calls=dialects)
    feed: Callable[[ChatCompletionChunk], object] = parser.feed
    start = time.process_time()
    for chunk in chunks:
        feed(chunk)
    parser.flush()
    return time.process_time() - start


def beside(row: Compared) -> Goal:
    """The line of a parser of SGLang."""
    whose = f'llm-router-utils {row.version}' if row.version else 'SGLang 0.5.22 as published, on another machine'
    cut_off = f' for {row.done:.0%} of it, where it was stopped' if 0 < row.done < 1 else ''
    found = f'{"less than " if cut_off else ""}{row.ratio:.4f}: {row.ours:.3f} s, {whose} {row.theirs:.2f} s{cut_off}'
    return Goal(
        f'one argument of 128 KiB in 4,096 pieces, {row.peer.dialect}',
        f'at most {row.peer.most} of the CPU time of `{row.peer.parser}`',
        found,
        row.ratio <= row.peer.most,
    )
