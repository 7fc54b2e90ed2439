"""How an endpoint is reached and named: `base_url`, `api_key`, `headers`, `timeout`, `max_retries`, `provider_name`."""

from __future__ import annotations as _annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit, urlunsplit

import httpx2
from pydantic_ai.exceptions import UserError
from pydantic_ai.providers import Provider, infer_provider_class

from ..errors import OptionError, shown
from .conversion import convert
from .request_values import read_header_value, read_headers, read_timeout
from .secrets import MASK
from .settings import read_mapping
from .variables import expand_variables

__all__ = ('Connection', 'shown_url')

_PASTED_PATH = '/chat/completions'


@dataclass(frozen=True, repr=False)
class Connection:
    """How an endpoint is reached, with variables expanded and text converted. It has no repr: it holds a key."""

    base_url: str | None
    api_key: str | None
    headers: Mapping[str, str] | None
    timeout: float | httpx2.Timeout | None
    max_retries: int | None
    provider_name: str | None = None

    @classmethod
    def read(
        cls,
        *,
        base_url: str | None,
        api_key: str | None,
        headers: Mapping[str, str] | str | None,
        timeout: float | str | httpx2.Timeout | None,
        max_retries: int | str | None,
        provider_name: str | None = None,
    ) -> Connection:
        """Expand variables and convert text.

        Raises:
            OptionError: If a value does not fit, or a variable is not set; the message never holds the key.
        """
        header_values = read_mapping('headers', headers)
        return cls(
            base_url=None if base_url is None else _read_base_url(base_url),
            api_key=None if api_key is None else _read_api_key(api_key),
            headers=None if header_values is None else read_headers(header_values, option='headers'),
            timeout=read_timeout(timeout, option='timeout'),
            max_retries=_read_max_retries(max_retries),
            provider_name=None if provider_name is None else _read_provider_name(provider_name),
        )

    def given(self) -> list[str]:
        """The names of the options that were given."""
        return [
            name
            for name in ('base_url', 'api_key', 'headers', 'timeout', 'max_retries', 'provider_name')
            if getattr(self, name) is not None
        ]

    def check_provider(self, provider: str | Provider[Any]) -> None:
        """Refuse a provider beside a connection, and what is neither a provider nor the name of one.

        Raises:
            OptionError: If pydantic-ai knows no provider of this name, or the value is of another type.
            UserError: If the connection has options as well.
        """
        if given := self.given():
            raise UserError(
                f'`provider` brings a connection of its own: leave out '
                f'{" and ".join(f"`{name}`" for name in given)}, or `provider`.'
            )
        if isinstance(provider, Provider):
            return
        try:
            infer_provider_class('openai' if provider == 'gateway' else convert('provider', provider, str))
        except ValueError:
            raise OptionError(
                f'`provider`={shown(provider)} does not fit: allowed is a provider, or the name of one that pydantic-ai knows.'
            ) from None


def shown_url(url: str) -> str:
    """An address without user, password, query and trailing slash, each of which may be or hide a key."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition('@')[2], parts.path.rstrip('/'), '', ''))


def _read_base_url(base_url: str) -> str:
    text: str = convert('base_url', base_url, str)
    expanded = expand_variables(text, option='base_url').strip().rstrip('/')
    # A pasted endpoint would be called twice over; anything else about the path is the user's to know.
    # https://github.com/maximhq/bifrost/issues/6562
    expanded = expanded.removesuffix(_PASTED_PATH)
    if not _is_address(expanded):
        _, user, rest = expanded.rpartition('@')
        address = f'{MASK}@{rest}' if user else expanded
        raise OptionError(
            f'`base_url`={shown(address)} does not fit: allowed is an http:// or https:// address with a host.'
        )
    return expanded


def _is_address(text: str) -> bool:
    try:
        address = urlsplit(text)
        return address.scheme in ('http', 'https') and bool(address.hostname) and address.port != 0
    except ValueError:  # brackets that do not close, or a port that is none
        return False


def _read_api_key(api_key: str) -> str:
    text: str = convert('api_key', api_key, str)
    # A key that was read from a file ends in a line break.
    return read_header_value(expand_variables(text, option='api_key').strip(), option='api_key')


def _read_provider_name(provider_name: str) -> str:
    name = expand_variables(convert('provider_name', provider_name, str), option='provider_name').strip()
    if not name:
        raise OptionError("`provider_name`='' does not fit: allowed is the name of a provider, as text.")
    return name


def _read_max_retries(max_retries: int | str | None) -> int | None:
    number = cast('int | None', convert('max_retries', max_retries, int | None))
    if number is not None and number < 0:
        raise OptionError(f'`max_retries`={number} does not fit: allowed is 0 or a larger whole number.')
    return number
