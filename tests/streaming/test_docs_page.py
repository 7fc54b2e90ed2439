"""`docs/streams.md` against the code."""

from __future__ import annotations as _annotations

import re
from pathlib import Path
from typing import get_args

from pydantic_ai_compat.options.profile import DEFAULT_OPTIONS
from pydantic_ai_compat.streaming import StreamItemKind
from pydantic_ai_compat.streaming.quirks import QUIRKS

PAGE = (Path(__file__).parents[2] / 'docs/streams.md').read_text('utf-8')


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table after a heading, without its head."""
    table = re.search(rf'^\| {heading} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)', PAGE, re.MULTILINE)
    assert table is not None
    return [[cell.strip() for cell in line.strip('|').split(' | ')] for line in table[1].splitlines()]


def test_the_table_of_quirks_has_each_quirk_with_its_own_words() -> None:
    """What `replay` prints is what the page explains."""
    table = {name.strip('` '): what for name, what, _, _ in rows('quirk')}
    assert table == dict(QUIRKS)


def test_the_table_of_kinds_has_each_kind() -> None:
    assert {name.strip('` ') for name, _, _ in rows('kind')} == set(get_args(StreamItemKind))


def test_the_table_of_options_has_the_defaults() -> None:
    """In bold, as YAML writes them."""
    names: dict[object, str] = {False: 'false', None: 'null', 'report': 'report'}
    for name, values, _ in rows('option'):
        default = re.search(r'\*\*(\w+)\*\*', values)
        assert default is not None
        assert default[1] == names[dict[str, object](DEFAULT_OPTIONS)[name.strip('` ')]]
