from __future__ import annotations as _annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from openai import AsyncAzureOpenAI, AsyncOpenAI
from openai.types import chat
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings
from support import Wire, completion

from pydantic_ai_compat import OpenAICompatibleModel

MESSAGES: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('hi')])]


async def ask(model: OpenAIChatModel, settings: ModelSettings | None = None) -> ModelResponse:
    return await model.request(MESSAGES, settings, ModelRequestParameters())


def client_of(wire: Wire, **options: Any) -> AsyncOpenAI:
    return AsyncOpenAI(base_url='http://wire/v1', api_key='k', http_client=wire.client, **options)


def models(client: AsyncOpenAI) -> tuple[OpenAICompatibleModel, OpenAIChatModel]:
    """Ours and stock, over one client."""
    provider = OpenAIProvider(openai_client=client)
    return OpenAICompatibleModel('m', provider=provider), OpenAIChatModel('m', provider=provider)


def refusal(status: int, **headers: str) -> httpx2.Response:
    return httpx2.Response(status, json={'error': {'message': 'no'}}, headers={'retry-after-ms': '1', **headers})


async def test_the_models_client_is_the_providers_client(wire: Wire) -> None:
    """What a user reads from `model.client` is the very client that was given, before and after a request."""
    client = client_of(wire)
    model, _ = models(client)
    assert model.client is client
    await ask(model)
    assert model.client is client


@pytest.mark.parametrize('status', [429, 500])
async def test_a_retry_sends_the_same_bytes(wire: Wire, status: int) -> None:
    """The SDK tries 429 and 500 again; its retry count goes into a header, the body stays."""
    model, _ = models(client_of(wire, max_retries=2))
    wire.answers.extend([refusal(status), refusal(status)])
    response = await ask(model)
    assert response.text == 'done'
    assert [request.headers['x-stainless-retry-count'] for request in wire.requests] == ['0', '1', '2']
    assert len({request.content for request in wire.requests}) == 1


async def test_the_setting_max_retries_holds_over_the_clients(wire: Wire) -> None:
    """pydantic-ai sends such a request through a copy of the client, made by `with_options`."""
    wire.answers.append(refusal(500))
    model, _ = models(client_of(wire, max_retries=0))
    response = await ask(model, {'max_retries': 1})
    assert (response.text, len(wire.requests)) == ('done', 2)


@pytest.mark.parametrize('status', [400, 404, 429, 500])
async def test_an_error_status_is_the_error_of_stock(wire: Wire, status: int) -> None:
    """The caller gets the same exception with the same status, body and text."""
    errors: list[tuple[int, str, object]] = []
    for model in models(client_of(wire, max_retries=0)):
        wire.answers.append(refusal(status))
        with pytest.raises(ModelHTTPError) as raised:
            await ask(model)
        errors.append((raised.value.status_code, raised.value.message, raised.value.body))
    ours, stock = errors
    assert ours[0] == stock[0] == status
    assert ours[2] == stock[2] == {'message': 'no'}
    assert ours[1].startswith(stock[1])


@pytest.mark.parametrize('error', [httpx2.ReadTimeout('slow'), httpx2.ConnectError('gone')])
async def test_a_failed_connection_is_the_error_of_stock(error: httpx2.TransportError) -> None:
    """The SDK wraps what httpx2 raises, and pydantic-ai wraps that."""

    def fail(request: httpx2.Request) -> httpx2.Response:
        raise error

    http_client = httpx2.AsyncClient(transport=httpx2.MockTransport(fail))
    client = AsyncOpenAI(base_url='http://x/v1', api_key='k', http_client=http_client, max_retries=0)
    texts: list[str] = []
    for model in models(client):
        with pytest.raises(ModelAPIError) as raised:
            await ask(model)
        texts.append(str(raised.value))
    assert texts[0] == texts[1]


async def test_timeouts_of_client_and_setting_reach_the_http_client(wire: Wire) -> None:
    """httpx2 reads the timeout from the request's extensions."""
    model, _ = models(client_of(wire, timeout=7))
    await ask(model)
    await ask(model, {'timeout': 3})
    read = [request.extensions['timeout']['read'] for request in wire.requests]
    assert read == [7, 3]


