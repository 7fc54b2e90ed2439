"""Run pydantic-ai agents on endpoints that only nearly speak OpenAI."""

from __future__ import annotations as _annotations

from typing import TYPE_CHECKING

from .lazy import lazy_names

if TYPE_CHECKING:
    from .config.import_config import ImportModelConfig
    from .config.variants import load_model_variants
    from .model.openai_compatible import OpenAICompatibleModel
    from .options.profile import OpenAICompatibleModelProfile, build_profile
    from .options.typed import OpenAICompatibleOptions

    __version__: str

__all__ = (
    'ImportModelConfig',
    'OpenAICompatibleModel',
    'OpenAICompatibleModelProfile',
    'OpenAICompatibleOptions',
    '__version__',
    'build_profile',
    'load_model_variants',
)

_load = lazy_names(
    __name__,
    {
        'ImportModelConfig': 'config',
        'OpenAICompatibleModel': 'model',
        'OpenAICompatibleModelProfile': 'options.profile',
        'OpenAICompatibleOptions': 'options.typed',
        'build_profile': 'options.profile',
        'load_model_variants': 'config',
    },
)


def __getattr__(name: str) -> object:
    if name != '__version__':
        return _load(name)
    import importlib.metadata

    return importlib.metadata.version('pydantic-ai-compat')
