"""What the code gives for two pages: the tables of `docs/templates.md`, and the figures of `docs/tool-returns.md`.

`python tests/templates/doc_tables.py` writes them into the pages. The table of model families and the figures need the
published templates, which are no part of the repository.
"""

from __future__ import annotations as _annotations

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / 'docs' / name for name in ('templates.md', 'tool-returns.md')]
sys.path[:0] = [str(ROOT / 'tests')]

from templates.conversation import corpus_folder
from templates.corpus import abilities_of, recommendation_of

from pydantic_ai_compat.templates import SERVERS, server_view
from pydantic_ai_compat.templates.formats import ContentFormats

SHOWN = ('vllm', 'sglang', 'llama.cpp')
PARTS = [{'type': 'text', 'text': 'a'}, {'type': 'text', 'text': 'b'}]


def servers_table() -> list[str]:
    """What each server makes of a list of two text parts, and where that is known from."""
    rows = ['| server | `--server` | two text parts become | source |', '|---|---|---|---|']
    wants = ContentFormats(vllm_parts=True, sglang_parts=True, llamacpp_parts=True)
    for server in SERVERS.values():
        seen = [
            ' and '.join(f'`{message["content"]!r}`' for message in server_view(PARTS, server.name, formats).messages)
            for formats in (ContentFormats(), wants)
        ]
        told = seen[0] if seen[0] == seen[1] else f'{seen[0]}; for a template that wants parts {seen[1]}'
        rows.append(f'| {server.title} | `{server.name}` | {told} | {server.source} |')
    return rows


def families_of(folder: Path) -> dict[str, str]:
    """The family of each published template."""
    lines = (folder / 'MANIFEST.tsv').read_text('utf-8').splitlines()[1:]
    return {line.split('\t')[0]: line.split('\t')[1] for line in lines}


def parallel_figures(folder: Path) -> list[str]:
    """What the templates make of two parallel calls that return lists, with a message for each item."""
    count = Counter(abilities_of(name).parallel_returns['messages'].arrival for name in families_of(folder))
    rendered = count.total() - count['raises']
    kept = rendered - count['not told apart'] - count['mislabelled'] - count['dropped']
    return [
        f'Of {rendered} published chat templates that render such a turn, {count["not told apart"]} write nothing beside a',
        "result that names its call (or only the tool's name, which two calls of one tool share), so that the last item of",
        f'one call and the first of the next look like two items of one. {count["mislabelled"]} label or group results by count:',
        "Kimi-K2's show the second item of `get_weather` under `functions.get_time:1`, and even with one call its second",
        f"item under `functions.unknown:1`. {count['dropped']} lose results. {kept}, Mistral's and some of Kimi-K2's",
        "among them, write the call's id beside each result.",
    ]


def families_table(folder: Path) -> list[str]:
    """The list format for each model family behind the common servers, and why."""
    families = families_of(folder)
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, family in sorted(families.items(), key=lambda entry: (entry[1].lower(), entry[0])):
        found = [recommendation_of(name, server) for server in SHOWN]
        formats = [
            f'`{one.form}`' + (' (escaped)' if one.delivery.arrival == 'escaped' else '')
            if one.delivery.intact or one.delivery.arrival == 'escaped'
            else 'none'
            for one in found
        ]
        reason = _short(found[0].choices[0].reason if found[0].form != 'json' else found[0].deliveries['text'].error)
        groups[(family, *formats, reason)].append(name.removesuffix('.jinja'))
    rows = [f'| model family | templates | {" | ".join(SHOWN)} | why (behind vLLM) |', '|---|---|---|---|---|---|']
    rows += [f'| {key[0]} | {", ".join(names)} | {" | ".join(key[1:])} |' for key, names in groups.items()]
    return rows


def _short(reason: str) -> str:
    words = re.sub(r' \(at message \d+, role .*?\)', '', reason)
    return (words or 'the template has no tool turn').replace('|', '\\|')[:110]


def with_tables(page: str) -> str:
    """The page with its tables as the code gives them now."""
    tables = {'servers': servers_table()}
    folder = corpus_folder()
    if folder is not None:
        tables |= {'families': families_table(folder), 'parallel calls': parallel_figures(folder)}
    for name, rows in tables.items():
        start, end = f'<!-- {name}: generated -->\n', f'<!-- {name}: end -->'
        if start not in page:
            continue
        before, _, rest = page.partition(start)
        _, _, after = rest.partition(end)
        page = before + start + '\n'.join(rows) + '\n' + end + after
    return page


if __name__ == '__main__':
    for path in PAGES:
        path.write_text(with_tables(path.read_text('utf-8')), 'utf-8')
