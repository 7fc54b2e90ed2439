"""The usage of an answer that ends in an error."""

from __future__ import annotations as _annotations

import sys

import pydantic_ai
import pytest
from pydantic_ai.usage import RequestUsage

from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.model.failed_usage import carry_usage


def test_an_error_comes_as_it_is_where_pydantic_ai_carries_no_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    """The function is a private one of pydantic-ai, so another version may not have it."""
    monkeypatch.delattr(pydantic_ai, '_model_request_attempts', raising=False)
    monkeypatch.setitem(sys.modules, 'pydantic_ai._model_request_attempts', None)
    error = StreamError('cut')
    before = dict(vars(error))
    carry_usage(error, RequestUsage(input_tokens=3), 'm', 'p')
    assert vars(error) == before
