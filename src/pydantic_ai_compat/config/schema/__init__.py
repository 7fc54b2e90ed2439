"""The JSON schema of a file of model variants, for editors."""

from __future__ import annotations as _annotations

from .document import model_variants_schema

__all__ = ('model_variants_schema',)
