"""A command starts as fast as what it needs: what is counted is the modules that it loads."""

from __future__ import annotations as _annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from history.wire import calls, user
from templates.conversation import SAMPLES

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json, sys
from pydantic_ai_compat import cli
try:
    cli.main()
except SystemExit:
    pass
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def loaded(*arguments: object) -> set[str]:
    """The modules that a command has loaded when it ends."""
    ran = subprocess.run(
        [sys.executable, '-c', PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    return set(json.loads(ran.stderr.splitlines()[-1]))


@pytest.fixture(scope='module')
def for_help() -> set[str]:
    return loaded('--help')


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / 'history.json'
    path.write_text(json.dumps([user(), calls('c1')]), 'utf-8')
    return path


@pytest.mark.untraced
def test_help_loads_no_command_s_needs(for_help: set[str]) -> None:
    assert not {'pydantic_ai', 'openai', 'yaml', 'jinja2', 'httpx2', 'pydantic'} & for_help


@pytest.mark.untraced
def test_a_known_error_text_is_explained_with_little_more_than_help_needs(for_help: set[str]) -> None:
    assert not {'pydantic_ai', 'openai'} & (needed := loaded('explain', 'No user query found in messages.'))
    assert len(needed) <= 2 * len(for_help)


@pytest.mark.untraced
def test_wire_messages_are_checked_with_little_more_than_help_needs(for_help: set[str], history: Path) -> None:
    """Messages as pydantic-ai stores them are mapped by its model, and need it."""
    needed = loaded('check', history)
    assert not {'pydantic_ai', 'openai'} & needed
    assert len(needed) <= 2 * len(for_help)


@pytest.mark.parametrize('template', ['first_part', 'strict'])
@pytest.mark.untraced
def test_a_template_is_inspected_with_little_more_than_help_needs(for_help: set[str], template: str) -> None:
    """That a template raises where it is tried out is a finding, and does not bring pydantic-ai's errors along."""
    needed = loaded('inspect', SAMPLES[template])
    assert not {'pydantic_ai', 'openai', 'httpx2'} & needed
    assert len(needed) <= 2 * len(for_help)


@pytest.mark.untraced
def test_a_stream_is_replayed_without_pydantic_ai(for_help: set[str]) -> None:
    """The chunks are of `openai`'s types, whose import takes the rest of the time."""
    needed = loaded('replay', ROOT / 'examples/recordings/two_calls.sse')
    assert {'pydantic_ai', 'pydantic_ai.models'} & needed == set()
    ours = {name for name in needed - for_help if name.startswith('pydantic_ai_compat')}
    assert not {name for name in ours if name.split('.')[1] in ('model', 'config', 'transport', 'templates')}


def test_an_import_of_every_module_runs_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes an index of a package imports `__main__`, too: <https://docs.python.org/3/library/__main__.html>"""
    monkeypatch.delitem(sys.modules, 'pydantic_ai_compat.__main__', raising=False)
    assert importlib.import_module('pydantic_ai_compat.__main__').main.__module__ == 'pydantic_ai_compat.cli'
