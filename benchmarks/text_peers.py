"""What one large argument in the text costs here and with SGLang's parsers."""

from __future__ import annotations as _annotations

import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

from pydantic_ai_compat.text import TextCall, write_calls
from pydantic_ai_compat.text.dialects.registry import pick
from pydantic_ai_compat.text.scanner import TextScanner

__all__ = ('PEERS', 'Compared', 'Peer', 'compare')

_PARAMETERS: dict[str, Any] = {'type': 'object', 'properties': {'a': {'type': 'string'}}}
_TOOL = {'type': 'function', 'function': {'name': 'f', 'parameters': _PARAMETERS}}
_LINE = 'a line of text, 32 characters: \n'
_SIZE = 128 * 1024
_PIECES = 4_096
_PARSER = Path(__file__).with_name('sglang_parser.py')


@dataclass(frozen=True)
class Peer:
    """A dialect and the parser that SGLang has for it."""

    dialect: str
    parser: str
    published: float
    """CPU seconds of SGLang 0.5.22 in an earlier run on another machine, with `llm-router-utils` 0.8.1."""
    most: float
    """The part of SGLang's CPU time that we may take: a hundredth where each piece costs SGLang more than the last."""


PEERS = (
    Peer('hermes', 'qwen25', 60.0, 0.01),
    Peer('pythonic', 'pythonic', 35.0, 0.01),
    Peer('deepseek_v31', 'deepseekv31', 15.0, 0.01),
    Peer('glm45', 'glm45', 13.0, 0.01),
    Peer('minimax_m2', 'minimax-m2', 6.0, 0.01),
    Peer('qwen3_coder', 'qwen3_coder', 0.40, 0.5),
    Peer('kimi_k2', 'kimi_k2', 0.26, 0.5),
)


@dataclass(frozen=True)
class Compared:
    """One row."""

    peer: Peer
    ours: float
    """CPU seconds here."""
    theirs: float
    """CPU seconds with SGLang; the published ones where none were measured."""
    done: float = 0.0
    """The part of the text that SGLang was given before the limit; `0.0` for a published figure."""
    version: str = ''
    """That of `llm-router-utils`; `''` for a published figure."""

    @property
    def ratio(self) -> float:
        """Ours by theirs; the true one is smaller where the limit cut theirs off."""
        return self.ours / self.theirs


def compare(python: str | None, *, rounds: int, limit: float) -> Iterator[Compared]:
    """Read one argument of 128 KiB in 4,096 pieces as each parser does.

    Args:
        python: A Python that has `llm-router-utils`; `None` for the published figures.
        rounds: How often we read it; the fastest counts, as SGLang's own reading is long enough to be even.
        limit: CPU seconds after which SGLang is given no further piece.
    """
    arguments = json.dumps({'a': _LINE * (_SIZE // len(_LINE))})
    texts = [_cut(write_calls([TextCall('f', arguments)], peer.dialect)) for peer in PEERS]
    answers = None if python is None else _theirs(python, texts, limit)
    for peer, text in zip(PEERS, texts, strict=True):
        ours = min(_ours(peer.dialect, text, arguments) for _ in range(rounds))
        if answers is None:
            yield Compared(peer, ours, peer.published)
        else:
            found = json.loads(next(answers))
            yield Compared(peer, ours, found['cpu'], found['done'], found['version'])


def _cut(text: str) -> list[str]:
    size = len(text) // _PIECES
    return [text[start : start + size] for start in range(0, len(text), size)]


def _ours(dialect: str, pieces: Sequence[str], arguments: str) -> float:
    scanner = TextScanner(('<think>', '</think>'), dialects=pick(dialect), tools={'f': _PARAMETERS})
    found: list[str] = []
    start = time.process_time()
    for piece in pieces:
        found += [segment.text for segment in scanner.feed(piece) if segment.kind == 'arguments']
    found += [segment.text for segment in scanner.flush() if segment.kind == 'arguments']
    cpu = time.process_time() - start
    assert json.loads(''.join(found)) == json.loads(arguments)
    return cpu


def _theirs(python: str, texts: Sequence[Sequence[str]], limit: float) -> Iterator[str]:
    asked = [
        {'parser': peer.parser, 'tools': [_TOOL], 'pieces': pieces, 'limit': limit}
        for peer, pieces in zip(PEERS, texts, strict=True)
    ]
    command = [python, '-W', 'ignore', str(_PARSER)]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(asked))
        process.stdin.close()
        yield from (line for line in process.stdout if line.startswith('{'))
