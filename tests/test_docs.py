"""The examples of the README and of the pages under `docs/` run as they stand."""

from __future__ import annotations as _annotations

import re
from pathlib import Path
from typing import Any

import pytest

from doc_pages.examples import BLOCK, PAGES, PROGRAM, as_module, write_modules
from pydantic_ai_compat.options.conversion import key_annotations
from pydantic_ai_compat.options.profile import DEFAULT_OPTIONS, OpenAICompatibleModelProfile


@pytest.mark.parametrize('name', PAGES)
def test_the_examples_of_a_page_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """YAML that begins with a comment with a file's name is that file; Python runs in the order of the page."""
    monkeypatch.chdir(tmp_path)
    blocks = list(BLOCK.finditer(text := PAGES[name].read_text('utf-8')))
    for variable in re.findall(r'"\$\{(\w+)\}"', text):
        monkeypatch.setenv(variable, 'k')
    for block in blocks:
        if block['language'] == 'yaml' and block['text'].startswith('# '):
            Path(block['text'].partition('\n')[0][2:].strip()).write_text(block['text'], 'utf-8')
    namespace: dict[str, Any] = {}
    for block in blocks:
        if block['language'] == 'python' and not PROGRAM.match(block['text']):
            exec(compile(block['text'], name, 'exec'), namespace)  # noqa: S102 - the project's own pages


def test_the_examples_are_type_checked_on_the_lines_that_they_have_in_their_page(tmp_path: Path) -> None:
    """The lint job runs pyright strict over these files; a page with Python that it does not get is not checked."""
    modules = write_modules(tmp_path)
    with_python = [name for name, page in PAGES.items() if '```python\n' in page.read_text('utf-8')]
    assert [str(path.relative_to(tmp_path).with_suffix('.md')) for path in modules] == with_python
    for name, path in zip(with_python, modules, strict=True):
        page, module = PAGES[name].read_text('utf-8').splitlines(), path.read_text('utf-8').splitlines()
        assert [(line, page[number]) for number, line in enumerate(module) if line and line != page[number]] == []
    assert as_module('text\n```python\na = 1\n```\n\n```yaml\nb: 1\n```\n```python\nc = a\n```\n') == (
        '\n\na = 1\n\n\n\n\n\n\nc = a\n'
    )


def test_the_readme_has_exactly_two_set_up_commands() -> None:
    commands = re.findall(r'^python3 .*$', PAGES['README.md'].read_text('utf-8'), re.MULTILINE)
    assert [command.split(' && ')[-1] for command in commands] == [
        '.venv/bin/pydantic-ai-compat demo',
        '.venv-test/bin/python -m pytest -q',
    ]


def test_every_option_of_ours_with_an_effect_stands_in_the_table_of_options() -> None:
    table = PAGES['docs/options.md'].read_text('utf-8')
    for option in DEFAULT_OPTIONS:
        assert f'`{option}`' in table, option


def test_every_option_that_a_page_names_exists() -> None:
    keys = key_annotations(OpenAICompatibleModelProfile)
    for name, page in PAGES.items():
        for option in re.findall(r'`(openai_chat_\w+)', page.read_text('utf-8')):
            assert option in keys, (name, option)
