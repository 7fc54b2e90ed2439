"""`docs/history.md` against the code that its tables are made from."""

from __future__ import annotations as _annotations

import importlib
import sys
from pathlib import Path

import pytest

from pydantic_ai_compat.history.document import MARKER, generated_section

PAGE = Path(__file__).parents[2] / 'docs' / 'history.md'


def test_the_tables_are_those_of_the_rules() -> None:
    page = PAGE.read_text('utf-8')
    assert page[page.index(MARKER) :] == generated_section(), (
        'docs/history.md has drifted: replace everything from its marker on by what '
        '`python -m pydantic_ai_compat.history` prints'
    )


def test_the_command_prints_the_tables(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, 'pydantic_ai_compat.history.__main__', raising=False)
    importlib.import_module('pydantic_ai_compat.history.__main__')
    assert capsys.readouterr().out == generated_section()


def test_each_cell_of_a_table_is_one_cell() -> None:
    """A pipe or a line break in an error text would break the table."""
    for line in generated_section().splitlines():
        if line.startswith('|'):
            assert line.replace('\\|', '').count('|') in (4, 5)
