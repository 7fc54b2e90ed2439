"""The model, and what it does around a request."""

from __future__ import annotations as _annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_names

if TYPE_CHECKING:
    from .openai_compatible import OpenAICompatibleModel

__all__ = ('OpenAICompatibleModel',)

__getattr__ = lazy_names(__name__, {'OpenAICompatibleModel': 'openai_compatible'})
