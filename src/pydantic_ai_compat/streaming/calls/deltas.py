"""One delta of a tool call: what came from the provider, and what goes on to the receiver."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall

from ..fields import holds_nothing
from .arguments import argument_text
from .naming import undecorated_name
from .open_call import OpenCall

__all__ = ('CallDelta', 'GivenDelta', 'function_fields', 'is_unchanged', 'is_unwrapped', 'other_fields')

_UNWRAPPED = ('name', 'arguments')


class CallDelta(NamedTuple):
    """What goes on to the receiver of a call."""

    call: OpenCall
    id: str | None
    name: str
    """What is added to the name."""

    arguments: str | None
    """What is added to the arguments; `None` if the provider sent none."""

    extra: dict[str, Any]
    """Other fields of the provider's delta."""


@dataclass(slots=True, eq=False)
class GivenDelta:
    """A provider's delta with its fields in their proper types."""

    index: int | None
    id: str | None
    name: str
    arguments: str
    placeholder: bool
    chunk: int
    unwrapped: bool = False
    """Whether the name and the arguments lay beside the id."""

    @property
    def blank(self) -> bool:
        """Whether it brings no arguments."""
        return not self.arguments or self.arguments.isspace()

    @property
    def is_empty(self) -> bool:
        """Whether it brings nothing at all."""
        return self.blank and not (self.id or self.name or self.placeholder)

    @classmethod
    def read(cls, delta: ChoiceDeltaToolCall, chunk: int, tool_names: Collection[str] = ()) -> GivenDelta:
        """The fields of a delta, of which none is trusted to have the type it should have.

        Args:
            delta: The provider's delta.
            chunk: The number of its chunk, counted from 1.
            tool_names: The tools that the request declares.
        """
        arguments, name = cast('tuple[object, object]', function_fields(delta))
        placeholder = arguments == {}
        return cls(
            index=_as_index(delta.index),
            id=_as_id(delta.id),
            name=undecorated_name(name, tool_names) if isinstance(name, str) else '',
            arguments='' if placeholder else argument_text(arguments),
            placeholder=placeholder,
            chunk=chunk,
            unwrapped=is_unwrapped(delta),
        )


def function_fields(delta: ChoiceDeltaToolCall) -> tuple[str | None, str | None]:
    """The arguments and the name of a delta."""
    if is_unwrapped(delta):
        fields = cast('dict[str, Any]', delta.model_extra)
        return fields.get('arguments'), fields.get('name')
    return (None, None) if delta.function is None else (delta.function.arguments, delta.function.name)


def other_fields(delta: ChoiceDeltaToolCall) -> dict[str, Any]:
    """The fields of a delta that the API does not have."""
    extra = dict(delta.model_extra or {})
    if is_unwrapped(delta):
        extra = {name: value for name, value in extra.items() if name not in _UNWRAPPED}
    if (custom := extra.get('custom')) is not None and holds_nothing(custom):
        del extra['custom']
    return extra


def is_unchanged(delta: ChoiceDeltaToolCall, call: OpenCall, out: Sequence[CallDelta]) -> bool:
    """Whether what goes on of a delta is just what came.

    Args:
        delta: The provider's delta.
        call: The call that it belongs to.
        out: What goes on.
    """
    if not call.plain or len(out) > 1 or call.slot != delta.index:
        return False
    sent = out[0] if out else CallDelta(call, None, '', None, {})
    arguments, name = function_fields(delta)
    return (
        sent.call is call
        and (not delta.id or delta.id == call.id)
        and sent.id in (None, delta.id)
        and sent.name == (name or '')
        and (sent.arguments or '') == (arguments or '')
        and (arguments is None or isinstance(arguments, str))  # pyright: ignore[reportUnnecessaryIsInstance]
    )


def is_unwrapped(delta: ChoiceDeltaToolCall) -> bool:
    """Whether the name and the arguments lie beside the id, without a `function` around them.

    <https://github.com/acon96/home-llm/issues/349>
    """
    extra = delta.model_extra
    return bool(extra) and any(name in extra for name in _UNWRAPPED) and holds_nothing(delta.function)


def _as_index(index: object) -> int | None:
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def _as_id(id: object) -> str | None:
    """The id as text: some servers send a number. <https://github.com/anomalyco/opencode/issues/25786>."""
    return None if id is None or id == '' else str(id)
