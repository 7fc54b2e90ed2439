"""The page about calls in the text shows the form of each dialect as it is written."""

from __future__ import annotations as _annotations

from pathlib import Path

from pydantic_ai_compat.text import AUTO, DIALECTS, TextCall, write_calls

PAGE = Path(__file__).parents[3] / 'docs' / 'calls-in-text.md'


def row(name: str) -> str:
    """The row of a dialect, whose marks hold what Markdown would take for its own."""
    text = write_calls([TextCall('f', '{"q": "x", "n": 3}')], name)
    for plain, shown in (('\n', '⏎'), ('|', '\\|'), ('<', '&lt;'), ('`', '&#96;')):
        text = text.replace(plain, shown)
    auto = ' (auto)' if name in AUTO else ''
    return f'| `{name}`{auto} | {DIALECTS[name].models} | <code>{text}</code> |'


def test_the_page_shows_the_form_of_each_dialect() -> None:
    rows = [line for line in PAGE.read_text('utf-8').splitlines() if line.startswith('| `') and '<code>' in line]
    assert rows == [row(name) for name in sorted(DIALECTS)]
