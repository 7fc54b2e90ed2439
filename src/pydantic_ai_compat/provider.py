"""The provider behind `base_url`, `api_key`, `headers`, `timeout` and `max_retries`."""

from __future__ import annotations as _annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from .conversion import convert
from .errors import OptionError
from .settings import read_mapping
from .variables import expand_variables

__all__ = ('Connection', 'make_provider')

_PASTED_PATH = '/chat/completions'


@dataclass(frozen=True, repr=False)
class Connection:
    """How an endpoint is reached, with variables expanded and text converted. It has no repr: it holds a key."""

    base_url: str | None
    api_key: str | None
    headers: Mapping[str, str] | None
    timeout: float | httpx2.Timeout | None
    max_retries: int | None

    @classmethod
    def read(
        cls,
        *,
        base_url: str | None,
        api_key: str | None,
        headers: Mapping[str, str] | str | None,
        timeout: float | str | httpx2.Timeout | None,
        max_retries: int | str | None,
    ) -> Connection:
        """Expand variables and convert text.

        Raises:
            OptionError: If a value does not fit, or a variable is not set; the message never holds the key.
        """
        header_values = read_mapping('headers', headers)
        return cls(
            base_url=None if base_url is None else _read_base_url(base_url),
            api_key=None if api_key is None else expand_variables(api_key, option='api_key'),
            headers=None if header_values is None else _read_headers(header_values),
            timeout=_read_timeout(timeout),
            max_retries=_read_max_retries(max_retries),
        )

    def given(self) -> list[str]:
        """The names of the options that were given."""
        return [
            name
            for name in ('base_url', 'api_key', 'headers', 'timeout', 'max_retries')
            if getattr(self, name) is not None
        ]


def _read_base_url(base_url: str) -> str:
    expanded = expand_variables(base_url, option='base_url').strip().rstrip('/')
    # A pasted endpoint would be called twice over; anything else about the path is the user's to know.
    # https://github.com/maximhq/bifrost/issues/6562
    expanded = expanded.removesuffix(_PASTED_PATH)
    address = urlsplit(expanded)
    if address.scheme not in ('http', 'https') or not address.hostname:
        shown = expanded.replace(address.password, '***') if address.password else expanded
        raise OptionError(f'`base_url`={shown!r} does not fit: allowed is an http:// or https:// address with a host.')
    return expanded


def _read_headers(headers: Mapping[str, object]) -> dict[str, str]:
    typed: dict[str, str] = convert('headers', dict(headers), dict[str, str])
    return {name: expand_variables(value, option=f'headers.{name}') for name, value in typed.items()}


def _read_timeout(timeout: float | str | httpx2.Timeout | None) -> float | httpx2.Timeout | None:
    seconds = cast('float | httpx2.Timeout | None', convert('timeout', timeout, float | httpx2.Timeout | None))
    if isinstance(seconds, float) and not seconds > 0:
        raise OptionError(f'`timeout`={seconds} does not fit: allowed is a number of seconds above 0.')
    return seconds


def _read_max_retries(max_retries: int | str | None) -> int | None:
    number = cast('int | None', convert('max_retries', max_retries, int | None))
    if number is not None and number < 0:
        raise OptionError(f'`max_retries`={number} does not fit: allowed is 0 or a larger whole number.')
    return number


def make_provider(connection: Connection) -> OpenAICompatibleProvider | OpenAIProvider:
    """The provider for an endpoint, or for OpenAI itself where no `base_url` is given.

    With a `base_url` it is pydantic-ai's `OpenAICompatibleProvider`, which never reads `OPENAI_API_KEY`, so that key
    does not travel to another host. Its name is the host: history that belongs to one endpoint, such as thinking in a
    field of its own, goes back to that endpoint only.
    """
    if connection.base_url is None:
        return _OpenAIEndpoint(connection)
    return _CompatibleEndpoint(connection, connection.base_url)


class _ConfiguredClient:
    """Gives the client that an upstream provider creates the headers, the timeout and the retries of a connection."""

    _connection: Connection

    def _create_openai_client(self, **client_options: Any) -> AsyncOpenAI:
        # Upstream's hook for providers that add headers: the client keeps the HTTP client that the provider owns,
        # closes, and makes anew on another event loop. `AsyncOpenAI.with_options` would keep the old one.
        create = cast('Callable[..., AsyncOpenAI]', getattr(super(), '_create_openai_client'))  # noqa: B009
        client = create(**client_options, default_headers=self._connection.headers)
        if self._connection.timeout is not None:
            client.timeout = self._connection.timeout
        if self._connection.max_retries is not None:
            client.max_retries = self._connection.max_retries
        return client


class _CompatibleEndpoint(_ConfiguredClient, OpenAICompatibleProvider):
    def __init__(self, connection: Connection, base_url: str) -> None:
        self._connection = connection
        address = urlsplit(base_url)
        name = address.netloc.rpartition('@')[2]
        super().__init__(name, base_url=base_url, api_key=connection.api_key)


class _OpenAIEndpoint(_ConfiguredClient, OpenAIProvider):
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        super().__init__(api_key=connection.api_key)
