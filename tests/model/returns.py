"""Tool returns, and the messages that a model makes of them."""

from __future__ import annotations as _annotations

from typing import Any, cast

from pydantic_ai.messages import BinaryContent, ModelRequest, ModelRequestPart, ToolReturnPart
from pydantic_ai.models.openai import OpenAIChatModel

from pydantic_ai_compat import OpenAICompatibleModel

IMAGE = BinaryContent(b'PNG', media_type='image/png', identifier='img-1')


async def wire_messages(model: OpenAIChatModel, *parts: ModelRequestPart) -> list[dict[str, Any]]:
    """The messages of one request, without what the history of a conversation would make of them."""
    mapped = [message async for message in model._map_user_message(ModelRequest(parts=list(parts)))]
    if isinstance(model, OpenAICompatibleModel):
        mapped = model._tool_return_mapping.spread(mapped)
    return [cast('dict[str, Any]', dict(message)) for message in mapped]


def returned(content: Any, **fields: Any) -> ToolReturnPart:
    return ToolReturnPart('tool', content, 'c1', **fields)


def tool_message(content: object, call_id: str = 'c1') -> dict[str, Any]:
    return {'role': 'tool', 'tool_call_id': call_id, 'content': content}
