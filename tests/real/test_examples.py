"""The programs under `examples/`, and the first page of the documentation, run as they stand and print what they say."""

from __future__ import annotations as _annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import require_llama_cpp

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(path for path in (ROOT / 'examples').glob('*.py') if not path.name.startswith('test_'))
START = ROOT / 'docs/index.md'


def output_of(program: Path, folder: Path) -> str:
    environment = {**os.environ, 'PYDANTIC_AI_NO_BANNER': '1', 'PYTHONWARNINGS': 'error'}
    ran = subprocess.run(
        [sys.executable, program],
        check=False,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding='utf-8',
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize('program', PROGRAMS, ids=lambda program: program.stem)
def test_an_example_prints_what_it_says(program: Path, tmp_path: Path) -> None:
    require_llama_cpp()
    _, _, told = program.read_text('utf-8').partition('\n# Output:\n')
    assert output_of(program, tmp_path) == ''.join(f'{line[2:]}\n' for line in told.splitlines())


def test_the_test_of_a_recorded_stream_passes() -> None:
    ran = subprocess.run(
        [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', 'no:xdist', 'examples'],
        check=False,
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != 'PYTEST_ADDOPTS'},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout


def test_start_works_by_copy_and_paste_in_an_empty_folder(tmp_path: Path) -> None:
    """The install line is what the tests themselves are run on; the program and its output are the page's."""
    require_llama_cpp()
    page = START.read_text('utf-8')
    program, output = (
        re.search(rf'^```{kind}\n(.*?)^```$', page, re.MULTILINE | re.DOTALL) for kind in ('python', 'text')
    )
    assert program is not None and output is not None
    (tmp_path / 'start.py').write_text(program[1], 'utf-8')
    assert output_of(tmp_path / 'start.py', tmp_path) == output[1]
