from __future__ import annotations as _annotations

from templates.doc_tables import PAGE, with_tables


def test_the_tables_of_the_page_are_what_the_code_gives() -> None:
    """`python tests/templates/doc_tables.py` writes them; that of model families needs the published templates."""
    page = PAGE.read_text('utf-8')
    assert with_tables(page) == page
