from __future__ import annotations as _annotations

from collections.abc import Iterator

import pytest
from support import Wire


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture(autouse=True)
def no_openai_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A key or address of the developer's own would change what the tests see."""
    for name in ('OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_ORG_ID', 'OPENAI_PROJECT_ID'):
        monkeypatch.delenv(name, raising=False)
    yield
