"""A conversation for those who drive a provider without an agent: wire messages in an order that strict hosts take."""

from __future__ import annotations as _annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from pydantic_core import PydanticSerializationError, to_json

from ..errors import HistoryError
from .ids import IdMap
from .policies import PAIRING
from .wire import has_parts, json_object

__all__ = ('StreamItemLike', 'ToolCallLike', 'Transcript')


class ToolCallLike(Protocol):
    """The call of a stream item."""

    @property
    def id(self) -> str | None:
        """The provider's id."""
        ...

    @property
    def name(self) -> str:
        """The name of the function."""
        ...

    @property
    def raw_arguments(self) -> str | None:
        """The arguments as the provider wrote them."""
        ...


class StreamItemLike(Protocol):
    """What a transcript reads of a stream item; `pydantic_ai_compat.streaming.StreamItem` is one."""

    @property
    def kind(self) -> str:
        """What the item is about; `message_delta`, `reasoning_delta` and `provider_tool_call` are read."""
        ...

    @property
    def text(self) -> str:
        """The text of a delta."""
        ...

    @property
    def tool_call(self) -> ToolCallLike | None:
        """The call of a `provider_tool_call`."""
        ...


class Transcript:
    """Wire messages of one conversation: system, user, assistant with its calls, and a result for each call.

    What would break the order is refused at once, at the line that does it, and not by the provider a request later.
    """

    def __init__(self) -> None:
        self._closed: list[dict[str, Any]] = []
        self._calls: dict[str, dict[str, Any] | None] = {}
        self._ids = IdMap(PAIRING)
        self._user_seen = False

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages so far, as a new list; results stand in the order of the calls, whatever order they came in."""
        return [*self._closed, *(result for result in self._calls.values() if result is not None)]

    @property
    def open_calls(self) -> tuple[str, ...]:
        """The ids of the calls that have no result yet, in their order."""
        return tuple(call_id for call_id, result in self._calls.items() if result is None)

    def add_system(self, text: str) -> None:
        """Add a system message.

        Raises:
            HistoryError: If a turn was added before it.
        """
        if any(message['role'] != 'system' for message in self._closed):
            raise HistoryError('A system message stands at the start of a transcript: add it before the first turn.')
        self._closed.append({'role': 'system', 'content': text})

    def add_user(self, content: str | Sequence[dict[str, Any]]) -> None:
        """Add a user turn.

        Args:
            content: The text, or content parts such as text and images.

        Raises:
            HistoryError: If calls are open, or the content is neither of the two.
        """
        self._close_turn('a user turn')
        if not isinstance(content, str):
            content = list(content) if isinstance(content, Sequence) else []  # pyright: ignore[reportUnnecessaryIsInstance]
            if not content or not has_parts(content):
                raise HistoryError('A user turn is text, or a list of content parts with a `type`.')
        self._user_seen = True
        self._closed.append({'role': 'user', 'content': content})

    def add_assistant(self, items: Iterable[StreamItemLike], *, reasoning_field: str | None = None) -> dict[str, Any]:
        """Add the turn of a model from the items of its stream.

        Args:
            items: The items of one turn; text deltas are joined, and each tool call is kept with its id, name and raw
                arguments. Arguments that were cut become `{}`, as hosts refuse a history with broken JSON: answer such
                a call with a result that says so.
            reasoning_field: The name of the field that sends thoughts back, such as `'reasoning_content'`; without one
                they are left out.

        Returns:
            The assistant message. `content` is `''` if there were only calls; a call without an id has one here.

        Raises:
            HistoryError: If calls are open, if no user turn came before, or if the items hold neither text nor calls.
        """
        self._close_turn('an assistant turn')
        if not self._user_seen:
            raise HistoryError('An assistant turn follows a user turn: add one first.')
        text: list[str] = []
        reasoning: list[str] = []
        calls: list[ToolCallLike] = []
        for item in items:
            if item.kind == 'message_delta':
                text.append(item.text)
            elif item.kind == 'reasoning_delta':
                reasoning.append(item.text)
            elif item.kind == 'provider_tool_call' and item.tool_call is not None:
                calls.append(item.tool_call)
        message: dict[str, Any] = {'role': 'assistant', 'content': ''.join(text)}
        if not calls and not message['content']:
            raise HistoryError('The turn holds neither text nor calls, and hosts refuse an empty one: leave it out.')
        if reasoning_field is not None and reasoning:
            message[reasoning_field] = ''.join(reasoning)
        if calls:
            ids = self._ids.turn([call.id or None for call in calls], [call.name for call in calls])
            message['tool_calls'] = [_wire_call(call, call_id) for call, call_id in zip(calls, ids, strict=True)]
            self._calls = dict.fromkeys(ids)
        self._closed.append(message)
        return message

    def add_tool_return(self, call_id: str, content: object) -> None:
        """Add the result of a call of the last turn.

        Args:
            call_id: The id of the call, as in the assistant message.
            content: The text; anything else is sent as JSON, in the form that pydantic gives it.

        Raises:
            HistoryError: If the last turn made no such call, the call has a result, or JSON cannot hold the content.
        """
        if call_id not in self._calls:
            known = f'open are {", ".join(self.open_calls)}' if self.open_calls else 'no call is open'
            raise HistoryError(f'The last turn made no call {call_id!r}; {known}.')
        if self._calls[call_id] is not None:
            raise HistoryError(f'The call {call_id!r} has a result already.')
        self._calls[call_id] = {'role': 'tool', 'tool_call_id': call_id, 'content': _as_text(content, call_id)}

    def _close_turn(self, following: str) -> None:
        if open_calls := self.open_calls:
            raise HistoryError(f'Calls are open before {following}: add a result for {", ".join(open_calls)}.')
        self._closed = self.messages
        self._calls = {}


def _as_text(content: object, call_id: str) -> str:
    if isinstance(content, str):
        return content
    try:
        return to_json(content, bytes_mode='base64', inf_nan_mode='null').decode()
    except (PydanticSerializationError, RecursionError) as error:
        raise HistoryError(f'The result of the call {call_id!r} is neither text nor JSON: {error}') from error


def _wire_call(call: ToolCallLike, call_id: str) -> dict[str, Any]:
    return {
        'id': call_id,
        'type': 'function',
        'function': {'name': call.name, 'arguments': json_object(call.raw_arguments) or '{}'},
    }
