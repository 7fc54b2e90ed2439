from __future__ import annotations as _annotations

import json
import subprocess
import sys

import pytest

import pydantic_ai_compat

PROGRAM = """
import json, sys
import pydantic_ai.models.openai, pydantic_ai.providers.openai_compatible
before = set(sys.modules)
from pydantic_ai_compat import OpenAICompatibleModel
print(json.dumps(sorted({name.partition('.')[0] for name in set(sys.modules) - before})))
"""


def test_the_import_brings_nothing_that_pydantic_ai_did_not() -> None:
    """No YAML, template engine or command line is paid for by who only builds a model."""
    ran = subprocess.run([sys.executable, '-c', PROGRAM], capture_output=True, text=True, check=True)
    brought = set(json.loads(ran.stdout)) - set(sys.stdlib_module_names)
    assert brought <= {'pydantic_ai', 'pydantic_ai_compat'}


def test_the_public_names_are_there() -> None:
    for name in pydantic_ai_compat.__all__:
        assert getattr(pydantic_ai_compat, name).__module__.startswith('pydantic_ai_compat')


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'pydantic_ai_compat' has no attribute 'Model'"):
        _ = pydantic_ai_compat.Model


def test_the_pytest_plugin_costs_no_run_of_pytest_the_import_of_pydantic_ai() -> None:
    program = 'import sys, pydantic_ai_compat.testing.plugin; print([name for name in sys.modules if "openai" in name])'
    ran = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, check=True)
    assert ran.stdout == '[]\n'
