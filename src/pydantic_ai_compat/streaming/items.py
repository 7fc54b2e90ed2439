"""What a stream says, as typed items that do not depend on how the server cut it into chunks."""

from __future__ import annotations as _annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from openai.types import CompletionUsage

__all__ = (
    'Finish',
    'MessageDelta',
    'ProviderToolCall',
    'ReasoningDelta',
    'StreamItem',
    'StreamItemKind',
    'TextEvent',
    'ToolCallEvent',
    'Usage',
)

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

    dialect: str | None = None
    """The dialect of a call that was read from the text; `None` for one that the provider sent as a call."""


@dataclass(frozen=True, slots=True)
class _Item:
    """What all items have: one of another kind holds `''` or `None` where it has nothing to say."""

    kind: StreamItemKind = dataclasses.field(init=False)
    """What the item is about; a type checker that knows it knows the class, and so which fields are set."""

    text: str = dataclasses.field(default='', init=False)
    """The text of a `MessageDelta` or `ReasoningDelta`."""

    field: str | None = dataclasses.field(default=None, init=False)
    """The field that a `ReasoningDelta` came in."""

    tool_call: ToolCallEvent | None = dataclasses.field(default=None, init=False)
    """The event of a `TextEvent`, or the call of a `ProviderToolCall`."""

    finish_reason: str | None = dataclasses.field(default=None, init=False)
    """The finish reason of a `Finish`."""

    provider_finish_reason: str | None = dataclasses.field(default=None, init=False)
    """The word the provider sent for a `Finish`."""

    token_usage: CompletionUsage | None = dataclasses.field(default=None, init=False)
    """The usage object of a `Usage`."""

    @property
    def provider_sent(self) -> bool:
        """Whether the provider itself sent the finish reason of a `Finish`."""
        return self.provider_finish_reason is not None


@dataclass(frozen=True, slots=True)
class MessageDelta(_Item):
    """Visible text."""

    kind: Literal['message_delta'] = dataclasses.field(default='message_delta', init=False)
    text: str
    """The text, which goes on where the last `MessageDelta` ended."""


@dataclass(frozen=True, slots=True)
class ReasoningDelta(_Item):
    """Thinking text."""

    kind: Literal['reasoning_delta'] = dataclasses.field(default='reasoning_delta', init=False)
    text: str
    """The text, which goes on where the last `ReasoningDelta` of the same field ended."""

    field: str
    """The field that it came in; `'content'` for thoughts between thinking tags in the text."""


@dataclass(frozen=True, slots=True)
class TextEvent(_Item):
    """A name-only event written in the text."""

    kind: Literal['text_event'] = dataclasses.field(default='text_event', init=False)
    tool_call: ToolCallEvent
    """The event, which has a name and nothing else."""


@dataclass(frozen=True, slots=True)
class ProviderToolCall(_Item):
    """A tool call that the provider sent as one."""

    kind: Literal['provider_tool_call'] = dataclasses.field(default='provider_tool_call', init=False)
    tool_call: ToolCallEvent
    """The call."""


@dataclass(frozen=True, slots=True)
class Finish(_Item):
    """The end of the message, once per stream."""

    kind: Literal['finish'] = dataclasses.field(default='finish', init=False)
    finish_reason: str | None
    """The finish reason in the API's own words, such as `'tool_calls'`.

    `'tool_calls'` in place of a provider's `'stop'` if calls came; inferred if the provider sent none; `None` if the
    stream held nothing to infer it from."""

    provider_finish_reason: str | None = dataclasses.field(kw_only=True)
    """The word that the provider sent, as it came; `None` if it sent none."""


@dataclass(frozen=True, slots=True)
class Usage(_Item):
    """The tokens that the exchange used."""

    kind: Literal['usage'] = dataclasses.field(default='usage', init=False)
    token_usage: CompletionUsage
    """The usage object, as the provider sent it."""


StreamItem = MessageDelta | ReasoningDelta | TextEvent | ProviderToolCall | Finish | Usage
"""One thing that a stream said. After `item.kind == 'provider_tool_call'`, a type checker knows `item.tool_call`."""
