from __future__ import annotations as _annotations

import pytest
from pydantic_ai.exceptions import AgentRunError, ModelAPIError, ModelHTTPError, UnexpectedModelBehavior

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.demo.failures import describe_failure, hide_secrets, one_line

MODEL = OpenAICompatibleModel(
    'm',
    base_url='http://user:pass@host:1/v1?token=t',
    api_key='sk-local',
    headers={'x-team': 'secret-team', 'Authorization': 'Bearer other'},
)
URL = 'http://host:1/v1/chat/completions'


@pytest.mark.parametrize(
    'error, expected',
    [
        (ModelHTTPError(401, 'm', {'message': 'bad key sk-local'}), 'HTTP 401: bad key ***'),
        (ModelHTTPError(400, 'm', {'error': {'message': 'two\n  lines'}}), 'HTTP 400: two lines'),
        (ModelHTTPError(400, 'm', {'error': 'plain'}), 'HTTP 400: plain'),
        (ModelHTTPError(422, 'm', {'detail': 'vLLM says'}), 'HTTP 422: vLLM says'),
        (ModelHTTPError(422, 'm', {'detail': [1]}), "HTTP 422: {'detail': [1]}"),
        (ModelHTTPError(502, 'm', '<html>'), 'HTTP 502: <html>'),
        (ModelHTTPError(500, 'm', None), 'HTTP 500: no text'),
        (ModelAPIError('m', 'Connection error.'), 'the request failed: model_name: m, message: Connection error.'),
        (UnexpectedModelBehavior('no content'), 'the agent gave no answer: no content'),
    ],
)
def test_a_failure_is_one_line_with_the_address_and_the_servers_words(error: AgentRunError, expected: str):
    """OpenAI's error shape, FastAPI's, a gateway's HTML, and none at all."""
    described = describe_failure(error, MODEL)
    assert described.startswith(f'{URL}: ')
    assert expected.removeprefix('the request failed: model_name: m, message: ') in described
    assert '\n' not in described


def test_an_unreachable_server_is_described_by_what_happened_at_the_bottom():
    error = ModelAPIError('m', 'Connection error.')
    error.__cause__ = RuntimeError('wrapped')
    error.__cause__.__cause__ = ConnectionRefusedError('All connection attempts failed')
    assert describe_failure(error, MODEL) == f'{URL}: the request failed: All connection attempts failed'
    error.__cause__.__cause__ = TimeoutError()
    assert describe_failure(error, MODEL) == f'{URL}: the request failed: TimeoutError'


def test_a_page_as_an_error_is_cut():
    described = describe_failure(ModelHTTPError(502, 'm', 'x' * 10_000), MODEL)
    assert described.endswith('xxx...')
    assert len(described) == 303


def test_the_key_and_the_headers_are_masked():
    assert hide_secrets('sk-local secret-team Bearer other / other', MODEL) == '*** *** *** / ***'


def test_a_secret_at_the_cut_is_masked_before_the_cut():
    """Cutting first would leave half a key."""
    line = one_line('x' * 295 + 'sk-local-and-more', MODEL)
    assert line == 'x' * 295 + '***-a...'
