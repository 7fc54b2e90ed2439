"""What the options know of the OpenAI SDK beyond its documented surface; a test on the lowest and newest SDK guards it."""

from __future__ import annotations as _annotations

from collections.abc import Mapping

from openai import AsyncOpenAI

__all__ = ('leave_environment_out',)


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
