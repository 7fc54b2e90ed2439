"""`docs/command-line.md` shows each command's help and output as the command prints it.

`UPDATE_DOCS=1 pytest tests/cli/test_command_line_page.py` writes the help into the page.
"""

from __future__ import annotations as _annotations

import os
import re
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from pydantic_ai_compat.cli.app import app

PAGE = Path(__file__).parents[2] / 'docs' / 'command-line.md'
SECTION = re.compile(r'^## (?P<name>[a-z-]+)\n(?P<text>.*?)(?=^## |\Z)', re.MULTILINE | re.DOTALL)
HELP_BLOCK = re.compile(r'^```text\n(?P<help>.*?)^```$', re.MULTILINE | re.DOTALL)
COMMANDS = sorted(getattr(typer.main.get_command(app), 'commands'))  # noqa: B009 - typer's own click has no types


def sections() -> dict[str, str]:
    return {match['name']: match['text'] for match in SECTION.finditer(PAGE.read_text('utf-8'))}


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), env={'COLUMNS': '100', 'TERM': 'dumb', 'FORCE_COLOR': None})
    return ''.join(f'{line.rstrip()}\n' for line in result.output.strip().splitlines())


def test_the_page_has_a_section_for_each_command_and_no_other():
    assert sorted(sections()) == COMMANDS


@pytest.mark.parametrize('command', COMMANDS)
def test_the_help_on_the_page_is_what_the_command_prints(command: str):
    printed = run(command, '--help')
    if os.environ.get('UPDATE_DOCS'):
        page = PAGE.read_text('utf-8')
        section = sections()[command]
        written = HELP_BLOCK.sub(lambda _: f'```text\n{printed}```', section, count=1)
        PAGE.write_text(page.replace(section, written), 'utf-8')
    shown = HELP_BLOCK.search(sections().get(command, ''))
    assert shown is not None, f'docs/command-line.md needs a section `## {command}` with a ```text block'
    assert shown['help'] == printed, 'UPDATE_DOCS=1 writes the help into the page'


def test_the_listing_on_the_page_is_what_the_file_on_the_page_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    section = sections()['variants']
    yaml, console = (
        re.search(rf'^```{kind}\n(.*?)^```$', section, re.MULTILINE | re.DOTALL) for kind in ('yaml', 'console')
    )
    assert yaml is not None and console is not None
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('ZAI_API_KEY', 'sk-local')
    Path('models.yaml').write_text(yaml[1], 'utf-8')
    command, _, expected = console[1].partition('\n')
    assert command == '$ pydantic-ai-compat variants models.yaml'
    assert run(*command.split()[2:]) == f'{expected.rstrip()}\n'
