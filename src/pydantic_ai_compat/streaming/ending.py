"""The end of a stream: what is still missing then, and how far the stream came."""

from __future__ import annotations as _annotations

from typing import TYPE_CHECKING

from ..lazy import errors
from .calls.arguments import ArgumentState
from .calls.open_call import OpenCall
from .calls.outcome import ABORTED
from .quirks import QuirkRecord

if TYPE_CHECKING:
    from .corrector import ChunkCorrector

__all__ = ('FINISH_REASONS', 'check_answer', 'finish_reason_in_words', 'found_quirks', 'nameless_call_error')

FINISH_REASONS = frozenset({'stop', 'length', 'tool_calls', 'content_filter', 'function_call'})
"""The finish reasons that the API has."""


def check_answer(corrector: ChunkCorrector) -> None:
    """Refuse what is no answer, and calls that must not be run, after `ChunkCorrector.flush`.

    Arguments that are wrong are not refused here, and neither are those that are cut although the server says that the
    answer is finished: pydantic-ai asks the model again for them.

    Raises:
        StreamError: If no chunk had a choice, a call never got a name, or the answer ended inside the arguments of a call
            and nothing says why.
        IncompleteToolCall: If it ended there because of a limit, as pydantic-ai says it.
    """
    if not corrector.choice_came:
        chunks = corrector.notes.chunks
        raise errors.StreamError(f'The stream ended without an answer: no chunk of it has a choice (chunks: {chunks}).')
    for number, call in enumerate(corrector.calls.calls, start=1):
        if not call.name:
            raise nameless_call_error(call, number, streamed=corrector.notes.streamed)
        if call.outcome(corrector.finish_reason).cut:
            if not corrector.finish_reason:
                raise errors.StreamError(_cut_call(call, number, corrector))
            if corrector.finish_reason in ABORTED:
                from pydantic_ai.exceptions import (
                    IncompleteToolCall,
                )  # here, for readers of streams without pydantic-ai

                raise IncompleteToolCall(_cut_call(call, number, corrector))


def found_quirks(corrector: ChunkCorrector) -> QuirkRecord:
    """What came up in the answer, with what shows at its end, as if it ended here."""
    record = corrector.notes.quirks.copy()
    finish_reason = corrector.finish_reason
    checks = {
        'no-finish-reason': not finish_reason and 'error-event' not in record.counts,
        'finish-reason-repeated': corrector.finished_chunks > 1,
        'stop-with-calls': finish_reason == 'stop' and corrector.calls_came,
        'unknown-finish-reason': bool(finish_reason) and finish_reason not in FINISH_REASONS,
        'usage-totals': corrector.usage.reports > 1 and corrector.usage.is_running and not corrector.usage.asked,
        'content-cumulative': corrector.is_cumulative,
        'call-in-text': corrector.text.written.came,
    }
    names = [name for name, holds in checks.items() if holds]
    for call in corrector.calls.calls:
        names += _call_quirks(call, finish_reason)
    for name in names:
        record.add(name)
    if not corrector.notes.streamed:
        record.counts.pop('whole-call', None)  # as it should be there
    return record


def _call_quirks(call: OpenCall, finish_reason: str | None) -> list[str]:
    names = [] if call.name else ['name-never']
    if call.cumulative:
        names.append('arguments-cumulative')
    outcome = call.outcome(finish_reason)
    if outcome.cut:
        names.append('arguments-cut')
    elif outcome.arguments is None:
        names.append('arguments-invalid')
    elif not outcome.raw_arguments.strip():
        names.append('arguments-null' if call.null_arguments else 'arguments-empty')
    elif (quirk := call.read().quirk) is not None:
        names.append(quirk)
    return names


def nameless_call_error(call: OpenCall, number: int, *, streamed: bool = True) -> errors.StreamError:
    """The error for a call that never got a name."""
    if not streamed:
        return errors.StreamError(
            f'Tool call {number}{_id(call)} of the response has no name; its arguments are {_end_of(call.raw_arguments)}.'
        )
    return errors.StreamError(
        f'Tool call {number}{_id(call)} never got a name: it began in chunk {call.chunk} of the stream with the '
        f'arguments {_end_of(call.raw_arguments)}.'
    )


def _cut_call(call: OpenCall, number: int, corrector: ChunkCorrector) -> str:
    """The words of the error for a call with cut arguments."""
    raw = call.raw_arguments
    where = (
        f'before the arguments of tool call {number} `{call.name}`{_id(call)} came'
        if call.scanner.state is ArgumentState.EMPTY
        else f'inside the arguments of tool call {number} `{call.name}`{_id(call)}, '
        f'after {len(raw)} characters: {_end_of(raw)}'
    )
    what = 'stream' if corrector.notes.streamed else 'response'
    how_far = f'to chunk {corrector.notes.chunks} ' if corrector.notes.streamed else ''
    return (
        f'The {what} ended {where}. It came {how_far}with {finish_reason_in_words(corrector.finish_reason)}; the call is '
        'not run.' + (' Raise `max_tokens` to let the model finish it.' if corrector.finish_reason == 'length' else '')
    )


def finish_reason_in_words(finish_reason: str | None) -> str:
    """The finish reason for an error message."""
    return f'the finish reason {finish_reason!r}' if finish_reason else 'no finish reason'


def _id(call: OpenCall) -> str:
    return '' if call.id is None else f' (id {call.id!r})'


def _end_of(text: str) -> str:
    return repr(text) if len(text) <= 60 else f'…{text[-60:]!r}'
