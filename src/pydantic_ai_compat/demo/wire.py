"""A model that is built as its variant says, on an HTTP client that keeps what it sends."""

from __future__ import annotations as _annotations

import json
from collections.abc import Mapping
from typing import Any, Self, cast

import httpx2
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from ..config.variants import ImportModelConfig
from ..errors import ConfigError
from ..model.openai_compatible import OpenAICompatibleModel
from .tool_turn import last_tool_turn

__all__ = ('RecordedEndpoint',)

_CONNECTION = ('base_url', 'api_key', 'headers', 'timeout', 'max_retries', 'provider_name', 'provider')


class RecordedEndpoint:
    """The endpoint of a variant, on an HTTP client that keeps the JSON body of each request that it sends.

    The address, the key, the headers and the timeout are the variant's; a request is tried once, so that an error is
    seen when it happens. Used as an async context manager, it closes its HTTP client.

    Args:
        variant: The variant of an `OpenAICompatibleModel`.

    Attributes:
        bodies: The bodies that were sent, in order, since a model was last made.

    Raises:
        ConfigError: If the variant cannot be built, or makes a model of another class.
    """

    def __init__(self, variant: ImportModelConfig) -> None:
        model = variant.get_model()
        if not isinstance(model, OpenAICompatibleModel) or model.provider is None:
            raise ConfigError(
                f'{variant.model!r} makes a {type(model).__name__}: only an `OpenAICompatibleModel` has these options.'
            )
        self._variant = variant
        self._http_client = httpx2.AsyncClient(event_hooks={'request': [self._record]}, follow_redirects=True)
        self._provider = OpenAICompatibleProvider(
            model.provider.name,
            openai_client=model.client.with_options(http_client=self._http_client, max_retries=0),
            profile=model.provider.model_profile,
        )
        self.bodies: list[dict[str, Any]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._http_client.aclose()

    async def _record(self, request: httpx2.Request) -> None:
        self.bodies.append(json.loads(await request.aread()))

    @property
    def body_with_tool_turn(self) -> dict[str, Any] | None:
        """The last body whose messages hold results of tools: something behind an assistant turn."""
        for body in reversed(self.bodies):
            turn = last_tool_turn(body['messages'])
            if turn.start < turn.stop:
                return body
        return None

    def make_model(self, options: Mapping[str, object]) -> OpenAICompatibleModel:
        """Build the variant's model with some options changed, and forget what was sent before.

        Args:
            options: Keywords that go over those of the variant; `None` takes one away.
        """
        self.bodies = []
        kept = {name: value for name, value in self._variant.kw_args.items() if name not in _CONNECTION}
        changed = {name: value for name, value in {**kept, **options}.items() if value is not None}
        model = self._variant.model_copy(update={'kw_args': {**changed, 'provider': self._provider}}).get_model()
        return cast(OpenAICompatibleModel, model)
