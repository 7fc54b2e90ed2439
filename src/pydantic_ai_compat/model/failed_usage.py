"""The usage of an answer that ends in an error, so that the run counts what was billed.

pydantic-ai counts what a stream has used before an error, and for errors of a plain request the attempts that its own
models carry on them. The function for that is a private name, which only this module knows; without it nothing is carried.
"""

from __future__ import annotations as _annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic_ai.messages import ModelRequestAttempt
from pydantic_ai.usage import RequestUsage

__all__ = ('carry_usage',)


def carry_usage(error: Exception, usage: RequestUsage, model_name: str, provider_name: str) -> None:
    """Let an error carry what the answer behind it has used.

    Args:
        error: The error that is raised for the answer.
        usage: What the provider reported; nothing is carried if it is nothing.
        model_name: The name of the model.
        provider_name: The name of its provider.
    """
    carry: Any = _carry_attempts()
    if carry is None or not usage.has_values():
        return
    attempt = ModelRequestAttempt(
        model_name=model_name,
        provider_name=provider_name,
        outcome='error',
        error=f'{type(error).__name__}: {error}',
        timestamp=datetime.now(UTC),
        duration=timedelta(),
        usage=usage,
    )
    carry(error, [attempt])


def _carry_attempts() -> object:
    try:
        from pydantic_ai import _model_request_attempts
    except ImportError:
        return None
    return getattr(_model_request_attempts, 'carry_attempts', None)
