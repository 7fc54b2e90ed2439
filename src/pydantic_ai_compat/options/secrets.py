"""Options that are or may hold a key, and what stands for their values."""

from __future__ import annotations as _annotations

from collections.abc import Mapping
from typing import cast

__all__ = ('MASK', 'SECRET_OPTIONS', 'masked', 'without_secrets')

SECRET_OPTIONS = frozenset({'api_key', 'headers', 'extra_headers', 'extra_body'})
"""Options whose value stays out of messages, because it is or may hold a key."""

MASK = '***'
"""What stands for a secret value."""


def masked(value: object) -> object:
    """A secret value; of a map the names stay."""
    return dict.fromkeys(cast('dict[str, object]', value), MASK) if isinstance(value, dict) else MASK


def without_secrets(values: Mapping[str, object]) -> dict[str, object]:
    """The options with the values of those masked that are or may hold a key."""
    return {name: masked(value) if name in SECRET_OPTIONS else value for name, value in values.items()}
