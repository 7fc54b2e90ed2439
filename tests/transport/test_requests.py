from __future__ import annotations as _annotations

import inspect
import json
from collections.abc import Callable
from typing import Annotated, Any, Required, cast

import pytest
from generated import generated
from hypothesis import given, strategies as st
from openai import omit
from openai._utils import _transform
from openai.resources.chat import AsyncCompletions
from openai.types import chat
from openai.types.chat import ChatCompletionMessage
from pydantic_ai.messages import (
    BinaryContent,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.tools import ToolDefinition
from support import Wire
from typing_extensions import TypedDict

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.transport import LeanChatModel, requests
from pydantic_ai_compat.transport._transforms import asks_for_transform

WEATHER = ToolDefinition(
    name='get_weather',
    description='The weather in a city.',
    parameters_json_schema={
        'type': 'object',
        'properties': {
            'city': {'type': 'string'},
            'days': {'type': 'array', 'items': {'anyOf': [{'type': 'integer'}]}},
        },
        'required': ['city'],
        'additionalProperties': False,
    },
    strict=True,
)


def tool_turns(count: int) -> list[ModelMessage]:
    messages: list[ModelMessage] = [ModelRequest(parts=[SystemPromptPart('Be brief.'), UserPromptPart('Go.')])]
    for number in range(count):
        call_id = f'call_{number}'
        messages.append(ModelResponse(parts=[ToolCallPart('get_weather', {'city': f'Köln {number}'}, call_id)]))
        messages.append(ModelRequest(parts=[ToolReturnPart('get_weather', ['12 °C', {'wind': 3.5}], call_id)]))
    return messages


PNG = BinaryContent(b'\x89PNG\r\n', media_type='image/png')

HISTORIES: dict[str, list[ModelMessage]] = {
    'text': [ModelRequest(parts=[UserPromptPart('hi')])],
    'escapes': [ModelRequest(parts=[UserPromptPart('a "quote"\n\x00 \U0001f600 \u2028 ä')])],
    'files': [
        ModelRequest(
            parts=[UserPromptPart(['look', ImageUrl('http://x/i.png', vendor_metadata={'detail': 'low'}), PNG])]
        )
    ],
    'tool turns': tool_turns(3),
    'thoughts': [
        ModelRequest(parts=[UserPromptPart('hi')], instructions='Think.'),
        ModelResponse(parts=[ThinkingPart('hm', id='reasoning_content', provider_name='wire'), TextPart('yes')]),
        ModelRequest(parts=[UserPromptPart('and?')]),
    ],
    'retry': [
        *tool_turns(0),
        ModelResponse(parts=[TextPart('Let me see.'), ToolCallPart('get_weather', '{"city": 1}', 'c1')]),
        ModelRequest(parts=[ToolReturnPart('get_weather', 'not a string', 'c1', outcome='retried')]),
    ],
}

SETTINGS: dict[str, OpenAIChatModelSettings] = {
    'none': {},
    'sampling': {'temperature': 0.1, 'top_p': 1, 'seed': 7, 'logit_bias': {'50256': -100}, 'stop_sequences': ['\n']},
    'limits': {'max_tokens': 10, 'timeout': 3.5, 'max_retries': 1, 'parallel_tool_calls': False},
    'vendor': {'openai_user': 'u', 'openai_prediction': {'type': 'content', 'content': 'x'}, 'openai_logprobs': True},
    'extra': {'extra_body': {'top_k': 3, 'chat_template_kwargs': {'a': [1]}}, 'extra_headers': {'X-Trace': '1'}},
    'other messages': {'extra_body': {'messages': [{'role': 'user', 'content': 'mine'}]}},
    'other tools': {'extra_body': {'tools': [{'type': 'function', 'function': {'name': 'mine'}}], 'model': 'n'}},
}

PARAMETERS = {
    'no tools': ModelRequestParameters(),
    'tools': ModelRequestParameters(function_tools=[WEATHER]),
    'native output': ModelRequestParameters(
        output_mode='native',
        output_object=OutputObjectDefinition(json_schema={'type': 'object', 'properties': {}}, name='Answer'),
        function_tools=[WEATHER],
    ),
}


async def both_requests(
    wire: Wire,
    messages: list[ModelMessage],
    model_settings: OpenAIChatModelSettings | None = None,
    parameters: ModelRequestParameters | None = None,
) -> tuple[tuple[bytes, dict[str, str]], tuple[bytes, dict[str, str]]]:
    """Body and headers of ours, and of stock's."""
    for model in (wire.model(), wire.stock()):
        await model.request(messages, model_settings, parameters or ModelRequestParameters())
    ours, stock = ((request.content, dict(request.headers)) for request in wire.requests[-2:])
    return ours, stock


@pytest.mark.parametrize('parameters', PARAMETERS.values(), ids=PARAMETERS)
@pytest.mark.parametrize('model_settings', SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize('messages', HISTORIES.values(), ids=HISTORIES)
@pytest.mark.untraced
async def test_body_and_headers_are_the_bytes_of_stock(
    wire: Wire,
    messages: list[ModelMessage],
    model_settings: OpenAIChatModelSettings,
    parameters: ModelRequestParameters,
) -> None:
    """Stock is the reference: the same history, settings and tools over the same transport."""
    ours, stock = await both_requests(wire, messages, model_settings, parameters)
    assert ours == stock


TEXTS = st.text(st.characters(exclude_categories=['Cs']), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@generated(40)
@given(turns=st.lists(st.tuples(TEXTS.filter(bool), st.dictionaries(TEXTS, JSON, max_size=3), JSON), max_size=4))
async def test_any_tool_history_goes_out_as_with_stock(turns: list[tuple[str, dict[str, Any], Any]]) -> None:
    """Stock is the reference, for arguments and results of any JSON."""
    messages: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('hi')])]
    for number, (text, args, result) in enumerate(turns):
        messages.append(ModelResponse(parts=[TextPart(text), ToolCallPart('f', args, f'c{number}')]))
        messages.append(ModelRequest(parts=[ToolReturnPart('f', result, f'c{number}')]))
    ours, stock = await both_requests(Wire(), messages)
    assert ours == stock


