"""Event streams as a server sends them, in blocks as the network delivers them."""

from __future__ import annotations as _annotations

import json
from collections.abc import AsyncIterator, Iterable
from typing import Any

import anyio
import httpx2


def chunk(finish_reason: str | None = None, **delta: Any) -> dict[str, Any]:
    """A chunk as a server sends it, with `delta` as its one choice's delta."""
    return {
        'id': 'cmpl-1',
        'object': 'chat.completion.chunk',
        'created': 1790000000,
        'model': 'm',
        'choices': [{'index': 0, 'delta': delta, 'finish_reason': finish_reason}],
    }


def text_chunks(texts: Iterable[str]) -> list[dict[str, Any]]:
    """A whole answer: the role, the texts, the finish reason, and the usage."""
    usage = {'prompt_tokens': 3, 'completion_tokens': 5, 'total_tokens': 8}
    return [
        chunk(role='assistant', content=''),
        *(chunk(content=text) for text in texts),
        chunk('stop'),
        {**chunk(), 'choices': [], 'usage': usage},
    ]


def event(data: object) -> bytes:
    """One event; text goes out as it is."""
    return f'data: {data if isinstance(data, str) else json.dumps(data)}\n\n'.encode()


def events(*data: object, done: bool = True) -> bytes:
    """A stream's bytes, with the `[DONE]` at its end."""
    return b''.join(map(event, (*data, '[DONE]') if done else data))


class Blocks(httpx2.AsyncByteStream):
    """A response body that arrives in blocks; an exception among them is raised in its place."""

    def __init__(self, *blocks: bytes | Exception) -> None:
        self.blocks = blocks
        self.sent = 0
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for block in self.blocks:
            if isinstance(block, Exception):
                raise block
            self.sent += 1
            yield block

    async def aclose(self) -> None:
        self.closed = True


class Hanging(Blocks):
    """A server that sends a few blocks, or half a line, and then nothing."""

    def __init__(self, *blocks: bytes) -> None:
        super().__init__(*blocks)
        self.hangs = anyio.Event()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for block in super().__aiter__():
            yield block
        self.hangs.set()
        await anyio.sleep_forever()


def stream(body: bytes | Blocks) -> httpx2.Response:
    """A streamed answer."""
    headers = {'content-type': 'text/event-stream'}
    if isinstance(body, Blocks):
        return httpx2.Response(200, headers=headers, stream=body)
    return httpx2.Response(200, headers=headers, content=body)
