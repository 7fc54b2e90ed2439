"""What of a request pydantic-core writes, it writes as the SDK does; and the SDK gets what somebody else may look at."""

from __future__ import annotations as _annotations

import sys
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from generated import generated
from hypothesis import given, strategies as st
from openai import AsyncAzureOpenAI, AsyncOpenAI, _base_client
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModelSettings
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from support import Wire

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.transport import LeanChatModel, PlainList, plain
from pydantic_ai_compat.transport._private import stock_json, writes_stock_bodies
from pydantic_ai_compat.transport.plain import Look, body_text, look_at

HISTORY: list[ModelMessage] = [
    ModelRequest(parts=[UserPromptPart('a "quote"\n\x00\x7f \u2028 \U0001f600')]),
    ModelResponse(parts=[TextPart('é')]),
    ModelRequest(parts=[UserPromptPart('go on')]),
]
NOTHING = ModelRequestParameters()

TEXTS = st.text(st.characters(exclude_categories=['Cs']), max_size=6)
LEAVES = st.one_of(TEXTS, st.integers(), st.integers(2**62, 2**70), st.booleans(), st.none(), st.floats())
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=2).map(tuple),
        st.dictionaries(TEXTS, inner, max_size=3),
        st.dictionaries(st.one_of(TEXTS, st.integers(), st.booleans(), st.none()), inner, max_size=2),
    ),
    max_leaves=8,
)
MESSAGES = st.lists(st.dictionaries(TEXTS, VALUES, max_size=4), max_size=3)


@generated(400)
@given(messages=MESSAGES)
def test_what_a_look_calls_text_is_written_as_the_sdk_writes_it(messages: list[Any]) -> None:
    if look_at(messages).any_encoder:
        body = {'messages': messages, 'model': 'm', 'temperature': 0.1}
        assert body_text(body) == stock_json(body)


def test_every_character_is_written_as_the_sdk_writes_it() -> None:
    """Escapes are where encoders of JSON differ."""
    whole = ''.join(chr(number) for number in range(sys.maxunicode + 1) if not 0xD800 <= number < 0xE000)
    body = {'messages': [{'role': 'user', 'content': whole}]}
    assert body_text(body) == stock_json(body)


@pytest.mark.parametrize('names', ['messages', 'messages,model', 'model,messages', 'model,messages,tools'])
def test_the_keys_of_a_body_keep_their_places(names: str) -> None:
    body: dict[str, object] = {name: [{'messages': []}] if name != 'model' else 'm' for name in names.split(',')}
    assert body_text(body) == stock_json(body)


def test_a_body_with_the_number_that_stands_for_the_messages_is_left_to_the_sdk() -> None:
    with pytest.raises(ValueError, match='holds the place'):
        body_text({'messages': [], 'seed': plain._PLACE})


PLAIN = Look(is_plain=True, any_encoder=False)
LOOKS: dict[str, tuple[Any, Look]] = {
    'texts': ({'role': 'user', 'content': 'x'}, Look(is_plain=True, any_encoder=True)),
    'as deep as an image': ({'content': [{'type': 'image_url', 'image_url': {'url': 'x'}}]}, Look(True, True)),
    'the parts that we made': ({'content': PlainList([{'type': 'text', 'text': 'x'}])}, Look(True, True)),
    'a fraction': ({'content': 0.1}, PLAIN),
    'a key that is no text': ({'content': [{1: 'x'}]}, PLAIN),
    'deeper than any type': ({'content': [{'a': [['x']]}]}, PLAIN),
    'bytes': ({'content': b'x'}, Look(is_plain=False, any_encoder=False)),
    'a dict of another class': ({'content': OrderedDict(a='x')}, Look(is_plain=False, any_encoder=False)),
}


@pytest.mark.parametrize(('message', 'look'), LOOKS.values(), ids=LOOKS)
def test_a_look_tells_what_is_in_a_message(message: dict[str, Any], look: Look) -> None:
    assert look_at([message]) == look


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The bodies that the SDK writes itself."""
    bodies: list[Any] = []
    dumps: Callable[[Any], bytes] = getattr(_base_client, 'openapi_dumps')  # noqa: B009

    def kept(value: Any) -> bytes:
        bodies.append(value)
        return dumps(value)

    monkeypatch.setattr(_base_client, 'openapi_dumps', kept)
    return bodies


async def test_a_body_is_written_once_however_often_it_is_sent(wire: Wire, encoded: list[Any]) -> None:
    wire.answers.append(httpx2.Response(500, headers={'retry-after-ms': '1'}))
    client = AsyncOpenAI(base_url='http://wire/v1', api_key='k', http_client=wire.client, max_retries=1)
    ours = OpenAICompatibleModel('m', provider=OpenAICompatibleProvider('wire', openai_client=client))
    await ours.request(HISTORY, {'temperature': 0.1}, NOTHING)
    assert encoded == []
    await wire.stock().request(HISTORY, {'temperature': 0.1}, NOTHING)
    assert len(encoded) == 1
    assert len({request.content for request in wire.requests}) == 1
    assert len(wire.requests) == 3


async def test_what_is_merged_into_the_body_is_merged_by_the_sdk(wire: Wire, encoded: list[Any]) -> None:
    await wire.model().request(HISTORY, {'extra_body': {'top_k': 3}}, NOTHING)
    assert [body['top_k'] for body in encoded] == [3]


@pytest.mark.parametrize(
    'settings', [{'temperature': float('nan')}, {'openai_user': b'x'}], ids=['no number', 'no JSON']
)
async def test_what_cannot_be_written_fails_as_with_stock(wire: Wire, settings: OpenAIChatModelSettings) -> None:
    errors: list[str] = []
    for model in (LeanChatModel('m', provider=wire.provider), wire.stock()):
        with pytest.raises((TypeError, ValueError)) as caught:
            await model.request(HISTORY, settings, NOTHING)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]


class OwnHook(AsyncOpenAI):
    """A client whose hook may look at the body."""


def test_a_body_goes_as_text_where_nobody_looks_at_it_alone(wire: Wire) -> None:
    options: dict[str, Any] = {'base_url': 'http://wire/v1', 'api_key': 'k', 'http_client': wire.client}
    assert writes_stock_bodies(AsyncOpenAI(**options))
    assert not writes_stock_bodies(OwnHook(**options))
    assert not writes_stock_bodies(AsyncAzureOpenAI(azure_endpoint='http://wire', api_version='1', api_key='k'))
    for name in ('post', 'request', '_prepare_options', '_build_request'):
        client = AsyncOpenAI(**options)
        vars(client)[name] = getattr(client, name).__func__
        assert not writes_stock_bodies(client)
