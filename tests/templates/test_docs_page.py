from __future__ import annotations as _annotations

from pathlib import Path

import pytest
from templates.doc_tables import PAGES, with_tables


@pytest.mark.parametrize('path', PAGES, ids=[path.name for path in PAGES])
def test_the_figures_of_a_page_are_what_the_code_gives(path: Path) -> None:
    """`python tests/templates/doc_tables.py` writes them; all but one table need the published templates."""
    page = path.read_text('utf-8')
    assert ': generated -->' in page
    assert with_tables(page) == page
