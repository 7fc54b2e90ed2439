"""Who is measured: each sends a conversation and reads a stream in its own way, over the same endpoint."""

from __future__ import annotations as _annotations

import importlib
import importlib.metadata
import importlib.util
import os
import time
from dataclasses import dataclass
from typing import Any, Protocol

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from pydantic_ai_compat import OpenAICompatibleModel

from .conversations import PARAMETERS, Result, conversation, wire_messages, wire_tools

PEERS = {'langchain-openai': 'langchain_openai', 'litellm': 'litellm'}
"""Distributions of the extra `bench`, and the modules that they bring."""


@dataclass
class Connection:
    """Where an endpoint is, and the http client that leads there."""

    base_url: str
    model_name: str
    http_client: httpx2.AsyncClient

    @property
    def openai_client(self) -> AsyncOpenAI:
        return AsyncOpenAI(base_url=self.base_url, api_key='k', http_client=self.http_client)


class Subject(Protocol):
    """One way to talk to an endpoint."""

    name: str

    def prepare(self, messages: int, result: Result = 'text') -> Any:
        """A conversation of as many messages, in this subject's own form."""
        ...

    async def request(self, prepared: Any) -> None:
        """Send a conversation and read the answer."""
        ...

    async def stream(self, prepared: Any) -> float:
        """Send a conversation and read the answer as a stream; the CPU time at its first event."""
        ...


class PydanticAI:
    """A model of pydantic-ai, ours or stock's."""

    def __init__(self, name: str, model: OpenAIChatModel) -> None:
        self.name = name
        self._model = model

    def prepare(self, messages: int, result: Result = 'text') -> list[ModelMessage]:
        return conversation(messages, result)

    async def request(self, prepared: list[ModelMessage]) -> None:
        await self._model.request(prepared, None, PARAMETERS)

    async def stream(self, prepared: list[ModelMessage]) -> float:
        first = 0.0
        async with self._model.request_stream(prepared, None, PARAMETERS) as response:
            async for _ in response:
                first = first or time.process_time()
            response.get()
        return first


class OpenAISDK:
    """The bare SDK, which maps nothing and puts nothing together."""

    name = 'openai'

    def __init__(self, connection: Connection) -> None:
        self._create: Any = connection.openai_client.chat.completions.create
        self._arguments: dict[str, Any] = {'model': connection.model_name, 'tools': wire_tools()}

    def prepare(self, messages: int, result: Result = 'text') -> list[dict[str, Any]]:
        return wire_messages(messages, result)

    async def request(self, prepared: list[dict[str, Any]]) -> None:
        await self._create(messages=prepared, **self._arguments)

    async def stream(self, prepared: list[dict[str, Any]]) -> float:
        first = 0.0
        chunks: Any = await self._create(messages=prepared, stream=True, **self._arguments)
        async for _ in chunks:
            first = first or time.process_time()
        return first


class LangChain:
    """`ChatOpenAI` of langchain-openai."""

    name = 'langchain-openai'

    def __init__(self, connection: Connection) -> None:
        chat_openai: Any = importlib.import_module('langchain_openai').ChatOpenAI
        model = chat_openai(
            model=connection.model_name,
            base_url=connection.base_url,
            api_key='k',
            http_async_client=connection.http_client,
            stream_usage=True,
        )
        self._model = model.bind_tools(wire_tools())

    def prepare(self, messages: int, result: Result = 'text') -> Any:
        convert: Any = importlib.import_module('langchain_core.messages').convert_to_messages
        return convert(wire_messages(messages, result))

    async def request(self, prepared: Any) -> None:
        await self._model.ainvoke(prepared)

    async def stream(self, prepared: Any) -> float:
        first = 0.0
        async for _ in self._model.astream(prepared):
            first = first or time.process_time()
        return first


class LiteLLM:
    """The SDK of LiteLLM, with the provider `openai`."""

    name = 'litellm'

    def __init__(self, connection: Connection) -> None:
        # Without it, the import looks for prices on the network.
        os.environ.setdefault('LITELLM_LOCAL_MODEL_COST_MAP', 'True')
        self._litellm: Any = importlib.import_module('litellm')
        self._arguments: dict[str, Any] = {
            'model': f'openai/{connection.model_name}',
            'client': connection.openai_client,
            'tools': wire_tools(),
        }

    def prepare(self, messages: int, result: Result = 'text') -> list[dict[str, Any]]:
        return wire_messages(messages, result)

    async def request(self, prepared: list[dict[str, Any]]) -> None:
        await self._litellm.acompletion(messages=prepared, **self._arguments)

    async def stream(self, prepared: list[dict[str, Any]]) -> float:
        first = 0.0
        chunks = await self._litellm.acompletion(messages=prepared, stream=True, **self._arguments)
        async for _ in chunks:
            first = first or time.process_time()
        return first


def provider(connection: Connection) -> OpenAICompatibleProvider:
    return OpenAICompatibleProvider('bench', openai_client=connection.openai_client)


def stock(connection: Connection) -> Subject:
    return PydanticAI('stock', OpenAIChatModel(connection.model_name, provider=provider(connection)))


def ours(connection: Connection, **options: Any) -> Subject:
    """Our model with every option on that has to do with requests and streams of this kind, and more of them."""
    model = OpenAICompatibleModel(
        connection.model_name,
        provider=provider(connection),
        tool_return_as_list=True,
        openai_chat_empty_tool_return='nothing',
        openai_chat_history='repair',
        **options,
    )
    return PydanticAI('ours', model)


def peers(connection: Connection) -> list[Subject]:
    """The bare SDK, and those peers that are installed."""
    found: list[Subject] = [OpenAISDK(connection)]
    for peer in (LangChain, LiteLLM):
        if peer.name not in absent_peers():
            found.append(peer(connection))
    return found


def absent_peers() -> list[str]:
    return [name for name, module in PEERS.items() if importlib.util.find_spec(module) is None]


def versions() -> dict[str, str]:
    """The versions of everybody who takes part."""
    names = ('pydantic-ai-compat', 'pydantic-ai-slim', 'openai', 'httpx2', 'pydantic', *PEERS, 'xllamacpp')
    return {name: version for name in names if (version := _version(name))}


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
