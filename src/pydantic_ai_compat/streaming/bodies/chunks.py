"""The chunks in a body, without a network."""

from __future__ import annotations as _annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, cast

from .event import BodyEvent
from .reader import BodyReader

__all__ = ('iter_body_chunks', 'iter_sse_chunks')


def iter_sse_chunks(lines: Iterable[str | bytes]) -> Iterator[dict[str, Any]]:
    r"""Read the lines of an answer, as `OpenAICompatibleModel` reads them.

    Server-sent events in every form that servers give them, one JSON object in place of a stream, or one on each line;
    what comes after `[DONE]` is not read. An error comes as `{'error': …}` whichever form it has: an event named
    `error`, `data: error: …`, or an object with a server's words and no answer, which some servers send with HTTP 200
    in place of a stream (<https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2180>).

    Args:
        lines: The lines of the body, with or without their ends, as text or UTF-8.

    Yields:
        The decoded JSON object of each event, an error object included.

    Raises:
        StreamError: If an event is not JSON, or no object; the message says which line, and what is wrong in it. Also
            if the body is a web page, or if 64 MiB came without an event.
    """
    reader = BodyReader()
    for line in lines:
        data = line.encode(errors='surrogatepass') if isinstance(line, str) else line
        for event in reader.feed_line(data.rstrip(b'\r\n')):
            if event.is_done:
                return
            yield _object(event)
    yield from _objects(reader.finish())


def iter_body_chunks(body: bytes) -> Iterator[dict[str, Any]]:
    """The same for a whole body.

    Raises:
        StreamError: As `iter_sse_chunks`.
    """
    reader = BodyReader(size=math.inf)
    yield from _objects(event for step in (reader.feed(body), reader.finish()) for event in step)


def _objects(events: Iterable[BodyEvent]) -> Iterator[dict[str, Any]]:
    for event in events:
        if event.is_done:
            return
        yield _object(event)


def _object(event: BodyEvent) -> dict[str, Any]:
    value = event.json()
    if not isinstance(value, dict):
        raise event.no_object_error()
    return cast('dict[str, Any]', value)
