"""Answers as bytes, in the forms in which servers and gateways send them."""

from __future__ import annotations as _annotations

import json
from dataclasses import dataclass, field
from typing import Any

import httpx2
from pydantic_ai import Agent
from support import Wire, completion
from support_sse import chunk, events

WHOLE = completion(content='hello')
COMPLETION = json.dumps(WHOLE).encode()
CHUNKS = [chunk(role='assistant', content='hel'), chunk(content='lo'), chunk('stop')]
STREAM = events(*CHUNKS)
CALL = events(
    chunk(tool_calls=[{'index': 0, 'id': 'c1', 'type': 'function', 'function': {'name': 'now', 'arguments': '{}'}}]),
    done=False,
)
"""A call that is whole."""
PAGE = b'<!doctype html><html lang="en"><head><title>Console</title></head><body>from 203.0.113.7</body></html>'


@dataclass
class Run:
    """What became of a run whose first answer is a body."""

    output: str | None = None
    error: Exception | None = None
    calls: list[str] = field(default_factory=list[str])
    """The tools that were run."""


async def ask(
    body: bytes | httpx2.AsyncByteStream,
    *,
    streamed: bool,
    label: str | None = 'application/json',
    status: int = 200,
    **options: Any,
) -> Run:
    """Run an agent with a tool on a model that is answered with a body."""
    wire = Wire()
    headers = {'retry-after-ms': '1'} | ({} if label is None else {'content-type': label})
    content: dict[str, Any] = {'content': body} if isinstance(body, bytes) else {'stream': body}
    # The SDK asks again after a 5xx.
    wire.answers.extend(httpx2.Response(status, headers=headers, **content) for _ in range(3 if status >= 500 else 1))
    run = Run()
    agent = Agent(wire.model(**options), retries=0)

    @agent.tool_plain
    def now() -> str:
        run.calls.append('now')
        return 'noon'

    try:
        if streamed:
            async with agent.run_stream('hi') as result:
                run.output = await result.get_output()
        else:
            run.output = (await agent.run('hi')).output
    except Exception as error:  # noqa: BLE001
        run.error = error
    return run
