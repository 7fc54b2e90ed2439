"""What the environment holds for OpenAI stays at OpenAI."""

from __future__ import annotations as _annotations

from typing import Any

import pytest
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.providers.deepseek import DeepSeekProvider
from support import Wire

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.options._private import headers_beside_environment, leave_environment_out

OPENAI = {
    'OPENAI_API_KEY': 'sk-of-openai',
    'OPENAI_ADMIN_KEY': 'sk-admin',
    'OPENAI_ORG_ID': 'org-of-openai',
    'OPENAI_PROJECT_ID': 'project-of-openai',
    'OPENAI_CUSTOM_HEADERS': 'Authorization: Bearer ambient\nX-Ambient: of-openai\nX-Both: of-openai',
}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in OPENAI.items():
        monkeypatch.setenv(name, value)


async def sent_to(model: OpenAICompatibleModel, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setattr(model.client, '_client', wire.client)
    await Agent(model).run('q')
    return dict(wire.requests[0].headers)


@pytest.mark.parametrize('options', [{}, {'api_key': 'k'}, {'headers': {'X-Both': 'mine'}}, {'timeout': 5}])
@pytest.mark.parametrize(
    'base_url', ['http://wire/v1', 'https://api.openai.com.evil.example/v1', 'http://notopenai.com']
)
async def test_nothing_of_it_goes_to_another_host(
    base_url: str, options: dict[str, Any], wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK reads it for every client: <https://github.com/openai/openai-python/blob/main/src/openai/_client.py>."""
    headers = await sent_to(OpenAICompatibleModel('m', base_url=base_url, **options), wire, monkeypatch)
    assert 'of-openai' not in str(headers)
    assert 'ambient' not in str(headers)
    assert 'sk-' not in str(headers)
    assert headers['authorization'] == f'Bearer {options.get("api_key", "api-key-not-set")}'
    assert headers.get('x-both') == options.get('headers', {}).get('X-Both')


@pytest.mark.parametrize('options', [{}, {'timeout': 5}, {'base_url': 'https://eu.api.openai.com/v1', 'api_key': 'k'}])
async def test_all_of_it_goes_to_openai_as_with_stock(
    options: dict[str, Any], wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = await sent_to(OpenAICompatibleModel('m', **options), wire, monkeypatch)
    names = ('openai-organization', 'openai-project', 'x-ambient')
    assert [headers[name] for name in names] == ['org-of-openai', 'project-of-openai', 'of-openai']


def test_the_sdk_keeps_the_headers_of_the_environment_where_they_are_taken_out() -> None:
    client = AsyncOpenAI(base_url='http://h/v1', api_key='k', default_headers={'X-Mine': '1'})
    assert client.default_headers['X-Ambient'] == 'of-openai'
    leave_environment_out(client, {'X-Mine': '1'})
    assert 'X-Ambient' not in client.default_headers
    assert client.default_headers['X-Mine'] == '1'
    assert (client.organization, client.project) == (None, None)


NAMED = {
    'deepseek': {'DEEPSEEK_API_KEY': 'k'},
    'openrouter': {'OPENROUTER_API_KEY': 'k', 'OPENROUTER_APP_TITLE': 'mine'},
    'vercel': {'VERCEL_AI_GATEWAY_API_KEY': 'k'},
    'vllm': {'VLLM_BASE_URL': 'http://wire/v1', 'VLLM_API_KEY': 'k'},
    'gateway': {'PYDANTIC_AI_GATEWAY_API_KEY': 'pylf_v1_us_k'},
}


@pytest.mark.parametrize('name', NAMED)
async def test_nothing_of_it_goes_to_the_host_of_a_provider_that_is_named(
    name: str, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the provider itself sends, its key and its attribution, stays."""
    for variable, value in NAMED[name].items():
        monkeypatch.setenv(variable, value)
    headers = await sent_to(OpenAICompatibleModel('openai/m', provider=name), wire, monkeypatch)
    for variable in OPENAI:
        monkeypatch.delenv(variable)
    wire.requests.clear()
    assert headers == await sent_to(OpenAICompatibleModel('openai/m', provider=name), wire, monkeypatch)


async def test_a_named_provider_keeps_the_headers_of_its_own(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    """<https://openrouter.ai/docs/app-attribution>: the environment has none of these names with such a value."""
    for variable, value in {**NAMED['openrouter'], 'OPENAI_CUSTOM_HEADERS': 'X-Title: of-openai\nX-Other: 1'}.items():
        monkeypatch.setenv(variable, value)
    headers = await sent_to(OpenAICompatibleModel('openai/m', provider='openrouter'), wire, monkeypatch)
    assert (headers['x-title'], headers.get('x-other')) == ('mine', None)


@pytest.mark.parametrize('given', ['name', 'object'])
async def test_all_of_it_stays_where_openai_is_named_or_the_client_is_the_users(
    given: str, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with stock, an `OPENAI_BASE_URL` of another host included: it stands beside the rest in the environment."""
    monkeypatch.setenv('OPENAI_BASE_URL', 'http://wire/v1')
    provider = 'openai' if given == 'name' else DeepSeekProvider(api_key='k')
    headers = await sent_to(OpenAICompatibleModel('m', provider=provider), wire, monkeypatch)
    names = ('openai-organization', 'openai-project', 'x-ambient')
    assert [headers[name] for name in names] == ['org-of-openai', 'project-of-openai', 'of-openai']


def test_what_a_client_was_given_is_told_from_what_it_has_from_the_environment() -> None:
    client = AsyncOpenAI(base_url='http://h/v1', api_key='k', default_headers={'X-Mine': '1', 'X-Both': 'mine'})
    assert headers_beside_environment(client) == {'X-Mine': '1', 'X-Both': 'mine'}
