from __future__ import annotations as _annotations

import functools
import gc
import os
import ssl
from collections.abc import Iterator

import pytest
from support import Wire


def pytest_collection_finish() -> None:
    """Leave the thousands of tests out of the collector's sight, which would go through them again and again."""
    gc.collect()
    gc.freeze()


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


@pytest.fixture(scope='session', autouse=True)
def authorities_read_once() -> Iterator[None]:
    """Each HTTP client reads the file of the certificate authorities, which costs more than what most tests do."""
    with pytest.MonkeyPatch.context() as patch:
        if 'SSL_CERT_FILE' not in os.environ and (file := ssl.get_default_verify_paths().cafile):
            patch.setenv('SSL_CERT_FILE', file)  # what is read in any case, by a call that can be remembered
        patch.setattr(ssl, 'create_default_context', functools.cache(ssl.create_default_context))
        yield
