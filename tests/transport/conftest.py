from __future__ import annotations as _annotations

from pathlib import Path

import pytest

RECORDINGS = sorted((Path(__file__).parent / 'recordings').glob('*.sse'))
"""Streams as real servers sent them: llama.cpp, llama-cpp-python, LiteLLM, transformers serve, vLLM."""


@pytest.fixture(params=RECORDINGS, ids=lambda path: path.stem)
def recording(request: pytest.FixtureRequest) -> bytes:
    path: Path = request.param
    return path.read_bytes()
