"""The end of a stream: what is still missing then, and how far the stream came."""

from __future__ import annotations as _annotations

from ..errors import StreamError
from .calls.arguments import ArgumentState
from .calls.open_call import OpenCall
from .corrector import ChunkCorrector

__all__ = ('check_calls', 'cut_call_error', 'finish_reason_in_words', 'nameless_call_error')


def check_calls(corrector: ChunkCorrector) -> None:
    """Refuse calls that must not be run, after `ChunkCorrector.flush`.

    Arguments that are closed but no valid JSON are not refused here: pydantic-ai asks the model again for them.

    Raises:
        StreamError: If the stream ended inside the arguments of a call, or a call never got a name.
    """
    for number, call in enumerate(corrector.calls.calls, start=1):
        if not call.name:
            raise nameless_call_error(call, number)
        if call.outcome(corrector.finish_reason).cut:
            raise cut_call_error(call, number, corrector)


def nameless_call_error(call: OpenCall, number: int) -> StreamError:
    """The error for a call that never got a name."""
    return StreamError(
        f'Tool call {number}{_id(call)} never got a name: it began in chunk {call.chunk} of the stream with the '
        f'arguments {_end_of(call.raw_arguments)}.'
    )


def cut_call_error(call: OpenCall, number: int, corrector: ChunkCorrector) -> StreamError:
    """The error for a call with cut arguments."""
    raw = call.raw_arguments
    where = (
        f'before the arguments of tool call {number} `{call.name}`{_id(call)} came'
        if call.scanner.state is ArgumentState.EMPTY
        else f'inside the arguments of tool call {number} `{call.name}`{_id(call)}, '
        f'after {len(raw)} characters: {_end_of(raw)}'
    )
    return StreamError(
        f'The stream ended {where}. It came to chunk {corrector.chunks} with '
        f'{finish_reason_in_words(corrector.finish_reason)}; the call is not run.'
        + (' Raise `max_tokens` to let the model finish it.' if corrector.finish_reason == 'length' else '')
    )


def finish_reason_in_words(finish_reason: str | None) -> str:
    """The finish reason for an error message."""
    return f'the finish reason {finish_reason!r}' if finish_reason else 'no finish reason'


def _id(call: OpenCall) -> str:
    return '' if call.id is None else f' (id {call.id!r})'


def _end_of(text: str) -> str:
    return repr(text) if len(text) <= 60 else f'…{text[-60:]!r}'
