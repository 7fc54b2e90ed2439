"""Streams of any server as typed items, and the same corrections for `OpenAICompatibleModel`."""

from __future__ import annotations as _annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_names

if TYPE_CHECKING:
    from .bodies.chunks import iter_sse_chunks
    from .items import (
        Finish,
        MessageDelta,
        ProviderToolCall,
        ReasoningDelta,
        StreamItem,
        StreamItemKind,
        TextEvent,
        ToolCallEvent,
        Usage,
    )
    from .parser import ChatStreamParser

__all__ = (
    'ChatStreamParser',
    'Finish',
    'MessageDelta',
    'ProviderToolCall',
    'ReasoningDelta',
    'StreamItem',
    'StreamItemKind',
    'TextEvent',
    'ToolCallEvent',
    'Usage',
    'iter_sse_chunks',
)

__getattr__ = lazy_names(
    __name__,
    {**dict.fromkeys(__all__, 'items'), 'ChatStreamParser': 'parser', 'iter_sse_chunks': 'bodies.chunks'},
)
