"""The reader of a table."""

from __future__ import annotations as _annotations

from .harmony import read_harmony
from .read_json import read_json_calls
from .read_named import read_named_calls
from .read_python import read_python_calls
from .read_tagged import read_tagged_calls
from .schema import Tools
from .source import Reading, Source
from .table import Dialect

__all__ = ('read_calls',)

_READERS = {
    'json': read_json_calls,
    'named': read_named_calls,
    'tagged': read_tagged_calls,
    'python': read_python_calls,
}


def read_calls(source: Source, table: Dialect, tools: Tools) -> Reading[None]:
    """Read an envelope by a table.

    Args:
        source: The text, at the opening, all of which is held.
        table: The table.
        tools: The declared tools.

    Raises:
        NoCall: It is none; what is held then is text.
    """
    read = read_harmony if table.channels else _READERS[table.family]
    return read(source, table, tools)
