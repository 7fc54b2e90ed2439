"""Installs the wheel and the sdist in clean environments, for each extra, and uses what the extra is for.

An sdist becomes a wheel on the way into an environment, here the very one that is published: `uv build` makes that
one from the sdist. So each extra is installed from the wheel, and the sdist once without any extra and once with
all of them; and what the sdist becomes is held, file by file, against what the checkout becomes.
"""

from __future__ import annotations as _annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
MODEL = "from pydantic_ai_compat import OpenAICompatibleModel as M; M('m', base_url='http://localhost/v1', api_key='k')"
USES = {
    '': MODEL,
    'cli': 'import subprocess, sys; subprocess.run([sys.executable, "-m", "pydantic_ai_compat.cli", "--help"], check=True)',
    'demo': 'import xllamacpp, gguf, pydantic_ai_compat.demo.server',
    'templates': "from pydantic_ai_compat.templates import ChatTemplate; ChatTemplate('{{ messages }}')",
    'testing': 'import pytest, pydantic_ai_compat.testing.plugin',
}
"""The extras that a user installs, each with a program that needs it and nothing else."""


def main(uv: str, dist: Path) -> None:
    """Check the two files in a folder."""
    (wheel,), (sdist,) = dist.glob('*.whl'), dist.glob('*.tar.gz')
    with tempfile.TemporaryDirectory() as folder:
        for extra, program in USES.items():
            try_out(uv, f'{wheel}[{extra}]' if extra else str(wheel), program, Path(folder))
        try_out(uv, str(sdist), MODEL, Path(folder))
        everything = ','.join(extra for extra in USES if extra)
        try_out(uv, f'{sdist}[{everything}]', '; '.join(USES.values()), Path(folder))
    same_files(uv, wheel)


def try_out(uv: str, requirement: str, program: str, folder: Path) -> None:
    """Install into a new environment, and run a program there in isolated mode.

    All have the same place, one after the other, so that what they share is compiled once.
    """
    environment = folder / 'environment'
    subprocess.run([uv, 'venv', '-q', '--clear', '-p', sys.executable, environment], check=True)
    python = environment / 'bin' / 'python'
    subprocess.run([uv, 'pip', 'install', '-q', '-p', python, requirement], check=True)
    isolated = [python, '-I', '-X', f'pycache_prefix={folder / "bytecode"}', '-c', program]
    subprocess.run(isolated, check=True, cwd=environment, stdout=subprocess.DEVNULL)
    print('installs and runs:', Path(requirement).name)


def same_files(uv: str, wheel: Path) -> None:
    """Hold the wheel, which was made from the sdist, against one that is made from the checkout."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([uv, 'build', '-q', '--wheel', '--out-dir', folder, ROOT], check=True)
        here, there = (
            {info.filename: info.CRC for info in zipfile.ZipFile(file).infolist()}
            for file in (wheel, Path(folder, wheel.name))
        )
    if here != there:
        sys.exit(f'the sdist and the checkout become different wheels: {sorted(here.items() ^ there.items())}')
    if 'pydantic_ai_compat/py.typed' not in here:
        sys.exit('the wheel has no py.typed')
    print('the sdist and the checkout become the same wheel:', len(here), 'files')


if __name__ == '__main__':
    main(sys.argv[1], Path(sys.argv[2]))
