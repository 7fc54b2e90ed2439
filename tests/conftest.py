from __future__ import annotations as _annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return 'asyncio'