class Transforms:
    """Counts the values that the SDK's transform visits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.visited = 0
        recursive: Callable[..., Any] = getattr(_transform, '_async_transform_recursive')  # noqa: B009

        async def counted(*args: Any, **kwargs: Any) -> Any:
            self.visited += 1
            return await recursive(*args, **kwargs)

        monkeypatch.setattr(_transform, '_async_transform_recursive', counted)

    async def during(self, model: OpenAIChatModel, messages: list[ModelMessage]) -> int:
        before = self.visited
        await model.request(messages, None, PARAMETERS['tools'])
        return self.visited - before


async def test_the_transform_visits_as_much_for_a_thousand_messages_as_for_two(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transform costs 150 to 280 us a message, so it must not see one; stock's count shows that the count works."""
    transforms = Transforms(monkeypatch)
    few, many = tool_turns(0), tool_turns(500)
    assert await transforms.during(wire.model(), many) == await transforms.during(wire.model(), few) < 20
    assert await transforms.during(wire.stock(), many) > 10_000
    assert [len(body['messages']) for body in wire.bodies] == [1002, 2, 1002]


class Renamed(TypedDict, total=False):
    given: Required[Annotated[str, 'an alias, or a format']]


class Nested(TypedDict, total=False):
    parts: list[Renamed]
    parent: Nested


class Plain(TypedDict, total=False):
    parts: list[str]


@pytest.mark.parametrize(('declared', 'asks'), [(Renamed, True), (Nested | None, True), (list[Plain], False)])
def test_a_type_asks_for_a_transform_when_one_inside_it_is_annotated(declared: Any, asks: bool) -> None:
    """The SDK's transform acts on `Annotated[..., PropertyInfo(...)]` only: openai/_utils/_transform.py."""
    assert asks_for_transform(declared) is asks


