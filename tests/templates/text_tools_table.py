"""The table of `docs/no-tools.md`; `python tests/templates/text_tools_table.py` prints it and writes it into the page.

It needs the published templates, which are no part of the repository.
"""

from __future__ import annotations as _annotations

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / 'docs' / 'no-tools.md'
START, END = '<!-- templates: generated -->\n', '<!-- templates: end -->'
SHOWN = ('vllm', 'sglang', 'llama.cpp')
sys.path[:0] = [str(ROOT / 'tests')]

from templates.conversation import TOKENS, corpus_folder

from pydantic_ai_compat.templates import ChatTemplate, recommend
from pydantic_ai_compat.templates.text_tools import find_text_delivery


def templates_without_tool_turn(folder: Path) -> Iterator[tuple[ChatTemplate, tuple[str, ...]]]:
    """The templates that lose every form of a result, each with the servers behind which they do."""
    for path in sorted(folder.glob('*.jinja')):
        template = ChatTemplate(path.read_bytes().decode(), name=path.name, special_tokens=TOKENS)
        losing = tuple(server for server in SHOWN if not _arrives(template, server))
        if losing:
            yield template, losing


def _arrives(template: ChatTemplate, server: str) -> bool:
    delivery = recommend(template, server).delivery
    return delivery.intact or delivery.arrival == 'escaped'


def table(folder: Path) -> list[str]:
    """One row for each template without a usable tool turn."""
    rows = ['| template | loses results behind | as text | system text |', '|---|---|---|---|']
    for template, servers in templates_without_tool_turn(folder):
        found = [find_text_delivery(template, server) for server in servers]
        outcomes = {server: _outcome(one.error) for server, one in zip(servers, found, strict=True)}
        told = [f'{outcome} ({_servers(outcomes, outcome)})' for outcome in dict.fromkeys(outcomes.values())]
        arrives = told[0].partition(' (')[0] if len(told) == 1 else '; '.join(told)
        place = 'system message' if found[0].system_role == 'system' else 'first user turn'
        rows.append(f'| {template.name.removesuffix(".jinja")} | {", ".join(servers)} | {arrives} | {place} |')
    return rows


def _outcome(error: str) -> str:
    return error.partition(' (at message')[0] or 'each result once, under its call'


def _servers(outcomes: dict[str, str], outcome: str) -> str:
    return ', '.join(server for server, one in outcomes.items() if one == outcome)


def with_table(page: str, folder: Path) -> str:
    """The page with the table as the code gives it now."""
    before, _, rest = page.partition(START)
    return before + START + '\n'.join(table(folder)) + '\n' + END + rest.partition(END)[2]


if __name__ == '__main__':
    found = corpus_folder()
    assert found is not None, 'no published templates beside the repository'
    PAGE.write_text(with_table(PAGE.read_text('utf-8'), found), 'utf-8')
    print('\n'.join(table(found)))
