"""Signed and encrypted thoughts on their way back to the endpoint that sent them."""

from __future__ import annotations as _annotations

import json
import math
from typing import Any, cast

from openai.types import chat
from pydantic_ai.messages import ModelResponse

__all__ = ('with_reasoning_details',)


def with_reasoning_details(
    param: chat.ChatCompletionMessageParam | None, message: ModelResponse, provider_name: str
) -> chat.ChatCompletionMessageParam | None:
    """The message with the `reasoning_details` of the response, as they came, if this provider sent them.

    OpenRouter refuses the next request of Claude and Gemini without them.
    <https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning>

    Args:
        param: The message that pydantic-ai made of the response.
        message: The response.
        provider_name: The provider that the message goes to.
    """
    details = (message.provider_details or {}).get('reasoning_details')
    if param is None or not details or message.provider_name != provider_name:
        return param
    fields = {**cast('dict[str, Any]', param), 'reasoning_details': _writable(details)}
    return cast(chat.ChatCompletionMessageParam, fields)


def _writable(value: Any) -> Any:
    """The value with text for what a server writes as a number and no JSON holds, as pydantic reads it: `"NaN"`."""
    if isinstance(value, float):
        return value if math.isfinite(value) else json.dumps(value)
    if isinstance(value, list):
        return [_writable(item) for item in cast('list[Any]', value)]
    if isinstance(value, dict):
        return {name: _writable(item) for name, item in cast('dict[str, Any]', value).items()}
    return value
