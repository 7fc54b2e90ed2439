"""What can only be measured in a process of its own: memory, and the time of an import."""

from __future__ import annotations as _annotations

import asyncio
import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from .endpoint import Endpoint, text_stream
from .measure import Figure, Measured
from .subjects import Connection, ours, stock

__all__ = ('import_time', 'memory')

_PROCESS = Path('/proc/self')
_PAGE = 4096

_IMPORT = """
import time
import pydantic_ai.models.openai
started = time.process_time()
from pydantic_ai_compat import OpenAICompatibleModel
print(time.process_time() - started)
"""


def _output(*arguments: str, **environment: str) -> float:
    # An installed package has its bytecode, whatever is set here.
    variables = {name: value for name, value in os.environ.items() if name != 'PYTHONDONTWRITEBYTECODE'}
    result = subprocess.run(
        [sys.executable, *arguments], env={**variables, **environment}, check=True, capture_output=True, text=True
    )
    return float(result.stdout)


def import_time(rounds: int, on_run: Callable[[], None]) -> dict[str, Measured]:
    """CPU seconds that our import adds to that of pydantic-ai's own module."""
    seconds: list[float] = []
    with tempfile.TemporaryDirectory() as bytecode:
        _output('-c', _IMPORT, PYTHONPYCACHEPREFIX=bytecode)
        for _ in range(rounds):
            seconds.append(_output('-c', _IMPORT, PYTHONPYCACHEPREFIX=bytecode))
            on_run()
    return {'ours': Measured(Figure.of(seconds), None)}


def memory(chunks: int, rounds: int, on_run: Callable[[], None]) -> dict[str, Measured]:
    """Bytes by which a process grows while it reads a stream."""
    grown: dict[str, list[float]] = {'ours': [], 'stock': []}
    for _ in range(rounds):
        for name, values in grown.items():
            values.append(_output('-m', 'benchmarks.processes', name, str(chunks)))
            on_run()
    ratios = [mine / theirs for mine, theirs in zip(grown['ours'], grown['stock'], strict=True)]
    return {
        'ours': Measured(Figure.of(grown['ours']), Figure.of(ratios)),
        'stock': Measured(Figure.of(grown['stock']), Figure(1, 1, 1)),
    }


def _resident(field: str) -> int:
    status = (_PROCESS / 'status').read_text(encoding='ascii')
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith(field))


async def _growth(name: str, chunks: int) -> int:
    endpoint = Endpoint()
    connection = Connection(endpoint.base_url, endpoint.model_name, endpoint.http_client)
    subject = {'ours': ours, 'stock': stock}[name](connection)
    prepared = subject.prepare(2)
    # What is loaded and kept with the first chunks is not the stream's.
    endpoint.stream = text_stream(2000)
    await subject.stream(prepared)
    endpoint.stream = text_stream(chunks)
    gc.collect()
    # Sets the peak back to what is resident now: https://www.kernel.org/doc/html/latest/filesystems/proc.html
    (_PROCESS / 'clear_refs').write_text('5', encoding='ascii')
    before = _resident('VmRSS')
    await subject.stream(prepared)
    return max(_resident('VmHWM') - before, _PAGE)


if __name__ == '__main__':
    print(asyncio.run(_growth(sys.argv[1], int(sys.argv[2]))))
