from __future__ import annotations as _annotations

import importlib.util

import pytest
from support import require_llama_cpp

REASON = 'llama.cpp is not installed: pip install "pydantic-ai-compat\\[demo\\]"'


def not_found(name: str) -> None:
    return None


def found(name: str) -> object:
    return object()


def test_without_llama_cpp_the_real_tests_are_skipped_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(importlib.util, 'find_spec', not_found)
    monkeypatch.delenv('CI', raising=False)
    with pytest.raises(pytest.skip.Exception, match=REASON):
        require_llama_cpp()


def test_on_a_build_server_they_fail(monkeypatch: pytest.MonkeyPatch):
    """A skip there would hide that the main job was never run on a server."""
    monkeypatch.setattr(importlib.util, 'find_spec', not_found)
    monkeypatch.setenv('CI', 'true')
    with pytest.raises(pytest.fail.Exception, match=REASON):
        require_llama_cpp()


def test_with_llama_cpp_they_run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(importlib.util, 'find_spec', found)
    require_llama_cpp()
