"""The way of a request to the server and of its chunks back, without work that nobody reads."""

from __future__ import annotations as _annotations

from .chunks import LeanStream, read_events_with
from .copies import changed_copy
from .model import LeanChatModel
from .plain import PlainList
from .requests import lean_client
from .response import LeanStreamedResponse

__all__ = (
    'LeanChatModel',
    'LeanStream',
    'LeanStreamedResponse',
    'PlainList',
    'changed_copy',
    'lean_client',
    'read_events_with',
)
