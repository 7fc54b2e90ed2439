"""Models from YAML: the entries of `model_variants`, their listing, and the JSON schema of the file."""

from __future__ import annotations as _annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_names

if TYPE_CHECKING:
    from .import_config import ImportModelConfig
    from .variants import ModelVariants, load_model_variants

__all__ = ('ImportModelConfig', 'ModelVariants', 'load_model_variants')

__getattr__ = lazy_names(
    __name__,
    {'ImportModelConfig': 'import_config', 'ModelVariants': 'variants', 'load_model_variants': 'variants'},
)
