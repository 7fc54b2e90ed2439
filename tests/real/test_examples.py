"""The programs under `examples/`, and the first page of the documentation, run as they stand and print what they say.

The one that is a test itself is collected with the others: `testpaths` in pyproject.toml.
"""

from __future__ import annotations as _annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import require_llama_cpp

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(path for path in (ROOT / 'examples').glob('*.py') if not path.name.startswith('test_'))
START = ROOT / 'docs/index.md'
END = '== the end of a program =='
RUNNER = f"""
import runpy, sys
for program in sys.argv[1:]:
    runpy.run_path(program, run_name='__main__')
    print({END!r})
"""
"""One process for all programs, as importing pydantic-ai takes longer than any of them."""

WARNINGS = 'error,ignore:There is no current event loop:DeprecationWarning'
"""The one is of the lowest pydantic-ai's `run_sync` on the newest Python."""


def block_of_start(kind: str) -> str:
    found = re.search(rf'^```{kind}\n(.*?)^```$', START.read_text('utf-8'), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture(scope='module')
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each program prints in an empty folder, with warnings as errors."""
    require_llama_cpp()
    folder = tmp_path_factory.mktemp('empty')
    start = tmp_path_factory.mktemp('copied') / 'start.py'
    start.write_text(block_of_start('python'), 'utf-8')
    programs = [*PROGRAMS, start]
    ran = subprocess.run(
        [sys.executable, '-c', RUNNER, *programs],
        check=False,
        cwd=folder,
        env={**os.environ, 'PYDANTIC_AI_NO_BANNER': '1', 'PYTHONWARNINGS': WARNINGS},
        capture_output=True,
        text=True,
        encoding='utf-8',
    )
    assert ran.returncode == 0, ran.stderr
    outputs = ran.stdout.split(f'{END}\n')
    return {program.stem: output for program, output in zip(programs, outputs, strict=False)}


@pytest.mark.parametrize('program', PROGRAMS, ids=lambda program: program.stem)
def test_an_example_prints_what_it_says(program: Path, printed: dict[str, str]) -> None:
    _, _, told = program.read_text('utf-8').partition('\n# Output:\n')
    assert printed[program.stem] == ''.join(f'{line[2:]}\n' for line in told.splitlines())


def test_start_works_by_copy_and_paste_in_an_empty_folder(printed: dict[str, str]) -> None:
    """The install line is what the tests themselves are run on; the program and its output are the page's."""
    assert printed['start'] == block_of_start('text')
