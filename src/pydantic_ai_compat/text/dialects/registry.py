"""The dialects that are known, by name."""

from __future__ import annotations as _annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType

from ...lazy import errors
from .rows_json import JSON_DIALECTS
from .rows_named import NAMED_DIALECTS
from .rows_python import PYTHON_DIALECTS
from .rows_tagged import TAGGED_DIALECTS
from .stripped import stripped
from .table import Dialect

__all__ = ('ALIASES', 'AUTO', 'DIALECTS', 'DIALECT_NAMES', 'find', 'pick')

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {dialect.name: dialect for dialect in (*JSON_DIALECTS, *NAMED_DIALECTS, *TAGGED_DIALECTS, *PYTHON_DIALECTS)}
)
"""Each dialect by its name, which is that of vLLM's parser where it has one."""

ALIASES: Mapping[str, str] = MappingProxyType(
    {alias: dialect.name for dialect in DIALECTS.values() for alias in dialect.aliases}
)
"""Further names, of the same parser in vLLM or SGLang, with the name in `DIALECTS`."""

AUTO = (
    'hermes',
    'qwen3_coder',
    'glm47',
    'deepseek_v3',
    'deepseek_v31',
    'deepseek_v32',
    'kimi_k2',
    'minimax_m2',
    'mistral',
    'mistral_v11',
    'mistral_v13',
    'openai',
    'gemma4',
    'hunyuan_a13b',
    'granite',
    'seed_oss',
    'cohere_command3',
    'lfm2',
    'longcat',
    'apertus',
    'step3',
)
"""The dialects that are safe together: each call begins with a mark that ordinary text does not hold."""

DIALECT_NAMES = ('auto', *DIALECTS)
"""What the option takes."""


def find(name: str) -> Dialect:
    """The dialect of a name or alias.

    Raises:
        OptionError: There is none; the error names the nearest.
    """
    known = DIALECTS.get(ALIASES.get(name, name))
    if known is None:
        near = difflib.get_close_matches(name, [*DIALECT_NAMES, *ALIASES], n=1, cutoff=0.4)
        raise errors.OptionError(
            f'there is no dialect of tool calls called {name[:200]!r}'
            + (f', did you mean {near[0]!r}?' if near else f': there are {", ".join(DIALECT_NAMES)}.')
        )
    return known


def pick(names: str | Iterable[str | Dialect]) -> tuple[Dialect, ...]:
    """The dialects of names, in order and each once; `'auto'` stands for those that are safe together.

    A dialect that is named, and not one of `'auto'`, is also read without its special tokens.

    Args:
        names: Names or aliases, as a list or as text with commas; in a list also dialects, which are read as they are.

    Raises:
        OptionError: A name is not known; the error names the nearest.
    """
    picked: dict[str, Dialect] = {}
    for name in names.split(',') if isinstance(names, str) else names:
        if isinstance(name, Dialect):
            picked[name.name] = name
        elif (word := name.strip()) == 'auto':
            for one in AUTO:
                picked.setdefault(one, DIALECTS[one])
        elif word:
            dialect = _named(find(word).name)
            picked[dialect.name] = dialect
    return tuple(picked.values())


@cache
def _named(name: str) -> Dialect:
    dialect = DIALECTS[name]
    return replace(dialect, forms=(*dialect.forms, *stripped(dialect)))
