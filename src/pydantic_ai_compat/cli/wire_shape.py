"""What a conversation has to look like for a chat template, or the code that writes tools as text, to be handed it."""

from __future__ import annotations as _annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired, cast

from pydantic import AfterValidator, TypeAdapter, ValidationError
from typing_extensions import TypedDict

__all__ = ('check_shape',)


def _content(value: object) -> object:
    if isinstance(value, list):
        for number, part in enumerate(cast('list[object]', value)):
            if not isinstance(part, str | dict):
                raise ValueError(f'its part {number} is neither a text nor an object')  # noqa: TRY004 - what pydantic gathers
    elif value is not None and not isinstance(value, str):
        raise ValueError('it is neither a text nor a list of parts')
    return cast('object', value)


def _arguments(value: object) -> object:
    if value is not None and not isinstance(value, str | dict):
        raise ValueError('they are neither an object nor JSON text')
    return cast('object', value)


class _CalledFunction(TypedDict):
    name: str
    arguments: NotRequired[Annotated[object, AfterValidator(_arguments)]]


class _Call(TypedDict):
    id: NotRequired[str | None]
    function: _CalledFunction


class _Message(TypedDict):
    role: str
    content: NotRequired[Annotated[object, AfterValidator(_content)]]
    tool_calls: NotRequired[list[_Call] | None]
    tool_call_id: NotRequired[str | None]
    name: NotRequired[str | None]


class _Schema(TypedDict):
    properties: NotRequired[dict[str, Any] | None]
    required: NotRequired[list[str] | None]


class _Function(TypedDict):
    name: str
    description: NotRequired[str | None]
    parameters: NotRequired[_Schema | None]


class _Tool(TypedDict):
    function: _Function


class _Conversation(TypedDict):
    messages: list[_Message]
    tools: NotRequired[list[_Tool] | None]


_CONVERSATION = TypeAdapter(_Conversation)


def check_shape(messages: Sequence[Mapping[str, Any]], tools: object) -> None:
    """Say where a conversation is none.

    Args:
        messages: The wire messages.
        tools: What a request body holds under `tools`.

    Raises:
        ValueError: If one of these has another type than the API's; the text begins with the place, such as
            `messages[2].tool_calls[0].function.name`.
    """
    try:
        _CONVERSATION.validate_python({'messages': list(messages), 'tools': tools})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        first_step, *steps = first['loc']
        place = ''.join(f'[{step}]' if isinstance(step, int) else f'.{step}' for step in steps)
        raise ValueError(f'{first_step}{place}: {first["msg"].removeprefix("Value error, ")}') from None
