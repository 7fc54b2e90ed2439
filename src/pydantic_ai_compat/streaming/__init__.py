"""Streams of any server as typed items, and the same corrections for `OpenAICompatibleModel`."""

from __future__ import annotations as _annotations

from .items import StreamItem, StreamItemKind, ToolCallEvent

__all__ = ('StreamItem', 'StreamItemKind', 'ToolCallEvent')
