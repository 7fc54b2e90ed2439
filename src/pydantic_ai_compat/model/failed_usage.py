"""The usage of an answer that ends in an error, so that the run counts what was billed.

pydantic-ai counts what a stream has used before an error, and for errors of a plain request the attempts that its own
models carry on them. The function for that is a private name, which only this module knows; without it nothing is carried.
"""

from __future__ import annotations as _annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic_ai.exceptions import IncompleteToolCall
from pydantic_ai.messages import ModelRequestAttempt
from pydantic_ai.usage import RequestUsage

from ..errors import StreamError

__all__ = ('counted_usage',)


@contextmanager
def counted_usage(usage: Callable[[], RequestUsage], model_name: str, provider_name: str) -> Generator[None]:
    """Let an error that is raised inside carry what the answer behind it has used.

    Args:
        usage: Gives what the provider reported.
        model_name: The name of the model.
        provider_name: The name of its provider.
    """
    try:
        yield
    except (StreamError, IncompleteToolCall) as error:
        carry: Any = _carry_attempts()
        if carry is not None and (used := usage()).has_values():
            attempt = ModelRequestAttempt(
                model_name=model_name,
                provider_name=provider_name,
                outcome='error',
                error=f'{type(error).__name__}: {error}',
                timestamp=datetime.now(UTC),
                duration=timedelta(),
                usage=used,
            )
            carry(error, [attempt])
        raise


def _carry_attempts() -> object:
    try:
        from pydantic_ai import _model_request_attempts
    except ImportError:
        return None
    return getattr(_model_request_attempts, 'carry_attempts', None)
