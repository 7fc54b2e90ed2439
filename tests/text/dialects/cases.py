"""The cases of the dialects, and how a reading is held against one."""

from __future__ import annotations as _annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from pydantic_ai_compat.text import TextCall, TextReading
from pydantic_ai_compat.text.dialects.registry import pick
from pydantic_ai_compat.text.reading import collect
from pydantic_ai_compat.text.scanner import TextScanner

DATA = Path(__file__).parent / 'data'
TAGS = ('<think>', '</think>')


@cache
def load(name: str) -> list[dict[str, Any]]:
    """The rows of a file, each with the schemas of its tools."""
    first, *lines = (DATA / name).read_text(encoding='utf-8').splitlines()
    schemas: dict[str, Any] = json.loads(first)['tools']
    rows = [json.loads(line) for line in lines]
    # A name with an asterisk has another schema in some cases.
    return [row | {'tools': {name.rstrip('*'): schemas[name] for name in row['tools']}} for row in rows]


def read(case: dict[str, Any], pieces: Iterable[str]) -> TextReading:
    """What a text in these pieces is read as; thoughts stay in the text, in their tags."""
    scanner = TextScanner(TAGS, dialects=pick(case['dialects']), tools=case['tools'])
    segments = [segment for piece in pieces for segment in scanner.feed(piece)] + scanner.flush()
    thoughts = 'thoughts' in case
    kinds = ('open', 'close', 'thought')
    shown = [s._replace(kind='text') if s.kind in kinds and not thoughts else s for s in segments]
    return collect(shown)


def is_right(case: dict[str, Any], reading: TextReading) -> bool:
    """Whether it is what the case expects, or the one other thing that it allows."""
    expected = [part if isinstance(part, str) else (part['name'], part['arguments']) for part in case['expected']]
    found = [part if isinstance(part, str) else (part.name, decoded(part)) for part in reading.parts]
    ids = [part.get('id') for part in case['expected'] if not isinstance(part, str)]
    right_ids = all(id in (None, call.id) for id, call in zip(ids, reading.calls, strict=False))
    if (
        json.dumps(expected, sort_keys=True) == json.dumps(found, sort_keys=True)
        and right_ids
        and reading.thoughts == case.get('thoughts', '')
    ):
        return True
    if name := case.get('or_incomplete'):
        *before, call = reading.parts
        return isinstance(call, TextCall) and (call.name, call.complete) == (name, False) and len(before) <= 1
    return case['tier'] == 'may' and reading.parts == (case['text'],)


def decoded(call: TextCall) -> Any:
    """The arguments of a call, or of one that may not be run a word that says so."""
    return json.loads(call.arguments) if call.complete else 'incomplete'
