"""What a stream says, as typed items that do not depend on how the server cut it into chunks."""

from __future__ import annotations as _annotations

from dataclasses import dataclass
from typing import Any, Literal

from openai.types import CompletionUsage

__all__ = ('StreamItem', 'StreamItemKind', 'ToolCallEvent')

StreamItemKind = Literal['message_delta', 'reasoning_delta', 'text_event', 'provider_tool_call', 'finish', 'usage']
"""What an item is about; a text event and a provider's tool call never share a kind."""


@dataclass(frozen=True, slots=True)
class ToolCallEvent:
    """One tool call of a provider, or one name-only event written in the text."""

    name: str
    """The name of the tool, as declared or as the model wrote it."""

    id: str | None = None
    """The provider's id; `None` if it sent none, and always for an event written in the text."""

    index: int | None = None
    """The provider's `index` of the call; `None` if it sent none, and always for an event written in the text."""

    raw_arguments: str | None = None
    """The arguments as the provider wrote them, byte for byte; `None` for an event written in the text.

    A provider that sends a JSON object in place of a string has that object's compact JSON here."""

    arguments: dict[str, Any] | None = None
    """The parsed arguments: `{}` for a finished call without any, `None` if they are no whole JSON object."""

    complete: bool = True
    """Whether the call may be run: its arguments are one whole JSON object, or none were needed."""


@dataclass(frozen=True, slots=True)
class StreamItem:
    """One thing that a stream said; made by the constructor named after its kind."""

    kind: StreamItemKind
    """What the item is about; it decides which of the other fields are set."""

    text: str = ''
    """The text of a `message_delta` or `reasoning_delta`."""

    field: str | None = None
    """The field that a `reasoning_delta` came in; `'content'` for thoughts between thinking tags in the text."""

    tool_call: ToolCallEvent | None = None
    """The event of a `text_event`, or the call of a `provider_tool_call`."""

    finish_reason: str | None = None
    """The finish reason of a `finish` in the API's own words, such as `'tool_calls'`.

    `'tool_calls'` in place of a provider's `'stop'` if calls came; inferred if the provider sent none; `None` if the
    stream held nothing to infer it from."""

    provider_finish_reason: str | None = None
    """The word the provider sent for a `finish`, as it came; `None` if it sent none."""

    token_usage: CompletionUsage | None = None
    """The usage object of a `usage` item, as the provider sent it."""

    @property
    def provider_sent(self) -> bool:
        """Whether the provider itself sent the finish reason of a `finish`."""
        return self.provider_finish_reason is not None

    @classmethod
    def message_delta(cls, text: str) -> StreamItem:
        """Visible text."""
        return cls('message_delta', text=text)

    @classmethod
    def reasoning_delta(cls, text: str, field: str) -> StreamItem:
        """Thinking text, and the field it came in (`'content'` for thoughts between tags)."""
        return cls('reasoning_delta', text=text, field=field)

    @classmethod
    def text_event(cls, tool_call: ToolCallEvent) -> StreamItem:
        """A name-only event written in the text."""
        return cls('text_event', tool_call=tool_call)

    @classmethod
    def provider_tool_call(cls, tool_call: ToolCallEvent) -> StreamItem:
        """A tool call that the provider sent as one."""
        return cls('provider_tool_call', tool_call=tool_call)

    @classmethod
    def finish(cls, finish_reason: str | None, *, provider_finish_reason: str | None) -> StreamItem:
        """The end of the message, once per stream."""
        return cls('finish', finish_reason=finish_reason, provider_finish_reason=provider_finish_reason)

    @classmethod
    def usage(cls, token_usage: CompletionUsage) -> StreamItem:
        """The tokens that the exchange used."""
        return cls('usage', token_usage=token_usage)
