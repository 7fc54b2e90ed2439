"""Run pydantic-ai agents on endpoints that only nearly speak OpenAI."""

from __future__ import annotations as _annotations

from typing import TYPE_CHECKING

from .lazy import lazy_names

if TYPE_CHECKING:
    from .config.import_config import ImportModelConfig
    from .config.variants import load_model_variants
    from .model.openai_compatible import OpenAICompatibleModel
    from .options.profile import OpenAICompatibleModelProfile, build_profile

__all__ = (
    'ImportModelConfig',
    'OpenAICompatibleModel',
    'OpenAICompatibleModelProfile',
    'build_profile',
    'load_model_variants',
)

__getattr__ = lazy_names(
    __name__,
    {
        'ImportModelConfig': 'config',
        'OpenAICompatibleModel': 'model',
        'OpenAICompatibleModelProfile': 'options.profile',
        'build_profile': 'options.profile',
        'load_model_variants': 'config',
    },
)
