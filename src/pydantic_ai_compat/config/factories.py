"""The class or function that a path in a file names, and whether a file may have it called.

A file may come from a stranger, so what counts is what a path *finds*, not how it is spelled: a module hands on what it
has imported (`os` among it), a class what it inherits, and an object its methods.
"""

from __future__ import annotations as _annotations

import importlib
import inspect
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, Union, cast, get_args, get_origin, get_type_hints

from pydantic_ai.models import Model

from ..errors import ConfigError, cut, shown
from ..options.conversion import nearest_name

__all__ = ('Factory', 'ModelPath')

Factory = Callable[..., object]
"""A class of models, or a function that says that it returns one."""


@dataclass(frozen=True)
class ModelPath:
    """The path of a class or function.

    Attributes:
        text: The path as it is written.
        module: The module that is imported.
        names: The names that lead from it to the class or function: its own name, and those of classes around it.
    """

    text: str
    module: str
    names: tuple[str, ...]

    @classmethod
    def parse(cls, path: str) -> ModelPath:
        """Take apart `package.module.Name` or `package.module:Name`.

        Raises:
            ValueError: If the path is neither, or one of its names is one of Python's own, such as `__main__`.
        """
        module, _, attribute = path.partition(':') if ':' in path else path.rpartition('.')
        names = tuple(attribute.split('.'))
        for name in (*module.split('.'), *names):
            if not name.isidentifier():
                raise ValueError('allowed is a path such as `package.module.Name` or `package.module:Name`')
            if name.startswith('__'):
                raise ValueError(f'{shown(name)} is a name of Python itself, which names no model')
        return cls(path, module, names)

    def find(self, allowed_modules: tuple[str, ...] | None) -> Factory:
        """Import the module and find the class or function; nothing is called.

        Args:
            allowed_modules: The modules that it may be defined in, each with what is inside it. `None` allows all but
                Python's standard library, which holds no model.

        Raises:
            ConfigError: If there is no such thing, it is neither a class of models nor a function that says that it
                returns one, or it is defined outside the allowed modules.
        """
        self._check_module(self.module, allowed_modules)
        found: Any = self._imported()
        owner: type | None = None
        for name in self.names:
            found = self._attribute(found, name)
            # What is defined elsewhere can be named through each module that has imported it.
            self._check_module(_module_of(found), allowed_modules, found)
            if inspect.isclass(found):
                owner = found
        if not _makes_models(found, owner):
            raise ConfigError(
                f'model: {shown(self.text)} is neither a class of models nor a function that says that it returns one: '
                'annotate what it returns, as in `-> Model`.'
            )
        return cast(Factory, found)

    def _imported(self) -> types.ModuleType:
        try:
            module = cast(object, importlib.import_module(self.module))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a module may fail in any way while it runs
            raise ConfigError(
                f'model: cannot import {shown(self.module)} of {shown(self.text)}: {cut(str(error))}'
            ) from None
        if not isinstance(module, types.ModuleType):
            raise ConfigError(f'model: {shown(self.module)} of {shown(self.text)} is no module.')
        return module

    def _attribute(self, holder: types.ModuleType | type, name: str) -> types.FunctionType | types.MethodType | type:
        """A class or a function that stands in a module or in a class; a module may make it at the first look."""
        if isinstance(holder, types.ModuleType):
            found = getattr(holder, name, None)
            known = dir(holder)
        else:
            members = {key: value for cls in reversed(inspect.getmro(holder)) for key, value in vars(cls).items()}
            found = _callable_on_class(holder, name, members.get(name))
            known = list(members)
        if found is None:
            raise ConfigError(
                f'model: {shown(self.module)} has no {shown(".".join(self.names))}{nearest_name(name, known)}'
            )
        if isinstance(found, types.ModuleType):
            raise ConfigError(
                f'model: {shown(self.text)} {self._passes(name)} a module: name the class or factory in it.'
            )
        if not isinstance(found, types.FunctionType | types.MethodType | type):
            raise ConfigError(f'model: {shown(self.text)} {self._passes(name)} neither a class nor a function.')
        if name != self.names[-1] and not inspect.isclass(found):
            raise ConfigError(f'model: {shown(self.text)} goes through {shown(name)}, which is no class.')
        return found

    def _passes(self, name: str) -> str:
        return 'is' if name == self.names[-1] else f'goes through {shown(name)}, which is'

    def _check_module(self, module: str, allowed: tuple[str, ...] | None, found: Any = None) -> None:
        of = '' if found is None else f'is {module}.{found.__qualname__}, which '
        if allowed is not None and not any(f'{module}.'.startswith(f'{name}.') for name in allowed):
            raise ConfigError(
                f'model: {shown(self.text)} {of}is outside `allowed_modules` ({", ".join(allowed) or "none"}): '
                f'add {shown(module)} to allow it.'
            )
        # `os.system` would be called with what the file says. https://github.com/google/adk-python/issues/5278
        if module.partition('.')[0] in sys.stdlib_module_names:
            raise ConfigError(f"model: {shown(self.text)} is in Python's standard library, which holds no model.")


def _callable_on_class(cls: type, name: str, member: object) -> object:
    """What a class makes of its member without an object of it: a nested class, a static method or a class method."""
    function: object = (
        getattr(cast(object, member), '__func__', None) if isinstance(member, staticmethod | classmethod) else None
    )
    if isinstance(function, types.FunctionType):
        return function if isinstance(member, staticmethod) else types.MethodType(function, cls)
    return member if isinstance(member, type) or member is None else object()


def _module_of(found: types.FunctionType | types.MethodType | type) -> str:
    """The module that a class or function is written in."""
    return str(found.__module__)


def _makes_models(found: types.FunctionType | types.MethodType | type, owner: type | None) -> bool:
    if isinstance(found, type):
        return issubclass(found, Model)
    returned = _return_annotation(found)
    if returned is Self:
        return owner is not None and issubclass(owner, Model)
    members = get_args(returned) if get_origin(returned) in (Union, types.UnionType) else (returned,)
    return all(isinstance(member, type) and issubclass(member, Model) for member in members)


def _return_annotation(function: types.FunctionType | types.MethodType) -> object:
    """What a function says that it returns; the other annotations may name what only a type checker imports."""
    plain = function.__func__ if isinstance(function, types.MethodType) else function
    try:
        # Of the wrapped function, where a decorator stands in its place.
        holder = types.SimpleNamespace(__annotations__={'return': plain.__annotations__['return']})
        return get_type_hints(holder, globalns=inspect.unwrap(plain).__globals__)['return']
    except Exception:  # noqa: BLE001 - an annotation is any expression
        return None
