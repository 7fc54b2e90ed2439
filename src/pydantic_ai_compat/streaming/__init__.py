"""Streams of any server as typed items, and the same corrections for `OpenAICompatibleModel`."""

from __future__ import annotations as _annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_names

if TYPE_CHECKING:
    from .items import StreamItem, StreamItemKind, ToolCallEvent
    from .parser import ChatStreamParser
    from .sse import iter_sse_chunks

__all__ = ('ChatStreamParser', 'StreamItem', 'StreamItemKind', 'ToolCallEvent', 'iter_sse_chunks')

__getattr__ = lazy_names(
    __name__,
    {
        'ChatStreamParser': 'parser',
        'StreamItem': 'items',
        'StreamItemKind': 'items',
        'ToolCallEvent': 'items',
        'iter_sse_chunks': 'sse',
    },
)
