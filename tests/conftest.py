from __future__ import annotations as _annotations

import functools
import gc
import os
import ssl
from collections.abc import Generator, Iterator

import pytest
from coverage import Coverage
from support import Wire


def pytest_configure() -> None:
    """Look for garbage less often: a look costs more time than what a test leaves behind costs memory."""
    gc.set_threshold(100_000, 50, 100)


def pytest_collection_finish() -> None:
    """Leave the thousands of tests out of the collector's sight, which would go through them again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Take no coverage of a property, which reaches a branch by chance, nor of what is marked `untraced`.

    Tracing doubles a test's time, in each library below it, too, and the branches of `src` have tests of their own.
    """
    measured = Coverage.current()
    property_test = getattr(getattr(item, 'obj', None), 'is_hypothesis_test', False)
    if measured is None or not (property_test or item.get_closest_marker('untraced')):
        return (yield)
    measured.stop()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv('COVERAGE_PROCESS_START', raising=False)  # for the programs that the test starts
        try:
            return (yield)
        finally:
            measured.start()


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
