"""The table of `docs/no-tools.md`; `python tests/templates/text_tools_table.py` prints it and writes it into the page.

It needs the published templates, which are no part of the repository.
"""

from __future__ import annotations as _annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / 'docs' / 'no-tools.md'
LISTS_PAGE = ROOT / 'docs' / 'templates.md'
START, END = '<!-- templates: generated -->\n', '<!-- templates: end -->'
sys.path[:0] = [str(ROOT / 'tests')]

from templates.conversation import corpus_folder
from templates.corpus import template_of
from templates.doc_tables import SHOWN

from pydantic_ai_compat.templates.text_tools import TextDelivery, find_text_delivery


def templates_without_tool_turn() -> Iterator[tuple[str, tuple[str, ...]]]:
    """The templates that lose every form of a result, each with the servers behind which they do.

    They are the rows with `none` in the table of `docs/templates.md`, which a test of that page holds to the code.
    """
    _, _, page = LISTS_PAGE.read_text('utf-8').partition('<!-- families: generated -->')
    rows = [re.split(r'(?<!\\) \| ', row) for row in page.partition('<!-- families: end -->')[0].splitlines()]
    found = {
        f'{name}.jinja': losing
        for _, names, *forms in (row[: 2 + len(SHOWN)] for row in rows if len(row) > len(SHOWN) + 2)
        if (losing := tuple(server for server, form in zip(SHOWN, forms, strict=True) if form == 'none'))
        for name in names.split(', ')
    }
    yield from sorted(found.items())


@cache
def text_delivery_of(name: str, server: str) -> TextDelivery:
    """What becomes of a conversation with tools as text, rendered once in a run of the tests."""
    return find_text_delivery(template_of(name), server)


def table() -> list[str]:
    """One row for each template without a usable tool turn."""
    rows = ['| template | loses results behind | as text | system text |', '|---|---|---|---|']
    for name, servers in templates_without_tool_turn():
        found = [text_delivery_of(name, server) for server in servers]
        outcomes = {server: _outcome(one.error) for server, one in zip(servers, found, strict=True)}
        told = [f'{outcome} ({_servers(outcomes, outcome)})' for outcome in dict.fromkeys(outcomes.values())]
        arrives = told[0].partition(' (')[0] if len(told) == 1 else '; '.join(told)
        place = 'system message' if found[0].system_role == 'system' else 'first user turn'
        rows.append(f'| {name.removesuffix(".jinja")} | {", ".join(servers)} | {arrives} | {place} |')
    return rows


def _outcome(error: str) -> str:
    return error.partition(' (at message')[0] or 'each result once, under its call'


def _servers(outcomes: dict[str, str], outcome: str) -> str:
    return ', '.join(server for server, one in outcomes.items() if one == outcome)


def with_table(page: str) -> str:
    """The page with the table as the code gives it now."""
    before, _, rest = page.partition(START)
    return before + START + '\n'.join(table()) + '\n' + END + rest.partition(END)[2]


if __name__ == '__main__':
    assert corpus_folder() is not None, 'no published templates beside the repository'
    PAGE.write_text(with_table(PAGE.read_text('utf-8')), 'utf-8')
    print('\n'.join(table()))
