"""Guards of what the transport knows beyond documented surfaces, on the lowest and the newest SDK and pydantic-ai.

When one of these fails, the transport takes stock's way by itself; the failure says that it has become slow.
"""

from __future__ import annotations as _annotations

import functools
import inspect
from collections.abc import AsyncIterator
from types import MethodType
from typing import Any

import pytest
from openai import AsyncAzureOpenAI, AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletionChunk
from pydantic_ai._utils import PeekableAsyncStream
from pydantic_ai.models.openai import OpenAIStreamedResponse
from pydantic_ai.usage import RequestUsage
from support import Wire

from pydantic_ai_compat.transport import LeanStream
from pydantic_ai_compat.transport._private import (
    builds_stock_chunks,
    decoder_of,
    is_sdk_decoder,
    is_sdk_method,
    stock_builder,
    take_built_chunks,
)
from pydantic_ai_compat.transport._transforms import sdk_transforms_nothing


@pytest.fixture
def client(wire: Wire) -> AsyncOpenAI:
    return AsyncOpenAI(base_url='http://wire/v1', api_key='k', http_client=wire.client)


def test_the_sdks_types_of_messages_and_tools_ask_for_no_transform() -> None:
    assert sdk_transforms_nothing()


def test_create_is_the_sdks_own_code(client: AsyncOpenAI) -> None:
    assert is_sdk_method(client.chat.completions.create)


def test_chunks_are_built_the_stock_way_by_the_sdks_clients(client: AsyncOpenAI) -> None:
    azure = AsyncAzureOpenAI(azure_endpoint='http://wire', api_version='1', api_key='k')
    assert builds_stock_chunks(client)
    assert builds_stock_chunks(azure)


async def test_a_stream_has_a_decoder_that_it_asks_at_its_first_event(client: AsyncOpenAI) -> None:
    async with client._client.stream('POST', 'http://wire/v1') as response:
        stream = AsyncStream[ChatCompletionChunk](
            cast_to=ChatCompletionChunk, response=response, client=client, options=None
        )
        decoder = decoder_of(stream)
        assert decoder is not None
        assert is_sdk_decoder(decoder)

        class Given:
            event = None
            data = 'x'

            def json(self) -> object:
                return 'as it is'

        class Giving:
            async def aiter_bytes(self, iterator: AsyncIterator[bytes]) -> AsyncIterator[Given]:
                yield Given()

        take_built_chunks(stream, Giving())
        assert [item async for item in stream] == ['as it is']


async def test_the_sdk_builds_a_chunk_from_any_data(client: AsyncOpenAI) -> None:
    async with client._client.stream('POST', 'http://wire/v1') as response:
        stream = LeanStream(cast_to=ChatCompletionChunk, response=response, client=client, options=None)
        built = stock_builder(stream)(data={'id': 7, 'choices': [{'delta': {'content': 'a'}}]})
    assert isinstance(built, ChatCompletionChunk)
    assert built.choices[0].delta.content == 'a'


def test_the_peekable_stream_names_its_source_and_pulls_from_it() -> None:
    """`response._response.source` is also what pydantic-ai closes when a stream is cancelled."""
    source = aiter(LeanStream.__new__(LeanStream))
    peekable = PeekableAsyncStream[ChatCompletionChunk, AsyncIterator[ChatCompletionChunk]](source)
    assert peekable.source is source
    assert 'anext(self._source_iter)' in inspect.getsource(peekable.__anext__)


def test_usage_is_recorded_through_a_method_with_these_keywords() -> None:
    parameters = inspect.signature(OpenAIStreamedResponse._add_usage).parameters
    assert list(parameters) == ['self', 'usage', 'reported', 'cumulative']
    assert vars(RequestUsage(unmeasured_requests=1)) == {'details': {}, 'unmeasured_requests': 1}


async def own(self: object) -> None: ...


POST: Any = AsyncOpenAI.post
OWN: Any = own
ODD_METHODS: dict[str, object] = {
    'nothing': None,
    'builtin': len,
    'function': own,
    "a user's method": MethodType(OWN, object()),
    'a wrapper with the name of the wrapped': MethodType(functools.wraps(POST)(OWN), object()),
    'partial': functools.partial(POST, object()),
}


@pytest.mark.parametrize('method', ODD_METHODS.values(), ids=ODD_METHODS)
def test_what_is_not_the_sdks_own_code_is_told_from_it(method: object) -> None:
    """A wrapper made with `functools.wraps` has the SDK's name and module; its code lies elsewhere."""
    assert not is_sdk_method(method)


def test_a_wrapper_of_the_sdks_around_a_users_function_is_not_the_sdks_code() -> None:
    """The SDK wraps `create` itself, to check its arguments; what is inside counts as well."""
    from openai._utils import required_args

    assert not is_sdk_method(MethodType(required_args(['a'])(OWN), object()))
