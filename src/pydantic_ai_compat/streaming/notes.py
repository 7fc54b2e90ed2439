"""What is noted of one answer while it is read: what its report says, and where the words of its errors point."""

from __future__ import annotations as _annotations

from collections.abc import Sequence

from ..lazy import errors
from .fields import Dropped
from .quirks import QuirkRecord

__all__ = ('AnswerNotes',)


class AnswerNotes:
    """The notes that all readers of one answer share.

    They know none of the readers, so that an answer that was read is freed at once and not by the garbage collector.

    Args:
        streamed: Whether the answer is a stream; only the words of errors depend on it.
    """

    __slots__ = ('chunks', 'dropped', 'quirks', 'streamed')

    def __init__(self, *, streamed: bool = True) -> None:
        self.streamed = streamed
        self.chunks = 0
        """How many chunks came so far."""
        self.quirks = QuirkRecord()
        """What came up so far; `ending.found_quirks` adds what shows at the end."""
        self.dropped: list[Dropped] = []
        """Values that did not fit their fields."""

    def drop(self, dropped: Sequence[Dropped]) -> None:
        """Take note of values that did not fit their fields."""
        if not self.streamed:
            dropped = [one._replace(place=one.place.replace('.delta.', '.message.', 1)) for one in dropped]
        self.dropped += dropped
        if dropped:
            self.quirks.add('field-dropped')

    def malformed(self, what: str, value: object) -> errors.StreamError:
        """The error for a field of the last chunk that nothing can be made of."""
        where = f'Chunk {self.chunks} of the stream' if self.streamed else 'The response'
        return errors.StreamError(f'{where} cannot be read: {what} is {type(value).__name__} {str(value)[:80]!r}.')
