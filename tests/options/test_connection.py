from __future__ import annotations as _annotations

import asyncio
from typing import Any, cast

import httpx2
import pytest
import respx
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError, UserError
from pydantic_ai.providers import Provider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from support import Wire, completion

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.errors import OptionError, UnknownOptionError

HOST = 'http://localhost:8000/v1'


async def test_headers_key_and_host_are_those_given(httpx2_mock: respx.Router, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every value may be text: loaders such as agentpool's know nothing else."""
    monkeypatch.setenv('CF_ID', 'id-1')
    route = httpx2_mock.post('https://host.example/v1/chat/completions').respond(json=completion(content='done'))
    model = OpenAICompatibleModel(
        model_name='m',
        base_url='https://host.example/v1',
        api_key='k-1',
        headers='{"X-Tenant": "acme", "CF-Access-Client-Id": "${CF_ID}"}',
    )
    result = await Agent(model).run('q')
    sent = route.calls.last.request.headers
    assert (result.output, sent['authorization'], sent['x-tenant'], sent['cf-access-client-id']) == (
        'done',
        'Bearer k-1',
        'acme',
        'id-1',
    )


async def test_the_openai_key_does_not_travel_to_another_host(
    httpx2_mock: respx.Router, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-OPENAI')
    route = httpx2_mock.post(f'{HOST}/chat/completions').respond(json=completion(content='done'))
    await Agent(OpenAICompatibleModel('m', base_url=HOST, headers={'X-A': 'b'})).run('q')
    assert 'sk-OPENAI' not in str(route.calls.last.request.headers.raw)


def test_the_headers_and_client_survive_a_second_event_loop(httpx2_mock: respx.Router) -> None:
    """The provider replaces its HTTP client when it is entered on another event loop, and keeps the headers."""
    route = httpx2_mock.post(f'{HOST}/chat/completions').respond(json=completion(content='done'))
    agent = Agent(OpenAICompatibleModel('m', base_url=HOST, headers={'X-A': 'b'}))

    async def run() -> None:
        async with agent:
            await agent.run('q')

    for _ in range(2):
        asyncio.run(run())
    calls = cast('list[respx.models.Call]', list(route.calls))
    assert [call.request.headers['x-a'] for call in calls] == ['b', 'b']


def test_timeout_and_retries_are_set_on_the_client() -> None:
    """<https://github.com/pydantic/pydantic-ai/issues/1732>"""
    client = OpenAICompatibleModel('m', base_url=HOST, timeout='30', max_retries='0').client
    assert (client.timeout, client.max_retries) == (30.0, 0)
    timeout = httpx2.Timeout(5)
    assert OpenAICompatibleModel('m', base_url=HOST, timeout=timeout).client.timeout is timeout


def test_without_an_address_the_model_is_openais_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('OPENAI_API_KEY', 'k-env')
    plain, configured = OpenAICompatibleModel('m'), OpenAICompatibleModel('m', api_key='k-1', max_retries=1)
    assert (type(plain.provider), plain.client.api_key) == (OpenAIProvider, 'k-env')
    assert (isinstance(configured.provider, OpenAIProvider), configured.client.api_key) == (True, 'k-1')
    assert configured.client.max_retries == 1


def test_a_provider_is_taken_as_it_is() -> None:
    provider = OpenAICompatibleProvider('mine', base_url=HOST)
    assert OpenAICompatibleModel('m', provider=provider).provider is provider


def test_a_named_provider_is_the_one_that_pydantic_ai_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('DEEPSEEK_API_KEY', 'k')
    assert OpenAICompatibleModel('deepseek-chat', provider='deepseek').system == 'deepseek'


@pytest.mark.parametrize(
    'option',
    [
        {'base_url': HOST},
        {'api_key': ''},
        {'headers': {}},
        {'timeout': '1'},
        {'max_retries': 0},
        {'provider_name': 'x'},
    ],
    ids=lambda option: next(iter(option)),
)
def test_a_provider_beside_a_connection_is_refused(option: dict[str, Any]) -> None:
    provider: Provider[AsyncOpenAI] = OpenAICompatibleProvider('mine', base_url=HOST)
    with pytest.raises(UserError) as caught:
        OpenAICompatibleModel('m', provider=provider, **option)
    assert str(caught.value) == (
        f'`provider` brings a connection of its own: leave out `{next(iter(option))}`, or `provider`.'
    )


@pytest.mark.parametrize(
    ('given', 'used'),
    [
        ('http://h:11434', 'http://h:11434'),
        ('http://h:11434/v1', 'http://h:11434/v1/'),
        ('http://h:8080/v1/chat/completions', 'http://h:8080/v1/'),
        ('http://h:8080/v1/chat/completions/', 'http://h:8080/v1/'),
        ('https://h/api/v1', 'https://h/api/v1/'),
        (' ${BASE:-https://h/api}/v4 ', 'https://h/api/v4/'),
    ],
)
def test_the_address_is_kept_as_given_but_for_a_pasted_endpoint(given: str, used: str) -> None:
    """<https://github.com/maximhq/bifrost/issues/6562>"""
    assert OpenAICompatibleModel('m', base_url=given).base_url == used


@pytest.mark.parametrize(
    'base_url',
    ['localhost:8000', 'ftp://h', '', 'http://', 'https:///v1', 'http://[::1/v1', 'http://h:99999', 'http://h:x'],
)
def test_an_address_without_scheme_or_host_is_refused(base_url: str) -> None:
    with pytest.raises(OptionError, match='`base_url`=.* allowed is an http:// or https:// address with a host'):
        OpenAICompatibleModel('m', base_url=base_url)


@pytest.mark.parametrize('base_url', ['ftp://user:SECRET@host/v1', 'user:SECRET@host/v1', 'http://SECRET@host:x'])
def test_a_password_in_an_address_stays_out_of_the_error(base_url: str) -> None:
    with pytest.raises(OptionError) as caught:
        OpenAICompatibleModel('m', base_url=base_url)
    assert 'SECRET' not in str(caught.value)


@pytest.mark.parametrize('provider', ['nope', '', '${PROVIDER}', 1])
def test_a_provider_that_is_none_is_refused_by_name(provider: Any) -> None:
    with pytest.raises(OptionError) as caught:
        OpenAICompatibleModel('m', provider=provider)
    assert str(caught.value) == (
        f'`provider`={provider!r} does not fit: allowed is a provider, or the name of one that pydantic-ai knows.'
    )


def test_the_gateways_short_name_is_a_provider_as_it_is_for_pydantic_ai() -> None:
    with pytest.raises(UserError, match='PYDANTIC_AI_GATEWAY_API_KEY'):
        OpenAICompatibleModel('m', provider='gateway')


@pytest.mark.parametrize(
    ('name', 'message'),
    [
        ('key_env', "unknown option 'key_env', did you mean 'api_key'?"),
        (
            'openai_supports_tool_choice_reqired',
            (
                "unknown option 'openai_supports_tool_choice_reqired', "
                "did you mean 'openai_supports_tool_choice_required'?"
            ),
        ),
        ('supports_thinking', "unknown option 'supports_thinking': it goes under `profile`"),
        ('temperature', "unknown option 'temperature': it goes under `settings`"),
        ('openai_reasoning_effort', "unknown option 'openai_reasoning_effort': it goes under `settings`"),
    ],
)
def test_an_unknown_keyword_is_a_type_error_with_the_nearest_name(name: str, message: str) -> None:
    with pytest.raises(UnknownOptionError) as caught:
        OpenAICompatibleModel('m', base_url=HOST, **dict[str, Any]({name: 'x'}))
    assert str(caught.value) == message
    assert isinstance(caught.value, TypeError)


def test_contradicting_spellings_are_refused() -> None:
    with pytest.raises(UserError) as caught:
        OpenAICompatibleModel('m', base_url=HOST, tool_return_as_list='true', openai_chat_tool_return_as_list='no')
    assert str(caught.value) == (
        "`tool_return_as_list`='true' and `openai_chat_tool_return_as_list`='no' contradict each other: "
        'leave one of them out.'
    )


async def test_a_404_names_the_address_that_was_called(wire: Wire) -> None:
    """A wrong path is the usual cause, and the body seldom says so."""
    wire.answers.append(httpx2.Response(404, json={'detail': 'Not Found'}))
    with pytest.raises(ModelHTTPError) as caught:
        await Agent(wire.model()).run('q')
    hint = 'The request went to http://wire/v1/chat/completions: check the path of `base_url`.'
    assert str(caught.value) == f"status_code: 404, model_name: m, body: {{'detail': 'Not Found'}}. {hint}"
    assert caught.value.hint == hint


async def test_a_404_of_a_stream_names_the_address_and_other_errors_stay_as_they_are(wire: Wire) -> None:
    wire.answers.append(httpx2.Response(404, json={}))
    with pytest.raises(ModelHTTPError, match='The request went to http://wire/v1/chat/completions'):
        async with Agent(wire.model()).run_stream('q'):
            raise AssertionError('the request was refused')
    wire.answers.append(httpx2.Response(400, json={}))
    with pytest.raises(ModelHTTPError) as caught:
        await Agent(wire.model()).run('q')
    assert caught.value.hint is None


def test_a_hint_is_added_to_one_that_is_there() -> None:
    from pydantic_ai_compat.model.error_hints import add_hint

    error = ModelHTTPError(404, 'm', hint='First.')
    add_hint(error, 'Second.')
    assert (error.hint, str(error)) == (
        'First. Second.',
        'status_code: 404, model_name: m, body: None. First.. Second.',
    )


async def test_a_404_leaves_the_password_of_the_address_out(httpx2_mock: respx.Router) -> None:
    httpx2_mock.post('http://host/v1/chat/completions').respond(404, json={})
    with pytest.raises(ModelHTTPError) as caught:
        await Agent(OpenAICompatibleModel('m', base_url='http://user:SECRET@host/v1')).run('q')
    assert caught.value.hint == 'The request went to http://host/v1/chat/completions: check the path of `base_url`.'


@pytest.mark.parametrize('show', [repr, str])
def test_no_repr_shows_a_key(show: Any) -> None:
    """<https://github.com/OpenHands/OpenHands/pull/1937>"""
    settings = {'temperature': 0.5, 'extra_headers': {'X-Key': 'SECRET'}, 'extra_body': {'key': 'SECRET'}}
    model = OpenAICompatibleModel(
        'm', base_url=HOST, api_key='sk-SECRET123', headers={'X': 'SECRET'}, settings=settings
    )
    assert show(model) == (
        "OpenAICompatibleModel(model_name='m', settings={'temperature': 0.5, 'extra_headers': {'X-Key': '***'}, "
        "'extra_body': {'key': '***'}}, profile={})"
    )
    assert 'SECRET' not in show(model.provider)
    assert model.settings == settings


def test_a_provider_is_called_what_stock_calls_it_whatever_its_address() -> None:
    """`OpenAIProvider(base_url=...)` is `openai` at every host, and stored histories and spans carry that name."""
    model = OpenAICompatibleModel('m', base_url='http://user:pass@localhost:8000/v1')
    assert isinstance(model.provider, OpenAICompatibleProvider)
    assert model.system == OpenAIProvider(base_url='http://localhost:8000/v1', api_key='k').name == 'openai'


@pytest.mark.parametrize('connection', [{'base_url': HOST}, {'api_key': 'k'}], ids=['a server', 'openai itself'])
def test_a_provider_name_is_the_one_that_is_set(connection: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('SITE', 'mine')
    model = OpenAICompatibleModel('m', provider_name='${SITE}-vllm', **connection)
    assert (model.system, model.provider and model.provider.name) == ('mine-vllm', 'mine-vllm')


@pytest.mark.parametrize('name', ['', ' ', 7, ['x']])
def test_a_provider_name_that_is_none_is_refused(name: Any) -> None:
    with pytest.raises(OptionError, match='`provider_name`=.* does not fit'):
        OpenAICompatibleModel('m', base_url=HOST, provider_name=name)
