from __future__ import annotations as _annotations

import importlib.metadata
import json
import subprocess
import sys
from unittest.mock import Mock

import pydantic_ai
import pytest

import pydantic_ai_compat
from pydantic_ai_compat import lazy

PROGRAM = """
import json, sys
import pydantic_ai.models.openai, pydantic_ai.providers.openai_compatible
before = set(sys.modules)
from pydantic_ai_compat import OpenAICompatibleModel
print(json.dumps(sorted({name.partition('.')[0] for name in set(sys.modules) - before})))
"""


@pytest.mark.untraced
def test_the_import_brings_nothing_that_pydantic_ai_did_not() -> None:
    """No YAML, template engine or command line is paid for by who only builds a model."""
    ran = subprocess.run([sys.executable, '-c', PROGRAM], capture_output=True, text=True, check=True)
    brought = set(json.loads(ran.stdout)) - set(sys.stdlib_module_names)
    assert brought <= {'pydantic_ai', 'pydantic_ai_compat'}


OPTIONAL = """
import json, sys
from pydantic_ai_compat import OpenAICompatibleModel
model = OpenAICompatibleModel('m', base_url='http://x/v1'%s)
prefix = 'pydantic_ai_compat.'
print(json.dumps([name.removeprefix(prefix) for name in sys.modules if name.startswith(prefix)]))
"""


@pytest.mark.untraced
@pytest.mark.parametrize(
    ('options', 'needed'),
    [
        ('', None),
        (", openai_chat_text_tool_calls='hermes'", 'text.dialects.registry'),
        (", openai_chat_tools='text'", 'text.tools'),
        (", chat_template='x.jinja'", 'model.template_options'),
    ],
)
def test_what_only_an_option_needs_is_loaded_with_it(options: str, needed: str | None) -> None:
    ran = subprocess.run([sys.executable, '-c', OPTIONAL % options], capture_output=True, text=True, check=True)
    optional = {'text.dialects.registry', 'text.tools', 'text.find', 'text.dialects.read', 'model.template_options'}
    optional |= {'history.rules', 'history.explain', 'history.repair_pairs'}
    loaded = optional & set(json.loads(ran.stdout))
    assert loaded == set() if needed is None else needed in loaded


def test_the_public_names_are_there() -> None:
    for name in set(pydantic_ai_compat.__all__) - {'__version__'}:
        assert getattr(pydantic_ai_compat, name).__module__.startswith('pydantic_ai_compat')


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'pydantic_ai_compat' has no attribute 'Model'"):
        _ = pydantic_ai_compat.Model


@pytest.mark.untraced
def test_the_pytest_plugin_costs_no_run_of_pytest_the_import_of_pydantic_ai() -> None:
    program = 'import sys, pydantic_ai_compat.testing.plugin; print([name for name in sys.modules if "openai" in name])'
    ran = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, check=True)
    assert ran.stdout == '[]\n'


def test_the_version_is_that_of_the_distribution() -> None:
    assert pydantic_ai_compat.__version__ == importlib.metadata.version('pydantic-ai-compat')


def test_the_package_runs_as_the_command() -> None:
    ran = subprocess.run(
        [sys.executable, '-m', 'pydantic_ai_compat', '--version'], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == pydantic_ai_compat.__version__


@pytest.mark.parametrize('installed', ['1.0.5', '2.63.9', '2.0.0b3', '0.8'])
@pytest.mark.parametrize('name', ['OpenAICompatibleModel', 'streaming.ChatStreamParser'])
@pytest.mark.parametrize('loaded', [True, False], ids=['loaded', 'installed'])
def test_an_older_pydantic_ai_is_named_as_such(
    installed: str, name: str, loaded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not by the name of a module that it happens to lack."""
    package = importlib.import_module('.'.join(['pydantic_ai_compat', *name.split('.')[:-1]]))
    if loaded:
        monkeypatch.setattr(pydantic_ai, '__version__', installed)
    else:
        monkeypatch.delitem(sys.modules, 'pydantic_ai')
        monkeypatch.setattr(importlib.metadata, 'version', Mock(return_value=installed))
    lazy._check_pydantic_ai.cache_clear()
    with pytest.raises(ImportError) as caught:
        getattr(package, name.split('.')[-1])
    assert str(caught.value) == (
        f'pydantic-ai-compat needs pydantic-ai-slim 2.64 or newer, and {installed} is installed: '
        'pip install "pydantic-ai-slim[openai]>=2.64"'
    )


def test_the_oldest_is_the_one_that_the_distribution_requires() -> None:
    requires = importlib.metadata.requires('pydantic-ai-compat') or []
    lowest = '.'.join(map(str, lazy._LOWEST))
    assert any(line.startswith('pydantic-ai-slim') and f'>={lowest}' in line for line in requires)
