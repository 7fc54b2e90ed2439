"""`pydantic-ai-compat record`: a real exchange, captured without its key."""

from __future__ import annotations as _annotations

import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from .console import fail, make_console

__all__ = ('record', 'timed')


def record(
    base_url: Annotated[str, typer.Option(help='The endpoint, such as http://localhost:8000/v1.', show_default=False)],
    model: Annotated[str, typer.Option(help='The name of the model at the endpoint.', show_default=False)],
    prompt: Annotated[str, typer.Option(help='The text of the user.', show_default=False)],
    output: Annotated[
        Path, typer.Option('--output', '-o', help='The file: .sse for a stream, .json for a plain answer.')
    ],
    api_key: Annotated[
        str | None,
        typer.Option(envvar='PYDANTIC_AI_COMPAT_API_KEY', help='The key, which is not saved.', show_default=False),
    ] = None,
    body: Annotated[
        Path | None, typer.Option(help='A JSON file with more fields of the request, such as `tools`.')
    ] = None,
    timeout: Annotated[float, typer.Option(help='Seconds without a byte before giving up.')] = 120.0,
) -> None:
    """Capture one exchange with a server, for a bug report that becomes a test with one line."""
    import json

    from ..testing import Recording
    from ..testing.recording import without_secrets

    streamed = output.suffix == '.sse'
    if not streamed and output.suffix != '.json':
        fail(f'{output.name}: the file ends in .sse for a stream, or in .json for a plain answer.')
    request = _request(model, prompt, body, streamed=streamed)
    secrets = (api_key or '',)
    status, answer = _exchange(base_url, api_key, request, timeout)
    recording = Recording(
        without_secrets(answer.decode(errors='surrogateescape'), secrets).encode(errors='surrogateescape'),
        streamed=streamed,
        status=status,
        request=json.loads(without_secrets(json.dumps(request), secrets)),
    )
    recording.save(output)
    console = make_console()
    console.print(f'{output}: HTTP {status}, {len(answer)} bytes', soft_wrap=True)
    console.print(f'Look at it with: pydantic-ai-compat replay {output}', soft_wrap=True)


def _request(model: str, prompt: str, body: Path | None, *, streamed: bool) -> dict[str, Any]:
    import json

    request: dict[str, Any] = {'model': model, 'messages': [{'role': 'user', 'content': prompt}]}
    if streamed:
        request |= {'stream': True, 'stream_options': {'include_usage': True}}
    if body is None:
        return request
    try:
        more: object = json.loads(body.read_text(encoding='utf-8'))
    except (OSError, ValueError) as error:
        fail(f'{body}: {error}')
    if not isinstance(more, dict):
        fail(f'{body}: wanted a JSON object with fields of the request.')
    return {**request, **more}


def _exchange(base_url: str, api_key: str | None, request: dict[str, Any], timeout: float) -> tuple[int, bytes]:
    import httpx2

    headers = {} if api_key is None else {'authorization': f'Bearer {api_key}'}
    url = f'{base_url.rstrip("/")}/chat/completions'
    start = time.monotonic()
    status = 0
    pieces: list[bytes] = []
    try:
        with (
            httpx2.Client(timeout=timeout) as client,
            client.stream('POST', url, json=request, headers=headers) as response,
        ):
            status = response.status_code
            timed_bytes = timed(response.iter_bytes(), start) if request.get('stream') else response.iter_bytes()
            pieces.extend(timed_bytes)
    except httpx2.HTTPError as error:
        if not status:
            fail(f'{url}: {error}')
        # A server that breaks off is what a recording is for: what came is kept.
        make_console(stderr=True).print(f'warning: the answer breaks off: {error}', soft_wrap=True)
    return status, b''.join(pieces)


def timed(pieces: Iterable[bytes], start: float) -> Iterator[bytes]:
    """The lines of an event stream as they come, with a comment before each event that says when it came."""
    rest = b''
    between = True
    for piece in pieces:
        *lines, rest = (rest + piece).split(b'\n')
        for line in lines:
            if between and line.startswith(b'data:'):
                yield f': +{time.monotonic() - start:.3f}s\n'.encode()
            between = not line.strip()
            yield line + b'\n'
    yield rest
