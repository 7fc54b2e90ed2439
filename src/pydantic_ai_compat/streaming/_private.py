"""What the reading of answers knows of pydantic-ai beyond its documented surface.

Each function says `None` when pydantic-ai is not what it was; a test on the lowest and on the newest guards that it still
is.
"""

from __future__ import annotations as _annotations

from collections.abc import Callable

from pydantic_ai.exceptions import ModelAPIError

__all__ = ('stream_error',)


def stream_error() -> Callable[[str, str, object], ModelAPIError] | None:
    """pydantic-ai's function for an error object in a stream, of the model's name, a message and the object.

    It gives the error the status and the category that the object's `code` and `type` say.
    """
    try:
        from pydantic_ai import _model_errors
    except ImportError:
        return None
    return getattr(_model_errors, 'stream_error', None)
