"""`pydantic-ai-compat replay`: a recording as typed items on a time line, and its quirks."""

from __future__ import annotations as _annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import fail, make_console

if TYPE_CHECKING:
    from rich.table import Table

    from ..errors import StreamError
    from ..streaming import ChatStreamParser, StreamItem
    from ..testing import Recording

__all__ = ('replay',)


def replay(
    file: Annotated[Path, typer.Argument(help='A recording that ends in .sse or .json.', show_default=False)],
    tool: Annotated[
        list[str] | None, typer.Option(help='Name of a declared tool; by default those of the recorded request.')
    ] = None,
    text_event_tag: Annotated[str | None, typer.Option(help='Name of the tag around name-only events.')] = None,
    thinking_starts_open: Annotated[
        bool, typer.Option('--thinking-starts-open', help='The text begins inside a thought.')
    ] = False,
) -> None:
    """Show a recorded stream as typed items on a time line, and say which quirks it has."""
    from rich.text import Text

    from ..streaming import ChatStreamParser
    from ..streaming.quirks import QUIRKS
    from ..testing import Recording

    try:
        recording = Recording.load(file)
        names = tool or _declared(recording)
        parser = ChatStreamParser(
            tool_names=names, text_event_tag=text_event_tag, thinking_starts_open=thinking_starts_open
        )
    except (OSError, ValueError) as error:
        fail(str(error))
    table, broken_off = _time_line(recording, parser)
    console = make_console()
    if recording.status != 200:
        console.print(f'HTTP {recording.status}')
    console.print(table)
    if broken_off is not None:
        console.print(Text.assemble(('error: ', 'bold red'), str(broken_off)), soft_wrap=True)
    quirks = _quirks(recording, parser)
    for quirk in quirks:
        console.print(Text.assemble(('quirk: ', 'bold yellow'), f'{quirk}: {QUIRKS[quirk]}'), soft_wrap=True)
    if not quirks:
        console.print('no quirks')


def _quirks(recording: Recording, parser: ChatStreamParser) -> list[str]:
    """What the parser came across, and what only the recording shows."""
    # In a plain answer calls and tags come whole, as they should, and an error with a status of its own is none with HTTP 200.
    usual = {
        *(() if recording.streamed else ('whole-call', 'tag-cut')),
        *(() if recording.status < 400 else ('error-event',)),
    }
    ending = [] if recording.is_done or not recording.streamed else ['no-done']
    return [*ending, *(quirk for quirk in parser.quirks if quirk not in usual)]


def _time_line(recording: Recording, parser: ChatStreamParser) -> tuple[Table, StreamError | None]:
    """The items of a recording, and the error that it breaks off with."""
    from rich.table import Table

    from ..errors import StreamError
    from ..testing import recorded_chunks

    table = Table('chunk', 'time', 'item', 'content', box=None, pad_edge=False)
    times = iter(recording.times())
    try:
        for number, chunk in enumerate(recorded_chunks(recording), start=1):
            _add_rows(table, str(number), next(times, None), parser.feed(chunk))
        for item in parser.flush():
            _add_rows(table, 'end', None, [item])
    except StreamError as error:
        return table, error
    return table, None


def _declared(recording: Recording) -> list[str]:
    tools: list[dict[str, Any]] = (recording.request or {}).get('tools') or []
    return [tool['function']['name'] for tool in tools if 'function' in tool]


def _add_rows(table: Table, chunk: str, time: float | None, items: Iterable[StreamItem]) -> None:
    from rich.text import Text

    for item in items:
        shown = '' if time is None else f'+{time:.3f}s'
        table.add_row(chunk, shown, item.kind, Text(_content(item), overflow='fold'))


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