async def test_query_headers_and_key_of_the_client_are_sent(wire: Wire) -> None:
    """What a user sets on a client goes out with each request, over `extra_headers` of the settings."""
    client = client_of(wire, default_query={'api-version': '1'}, default_headers={'X-Team': 'a', 'X-Trace': 'b'})
    model, _ = models(client)
    await ask(model, {'extra_headers': {'X-Trace': 'c'}})
    request = wire.requests[0]
    assert str(request.url) == 'http://wire/v1/chat/completions?api-version=1'
    assert [request.headers[name] for name in ('x-team', 'x-trace', 'authorization')] == ['a', 'c', 'Bearer k']


async def test_hooks_of_the_http_client_see_the_whole_request() -> None:
    """httpx2's event hooks are where users log, sign or change a request."""
    seen: list[Any] = []

    async def sign(request: httpx2.Request) -> None:
        seen.append(json.loads(request.content)['messages'])
        request.headers['X-Signature'] = str(len(request.content))

    async def log(response: httpx2.Response) -> None:
        seen.append(response.request.headers['X-Signature'])

    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, json=completion(content='done')))
    http_client = httpx2.AsyncClient(transport=transport, event_hooks={'request': [sign], 'response': [log]})
    model, _ = models(AsyncOpenAI(base_url='http://x/v1', api_key='k', http_client=http_client))
    await ask(model)
    assert seen == [[{'role': 'user', 'content': 'hi'}], '72']


async def test_an_azure_client_keeps_its_addresses_and_its_content_filter(wire: Wire) -> None:
    """Azure's client puts the model into the path, and pydantic-ai maps the filter's 400 for that class of client."""
    client = AsyncAzureOpenAI(azure_endpoint='http://wire', api_version='1', api_key='k', http_client=wire.client)
    responses: list[ModelResponse] = []
    for model in models(client):
        body = {'error': {'code': 'content_filter', 'message': 'no', 'innererror': {'code': 'x'}}}
        wire.answers.append(httpx2.Response(400, json=body))
        responses.append(await ask(model))
    assert [str(request.url) for request in wire.requests] == (
        ['http://wire/openai/deployments/m/chat/completions?api-version=1'] * 2
    )
    assert [response.finish_reason for response in responses] == ['content_filter'] * 2
    assert wire.requests[0].content == wire.requests[1].content


class Hooked(AsyncOpenAI):
    """A user's client that overrides the SDK's hooks."""

    async def _prepare_options(self, options: Any) -> Any:
        options.json_data = {**options.json_data, 'seen': len(options.json_data['messages'])}
        return options

    async def _prepare_request(self, request: httpx2.Request) -> None:
        request.headers['X-Hooked'] = 'yes'


async def test_a_clients_own_hooks_act_on_the_whole_request(wire: Wire) -> None:
    """A subclass may change options and requests before they are sent; the messages are in the options."""
    for model in models(Hooked(base_url='http://wire/v1', api_key='k', http_client=wire.client)):
        await ask(model)
    assert [
        (body['seen'], request.headers['X-Hooked']) for body, request in zip(wire.bodies, wire.requests, strict=True)
    ] == ([(1, 'yes')] * 2)
    assert wire.requests[0].content == wire.requests[1].content


class FreshKey(OpenAICompatibleModel):
    """A user's subclass that sets a key on the client while a request is made."""

    async def _map_messages(self, *args: Any, **kwargs: Any) -> list[chat.ChatCompletionMessageParam]:
        self.client.api_key = 'fresh'
        return await super()._map_messages(*args, **kwargs)


async def test_what_is_set_on_the_client_during_a_request_is_set_on_the_users_client(wire: Wire) -> None:
    """Within a request the model's client is a view; writing to it must not be lost."""
    client = client_of(wire)
    await ask(FreshKey('m', provider=OpenAIProvider(openai_client=client)))
    assert (client.api_key, wire.requests[0].headers['authorization']) == ('fresh', 'Bearer fresh')


class StandIn:
    """A client of a user's tests: no SDK behind it."""

    base_url = 'http://x'

    def __init__(self, answer: Callable[..., Any]) -> None:
        self.chat = self
        self.completions = self
        self.create = answer


async def test_a_stand_in_for_the_client_is_called_with_the_messages() -> None:
    """Users test their agents with a stand-in that records what `create` was given."""
    calls: list[dict[str, Any]] = []

    async def answer(**arguments: Any) -> Any:
        calls.append(arguments)
        return chat.ChatCompletion.model_validate(completion(content='done'))

    stand_in: Any = StandIn(answer)
    model = OpenAICompatibleModel('m', provider=OpenAIProvider(openai_client=stand_in))
    assert (await ask(model)).text == 'done'
    assert calls[0]['messages'] == [{'role': 'user', 'content': 'hi'}]
