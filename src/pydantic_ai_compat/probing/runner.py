"""Sends the probes, one at a time, within limits of time, tokens and size."""

from __future__ import annotations as _annotations

import itertools
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import httpx2

from ..errors import StreamError
from ..streaming.bodies.reader import BodyReader
from ..streaming.bodies.words import server_message
from .requests import Probe

__all__ = ('Answer', 'Limits', 'object_in', 'run_probes')


@dataclass(frozen=True)
class Limits:
    """What a run may cost; it ends before the request that would go beyond."""

    seconds: float = 120
    tokens: int = 12_000
    answer_bytes: int = 1_000_000
    """Of one answer; a longer one is cut there."""


@dataclass(frozen=True)
class Answer:
    """What came back for one probe."""

    probe: Probe
    status: int = 0
    """The HTTP status; 0 if nothing came back."""

    body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The body of an answer that is not streamed, if it is a JSON object."""

    chunks: Sequence[Mapping[str, Any]] = ()
    """The events of a stream that are JSON objects."""

    done: bool = False
    """Whether a stream ended in `[DONE]`."""

    error: str = ''
    """The server's words, or why nothing came back, or why the probe was not sent."""

    sent: bool = True
    unreachable: bool = False
    """Whether nobody listens at the address, so that no other request would get there."""

    server: str = ''
    """The `server` header."""

    @property
    def accepted(self) -> bool:
        """Whether the server took the request, and did not put an error into the stream."""
        return self.status == 200 and not self.error


def run_probes(
    probes: Sequence[Probe], *, base_url: str, model: str, limits: Limits, client: httpx2.Client
) -> Iterator[Answer]:
    """Send the probes in order and yield each answer as it comes.

    Args:
        probes: What to send.
        base_url: The endpoint, with `/v1` if it has that.
        model: The model's name, put into each body.
        limits: Probes that would go beyond are not sent, and their answers say so.
        client: Brings the key and the headers.
    """
    deadline = time.monotonic() + limits.seconds
    tokens = 0
    unreachable = False
    for probe in probes:
        left = deadline - time.monotonic()
        if unreachable:
            yield Answer(probe, error='not sent: nobody answers at the address', sent=False)
        elif left <= 0:
            yield Answer(probe, error=f'not sent: the {limits.seconds:g} seconds are over', sent=False)
        elif tokens + probe.token_limit > limits.tokens:
            yield Answer(probe, error=f'not sent: it could go beyond {limits.tokens} tokens', sent=False)
        else:
            answer = _ask(probe, base_url.rstrip('/'), model, min(left, limits.seconds), limits.answer_bytes, client)
            tokens += _used(answer)
            unreachable = answer.unreachable
            yield answer


def _used(answer: Answer) -> int:
    """The tokens that the server counted, or the upper estimate if it counts none."""
    for source in (answer.body, *reversed(answer.chunks)):
        usage = source.get('usage')
        if isinstance(usage, dict):
            counted = cast('dict[str, Any]', usage).get('total_tokens')
            if isinstance(counted, int):
                return counted
    return answer.probe.token_limit if answer.status in (0, 200) else 0


def _ask(probe: Probe, base_url: str, model: str, seconds: float, size: int, client: httpx2.Client) -> Answer:
    """What comes back, asked once more if the connection was dropped: a server may close one that was left open."""
    dropped = ''
    for _ in range(2):
        try:
            return _ask_once(probe, base_url, model, seconds, size, client)
        except httpx2.ConnectError as error:
            return Answer(probe, error=f'ConnectError: {error}', unreachable=True)
        except (httpx2.NetworkError, httpx2.RemoteProtocolError) as error:
            dropped = f'{type(error).__name__}: {error}'
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            return Answer(probe, error=f'{type(error).__name__}: {error}')
    return Answer(probe, error=dropped)


def _ask_once(probe: Probe, base_url: str, model: str, seconds: float, size: int, client: httpx2.Client) -> Answer:
    deadline = time.monotonic() + seconds
    method, path = ('GET', '/models') if probe.body is None else ('POST', '/chat/completions')
    body = None if probe.body is None else {'model': model, **probe.body}
    data = bytearray()
    with client.stream(method, base_url + path, json=body, timeout=seconds) as response:
        for piece in response.iter_bytes():
            data += piece
            if len(data) > size or time.monotonic() > deadline:
                return Answer(probe, status=response.status_code, error='cut: the answer was too long or too slow')
    text = data.decode(errors='replace')
    server = response.headers.get('server', '')
    if response.status_code != 200:
        return Answer(probe, response.status_code, error=_error_text(text), server=server)
    if probe.body is not None and probe.body.get('stream'):
        return _streamed(probe, bytes(data), server)
    content = object_in(text)
    error = '' if content else f'no JSON object: {text[:200]!r}'
    return Answer(probe, 200, body=content, error=error or _error_in(content), server=server)


def _streamed(probe: Probe, data: bytes, server: str) -> Answer:
    """What the events of a stream hold, read as the model reads them; JSON in place of a stream is none."""
    reader = BodyReader()
    chunks = list[dict[str, Any]]()
    error, done, events = '', False, 0
    try:
        for event in itertools.chain(reader.feed(data), reader.finish()):
            events += not event.is_bare
            done = done or event.is_done
            content = None if event.is_done or event.is_bare else event.json()
            if content and isinstance(content, dict):
                chunks.append(cast('dict[str, Any]', content))
                error = error or _error_in(chunks[-1])
    except StreamError as broken:
        error = error or _line(broken.message)
    return Answer(
        probe, 200, chunks=chunks, done=done, error=error if events else 'the stream holds no event', server=server
    )


def object_in(text: str) -> dict[str, Any]:
    """The JSON object that a text is, or an empty one."""
    try:
        content: object = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast('dict[str, Any]', content) if isinstance(content, dict) else {}


def _error_in(content: Mapping[str, Any]) -> str:
    error = content.get('error')
    return _line(server_message(error)) if error else ''


def _error_text(text: str) -> str:
    """The words of an error body, in any of the shapes that servers use, cut to a line."""
    content = object_in(text)
    return _line(server_message(content.get('error') or content) if content else text)


def _line(words: str) -> str:
    return ' '.join(words.split())[:300] or 'no words'
