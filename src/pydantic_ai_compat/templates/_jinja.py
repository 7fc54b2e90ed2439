"""The check that jinja2 is there, before any module of this room imports it."""

from __future__ import annotations as _annotations

from importlib.util import find_spec

__all__ = ('require_jinja',)


def require_jinja() -> None:
    """Raise a `ModuleNotFoundError` that says how to install jinja2, if it is not installed."""
    if find_spec('jinja2') is None:
        raise ModuleNotFoundError(
            'Chat templates need `jinja2`: pip install "pydantic-ai-compat[templates]"', name='jinja2'
        )