async def test_requests_take_stocks_way_when_the_sdk_asks_for_a_transform(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newer SDK may rename a key of a message; then its transform has to see the messages."""
    transforms = Transforms(monkeypatch)
    monkeypatch.setattr(requests, 'sdk_transforms_nothing', lambda: False)
    assert await transforms.during(wire.model(), tool_turns(500)) > 10_000


async def test_requests_take_stocks_way_when_the_sdk_sends_another_body(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That `create` hands its arguments to `post` as one mapping is a fact about the SDK, which may change."""
    completions = inspect.getmodule(AsyncCompletions)
    transform: Callable[..., Any] = getattr(completions, 'async_maybe_transform')  # noqa: B009

    async def renamed(data: dict[str, Any], expected_type: object) -> object:
        return await transform(data, expected_type) if data['messages'] else {'input': []}

    monkeypatch.setattr(completions, 'async_maybe_transform', renamed)
    await wire.model().request(tool_turns(1), None, PARAMETERS['tools'])
    await wire.stock().request(tool_turns(1), None, PARAMETERS['tools'])
    assert wire.requests[0].content == wire.requests[1].content
    assert len(wire.requests) == 2


class Rewriting(OpenAICompatibleModel):
    """A user's subclass whose mapping yields what the SDK's transform is there for."""

    extra: Callable[[], object]

    async def _map_messages(self, *args: Any, **kwargs: Any) -> list[chat.ChatCompletionMessageParam]:
        mapped = await super()._map_messages(*args, **kwargs)
        return [*mapped, cast(chat.ChatCompletionMessageParam, self.extra())]


@pytest.mark.parametrize(
    ('extra', 'sent'),
    [
        (lambda: {'role': 'user', 'content': 'x', 'name': omit}, {'role': 'user', 'content': 'x'}),
        (
            lambda: ChatCompletionMessage(role='assistant', content='x'),
            {'role': 'assistant', 'content': 'x'},
        ),
        (
            lambda: {'role': 'user', 'content': (part for part in [{'type': 'text', 'text': 'x'}])},
            {'role': 'user', 'content': [{'type': 'text', 'text': 'x'}]},
        ),
        (
            lambda: {'role': 'user', 'content': [{'type': 'image_url', 'image_url': {'url': 'x', 'detail': omit}}]},
            {'role': 'user', 'content': [{'type': 'image_url', 'image_url': {'url': 'x'}}]},
        ),
    ],
    ids=['omitted value', 'model', 'iterator', 'nested omitted value'],
)
async def test_values_that_the_transform_changes_go_out_changed(
    wire: Wire, extra: Callable[[], object], sent: dict[str, Any]
) -> None:
    """The SDK drops what is omitted, dumps models and lists iterators: openai/_utils/_transform.py."""
    model = Rewriting('m', provider=wire.provider)
    model.extra = extra
    await model.request(tool_turns(0), None, ModelRequestParameters())
    assert wire.bodies[0]['messages'][-1] == sent


async def test_a_tuple_of_parts_goes_out_as_a_list(wire: Wire) -> None:
    """JSON has one kind of array; the transform is not needed for it."""
    model = Rewriting('m', provider=wire.provider)
    model.extra = lambda: {'role': 'user', 'content': ({'type': 'text', 'text': 'x'},)}
    await model.request(tool_turns(0), None, ModelRequestParameters())
    assert wire.bodies[0]['messages'][-1] == {'role': 'user', 'content': [{'type': 'text', 'text': 'x'}]}


async def test_a_lone_surrogate_fails_as_with_stock(wire: Wire) -> None:
    """The body is UTF-8, which has no form for half a pair; what the model makes of that is its own matter."""
    messages: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('\ud83d')])]
    for model in (LeanChatModel('m', provider=wire.provider), wire.stock()):
        with pytest.raises(UnicodeEncodeError):
            await model.request(messages, None, ModelRequestParameters())


async def test_the_body_is_the_whole_of_what_was_mapped(wire: Wire) -> None:
    """Literal bytes, so that ours and stock's cannot both be wrong."""
    await wire.model().request(HISTORIES['text'], {'temperature': 0.5}, ModelRequestParameters())
    assert json.loads(wire.requests[0].content) == {
        'model': 'm',
        'stream': False,
        'messages': [{'role': 'user', 'content': 'hi'}],
        'temperature': 0.5,
    }
