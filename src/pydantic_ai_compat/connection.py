"""How an endpoint is reached: `base_url`, `api_key`, `headers`, `timeout` and `max_retries`."""

from __future__ import annotations as _annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

import httpx2

from .conversion import convert
from .errors import OptionError
from .settings import read_mapping
from .variables import expand_variables

__all__ = ('Connection',)

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
