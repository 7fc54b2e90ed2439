"""Files that a subcommand reads and writes; `-` is the standard input."""

from __future__ import annotations as _annotations

import os
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from .console import fail, wrong_use

__all__ = ('STANDARD_INPUT', 'check_writable', 'named_file', 'read_file', 'write_file')

STANDARD_INPUT = Path('-')


def read_file(file: Path) -> bytes:
    """The bytes of a file, or of the standard input."""
    if file == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    try:
        return file.read_bytes()
    except OSError as error:
        fail(f'{file} cannot be read: {error.strerror}')


@contextmanager
def named_file(file: Path, name: Callable[[bytes], str]) -> Generator[Path]:
    """A file that has a path of its own, for what reads no standard input and knows a file's kind by its name.

    Args:
        file: The file, or `-`.
        name: What to call a file with these bytes.
    """
    if file != STANDARD_INPUT:
        yield file
        return
    data = read_file(file)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name(data))
        path.write_bytes(data)
        yield path


def check_writable(file: Path) -> None:
    """Refuse a path that cannot be written, before anything is paid for that would be written there."""
    folder = file.parent
    if file.is_dir():
        wrong_use(f'{file} cannot be written: it is a folder')
    if not folder.is_dir():
        wrong_use(f'{file} cannot be written: there is no folder {folder}')
    if not os.access(file if file.exists() else folder, os.W_OK):
        wrong_use(f'{file} cannot be written: permission denied')


def write_file(file: Path, write: Callable[[Path], object]) -> None:
    """Write a file, or say why it cannot be written."""
    try:
        write(file)
    except OSError as error:
        fail(f'{file} cannot be written: {error.strerror}')
