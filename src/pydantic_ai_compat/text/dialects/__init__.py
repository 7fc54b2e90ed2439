"""The dialects in which models write tool calls into text: a table each, over four readers."""

from __future__ import annotations as _annotations

from .registry import ALIASES, AUTO, DIALECTS
from .table import Dialect, TextCall
from .write import write_calls, write_result

__all__ = ('ALIASES', 'AUTO', 'DIALECTS', 'Dialect', 'TextCall', 'write_calls', 'write_result')
