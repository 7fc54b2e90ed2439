"""llama.cpp's server with the scripted model, for every test that wants a real server.

`llama_server` is one server for the whole run; `start_llama_server(chat_template=...)` starts another for one test.
"""

from __future__ import annotations as _annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from support import require_llama_cpp

from pydantic_ai_compat.demo.server import LlamaCppServer

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker('real')


@pytest.fixture(scope='session')
def llama_server() -> Iterator[LlamaCppServer]:
    require_llama_cpp()
    with LlamaCppServer() as server:
        yield server


@pytest.fixture
def start_llama_server() -> Iterator[Callable[..., LlamaCppServer]]:
    """Start a server with the arguments of `LlamaCppServer`; it is stopped at the end of the test."""
    require_llama_cpp()
    with ExitStack() as stack:

        def start(**options: object) -> LlamaCppServer:
            return stack.enter_context(LlamaCppServer(**options))  # pyright: ignore[reportArgumentType]

        yield start
