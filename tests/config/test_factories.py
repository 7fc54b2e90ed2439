"""What a path in a file may have called, however it is spelled and whatever stands on its way."""

from __future__ import annotations as _annotations

import functools
import importlib
import inspect
import pkgutil
import sys
import types
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import pytest
from generated import generated
from hypothesis import given, strategies as st
from pydantic_ai.models import Model
from pydantic_ai.models.test import TestModel

import pydantic_ai_compat
from pydantic_ai_compat import ImportModelConfig
from pydantic_ai_compat.config.factories import ModelPath
from pydantic_ai_compat.errors import ConfigError

if TYPE_CHECKING:
    from nowhere import Unknown  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

called: list[str] = []


class Own(TestModel):
    @classmethod
    def ready(cls) -> Self:
        return cls(custom_output_text='ready')

    @classmethod
    def text(cls) -> str:
        called.append('text')
        return ''

    def method(self) -> Model:
        called.append('method')
        return self

    @property
    def prop(self) -> Model:
        called.append('prop')
        return self

    class Inner(TestModel):
        pass


class Factories:
    made = staticmethod(lambda: TestModel())
    from_keys = classmethod(dict.fromkeys)  # pyright: ignore[reportArgumentType, reportUnknownVariableType]

    @staticmethod
    def make() -> TestModel:
        return TestModel()

    @staticmethod
    def make_either(unknown: Unknown | None = None) -> TestModel | Own:  # pyright: ignore[reportUnknownParameterType]
        return TestModel()


def unknown() -> Unknown:  # pyright: ignore[reportUnknownParameterType]
    called.append('unknown')


def decorated(function: Callable[[], Model]) -> Callable[[], Model]:
    @functools.wraps(function)
    def wrapper() -> Model:
        return function()

    return wrapper


@decorated
def make_decorated() -> TestModel:
    return TestModel()


made = TestModel()
builtin = eval


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    called.clear()
    monkeypatch.setitem(sys.modules, 'own_models', sys.modules[__name__])
    monkeypatch.setitem(sys.modules, 'no_module', Own)


@pytest.mark.parametrize(
    'path',
    [
        'own_models:Own',
        'own_models:Own.ready',
        'own_models:Own.Inner',
        'own_models:Factories.make',
        'own_models:Factories.make_either',
        'own_models:make_decorated',
        'pydantic_ai_compat.OpenAICompatibleModel',
        'pydantic_ai_compat.model.openai_compatible:OpenAICompatibleModel',
        'pydantic_ai.models:infer_model',
    ],
)
def test_a_class_of_models_and_a_function_that_returns_one_are_found(path: str) -> None:
    assert callable(ModelPath.parse(path).find(None))


@pytest.mark.parametrize(
    ('path', 'message'),
    [
        ('pydantic_ai_compat.config.yaml_text:yaml.unsafe_load', "goes through 'yaml', which is a module"),
        ('pydantic_ai_compat.model.openai_compatible:os.system', "goes through 'os', which is a module"),
        ('pydantic_ai_compat.config.factories:sys.modules', "goes through 'sys', which is a module"),
        ('pydantic_ai_compat.model.openai_compatible:httpx2.get', "goes through 'httpx2', which is a module"),
        ('own_models:builtin', 'is neither a class nor a function.'),
        ('own_models:made', 'is neither a class nor a function.'),
        ('own_models:made.ready', "goes through 'made', which is neither a class nor a function."),
        ('own_models:make_decorated.clear', "goes through 'make_decorated', which is no class."),
        ('own_models:Own.method', 'is neither a class nor a function.'),
        ('own_models:Own.prop', 'is neither a class nor a function.'),
        ('own_models:Own.mro', "has no 'Own.mro'"),
        ('own_models:Own.text', 'is neither a class of models nor a function that says that it returns one'),
        ('own_models:Factories', 'is neither a class of models nor a function that says that it returns one'),
        ('own_models:Factories.made', 'is neither a class of models nor a function that says that it returns one'),
        ('own_models:Factories.from_keys', 'is neither a class nor a function.'),
        ('own_models:unknown', 'is neither a class of models nor a function that says that it returns one'),
        ('own_models:importlib.import_module', "goes through 'importlib', which is a module"),
        ('own_models:Any', "is in Python's standard library"),
        ('no_module:ready', "'no_module' of 'no_module:ready' is no module"),
    ],
)
def test_nothing_else_is_found_and_nothing_is_called(path: str, message: str) -> None:
    """The first four ran a shell command, changed modules and sent a request, with a list of allowed modules."""
    with pytest.raises(ConfigError) as caught:
        ImportModelConfig(model=path).get_model()
    assert message in str(caught.value)
    assert called == []


