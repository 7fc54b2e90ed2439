"""Guards of what the reading of answers knows beyond documented surfaces, on the lowest and the newest pydantic-ai."""

from __future__ import annotations as _annotations

import sys

import pydantic_ai
import pytest
from pydantic_ai import ModelAPIError, ModelHTTPError, _model_errors

from pydantic_ai_compat.streaming._private import stream_error
from pydantic_ai_compat.streaming.server_errors import server_error

ERROR = {'message': 'slow down', 'code': 429, 'type': 'rate_limit_exceeded'}


def test_pydantic_ai_categorizes_an_error_object_by_its_code_and_type() -> None:
    assert stream_error() is _model_errors.stream_error
    error = server_error(ERROR, 'm')
    assert isinstance(error, ModelHTTPError)
    assert (error.status_code, error.model_name, error.body) == (429, 'm', ERROR)


@pytest.mark.parametrize('gone', ['module', 'function'])
def test_without_the_private_name_the_error_has_its_words_and_lets_a_fallback_answer(
    monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    """A `ModelAPIError` is what `FallbackModel` falls back on; only the status is missing."""
    if gone == 'module':
        monkeypatch.delattr(pydantic_ai, '_model_errors')
        monkeypatch.setitem(sys.modules, 'pydantic_ai._model_errors', None)
    else:
        monkeypatch.delattr(_model_errors, 'stream_error')
    error = server_error(ERROR, 'm')
    assert (type(error), error.message, error.model_name, error.body) == (ModelAPIError, 'slow down', 'm', ERROR)
