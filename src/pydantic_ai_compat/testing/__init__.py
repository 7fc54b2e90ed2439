"""Recorded payloads of real servers for tests; the fixture `recorded_openai` needs the extra `testing`."""

from __future__ import annotations as _annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_names

if TYPE_CHECKING:
    from .plugin import RecordedOpenAI
    from .recording import Recording, recorded_chunks

__all__ = ('RecordedOpenAI', 'Recording', 'recorded_chunks')

__getattr__ = lazy_names(
    __name__, {'RecordedOpenAI': 'plugin', 'Recording': 'recording', 'recorded_chunks': 'recording'}
)
