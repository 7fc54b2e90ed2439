"""What the code says about its own names: the docstrings under the attributes of a class, and the `Args:` of a call."""

from __future__ import annotations as _annotations

import ast
import inspect
import itertools
import re
import textwrap
from collections.abc import Callable
from typing import Any, cast

from typing_extensions import get_original_bases, is_typeddict

__all__ = ('argument_docs', 'attribute_docs')

_ARGUMENT = re.compile(r'^    (\w+|\*\*\w+): ')


def attribute_docs(cls: type) -> dict[str, str]:
    """The docstring under each attribute of a class, or key of a `TypedDict`, with those of its base `TypedDict`s.

    Where Python has no source to read, such as for a package without `.py` files, there are none.
    """
    docs: dict[str, str] = {}
    for base in get_original_bases(cls):
        if is_typeddict(base):
            docs |= attribute_docs(base)
    try:
        source = textwrap.dedent(inspect.getsource(cls))
    except OSError:
        return docs
    statements = [node for definition in ast.parse(source).body for node in cast(ast.ClassDef, definition).body]
    for key, doc in itertools.pairwise(statements):
        match key, doc:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                docs[name] = inspect.cleandoc(text)
            case _:
                pass
    return docs


def argument_docs(function: Callable[..., Any]) -> dict[str, str]:
    """The descriptions under `Args:` in a Google docstring, each in one line."""
    docs: dict[str, str] = {}
    lines = iter(inspect.cleandoc(function.__doc__ or '').splitlines())
    name = ''
    for line in lines:
        if line == 'Args:':
            break
    for line in lines:
        if line and not line.startswith(' '):
            break
        if argument := _ARGUMENT.match(line):
            name = argument[1]
            docs[name] = line[argument.end() :]
        elif line:
            docs[name] = f'{docs[name]} {line.strip()}'
    return docs
