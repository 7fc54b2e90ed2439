from __future__ import annotations as _annotations

import json
from typing import Any

import httpx2
import pytest

from pydantic_ai_compat.probing import ModelChoiceError, PromptError, PromptNotToldError, ask_model, render_prompt

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
        ({'status_code': 400, 'json': {'error': {'message': 'no such role'}}}, 'HTTP 400: no such role'),
        ({'status_code': 200, 'json': ['prompt']}, 'HTTP 200, without `prompt`'),
        ({'status_code': 200, 'json': {'prompt': None}}, 'HTTP 200, without `prompt`'),
        ({'status_code': 500, 'json': {'prompt': 'half'}}, 'HTTP 500, without `prompt`'),
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


NOT_FOUND: list[tuple[dict[str, Any], str]] = [
    ({'status_code': 404, 'json': {'error': {'message': 'File Not Found'}}}, 'HTTP 404: File Not Found'),
    ({'status_code': 404, 'json': {'detail': 'Not Found'}}, 'HTTP 404: Not Found'),
    ({'status_code': 501, 'json': {'error': 'no'}}, 'HTTP 501: no'),
    ({'status_code': 404, 'text': 'not here'}, 'HTTP 404, which is not JSON'),
    ({'status_code': 405, 'json': {}}, 'HTTP 405, without'),
    ({'status_code': 200, 'content': b'\xff\xfe{'}, 'HTTP 200, which is not JSON'),
    ({'status_code': 200, 'content': b'[' * 100_000}, 'HTTP 200, which is not JSON'),
]


@pytest.mark.parametrize('response, message', NOT_FOUND)
def test_a_server_without_either_route_does_not_tell(httpx2_mock: Any, response: dict[str, Any], message: str):
    httpx2_mock.post('http://host:1/apply-template').respond(**response)
    httpx2_mock.post('http://host:1/tokenize').respond(**response)
    with pytest.raises(PromptNotToldError) as caught:
        render_prompt('http://host:1/v1', MESSAGES)
    first, second = str(caught.value).split('; ')
    assert first.startswith(f'http://host:1/apply-template: {message}')
    assert second.startswith(f'http://host:1/tokenize: {message}')


def test_vllm_tells_in_two_steps(httpx2_mock: Any):
    """The tokens of the conversation, then their text: https://docs.vllm.ai/en/stable (Tokenizer API)."""
    httpx2_mock.post('http://host:1/apply-template').respond(404, json={'detail': 'Not Found'})
    tokens = {'count': 3, 'max_model_len': 4096, 'tokens': [1, 2, 3], 'token_strs': None}
    tokenize = httpx2_mock.post('http://host:1/tokenize').respond(json=tokens)
    detokenize = httpx2_mock.post('http://host:1/detokenize').respond(json={'prompt': '<|im_start|>user'})
    tools = [{'type': 'function'}]
    shown = render_prompt('http://host:1/v1', MESSAGES, tools, api_key='sk-local', model='qwen')
    assert shown == '<|im_start|>user'
    bodies = [json.loads(route.calls.last.request.content) for route in (tokenize, detokenize)]
    assert bodies == [{'model': 'qwen', 'messages': MESSAGES, 'tools': tools}, {'model': 'qwen', 'tokens': [1, 2, 3]}]
    assert detokenize.calls.last.request.headers['authorization'] == 'Bearer sk-local'
    assert render_prompt('http://host:1/v1', MESSAGES) == '<|im_start|>user'
    assert json.loads(detokenize.calls.last.request.content) == {'tokens': [1, 2, 3]}


def test_vllm_refuses_a_conversation_in_the_words_of_its_template(httpx2_mock: Any):
    httpx2_mock.post('http://host:1/apply-template').respond(404)
    words = {'error': {'message': 'Conversation roles must alternate', 'type': 'BadRequestError', 'code': 400}}
    httpx2_mock.post('http://host:1/tokenize').respond(400, json=words)
    with pytest.raises(PromptError, match='tokenize: HTTP 400: Conversation roles must alternate') as caught:
        render_prompt('http://host:1/v1', MESSAGES)
    assert not isinstance(caught.value, PromptNotToldError)


def test_half_a_surrogate_pair_is_for_the_server_to_refuse(httpx2_mock: Any):
    route = httpx2_mock.post('http://host:1/apply-template').respond(json={'prompt': 'p'})
    assert render_prompt('http://host:1/v1', [{'role': 'user', 'content': '\ud83d'}]) == 'p'
    assert b'"\\ud83d"' in route.calls.last.request.content


def test_an_address_that_is_none_is_an_error_of_both():
    with pytest.raises(PromptError, match='InvalidURL'):
        render_prompt('http://h:port', MESSAGES)
    with pytest.raises(ModelChoiceError, match='InvalidURL.*; name the model with --model.'):
        ask_model('http://h:port')


def test_the_one_model_of_an_endpoint_needs_no_name(httpx2_mock: Any):
    route = httpx2_mock.get('http://host:1/v1/models').respond(json={'data': [{'id': 'qwen', 'owned_by': 'vllm'}]})
    assert ask_model('http://host:1/v1/', 'sk-local') == 'qwen'
    assert route.calls.last.request.headers['authorization'] == 'Bearer sk-local'
    assert ask_model('http://host:1/v1') == 'qwen'
    assert 'authorization' not in route.calls.last.request.headers


@pytest.mark.parametrize(
    'response, message',
    [
        ({'json': {'data': [{'id': 'a'}, {'id': 'b'}]}}, ' lists 2 models; choose one with --model: a, b.'),
        (
            {'json': {'data': [{'id': f'{"x" * 300}{number}'} for number in range(50)]}},
            f' lists 50 models; choose one with --model: {", ".join(["x" * 200] * 20)} and 30 more.',
        ),
        ({'json': {'data': [{'id': 7}, 'x', {}]}}, ' lists no model; name it with --model.'),
        ({'json': []}, ' lists no model; name it with --model.'),
        ({'text': '<html>'}, ' lists no model; name it with --model.'),
        ({'status_code': 404}, ': HTTP 404; name the model with --model.'),
    ],
)
def test_an_endpoint_without_one_model_asks_for_its_name(httpx2_mock: Any, response: dict[str, Any], message: str):
    httpx2_mock.get('http://host:1/v1/models').respond(**response)
    with pytest.raises(ModelChoiceError) as caught:
        ask_model('http://host:1/v1')
    assert str(caught.value) == f'http://host:1/v1/models{message}'