@pytest.mark.parametrize('path', ['a.__main__.x', 'a:__builtins__.eval', 'a:B.__class__', 'a:b.__globals__'])
def test_names_of_python_itself_are_no_path(path: str) -> None:
    with pytest.raises(ValueError, match='is a name of Python itself'):
        ImportModelConfig(model=path)


@pytest.mark.parametrize('error', [RuntimeError('broken'), SystemExit(3), ImportError('gone'), SyntaxError('odd')])
def test_a_module_that_fails_while_it_runs_is_an_error_of_its_entry(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(name: str) -> types.ModuleType:
        raise error

    monkeypatch.setattr(importlib, 'import_module', fail)
    with pytest.raises(ConfigError, match=f"cannot import 'broken' of 'broken.Model': {error}"):
        ImportModelConfig(model='broken.Model').get_model()


def test_what_an_allowed_module_has_imported_is_not_allowed_with_it() -> None:
    """The object decides, not the module that it is named through; the error says what would allow it."""
    path = ModelPath.parse('pydantic_ai_compat.model.text_tools_model:LeanChatModel')
    with pytest.raises(ConfigError) as caught:
        path.find(('pydantic_ai_compat.model',))
    assert str(caught.value) == (
        "model: 'pydantic_ai_compat.model.text_tools_model:LeanChatModel' is "
        'pydantic_ai_compat.transport.model.LeanChatModel, which is outside `allowed_modules` '
        "(pydantic_ai_compat.model): add 'pydantic_ai_compat.transport.model' to allow it."
    )
    assert path.find(('pydantic_ai_compat.model', 'pydantic_ai_compat.transport'))


MODULES = [
    module.name
    for module in pkgutil.walk_packages(pydantic_ai_compat.__path__, 'pydantic_ai_compat.')
    if not module.name.endswith('__main__') and '.demo' not in module.name
]


def walk(module: str, choices: list[tuple[bool, int]]) -> tuple[str, list[object]]:
    """A path that leads somewhere, with every object on its way; a choice prefers modules, which lead furthest."""
    found: Any = importlib.import_module(module)
    names: list[str] = []
    passed: list[object] = []
    for prefers_module, number in choices:
        members = {name: value for name in sorted(dir(found)) if (value := look(found, name)) is not None}
        modules = [name for name, value in members.items() if inspect.ismodule(value)]
        known = modules if modules and prefers_module else list(members)
        if not known:
            break
        names.append(known[number % len(known)])
        found = members[names[-1]]
        passed.append(found)
    return f'{module}:{".".join(names)}', passed


def look(found: object, name: str) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            return getattr(found, name)
        except Exception:  # noqa: BLE001 - a property of any class
            return None


@generated(300)
@given(
    st.sampled_from(MODULES),
    st.lists(st.tuples(st.booleans(), st.integers(0, 10_000)), min_size=1, max_size=4),
    st.sampled_from([None, ('pydantic_ai_compat',)]),
)
def test_no_path_through_a_module_and_no_builtin_is_ever_called(
    module: str, choices: list[tuple[bool, int]], allowed: tuple[str, ...] | None
) -> None:
    """What `find` gives is what is called; it is looked at here with other means than it uses itself."""
    text, passed = walk(module, choices)
    try:
        found = ModelPath.parse(text).find(allowed)
    except (ConfigError, ValueError):
        return
    assert not any(inspect.ismodule(each) for each in passed)
    assert '.__' not in text
    assert all(inspect.isclass(each) for each in passed[:-1])
    assert inspect.isclass(found) or inspect.isfunction(found) or inspect.ismethod(found)
    if inspect.isclass(found):
        assert issubclass(found, Model)
    else:
        assert 'Model' in str(inspect.signature(found).return_annotation)
    top = found.__module__.partition('.')[0]
    assert top not in sys.stdlib_module_names
    assert allowed is None or top in allowed
