"""The private name of jinja2 that is used here, in one place; `tests/templates/test_private.py` guards it."""

from __future__ import annotations as _annotations

from typing import Any, cast

from jinja2.utils import Namespace

__all__ = ('namespace_attributes',)


def namespace_attributes(namespace: Namespace) -> dict[str, Any]:
    """The attributes that a template gave to a `namespace()`; its `repr` shows them, and nothing public does."""
    return cast('dict[str, Any]', object.__getattribute__(namespace, '_Namespace__attrs'))
