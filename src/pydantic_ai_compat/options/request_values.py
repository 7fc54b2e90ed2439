"""Headers and time limits, which the connection has and the settings have: read, expanded and checked in one place."""

from __future__ import annotations as _annotations

import re
from collections.abc import Mapping
from typing import cast

import httpx2

from ..errors import OptionError, shown
from .conversion import convert
from .variables import expand_variables

__all__ = ('read_header_value', 'read_headers', 'read_timeout')

_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_LIMITS = ('connect', 'read', 'write', 'pool')
_HEADER_VALUE = re.compile(r'[\t\x20-\x7e]*')


def read_headers(headers: Mapping[str, object], *, option: str) -> dict[str, str]:
    """Headers with the variables in their values expanded; a placeholder is never sent.

    Args:
        headers: The values by the names of the headers.
        option: Where they stand, such as `settings.extra_headers`.

    Raises:
        OptionError: If a name is no name of a header, a value is not ASCII text on one line, or a variable is not set.
            A value may be a key and is not shown.
    """
    typed: dict[str, str] = convert('headers', dict(headers), dict[str, str])
    for name in typed:
        if not _HEADER_NAME.fullmatch(name):
            raise OptionError(f'`{option}`: {shown(name)} is not the name of a header.')
    return {
        name: read_header_value(expand_variables(value, option=f'{option}.{name}'), option=f'{option}.{name}')
        for name, value in typed.items()
    }


def read_header_value(text: str, *, option: str) -> str:
    """The text, if a header can carry it.

    Raises:
        OptionError: If it cannot; httpx encodes headers as ASCII, and h11 refuses control characters, both at the
            first request only.
    """
    if not _HEADER_VALUE.fullmatch(text):
        raise OptionError(f'`{option}` does not fit: allowed is ASCII text on one line, as a header carries it.')
    return text


def read_timeout(timeout: object, *, option: str) -> float | httpx2.Timeout | None:
    """Seconds above 0, or a `Timeout` whose limits are: that of httpx2, or that of httpx, which settings may hold.

    Raises:
        OptionError: If a limit is 0 or less, or no number.
    """
    if not isinstance(timeout, httpx2.Timeout) and all(hasattr(timeout, name) for name in _LIMITS):
        limit = cast(httpx2.Timeout, timeout)
    else:
        limit = cast('float | httpx2.Timeout | None', convert(option, timeout, float | httpx2.Timeout | None))
    seconds = [limit] if limit is None or isinstance(limit, float) else [getattr(limit, name) for name in _LIMITS]
    if not all(value is None or value > 0 for value in seconds):
        raise OptionError(f'`{option}`={shown(limit)} does not fit: allowed is a number of seconds above 0.')
    return limit
