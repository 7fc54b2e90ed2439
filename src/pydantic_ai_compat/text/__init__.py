"""What stands in the text of an answer: thoughts, name-only events, tool calls, and what is plain text."""

from __future__ import annotations as _annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_names

if TYPE_CHECKING:
    from .dialects import ALIASES, AUTO, DIALECTS, Dialect, TextCall, write_calls, write_result
    from .find import find_dialect
    from .reading import TextReading, read_text

__all__ = (
    'ALIASES',
    'AUTO',
    'DIALECTS',
    'Dialect',
    'TextCall',
    'TextReading',
    'find_dialect',
    'read_text',
    'write_calls',
    'write_result',
)

__getattr__ = lazy_names(
    __name__,
    {**dict.fromkeys(__all__, 'dialects'), 'TextReading': 'reading', 'find_dialect': 'find', 'read_text': 'reading'},
)
