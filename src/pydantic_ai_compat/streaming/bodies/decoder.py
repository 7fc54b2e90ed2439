"""The reader of bodies in the place of the SDK's decoder of events."""

from __future__ import annotations as _annotations

from collections.abc import AsyncIterator

from .event import BodyEvent
from .pages import Origin
from .reader import EVENT_SIZE, BodyReader

__all__ = ('BodyDecoder',)


class BodyDecoder:
    """What `pydantic_ai_compat.transport.read_events_with` gives to a stream of the SDK.

    Args:
        origin: Where the body comes from, for error messages.
        size: How many bytes may come without a whole event among them.
    """

    def __init__(self, origin: Origin, *, size: float = EVENT_SIZE) -> None:
        self._origin = origin
        self._size = size

    async def aiter_bytes(self, iterator: AsyncIterator[bytes]) -> AsyncIterator[BodyEvent]:
        """The events in the blocks of a body.

        Raises:
            StreamError: If the body is no answer, or too much of it came without an event.
        """
        reader = BodyReader(self._origin, size=self._size)
        async for block in iterator:
            for event in reader.feed(block):
                yield event
        for event in reader.finish(drop_cut=True):
            yield event
