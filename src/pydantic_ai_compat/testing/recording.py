"""A recorded answer of a server, in a file that a bug report can hold."""

from __future__ import annotations as _annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from ..streaming.bodies.chunks import iter_body_chunks
from ..streaming.bodies.event import DONE

__all__ = ('Recording', 'recorded_chunks', 'without_secrets')

_REQUEST = ': request '
_STATUS = ': status '
_TIME = re.compile(r': \+(\d+(?:\.\d+)?)s')
_MARK = '***'


@dataclass(frozen=True)
class Recording:
    """One answer, and the request that it answered if the file holds it.

    A stream is kept as the server sent it, in a file that ends in `.sse`: the request, the status and the times are
    comments in it, which every reader of server-sent events skips. A plain answer is a `.json` file: either the body
    alone, or an object with `request`, `status` and `response`.
    """

    body: bytes
    """The body of the answer, byte for byte."""

    streamed: bool
    """Whether the body is an event stream."""

    status: int = 200
    request: Mapping[str, Any] | None = field(default=None, repr=False)
    """The JSON body of the request."""

    @property
    def content_type(self) -> str:
        """The media type of the body."""
        return 'text/event-stream' if self.streamed else 'application/json'

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read a recording.

        Args:
            path: A file that ends in `.sse` or `.json`.

        Raises:
            ValueError: If the file is neither.
        """
        path = Path(path)
        data = path.read_bytes()
        if path.suffix == '.sse':
            return cls._from_stream(data)
        if path.suffix != '.json':
            raise ValueError(f'{path.name}: a recording ends in `.sse` (a stream) or `.json` (a plain answer).')
        try:
            value = json.loads(data)
        except ValueError as error:
            raise ValueError(f'{path.name}: not JSON: {error}.') from error
        if not isinstance(value, dict) or 'response' not in value:
            return cls(data, streamed=False)
        fields = cast('dict[str, Any]', value)
        body = json.dumps(fields['response'], ensure_ascii=False).encode()
        return cls(body, streamed=False, status=fields.get('status', 200), request=fields.get('request'))

    @classmethod
    def _from_stream(cls, data: bytes) -> Recording:
        streamed, status, request = True, 200, None
        for line in data.decode(errors='replace').splitlines():
            if line.startswith(_STATUS):
                status = int(line.removeprefix(_STATUS))
            elif line.startswith(_REQUEST):
                request = cast('dict[str, Any]', json.loads(line.removeprefix(_REQUEST)))
            elif line.strip() and not line.startswith(':'):
                # An error answer to a streaming request is a plain JSON body, or a page.
                streamed = not line.lstrip().startswith(('{', '<'))
                break
        return cls(data, streamed=streamed, status=status, request=request)

    def save(self, path: str | Path) -> None:
        """Write the recording.

        Args:
            path: The file to write; it ends in `.sse` for a stream and in `.json` for a plain answer.

        Raises:
            ValueError: If it does not.
        """
        path = Path(path)
        if path.suffix != (wanted := '.sse' if self.streamed else '.json'):
            raise ValueError(
                f'{path.name}: the file of {"a stream" if self.streamed else "a plain answer"} ends in {wanted}.'
            )
        if self.streamed:
            head = f'{_REQUEST}{json.dumps(self.request, ensure_ascii=False)}\n{_STATUS}{self.status}\n\n'
            path.write_bytes(head.encode() + self.body)
            return
        exchange = {'request': self.request, 'status': self.status, 'response': _json_or_text(self.body)}
        path.write_text(json.dumps(exchange, ensure_ascii=False, indent=1) + '\n', encoding='utf-8')

    def lines(self) -> Iterator[str]:
        """The lines of the body."""
        # Not `splitlines`, which also ends a line at characters that server-sent events may hold.
        return iter(re.split(r'\r\n|\n|\r', self.body.decode(errors='replace')))

    @property
    def is_done(self) -> bool:
        """Whether the body says that nothing more comes."""
        return any(line.removeprefix('data:').strip() == DONE for line in self.lines())

    def times(self) -> list[float | None]:
        """When each event came, in seconds since the request; `None` where the file does not say."""
        times: list[float | None] = []
        time: float | None = None
        open_event = False
        for line in self.lines():
            if found := _TIME.fullmatch(line):
                time = float(found[1])
            elif line.startswith('data:') and not open_event:
                times.append(time)
                open_event = True
            elif not line:
                time, open_event = None, False
        return times


def recorded_chunks(recording: Recording) -> Iterator[dict[str, Any]]:
    """The chunks of a recording, as decoded JSON, read as the model reads them; a plain answer makes one chunk.

    Raises:
        StreamError: If the body, or a line of it, cannot be read.
    """
    body = recording.body
    if not recording.streamed and isinstance(text := _json_or_text(body), str):
        body = text.encode()  # A body that is no JSON is kept as a JSON string.
    return iter_body_chunks(body)


def without_secrets(text: str, secrets: tuple[str, ...]) -> str:
    """The text without keys, also where JSON has escaped them, and without what follows `Bearer`."""
    for secret in secrets:
        if secret:
            escaped = json.dumps(secret)[1:-1]
            text = text.replace(secret, _MARK).replace(escaped, _MARK).replace(escaped.replace('/', '\\/'), _MARK)
    return re.sub(r'(?i)(bearer\s+)[\w.~+/=-]{8,}', rf'\1{_MARK}', text)


def _json_or_text(body: bytes) -> object:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode(errors='replace')
