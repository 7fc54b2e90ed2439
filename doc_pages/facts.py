"""What the rules, the quirks, the servers' views and the recorded probes say about a server."""

from __future__ import annotations as _annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import httpx2

from pydantic_ai_compat.history import POLICIES, RULES, ErrorText, HistoryPolicy, HistoryRule, policy_name_for_url
from pydantic_ai_compat.probing import PROBES, Limits, Report, build_report, plan, run_probes
from pydantic_ai_compat.templates import server_named, server_view

from .servers import ServerPage

__all__ = ('ROOT', 'policy_of', 'quirks_of', 'recorded_probe', 'refusals_of', 'text_parts_of')

ROOT = Path(__file__).parent.parent
_PARTS = [{'type': 'text', 'text': 'a'}, {'type': 'text', 'text': 'b'}]
_QUIRK = re.compile(
    r'^\| `(?P<name>[a-z-]+)` \| (?P<what>[^|]+) \| (?P<who>[^|]+) \| (?P<done>[^|]+) \|$', re.MULTILINE
)


def policy_of(page: ServerPage) -> HistoryPolicy:
    """The policy that is named on the page, or else the one of the host."""
    return POLICIES[page.policy or policy_name_for_url(page.base_url)]


def refusals_of(page: ServerPage) -> Iterator[tuple[HistoryRule, ErrorText]]:
    """The rules that it is known to enforce, each with what it says or does."""
    for rule in RULES.values():
        for known in rule.texts:
            if _is_named(page, known.host):
                yield rule, known
                break


@cache
def _quirk_rows() -> tuple[tuple[str, str, str, str], ...]:
    page = (ROOT / 'docs/streams.md').read_text('utf-8')
    return tuple((row['name'], row['what'], row['who'], row['done']) for row in _QUIRK.finditer(page))


def quirks_of(page: ServerPage) -> list[tuple[str, str, str]]:
    """The quirks of its streams: the name, what it is, and what becomes of it."""
    return [(name, what, done) for name, what, who, done in _quirk_rows() if _is_named(page, who)]


def _is_named(page: ServerPage, text: str) -> bool:
    # `llama.cpp` is not meant by `llama-cpp-python`, nor `Mistral` by a longer word.
    return any(re.search(rf'(?<![\w.-]){re.escape(name)}(?![\w-])', text) for name in page.known_as)


def text_parts_of(page: ServerPage) -> str | None:
    """What it makes of two text parts in a tool message, where that is known."""
    if not page.view:
        return None
    handed = server_view(_PARTS, page.view)
    return handed.refused or ' and '.join(f'`{message["content"]!r}`' for message in handed.messages)


def source_of(page: ServerPage) -> str:
    """Where it is known from what the server hands to a template."""
    return server_named(page.view).source


@cache
def recorded_probe(recording: str) -> Report:
    """What `probe` finds on the recorded server."""
    recorded: Mapping[str, Any] = json.loads((ROOT / f'tests/probing/recordings/{recording}.json').read_text('utf-8'))
    names = {json.dumps(probe.body, sort_keys=True): name for name, probe in PROBES.items()}

    def answer(request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        del body['model']
        entry = recorded[names[json.dumps(body, sort_keys=True)]]
        headers = {name: value for name, value in entry['headers'].items() if name in ('server', 'content-type')}
        content = entry['text'] if 'text' in entry else json.dumps(entry['body'])
        return httpx2.Response(entry['status'], headers=headers, content=content.encode())

    with httpx2.Client(transport=httpx2.MockTransport(answer)) as client:
        answers = run_probes(plan(list(recorded)), base_url='http://s/v1', model='m', limits=Limits(), client=client)
        return build_report(list(answers), 'm')
