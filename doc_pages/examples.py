"""The Python examples of the README and of the pages; `python -m doc_pages.examples` runs pyright strict over them.

A test executes them; what a type checker says of them is a matter of the lint job, which has pyright.
"""

from __future__ import annotations as _annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from .facts import ROOT

__all__ = ('BLOCK', 'PAGES', 'PROGRAM', 'as_module', 'write_modules')

PAGES = {str(page.relative_to(ROOT)): page for page in (ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md')))}
BLOCK = re.compile(r'^```(?P<language>\w+)\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)

PROGRAM = re.compile(r'# \w+\.py\n')
"""A program, which `tests/real/test_examples.py` runs in a process of its own."""


def as_module(text: str) -> str:
    """The Python of a page as one module, on the lines that it has in the page; empty if it holds none."""
    lines = list[str]()
    for block in BLOCK.finditer(text):
        if block['language'] == 'python':
            lines += [''] * (text.count('\n', 0, block.start('text')) - len(lines))
            lines += block['text'].splitlines()
    return '\n'.join([*lines, '']) if lines else ''


def write_modules(folder: Path) -> list[Path]:
    """Write the module of each page that has one, and a configuration of pyright beside them."""
    modules = list[Path]()
    for name, page in PAGES.items():
        if module := as_module(page.read_text('utf-8')):
            path = (folder / name).with_suffix('.py')
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(module, 'utf-8')
            modules.append(path)
    config = {'typeCheckingMode': 'strict', 'pythonVersion': '3.11', 'extraPaths': [str(ROOT / 'src')]}
    (folder / 'pyrightconfig.json').write_text(json.dumps(config), 'utf-8')
    return modules


def main() -> int:
    """Check the examples; an error's line is the one in the page."""
    with TemporaryDirectory() as folder:
        write_modules(Path(folder))
        pyright = [sys.executable, '-m', 'pyright', '--pythonpath', sys.executable, '--project', folder]
        return subprocess.run(pyright, check=False).returncode


if __name__ == '__main__':
    sys.exit(main())
