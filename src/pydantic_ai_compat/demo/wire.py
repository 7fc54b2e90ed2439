"""A model that is built as its variant says, on an HTTP client that keeps what it sends."""

from __future__ import annotations as _annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx2
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from ..config import ImportModelConfig
from ..errors import ConfigError
from ..model import OpenAICompatibleModel

__all__ = ('WireRecorder', 'recorded_model')

_CONNECTION = ('base_url', 'api_key', 'headers', 'timeout', 'max_retries', 'provider')


class WireRecorder:
    """Keeps the JSON body of each request that `client` sends.

    Attributes:
        bodies: The bodies, in order.
        client: The HTTP client to build a model on; whoever made the recorder closes it.
    """

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.client = httpx2.AsyncClient(event_hooks={'request': [self._record]}, follow_redirects=True)

    @property
    def bodies_with_tool_turn(self) -> list[dict[str, Any]]:
        """The bodies whose messages hold a tool message."""
        return [body for body in self.bodies if any(message['role'] == 'tool' for message in body['messages'])]

    async def _record(self, request: httpx2.Request) -> None:
        self.bodies.append(json.loads(await request.aread()))


def recorded_model(
    variant: ImportModelConfig, options: Mapping[str, object], http_client: httpx2.AsyncClient
) -> OpenAICompatibleModel:
    """Build the model of a variant with some options changed, on another HTTP client.

    The address, the key, the headers and the timeout stay the variant's; a request is tried once, so that an error is
    seen when it happens.

    Args:
        variant: The variant of an `OpenAICompatibleModel`.
        options: Keywords that go over those of the variant; `None` takes one away.
        http_client: The client that sends the requests.

    Raises:
        ConfigError: If the variant cannot be built, or makes a model of another class.
    """
    model = variant.get_model()
    if not isinstance(model, OpenAICompatibleModel) or model.provider is None:
        raise ConfigError(
            f'{variant.model!r} makes a {type(model).__name__}: only an `OpenAICompatibleModel` has these options.'
        )
    kept = {name: value for name, value in variant.kw_args.items() if name not in _CONNECTION}
    changed = {name: value for name, value in (kept | dict(options)).items() if value is not None}
    provider = OpenAICompatibleProvider(
        model.provider.name,
        openai_client=model.client.with_options(http_client=http_client, max_retries=0),
        profile=model.provider.model_profile,
    )
    recorded = variant.model_copy(update={'kw_args': {**changed, 'provider': provider}}).get_model()
    assert isinstance(recorded, OpenAICompatibleModel)
    return recorded
