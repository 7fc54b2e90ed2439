"""Run pydantic-ai agents on endpoints that only nearly speak OpenAI."""

from __future__ import annotations as _annotations

from .config import ImportModelConfig, load_model_variants
from .model import OpenAICompatibleModel
from .profile import OpenAICompatibleModelProfile, build_profile

__all__ = (
    'ImportModelConfig',
    'OpenAICompatibleModel',
    'OpenAICompatibleModelProfile',
    'build_profile',
    'load_model_variants',
)
