"""The dialects in which models write tool calls into text: a table each, over four readers."""

from __future__ import annotations as _annotations

from typing import TYPE_CHECKING

from ...lazy import lazy_names

if TYPE_CHECKING:
    from .registry import ALIASES, AUTO, DIALECTS
    from .table import Dialect, TextCall
    from .write import write_calls, write_result

__all__ = ('ALIASES', 'AUTO', 'DIALECTS', 'Dialect', 'TextCall', 'write_calls', 'write_result')

__getattr__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(('ALIASES', 'AUTO', 'DIALECTS'), 'registry'),
        **dict.fromkeys(('Dialect', 'TextCall'), 'table'),
        **dict.fromkeys(('write_calls', 'write_result'), 'write'),
    },
)
