"""Which quirks one delta of a tool call has."""

from __future__ import annotations as _annotations

from typing import cast

from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall

from ..quirks import QuirkRecord
from .deltas import function_fields, is_unwrapped
from .open_call import OpenCall

__all__ = ('note_delta',)


def note_delta(
    quirks: QuirkRecord,
    delta: ChoiceDeltaToolCall,
    call: OpenCall,
    before: tuple[str | None, str, bool] | None,
    legacy: bool,
) -> None:
    """Take note of what a delta has of its own.

    Args:
        quirks: Where it is noted.
        delta: The delta.
        call: The call that it belongs to, with the delta in it.
        before: The id and the name that the call had before it, and whether its arguments were whole; `None` if the
            delta began it.
        legacy: Whether it was the deprecated `function_call`.
    """
    arguments, name = cast('tuple[object, object]', function_fields(delta))
    index, id = cast('object', delta.index), cast('object', delta.id)
    checks = {
        'index-missing': index is None and not legacy,
        'id-empty': id == '',
        'id-number': id is not None and not isinstance(id, str),
        'arguments-object': arguments is not None and not isinstance(arguments, str),
        'call-unwrapped': is_unwrapped(delta),
        'name-decorated': isinstance(name, str) and name not in call.name,
    }
    if before is None:
        call.null_arguments = arguments is None
        checks |= {
            'index-shared': call.index is not None and call.slot != call.index,
            'id-missing': id is None and not legacy,
            'whole-call': bool(name) and call.closed,
        }
    else:
        old_id, old_name, was_closed = before
        again = isinstance(arguments, str) and arguments.lstrip().startswith(('{', '"'))
        checks |= {
            'index-moves': index not in (None, call.index),
            'id-late': old_id is None and bool(id),
            'id-repeated': id is not None and old_id == str(id),
            'id-changes': bool(id) and old_id is not None and old_id != str(id),
            'name-repeated': bool(name) and name == old_name,
            'name-in-pieces': bool(name) and bool(old_name) and name != old_name,
            'name-late': bool(name) and not old_name,
            'arguments-again': was_closed and again,
        }
    for quirk, holds in checks.items():
        if holds:
            quirks.add(quirk)
