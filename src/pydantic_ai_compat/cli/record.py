"""`pydantic-ai-compat record`: a real exchange, captured without its key."""

from __future__ import annotations as _annotations

import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from .arguments import AsJson, ModelName, chosen_model, existing_file
from .console import echo, fail, make_console, print_line, wrong_use
from .files import check_writable, read_file, write_file

__all__ = ('record', 'timed')


def record(
    base_url: Annotated[str, typer.Option(metavar='URL', help='The endpoint, such as http://localhost:8000/v1.')],
    prompt: Annotated[str, typer.Option(metavar='TEXT', help='The text of the user.')],
    output: Annotated[
        Path,
        typer.Option('--output', '-o', metavar='FILE', help='The file: .sse for a stream, .json for a plain answer.'),
    ],
    model: ModelName = None,
    api_key: Annotated[
        str | None,
        typer.Option(metavar='KEY', envvar='PYDANTIC_AI_COMPAT_API_KEY', help='The key, which is not saved.'),
    ] = None,
    body: Annotated[
        Path | None,
        typer.Option(
            metavar='FILE',
            help='A JSON file with more fields of the request, such as `tools`; `-` is standard input.',
            callback=existing_file,
        ),
    ] = None,
    timeout: Annotated[float, typer.Option(metavar='SECONDS', help='Seconds without a byte before giving up.')] = 120.0,
    as_json: AsJson = False,
) -> None:
    """Capture one exchange with a server, for a bug report that becomes a test with one line.

    The exit status is 1 if the server refuses the request or breaks off; the file is written all the same.
    """
    from ..testing import Recording
    from ..testing.recording import without_secrets

    streamed = output.suffix == '.sse'
    if not streamed and output.suffix != '.json':
        wrong_use(f'{output.name}: the file ends in .sse for a stream, or in .json for a plain answer.')
    check_writable(output)
    request = _request(chosen_model(model, base_url, api_key), prompt, body, streamed=streamed)
    secrets = (api_key or '',)
    status, answer, problem = _exchange(base_url, api_key, request, timeout)
    recording = Recording(
        without_secrets(answer.decode(errors='surrogateescape'), secrets).encode(errors='surrogateescape'),
        streamed=streamed,
        status=status,
        request=json.loads(without_secrets(json.dumps(request), secrets)),
    )
    write_file(output, recording.save)
    if as_json:
        told = {'file': str(output), 'status': status, 'bytes': len(answer), 'error': problem}
        echo(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        console = make_console()
        print_line(console, f'{output}: HTTP {status}, {len(answer)} bytes')
        print_line(console, f'Look at it with: pydantic-ai-compat replay {output}')
    if problem is not None:
        fail(problem)


def _request(model: str, prompt: str, body: Path | None, *, streamed: bool) -> dict[str, Any]:
    request: dict[str, Any] = {'model': model, 'messages': [{'role': 'user', 'content': prompt}]}
    if streamed:
        request |= {'stream': True, 'stream_options': {'include_usage': True}}
    if body is None:
        return request
    try:
        more: object = json.loads(read_file(body))
    except (ValueError, RecursionError) as error:
        fail(f'{body}: {error}')
    if not isinstance(more, dict):
        fail(f'{body}: wanted a JSON object with fields of the request.')
    return {**request, **more}


def _exchange(
    base_url: str, api_key: str | None, request: dict[str, Any], timeout: float
) -> tuple[int, bytes, str | None]:
    """The status and the bytes of an answer, and what is wrong with it."""
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
        return status, b''.join(pieces), f'the answer breaks off: {error}'
    return status, b''.join(pieces), f'the server refused the request: HTTP {status}' if status >= 400 else None


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
