"""Models from YAML: the entries of `model_variants`, their listing, and the JSON schema of the file."""

from __future__ import annotations as _annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_names

if TYPE_CHECKING:
    from .variants import ImportModelConfig, load_model_variants, read_model_variants

__all__ = ('ImportModelConfig', 'load_model_variants', 'read_model_variants')

__getattr__ = lazy_names(__name__, dict.fromkeys(__all__, 'variants'))
