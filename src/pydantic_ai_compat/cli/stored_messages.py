"""Messages as pydantic-ai stores them, mapped to the wire."""

from __future__ import annotations as _annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelRequest
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

__all__ = ('wire_messages',)


def wire_messages(stored: list[Any], lines: Sequence[int]) -> list[tuple[Any, int]]:
    """The wire messages of a dump, each with the line of the message that it comes from.

    Args:
        stored: The messages, as decoded JSON.
        lines: The line of each message.

    Raises:
        ValueError: If they are no messages of pydantic-ai; the text says what is wrong with the first that is none.
    """
    try:
        messages = ModelMessagesTypeAdapter.validate_python(stored)
    except ValidationError as error:
        raise ValueError(error.errors()[0]['msg']) from None
    return asyncio.run(_WireMapper().wire_messages(messages, lines))


class _WireMapper(OpenAIChatModel):
    """Maps stored messages as a model would, one by one, so that each keeps its line; it sends nothing."""

    def __init__(self) -> None:
        provider = OpenAICompatibleProvider('file', base_url='http://localhost', api_key='none')
        super().__init__('file', provider=provider)

    async def wire_messages(self, messages: Sequence[ModelMessage], lines: Sequence[int]) -> list[tuple[Any, int]]:
        wire: list[tuple[Any, int]] = []
        for message, line in zip(messages, lines, strict=True):
            if isinstance(message, ModelRequest):
                wire += [(item, line) async for item in self._map_user_message(message)]
            elif (response := self._map_model_response(message)) is not None:
                wire.append((response, line))
        return wire
