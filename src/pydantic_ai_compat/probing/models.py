"""The model of an endpoint that serves one."""

from __future__ import annotations as _annotations

import httpx2

from .reading import mappings_in
from .runner import object_in

__all__ = ('ModelChoiceError', 'ask_model')

_TIMEOUT = 30.0
_MOST_NAMES = 20
_LONGEST = 200


class ModelChoiceError(RuntimeError):
    """The endpoint does not say which model to take; the message says what it answered, and what to do."""


def ask_model(base_url: str, api_key: str | None = None) -> str:
    """The name of the one model that an endpoint lists, with `GET /models`.

    Args:
        base_url: The endpoint, with `/v1` if it has that.
        api_key: The key of the endpoint, if it wants one.

    Raises:
        ModelChoiceError: There is no such list, or it has no model or several; it names them.
    """
    url = f'{base_url.rstrip("/")}/models'
    headers = {'Authorization': f'Bearer {api_key}'} if api_key else {}
    try:
        with httpx2.Client(timeout=_TIMEOUT, headers=headers) as client:
            response = client.get(url)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise ModelChoiceError(f'{url}: {type(error).__name__}: {error}; name the model with --model.') from error
    if not response.is_success:
        raise ModelChoiceError(f'{url}: HTTP {response.status_code}; name the model with --model.')
    listed = [entry.get('id') for entry in mappings_in(object_in(response.text).get('data'))]
    names = [name for name in listed if isinstance(name, str) and name]
    if len(names) == 1:
        return names[0]
    if not names:
        raise ModelChoiceError(f'{url} lists no model; name it with --model.')
    told = ', '.join(name[:_LONGEST] for name in names[:_MOST_NAMES])
    more = f' and {len(names) - _MOST_NAMES} more' if len(names) > _MOST_NAMES else ''
    raise ModelChoiceError(f'{url} lists {len(names)} models; choose one with --model: {told}{more}.')
