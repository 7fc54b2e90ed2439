"""The provider behind a connection. It is loaded with the first model that needs it: upstream's takes 10 ms to import."""

from __future__ import annotations as _annotations

from collections.abc import Callable, Mapping
from typing import Any, cast
from urllib.parse import urlsplit

from openai import AsyncOpenAI
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from typing_extensions import override

from ._private import headers_beside_environment, leave_environment_out
from .connection import Connection

__all__ = ('make_provider', 'named_provider')

_STOCK_NAME = 'openai'
"""What `OpenAIChatModel` is called whatever its `base_url`, in stored histories and in spans."""


def make_provider(connection: Connection) -> OpenAICompatibleProvider | OpenAIProvider:
    """The provider for an endpoint, or for OpenAI itself where no `base_url` is given.

    With a `base_url` it is pydantic-ai's `OpenAICompatibleProvider`, which never reads `OPENAI_API_KEY`, so that key
    does not travel to another host; nor do `OPENAI_ORG_ID`, `OPENAI_PROJECT_ID` and `OPENAI_CUSTOM_HEADERS`. Its name is
    the one that stock pydantic-ai gives any endpoint, `openai`, unless `provider_name` sets another: thoughts go back
    in the field they came in to the provider of that name only, so a history that stock made, or that was made behind
    another port or host, keeps them.
    """
    if connection.base_url is None:
        return _OpenAIEndpoint(connection)
    return _CompatibleEndpoint(connection, connection.base_url)


def named_provider(name: str) -> Provider[Any]:
    """The provider that pydantic-ai knows by a name, with nothing in its requests that belongs to OpenAI.

    Upstream makes its client with the SDK, which reads `OPENAI_ORG_ID`, `OPENAI_PROJECT_ID` and
    `OPENAI_CUSTOM_HEADERS` whatever the host. Under the name of OpenAI itself everything stays as with stock.
    """
    provider: Provider[Any] = infer_provider('gateway/openai' if name == 'gateway' else name)
    client: object = provider.client
    if isinstance(client, AsyncOpenAI) and (name == 'gateway' or infer_provider_class(name) is not OpenAIProvider):
        _keep_at_openai(client, provider.base_url, headers_beside_environment(client))
    return provider


def _keep_at_openai(client: AsyncOpenAI, base_url: str, headers: Mapping[str, str] | None) -> None:
    host = urlsplit(base_url).hostname
    if host and not f'.{host}'.endswith('.openai.com'):
        leave_environment_out(client, headers)


class _ConfiguredClient:
    """Gives the client that an upstream provider creates the headers, the timeout and the retries of a connection."""

    _connection: Connection

    def _create_openai_client(self, **client_options: Any) -> AsyncOpenAI:
        # Upstream's hook for providers that add headers: the client keeps the HTTP client that the provider owns,
        # closes, and makes anew on another event loop. `AsyncOpenAI.with_options` would keep the old one.
        create = cast('Callable[..., AsyncOpenAI]', getattr(super(), '_create_openai_client'))  # noqa: B009
        client = create(**client_options, default_headers=self._connection.headers)
        _keep_at_openai(client, self._connection.base_url or '', self._connection.headers)
        if self._connection.timeout is not None:
            client.timeout = self._connection.timeout
        if self._connection.max_retries is not None:
            client.max_retries = self._connection.max_retries
        return client


class _CompatibleEndpoint(_ConfiguredClient, OpenAICompatibleProvider):
    def __init__(self, connection: Connection, base_url: str) -> None:
        self._connection = connection
        name = connection.provider_name or _STOCK_NAME
        super().__init__(name, base_url=base_url, api_key=connection.api_key)


class _OpenAIEndpoint(_ConfiguredClient, OpenAIProvider):
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        super().__init__(api_key=connection.api_key)

    @property
    @override
    def name(self) -> str:
        return self._connection.provider_name or super().name
