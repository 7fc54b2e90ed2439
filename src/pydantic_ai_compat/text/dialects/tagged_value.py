"""The text of an argument in tags: where it ends is told by what follows the closing mark."""

from __future__ import annotations as _annotations

from collections.abc import Callable, Mapping

from .finding import any_of, partial
from .payload import Ending
from .source import Reading, Source
from .table import Dialect

__all__ = ('TaggedValue',)


class TaggedValue:
    """The text of one value, which ends at a mark that counts.

    Args:
        source: The text, behind the opening of the value.
        table: The table.
        key: The key of the value.
        follows: Tells if what stands so many characters further may follow the closing mark.
        nexts: How each argument begins that may come next, with its key.
        is_unsure: Whether the opening of the value may be text.
    """

    def __init__(
        self,
        source: Source,
        table: Dialect,
        key: str,
        follows: Callable[[int], Reading[bool]],
        nexts: Mapping[str, str],
        *,
        is_unsure: bool,
    ) -> None:
        self.source = source
        self.close = ''.join(table.parameter_close).strip().replace('{key}', key)
        self.opening = table.parameter_open[0].strip()
        self.follows = follows
        self.nexts = nexts
        self.is_unsure = is_unsure
        self.trims = table.trims
        self.may_lack_breaks = not table.key_end[-1].endswith('\n')
        self.next_key = ''
        """The key of the next argument, if that begins before the closing mark of this one came."""

    def read(self, give: Callable[[str], None]) -> Reading[Ending]:
        """Read it."""
        trimmed = self.trims and bool((yield from self.source.match(['\n'])))
        if not trimmed or not self.may_lack_breaks:
            return (yield from self._read(give, trimmed=trimmed))
        # Only the end tells whether this line break has a counterpart.
        pieces: list[str] = []
        ending = yield from self._read(pieces.append, trimmed=False)
        text = ''.join(pieces)
        has_counterpart = text.endswith('\n') or not text or self.next_key
        give(text.removesuffix('\n') if has_counterpart else f'\n{text}')
        return ending

    def _read(self, give: Callable[[str], None], *, trimmed: bool) -> Reading[Ending]:
        source = self.source
        terminals = (f'\n{self.close}', self.close) if trimmed else (self.close,)
        if self.nexts:
            # The line break before the opening is that which templates write between arguments.
            terminals = (*terminals, f'\n{self.opening}', self.opening)
        pattern = any_of(terminals)
        while True:
            found = pattern.search(source.text, source.position)
            if found is None:
                keep = 0 if source.ended else partial(source.text, source.position, terminals)
                give(source.take(len(source.text) - keep))
                if source.ended:
                    return 'cut'
                yield
                continue
            give(source.take(found.start()))
            length = len(found[0])
            if not found[0].endswith(self.close):
                if (yield from self._next_begins(found[0])):
                    return ''
            elif (yield from self.follows(length)):
                source.take(source.position + length)
                return ''
            elif self.is_unsure:
                return 'broken'
            give(source.take(source.position + length))

    def _next_begins(self, found: str) -> Reading[bool]:
        """Whether another argument of the tool begins here, so that this one lacks its closing mark.

        The value may have held the mark as text. So that the call is not run with other arguments then, it is broken
        if the mark gets no counterpart, or its argument comes again.
        """
        length = len(found) - len(self.opening)
        begins = yield from self.source.looking_at(list(self.nexts), length)
        if begins:
            self.source.take(self.source.position + length)
            self.next_key = self.nexts[begins]
        return bool(begins)
