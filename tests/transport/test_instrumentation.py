from __future__ import annotations as _annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
from openai import AsyncOpenAI, AsyncStream
from openai.resources.chat import AsyncCompletions
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.providers.openai import OpenAIProvider
from support import Wire
from support_sse import events, stream, text_chunks

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.transport import LeanStream

MESSAGES: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('hi')])]
WIRE_MESSAGES = [{'role': 'user', 'content': 'hi'}]


def model_of(wire: Wire) -> tuple[OpenAICompatibleModel, AsyncOpenAI]:
    client = AsyncOpenAI(base_url='http://wire/v1', api_key='k', http_client=wire.client)
    return OpenAICompatibleModel('m', provider=OpenAIProvider(openai_client=client)), client


class Recorder:
    """An instrumentation: what it was called with, and what came back."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.results: list[object] = []

    def wrap(self, create: Callable[..., Any]) -> Callable[..., Any]:
        """As Langfuse, LangSmith and OpenTelemetry's openai instrumentation do it: a wrapper that keeps the name."""

        @functools.wraps(create)
        async def wrapper(*args: Any, **kwargs: Any) -> Any:
            self.calls.append(kwargs)
            result = await create(*args, **kwargs)
            self.results.append(result)
            return result

        return wrapper


class FunctionWrapper:
    """The way of the package wrapt: a descriptor that is no function, and binds like one."""

    def __init__(self, wrapped: Callable[..., Any]) -> None:
        self.__wrapped__ = wrapped

    def __get__(self, instance: object, owner: type) -> Callable[..., Any]:
        return functools.partial(self.__wrapped__, instance)


def as_it_is(wrapped: Callable[..., Any]) -> Callable[..., Any]:
    return wrapped


async def run(wire: Wire, model: OpenAICompatibleModel) -> str | None:
    wire.answers.append(stream(events(*text_chunks(['a', 'b']))))
    async with model.request_stream(MESSAGES, None, ModelRequestParameters()) as response:
        async for _ in response:
            pass
        return response.get().text


@pytest.mark.parametrize('wrapper', [as_it_is, FunctionWrapper], ids=['function', 'descriptor'])
async def test_a_create_wrapped_on_the_class_sees_the_messages(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, wrapper: Callable[[Any], Any]
) -> None:
    """An instrumentation reads the keyword `messages` and the chunks of the SDK's own stream."""
    recorder = Recorder()
    monkeypatch.setattr(AsyncCompletions, 'create', wrapper(recorder.wrap(AsyncCompletions.create)))
    model, _ = model_of(wire)
    assert await run(wire, model) == 'ab'
    assert [call['messages'] for call in recorder.calls] == [WIRE_MESSAGES]
    assert [type(result) for result in recorder.results] == [AsyncStream]


async def test_a_create_wrapped_on_one_client_sees_the_messages(wire: Wire) -> None:
    """LangSmith's `wrap_openai` sets the attribute on the client's own resource."""
    recorder = Recorder()
    model, client = model_of(wire)
    setattr(client.chat.completions, 'create', recorder.wrap(client.chat.completions.create))  # noqa: B010
    assert await run(wire, model) == 'ab'
    assert [call['messages'] for call in recorder.calls] == [WIRE_MESSAGES]


class OwnCompletions(AsyncCompletions):
    """A user's resource, whose constructor nobody else knows."""

    def __init__(self, client: AsyncOpenAI, name: str) -> None:
        super().__init__(client)
        self.name = name


async def test_a_resource_of_the_users_own_is_left_alone(wire: Wire) -> None:
    """A client's `completions` can be any subclass; only the SDK's own is made anew on a view of the client."""
    model, client = model_of(wire)
    vars(client.chat)['completions'] = OwnCompletions(client, 'mine')
    assert await run(wire, model) == 'ab'
    assert wire.bodies[0]['messages'] == WIRE_MESSAGES


@pytest.mark.parametrize('whole_class', [True, False], ids=['class', 'client'])
async def test_a_wrapped_request_finds_the_messages_in_the_options(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, whole_class: bool
) -> None:
    """Logfire and OpenInference wrap `request` and read `options.json_data`; the lean way goes through it."""
    model, client = model_of(wire)
    seen: list[Any] = []
    streams: list[Any] = []
    target: Any = AsyncOpenAI if whole_class else client
    request: Any = target.request

    async def wrapped(*args: Any, **kwargs: Any) -> Any:
        options = kwargs.get('options') or args[-1]
        seen.append(options.json_data['messages'])
        streams.append(kwargs['stream_cls'])
        return await request(*args, **kwargs)

    monkeypatch.setattr(target, 'request', wrapped)
    assert await run(wire, model) == 'ab'
    assert seen == [WIRE_MESSAGES]
    assert streams == [LeanStream]


async def test_a_raw_response_of_the_client_is_the_sdks(wire: Wire) -> None:
    """`with_raw_response` is read from the user's client, which the model does not touch."""
    model, client = model_of(wire)
    await model.request(MESSAGES, None, ModelRequestParameters())
    raw = await client.chat.completions.with_raw_response.create(model='m', messages=[{'role': 'user', 'content': 'x'}])
    assert raw.parse().choices[0].message.content == 'done'
    assert wire.bodies[1]['messages'] == [{'role': 'user', 'content': 'x'}]
