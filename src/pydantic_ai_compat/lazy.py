"""Public names that are loaded with their first use."""

from __future__ import annotations as _annotations

import importlib
from collections.abc import Callable, Mapping

__all__ = ('lazy_names',)


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a package whose names stand in modules inside it.

    Pytest loads a plugin with every run of an environment that has it installed, and a script that reads one name does
    not need all of them: nothing is paid for before it is used. <https://peps.python.org/pep-0562/>

    Args:
        package: The package's `__name__`.
        modules: The public names, each with the module that defines it.
    """

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f'module {package!r} has no attribute {name!r}')
        return getattr(importlib.import_module(f'{package}.{modules[name]}'), name)

    return load
