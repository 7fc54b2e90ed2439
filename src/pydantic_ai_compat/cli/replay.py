"""`pydantic-ai-compat replay`: a recording as typed items on a time line, and its quirks."""

from __future__ import annotations as _annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..lazy import errors
from .arguments import AsJson, existing_file
from .console import Rows, echo, fail, make_console, print_line, wrong_use
from .files import named_file

if TYPE_CHECKING:
    from ..streaming import ChatStreamParser, StreamItem
    from ..testing import Recording

__all__ = ('replay',)


def replay(
    file: Annotated[
        Path,
        typer.Argument(
            metavar='RECORDING',
            help='A recording that ends in .sse or .json; `-` is standard input.',
            callback=existing_file,
        ),
    ],
    tool: Annotated[
        list[str] | None,
        typer.Option(metavar='NAME', help='Name of a declared tool; by default those of the recorded request.'),
    ] = None,
    text_event_tag: Annotated[
        str | None, typer.Option(metavar='NAME', help='Name of the tag around name-only events.')
    ] = None,
    thinking_starts_open: Annotated[
        bool, typer.Option('--thinking-starts-open', help='The text begins inside a thought.')
    ] = False,
    text_tool_calls: Annotated[
        str, typer.Option(metavar='DIALECTS', help='Dialects in which tool calls are read from the text, or auto.')
    ] = '',
    as_json: AsJson = False,
) -> None:
    """Show a recorded stream as typed items on a time line, and say which quirks it has.

    The exit status is 1 if the stream breaks off or holds an error.
    """
    from ..streaming import ChatStreamParser
    from ..streaming.quirks import QUIRKS
    from ..testing import Recording
    from ..text.find import fitting_dialect

    try:
        with named_file(file, _file_name) as path:
            recording = Recording.load(path)
    except (OSError, ValueError) as error:
        fail(str(error))
    names = tool or _declared(recording)
    try:
        parser = ChatStreamParser(
            tool_names=names,
            text_event_tag=text_event_tag,
            thinking_starts_open=thinking_starts_open,
            text_tool_calls=text_tool_calls,
            tools=[] if tool else _tools(recording),
        )
    except ValueError as error:
        wrong_use(str(error))
    line = _TimeLine(recording, parser)
    items = list(line)
    quirks = {quirk: QUIRKS[quirk] for quirk in _quirks(recording, parser)}
    text = ''.join(item.text for _, _, item in items if item.kind == 'message_delta')
    if not text_tool_calls and (dialect := fitting_dialect(text, names)):
        quirks['call-in-text'] = f'{QUIRKS["call-in-text"]}; --text-tool-calls {dialect} reads it'
    if as_json:
        told = [{'chunk': chunk, 'time': time, **_as_data(item)} for chunk, time, item in items]
        document = {'status': recording.status, 'items': told, 'error': line.error, 'quirks': list(quirks)}
        echo(json.dumps(document, ensure_ascii=False, indent=2))
    else:
        _print(recording.status, items, quirks)
    if line.error is not None:
        fail(line.error)


class _TimeLine:
    """The items of a recording, each with the number of its chunk and the time at which that came."""

    def __init__(self, recording: Recording, parser: ChatStreamParser):
        self._recording, self._parser = recording, parser
        self.error: str | None = None
        """What the stream breaks off with, once all items were given."""

    def __iter__(self) -> Iterator[tuple[int | None, float | None, StreamItem]]:
        from ..testing import recorded_chunks

        times = iter(self._recording.times())
        try:
            for number, chunk in enumerate(recorded_chunks(self._recording), start=1):
                time = next(times, None)
                for item in self._parser.feed(chunk):
                    yield number, time, item
            for item in self._parser.flush():
                yield None, None, item
        except errors.StreamError as error:
            self.error = str(error)


def _print(status: int, items: list[tuple[int | None, float | None, StreamItem]], quirks: dict[str, str]) -> None:
    console = make_console()
    if status != 200:
        print_line(console, f'HTTP {status}')
    rows = Rows(('chunk', 'time', 'item', 'content'))
    for chunk, time, item in items:
        rows.add(
            'end' if chunk is None else str(chunk), '' if time is None else f'+{time:.3f}s', item.kind, _content(item)
        )
    rows.print(console)
    for quirk, meaning in quirks.items():
        print_line(console, ('quirk: ', 'bold yellow'), f'{quirk}: {meaning}')
    if not quirks:
        print_line(console, 'no quirks')


def _file_name(data: bytes) -> str:
    """What to call a recording that comes from the standard input: JSON begins with a brace, and a stream never does."""
    return 'standard-input.json' if data.lstrip().startswith(b'{') else 'standard-input.sse'


def _quirks(recording: Recording, parser: ChatStreamParser) -> list[str]:
    """What the parser came across, and what only the recording shows."""
    # In a plain answer calls and tags come whole, as they should, and an error with a status of its own is none with HTTP 200.
    usual = {
        *(() if recording.streamed else ('whole-call', 'tag-cut')),
        *(() if recording.status < 400 else ('error-event',)),
    }
    ending = [] if recording.is_done or not recording.streamed else ['no-done']
    return [*ending, *(quirk for quirk in parser.quirks if quirk not in usual)]


def _as_data(item: StreamItem) -> dict[str, Any]:
    """What an item says, without the fields that its kind leaves empty."""
    told = {entry.name: getattr(item, entry.name) for entry in dataclasses.fields(item)}
    if item.token_usage is not None:
        told['token_usage'] = item.token_usage.model_dump(exclude_none=True)
    if item.tool_call is not None:
        told['tool_call'] = dataclasses.asdict(item.tool_call)
    return {name: value for name, value in told.items() if value not in ('', None)}


def _declared(recording: Recording) -> list[str]:
    return [tool['function']['name'] for tool in _tools(recording)]


def _tools(recording: Recording) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = (recording.request or {}).get('tools') or []
    return [tool for tool in tools if 'function' in tool]


def _content(item: StreamItem) -> str:
    call = item.tool_call
    if item.kind == 'text_event' and call is not None:
        return call.name
    if call is not None:
        whole = '' if call.complete else '  (not complete: not run)'
        return f'{call.name} {call.raw_arguments}  id={call.id!r} index={call.index!r}{whole}'
    if item.token_usage is not None:
        return item.token_usage.to_json(indent=None, exclude_none=True)
    if item.kind == 'finish':
        return f'{item.finish_reason} ' + (
            f'(the server says {item.provider_finish_reason!r})' if item.provider_sent else '(the server says nothing)'
        )
    return repr(item.text) if item.field is None else f'{item.text!r} in {item.field}'
