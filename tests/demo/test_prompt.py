from __future__ import annotations as _annotations

import json
from typing import Any

import httpx2
import pytest

from pydantic_ai_compat.demo.prompt import PromptError, render_prompt

MESSAGES = [{'role': 'user', 'content': 'hi'}]


def test_the_route_lies_beside_v1_and_gets_messages_tools_and_key(httpx2_mock: Any):
    route = httpx2_mock.post('http://host:1/api/apply-template').respond(json={'prompt': 'the prompt'})
    assert render_prompt('http://host:1/api/v1/', MESSAGES, [{'type': 'function'}], api_key='sk-local') == 'the prompt'
    request = route.calls.last.request
    assert json.loads(request.content) == {'messages': MESSAGES, 'tools': [{'type': 'function'}]}
    assert request.headers['authorization'] == 'Bearer sk-local'


def test_without_tools_and_key_neither_is_sent(httpx2_mock: Any):
    route = httpx2_mock.post('http://host:1/apply-template').respond(json={'prompt': ''})
    assert render_prompt('http://host:1', MESSAGES) == ''
    request = route.calls.last.request
    assert json.loads(request.content) == {'messages': MESSAGES}
    assert 'authorization' not in request.headers


@pytest.mark.parametrize(
    'response, message',
    [
        ({'status_code': 404, 'json': {'error': {'message': 'File Not Found'}}}, 'HTTP 404: File Not Found'),
        ({'status_code': 404, 'text': 'not here'}, 'HTTP 404, which is not JSON'),
        ({'status_code': 200, 'json': ['prompt']}, 'HTTP 200, without a prompt'),
        ({'status_code': 200, 'json': {'prompt': None}}, 'HTTP 200, without a prompt'),
        ({'status_code': 500, 'json': {'prompt': 'half'}}, 'HTTP 500, without a prompt'),
        ({'status_code': 200, 'content': b'\xff\xfe{'}, 'HTTP 200, which is not JSON'),
    ],
)
def test_a_server_that_tells_no_prompt_is_an_error(httpx2_mock: Any, response: dict[str, Any], message: str):
    httpx2_mock.post('http://host:1/apply-template').respond(**response)
    with pytest.raises(PromptError) as caught:
        render_prompt('http://host:1/v1', MESSAGES)
    assert str(caught.value) == f'http://host:1/apply-template: {message}'


def test_a_server_that_is_not_there_is_an_error(httpx2_mock: Any):
    httpx2_mock.post('http://host:1/apply-template').mock(side_effect=httpx2.ConnectError('refused'))
    with pytest.raises(PromptError, match='http://host:1/apply-template: ConnectError: refused'):
        render_prompt('http://host:1/v1', MESSAGES)
