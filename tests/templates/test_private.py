from __future__ import annotations as _annotations

import importlib.util
from typing import Any

import pytest
from jinja2.utils import Namespace

from pydantic_ai_compat.templates import _jinja
from pydantic_ai_compat.templates._private import namespace_attributes


def test_the_private_name_of_jinja2_is_still_there() -> None:
    assert namespace_attributes(Namespace(a=1)) == {'a': 1}


def test_without_jinja2_the_room_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(name: str) -> Any:
        return None

    monkeypatch.setattr(_jinja, 'find_spec', find_nothing)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "pydantic-ai-compat\[templates\]"'):
        _jinja.require_jinja()
    monkeypatch.setattr(_jinja, 'find_spec', importlib.util.find_spec)
    _jinja.require_jinja()
