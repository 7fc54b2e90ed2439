"""Whether the SDK's types of messages and tools ask its transform for anything."""

from __future__ import annotations as _annotations

from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolUnionParam
from typing_extensions import is_typeddict

__all__ = ('asks_for_transform', 'sdk_transforms_nothing')


@cache
def sdk_transforms_nothing() -> bool:
    """Whether no type that the SDK declares for messages and tools asks for an alias or a format."""
    return not (asks_for_transform(ChatCompletionMessageParam) or asks_for_transform(ChatCompletionToolUnionParam))


def asks_for_transform(declared: Any) -> bool:
    """Whether a type, or one inside it, is annotated: the way in which the SDK's types ask for a transform."""
    seen = set[Any]()
    left = [declared]
    while left:
        item = left.pop()
        if get_origin(item) is Annotated:
            return True
        if is_typeddict(item) and item not in seen:
            seen.add(item)
            left.extend(get_type_hints(item, include_extras=True).values())
        left.extend(get_args(item))
    return False
