"""One delta of a tool call: what came from the provider, and what goes on to the receiver."""

from __future__ import annotations as _annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall

from .arguments import argument_text
from .open_call import OpenCall

__all__ = ('CallDelta', 'GivenDelta', 'function_fields')


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


@dataclass(frozen=True, slots=True)
class GivenDelta:
    """A provider's delta with its fields in their proper types."""

    index: int | None
    id: str | None
    name: str
    arguments: str
    placeholder: bool
    chunk: int

    @property
    def blank(self) -> bool:
        """Whether it brings no arguments."""
        return not self.arguments or self.arguments.isspace()

    @classmethod
    def read(cls, delta: ChoiceDeltaToolCall, chunk: int) -> GivenDelta:
        """The fields of a delta, of which none is trusted to have the type it should have.

        Args:
            delta: The provider's delta.
            chunk: The number of its chunk, counted from 1.
        """
        arguments, name = cast('tuple[object, object]', function_fields(delta))
        placeholder = arguments == {}
        return cls(
            index=_as_index(delta.index),
            id=_as_id(delta.id),
            name=name if isinstance(name, str) else '',
            arguments='' if placeholder else argument_text(arguments),
            placeholder=placeholder,
            chunk=chunk,
        )


def function_fields(delta: ChoiceDeltaToolCall) -> tuple[str | None, str | None]:
    """The arguments and the name of a delta."""
    return (None, None) if delta.function is None else (delta.function.arguments, delta.function.name)


def _as_index(index: object) -> int | None:
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def _as_id(id: object) -> str | None:
    """The id as text: some servers send a number. <https://github.com/anomalyco/opencode/issues/25786>."""
    return None if id is None or id == '' else str(id)
