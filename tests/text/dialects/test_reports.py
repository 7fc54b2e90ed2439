"""What people reported that was left in the text of an answer: the calls are read, at any cut."""

from __future__ import annotations as _annotations

import json
from typing import Any

import pytest
from text.dialects.cases import DATA, decoded

from pydantic_ai_compat.text import DIALECTS, read_text
from pydantic_ai_compat.text.dialects.registry import pick
from pydantic_ai_compat.text.reading import collect
from pydantic_ai_compat.text.scanner import TextScanner

REPORTS: list[dict[str, Any]] = [json.loads(line) for line in (DATA / 'reports.jsonl').read_text('utf-8').splitlines()]


@pytest.mark.parametrize('report', [one for one in REPORTS if one['dialects']], ids=lambda report: report['url'])
@pytest.mark.parametrize('size', [1, 5, 10_000])
def test_a_reported_text_is_read_as_the_calls_that_were_meant(report: dict[str, Any], size: int) -> None:
    """The report is the address; one stood in the thoughts, where the option for it finds the call."""
    text = report['text']
    thoughts = report['in_thoughts']
    if thoughts:
        text = f'<think>{text}</think>'
    scanner = TextScanner(
        ('<think>', '</think>'), dialects=pick(report['dialects']), tools=report['tools'], calls_in_thoughts=thoughts
    )
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    reading = collect([segment for piece in pieces for segment in scanner.feed(piece)] + scanner.flush())
    assert [{'name': call.name, 'arguments': decoded(call)} for call in reading.calls] == report['calls']


@pytest.mark.parametrize('report', [one for one in REPORTS if not one['dialects']], ids=lambda report: report['url'])
def test_what_looks_like_ordinary_text_stays_text_in_every_dialect(report: dict[str, Any]) -> None:
    """Bare calls begin a message, so a list of Python calls behind prose is none; a tag that is called as a tool has
    the marks of no dialect, and any element of HTML or XML would be a call."""
    for dialect in DIALECTS:
        assert read_text(report['text'], report['tools'], dialect).parts == (report['text'],)
