"""Run pydantic-ai agents on endpoints that only nearly speak OpenAI."""

from __future__ import annotations as _annotations

from typing import TYPE_CHECKING

from .model import OpenAICompatibleModel
from .profile import OpenAICompatibleModelProfile, build_profile

if TYPE_CHECKING:
    from .config import ImportModelConfig, load_model_variants

__all__ = (
    'ImportModelConfig',
    'OpenAICompatibleModel',
    'OpenAICompatibleModelProfile',
    'build_profile',
    'load_model_variants',
)


def __getattr__(name: str) -> object:
    # Loaded with the first use: who builds the model in Python does not pay for the models that read YAML.
    if name not in __all__:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    from . import config

    return getattr(config, name)
