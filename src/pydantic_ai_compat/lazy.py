"""Names that are loaded with their first use, so that what does without pydantic-ai starts without it."""

from __future__ import annotations as _annotations

import importlib
import importlib.metadata
import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import errors

__all__ = ('TemplateFailure', 'errors', 'lazy_names')

_PYDANTIC_AI = 'pydantic-ai-slim'
_LOWEST = (2, 64)


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
        _check_pydantic_ai()
        return getattr(importlib.import_module(f'{package}.{modules[name]}'), name)

    return load


@cache
def _check_pydantic_ai() -> None:
    """Say what is too old, in place of the name that an old pydantic-ai happens to lack.

    Raises:
        ImportError: If pydantic-ai is older than this package works with.
    """
    # Reading the metadata takes as long as several modules, and pydantic-ai has done so where it is loaded.
    loaded: object = getattr(sys.modules.get('pydantic_ai'), '__version__', None)
    installed = loaded if isinstance(loaded, str) else importlib.metadata.version(_PYDANTIC_AI)
    numbers = tuple(int(number) for number in re.findall(r'\d+', installed)[:2])
    if numbers < _LOWEST:
        lowest = '.'.join(map(str, _LOWEST))
        raise ImportError(
            f'pydantic-ai-compat needs {_PYDANTIC_AI} {lowest} or newer, and {installed} is installed: '
            f'pip install "{_PYDANTIC_AI}[openai]>={lowest}"'
        )


class TemplateFailure(ValueError):
    """What a chat template fails with while it is tried out, where a failure is a finding and no error.

    `ChatTemplateError` is one of these, and brings pydantic-ai along.
    """

    position: int | None = None


class _LoadedLater:
    """The module `errors`, whose classes are pydantic-ai's; loading it takes longer than most of what may raise them."""

    def __getattr__(self, name: str) -> object:
        return getattr(importlib.import_module(f'{__package__}.errors'), name)


if not TYPE_CHECKING:
    errors = _LoadedLater()
