"""Recorded payloads of real servers for tests; the fixture `recorded_openai` needs the extra `testing`."""

from __future__ import annotations as _annotations

from .recording import Recording, recorded_chunks

__all__ = ('Recording', 'recorded_chunks')
