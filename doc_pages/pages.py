"""The pages as Markdown."""

from __future__ import annotations as _annotations

import json
from collections.abc import Iterator

from .facts import policy_of, quirks_of, recorded_probe, refusals_of, source_of, text_parts_of
from .servers import PAGES, ServerPage

__all__ = ('all_pages', 'matrix_page', 'server_page')

_GENERATED = '<!-- This page is written by `python -m doc_pages`. -->\n\n'
_PROBED = ('tool call', 'streamed tool call', 'parallel calls', 'list result', 'later system', 'json schema')
_LONGEST = 160


def all_pages() -> dict[str, str]:
    """Each page by its path under `docs/servers`."""
    return {'index.md': matrix_page(), **{f'{page.name}.md': server_page(page) for page in PAGES}}


def server_page(page: ServerPage) -> str:
    """The page of one server."""
    lines = [_GENERATED + f'# {page.title}', '', f'Seen on: {page.seen}.', '']
    lines += ['```sh', "pip install 'pydantic-ai-compat[cli]'", *([page.start] if page.start else []), '```', '']
    lines += _set_up(page)
    if page.notes:
        lines += ['## Before the first request', '', *(f'- {note}' for note in page.notes), '']
    lines += _probe_table(page)
    lines += _text_parts(page)
    lines += _refusals(page)
    lines += _quirks(page)
    lines += [
        '## Try it',
        '',
        '```sh',
        f'pydantic-ai-compat probe --base-url {page.base_url} --model {page.model}'
        + (f' --api-key-env {page.key}' if page.key else ''),
        'pydantic-ai-compat variants models.yaml',
        '```',
        '',
        (
            'The first command finds out what this server does with your model, and writes the YAML for it; the second shows '
            'what the options of the file became.'
        ),
    ]
    return '\n'.join(lines) + '\n'


def _set_up(page: ServerPage) -> Iterator[str]:
    options = dict(page.options)
    if page.policy and page.policy != 'standard':
        options['openai_chat_history_policy'] = page.policy
    yield from ('```yaml', f'# {page.name}.yaml', 'model_variants:', f'  {page.name}:', '    type: import')
    yield from ('    model: pydantic_ai_compat.OpenAICompatibleModel', '    kw_args:')
    yield f'      model_name: {json.dumps(page.model)}'
    yield f'      base_url: {json.dumps(page.base_url)}'
    yield f'      api_key: "${{{page.key}}}"' if page.key else '      api_key: "none"'
    yield from (f'      {name}: {json.dumps(value)}' for name, value in options.items() if name.startswith(_KEYWORDS))
    profile = {name: value for name, value in options.items() if not name.startswith(_KEYWORDS)}
    if profile:
        yield '      profile: {' + ', '.join(f'{name}: {json.dumps(value)}' for name, value in profile.items()) + '}'
    yield from ('```', '', '```python', 'from pydantic_ai import Agent', '')
    yield from ('from pydantic_ai_compat import load_model_variants', '')
    yield f"model = load_model_variants('{page.name}.yaml')['{page.name}'].get_model()"
    yield from ('agent = Agent(model)', '```', '')


_KEYWORDS = ('openai_', 'tool_return_as_list', 'chat_template')


def _probe_table(page: ServerPage) -> Iterator[str]:
    if not page.recording:
        return
    yield from ('## What works', '', f'What `pydantic-ai-compat probe` found ({page.seen}).', '')
    yield from ('| probe | verdict | found |', '|---|---|---|')
    for finding in recorded_probe(page.recording).findings:
        yield f'| {finding.name} | {finding.verdict} | {_cell(finding.text)} |'
    yield ''


def _text_parts(page: ServerPage) -> Iterator[str]:
    if (made := text_parts_of(page)) is not None:
        yield from ('## A list of text parts', '')
        yield f'Of `[a, b]` in a tool message its template gets {_cell(made)}. Source: {source_of(page)}.'
        yield from ('', 'More on the forms of a list: [Tool returns](../tool-returns.md).', '')


def _refusals(page: ServerPage) -> Iterator[str]:
    policy = policy_of(page)
    yield from ('## Histories', '')
    yield (
        f'Policy [`{policy.name}`](../history.md#policies)'
        + ('' if page.policy else ', from the host')
        + f': {", ".join(sorted(policy.rules))}. A history that breaks one of these rules is repaired on the copy that '
        'is sent.'
    )
    yield ''
    rows = list(refusals_of(page))
    if rows:
        yield from ('| rule | what it says or does | reported |', '|---|---|---|')
    for rule, known in rows:
        said = f'`{_cell(known.text)}`' if known.text else _cell(known.consequence)
        yield f'| [{rule.id}](../history.md#{rule.id}) {_cell(rule.sentence)} | {said} | [source]({known.source}) |'
    if rows:
        yield ''


def _quirks(page: ServerPage) -> Iterator[str]:
    rows = quirks_of(page)
    if not rows:
        return
    yield from ('## Streams', '', '| quirk | what it is | what we do |', '|---|---|---|')
    yield from (f'| [`{name}`](../streams.md#quirks) | {what} | {done} |' for name, what, done in rows)
    yield ''


def matrix_page() -> str:
    """The table of all servers."""
    head = ['server', 'policy', 'text parts become', 'second result', *_PROBED, 'known from']
    lines = [
        '---\nhide: [toc]\n---\n\n' + _GENERATED + '# Servers',
        '',
        (
            'What each server does with the requests of an agent. *Policy* is the set of rules that its histories are held '
            'to, *text parts become* what its template gets of two text parts in a tool result, and *second result* what '
            'becomes of a second result for one call; the rules name their sources. The next columns are what '
            '[`pydantic-ai-compat probe`](../command-line.md#probe) found on servers that were run, and are empty for '
            'those that were not.'
        ),
        '',
        f'| {" | ".join(head)} |',
        f'|{"---|" * len(head)}',
    ]
    for page in PAGES:
        policy = policy_of(page)
        verdicts = {}
        if page.recording:
            verdicts = {finding.name: finding.verdict for finding in recorded_probe(page.recording).findings}
        cells = [
            f'[{page.title}]({page.name}.md)',
            f'`{policy.name}`',
            _cell(text_parts_of(page) or 'not known'),
            'refused' if policy.pairs_strictly else 'taken',
            *(verdicts.get(name, '') for name in _PROBED),
            page.seen,
        ]
        lines.append(f'| {" | ".join(cells)} |')
    lines += ['', 'A server that is not here: `pydantic-ai-compat probe` finds out, and its JSON belongs in an issue.']
    return '\n'.join(lines) + '\n'


def _cell(text: str) -> str:
    """A text as one cell of a table, cut to a readable length."""
    text = ' '.join(text.split()).replace('|', '\\|')
    return text if len(text) <= _LONGEST else f'{text[: _LONGEST - 1]}…'
