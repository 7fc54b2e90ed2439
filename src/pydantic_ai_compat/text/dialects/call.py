"""The call that a reader is in: what of it goes on, and when."""

from __future__ import annotations as _annotations

from collections.abc import Mapping
from typing import Any

from ..segments import Segment
from .literals import as_json
from .payload import Ending
from .schema import Tools
from .source import MAX_HELD_ARGUMENTS, NoCall, Source
from .table import Dialect

__all__ = ('OpenTextCall',)


class OpenTextCall:
    """One call that is being read.

    What it gives waits until its header is whole: then it is a call, whatever comes.

    Args:
        source: Where the segments go.
        table: The table that it is read by.
        tools: The declared tools.
    """

    def __init__(self, source: Source, table: Dialect, tools: Tools) -> None:
        self.id = ''
        self.name = ''
        self.begun = False
        """Whether the header is whole."""
        self._source = source
        self.table = table
        """The table that it is read by."""
        self.tools = tools
        """The declared tools."""
        self._keys = 0
        self._closed = False
        self._given = False

    @property
    def schema(self) -> Mapping[str, Any]:
        """The schema of the tool's parameters."""
        return self.tools[self.name]

    def declare(self, name: str) -> None:
        """Take the name.

        Raises:
            NoCall: It is the name of no declared tool.
        """
        if name not in self.tools:
            raise NoCall
        self.name = name

    def begin(self) -> None:
        """The header is whole: from here on it is a call, unless all of the envelope has to be one."""
        if self.begun:
            return
        self.begun = True
        self._source.call = self
        if self.table.all_or_nothing:
            self._source.limit = MAX_HELD_ARGUMENTS
        else:
            self._source.commit()
        self._source.out.append(Segment('call', self.id, (self.name, self.table.name)))

    def give(self, piece: str) -> None:
        """Give a piece of the arguments."""
        if piece:
            self._given = True
            self._source.out.append(Segment('arguments', piece))

    def give_all(self, arguments: str) -> None:
        """Give all arguments at once; no other may follow them."""
        self.give(arguments)
        self._keys = 1
        self._closed = True

    def give_key(self, key: str) -> None:
        """Give the beginning of an argument."""
        self.give(f'{", " if self._keys else "{"}{as_json(key)}: ')
        self._keys += 1

    def give_end(self) -> None:
        """Give the end of arguments that came one by one."""
        if not self._closed:
            self.give('}' if self._keys else '{}')

    def give_broken(self, piece: str = '') -> None:
        """Give what no JSON is made of, as it came, behind the arguments that came one by one."""
        self.give(f'{", " if self._keys else "{"}{piece or "…"}')

    def give_id(self, id: str) -> None:
        """Take an id that comes behind the name."""
        if self.begun:
            self._source.out.append(Segment('id', id))
        else:
            self.id = id

    def end(self, ending: Ending = '') -> None:
        """The call ends."""
        if ending and not self._given:
            # A call of which no argument came is not one without arguments.
            self.give('{')
        self._source.call = None
        self._source.out.append(Segment('end', ending))
