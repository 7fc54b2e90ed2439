"""What the options know of the OpenAI SDK beyond its documented surface; a test on the lowest and newest SDK guards it."""

from __future__ import annotations as _annotations

from collections.abc import Mapping

from openai import AsyncOpenAI

__all__ = ('headers_beside_environment', 'leave_environment_out')


def leave_environment_out(client: AsyncOpenAI, headers: Mapping[str, str] | None) -> None:
    """Take out what a client has from `OPENAI_ORG_ID`, `OPENAI_PROJECT_ID` and `OPENAI_CUSTOM_HEADERS`.

    The SDK reads them for every client, whatever its address, and lets a header of the environment, even an
    `Authorization`, win over the key. They belong to OpenAI as its key does.
    <https://github.com/openai/openai-python/blob/main/src/openai/_client.py>

    Args:
        client: The client of an endpoint that is not OpenAI's.
        headers: The headers that it was given.
    """
    client.organization = None
    client.project = None
    client._custom_headers = dict(headers or {})  # pyright: ignore[reportPrivateUsage]


def headers_beside_environment(client: AsyncOpenAI) -> dict[str, str]:
    """The headers that a client was given, without those that it has from `OPENAI_CUSTOM_HEADERS`.

    What that variable holds is read by a client that was given nothing, so that it is read as the SDK reads it. A
    header that a client was given with the very value of the environment counts as the environment's.
    """
    # It is not closed, for it shares the HTTP client of the other and opens nothing.
    bare = AsyncOpenAI(base_url=client.base_url, api_key='unused', http_client=client._client)  # pyright: ignore[reportPrivateUsage]
    ambient = bare._custom_headers  # pyright: ignore[reportPrivateUsage]
    given = client._custom_headers  # pyright: ignore[reportPrivateUsage]
    return {name: value for name, value in given.items() if ambient.get(name) != value}
