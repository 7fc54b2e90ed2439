"""Values that stock writes somehow, or not at all: made without validation, deprecated, no number, no text."""

from __future__ import annotations as _annotations

import copy
import dataclasses
import json
import math
import warnings
from typing import Any

import pytest
from generated import generated
from history.wire import call, calls, result, user
from hypothesis import example, given, strategies as st
from pydantic import BaseModel, Field
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition
from pydantic_core import PydanticSerializationError, from_json
from support import Wire

from pydantic_ai_compat.errors import HistoryRepairWarning
from pydantic_ai_compat.history import check_history, repair_history
from pydantic_ai_compat.model.sendable_text import with_sendable_text


class Inner(BaseModel):
    x: int
    y: str = 'd'


class Outer(BaseModel, extra='allow'):
    a: int
    text: Any
    inner: Inner | None = None
    old: int = Field(default=1, deprecated='use `a`')
    kept: str = Field(default='kept', exclude=True)


@dataclasses.dataclass
class Bare:
    a: int
    b: Any = None


@dataclasses.dataclass(slots=True, frozen=True)
class Slotted:
    a: int
    b: Any = None


def returning(content: Any) -> list[ModelMessage]:
    return [
        ModelRequest(parts=[UserPromptPart('q')]),
        ModelResponse(parts=[ToolCallPart('t', '{}', 'c1')]),
        ModelRequest(parts=[ToolReturnPart('t', content, 'c1')]),
    ]


async def sent(model: Any, wire: Wire, messages: list[ModelMessage]) -> list[dict[str, Any]]:
    await model.request(messages, None, ModelRequestParameters())
    return wire.bodies[-1]['messages']


values = st.none() | st.integers() | st.text(max_size=3)
inners = st.dictionaries(st.sampled_from(('x', 'y')), values).map(lambda held: Inner.model_construct(**held))
outers = st.dictionaries(st.sampled_from(('a', 'text', 'inner', 'old', 'kept', 'more')), values | inners).map(
    lambda held: Outer.model_construct(**held)
)


@generated(150)
@given(st.recursive(outers | inners, lambda inner: st.lists(inner, max_size=2) | st.fixed_dictionaries({'k': inner})))
@example(Outer.model_construct(a=1))
@example(Outer(a=1, text='t'))
@example([Inner.model_construct()])
async def test_a_model_made_without_validation_goes_out_as_stock_writes_it(value: Any) -> None:
    """`model_construct` leaves out what it is not given; pydantic warns of wrong types with stock as well."""
    wire = Wire()
    with warnings.catch_warnings():
        warnings.filterwarnings('ignore', category=UserWarning, message='Pydantic serializer')
        assert await sent(wire.model(), wire, returning(value)) == await sent(wire.stock(), wire, returning(value))


async def test_app_data_stays_out_beside_a_field_that_is_missing_or_deprecated(wire: Wire) -> None:
    """A warning, as a deprecated field gives whoever asks for it, would fail this test."""
    value = Outer.model_construct(a=1, text=TextContent('seen', metadata={'secret': 1}), more=TextContent('m'))
    messages = await sent(wire.model(), wire, returning(value))
    assert json.loads(messages[-1]['content']) == {'a': 1, 'text': 'seen', 'inner': None, 'old': 1, 'more': 'm'}
    half = object.__new__(Bare)
    half.a = 1
    messages = await sent(wire.model(), wire, returning([half, Slotted(1, TextContent('s', metadata={'secret': 1}))]))
    assert json.loads(messages[-1]['content']) == [{'a': 1, 'b': None}, {'a': 1, 'b': 's'}]


async def test_a_value_that_stock_cannot_write_fails_as_with_stock(wire: Wire) -> None:
    half = object.__new__(Slotted)
    for model in (wire.model(), wire.stock()):
        with pytest.raises(PydanticSerializationError):
            await sent(model, wire, returning(half))


numbers = st.sampled_from((math.nan, math.inf, -math.inf)) | st.floats() | st.integers() | st.booleans() | st.none()
texts = st.sampled_from(('NaN', 'a"NaN', '-Infinity', '\\', ': NaN,', '\ud800')) | st.text(max_size=4)
arguments = st.dictionaries(
    st.sampled_from(('NaN', 'a', 'b"c')),
    st.recursive(
        numbers | texts, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=2)
    ),
)


def _told(value: Any) -> Any:
    """What JSON can hold of a value: text for what is no number, and U+FFFD for half of a pair."""
    if isinstance(value, float) and not math.isfinite(value):
        return 'NaN' if math.isnan(value) else 'Infinity' if value > 0 else '-Infinity'
    if isinstance(value, str):
        return value.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')
    if isinstance(value, list):
        return [_told(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, dict):
        return {_told(key): _told(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return value


@generated(300)
@given(arguments, st.booleans(), st.booleans())
def test_arguments_with_what_is_no_number_keep_everything_else(
    given_arguments: dict[str, Any], as_text: bool, escaped: bool
) -> None:
    """A tool ran with them, so the model has to see what it asked for; `{}` would be another call."""
    value = json.dumps(given_arguments, ensure_ascii=escaped) if as_text else given_arguments
    messages = [user(), calls(call('c1', value)), result('c1')]
    repaired = repair_history(messages).messages
    assert from_json(repaired[1]['tool_calls'][0]['function']['arguments'], allow_inf_nan=False) == _told(
        given_arguments
    )
    assert check_history(repaired) == []


def test_only_what_is_no_number_changes_in_arguments() -> None:
    text = '{"a":NaN , "b" : [1e5,-Infinity], "c": "NaN \\" Infinity", "NaN": 1.10}'
    repaired = repair_history([user(), calls(call('c1', text)), result('c1')]).messages
    assert repaired[1]['tool_calls'][0]['function']['arguments'] == (
        '{"a":"NaN" , "b" : [1e5,"-Infinity"], "c": "NaN \\" Infinity", "NaN": 1.10}'
    )


halves = st.sampled_from(('\ud83d', 'a\udc00b', '\ude00\ud83d', '\ud83d\ude00', 'ö'))
contents = st.recursive(
    halves
    | st.integers()
    | halves.map(lambda text: Outer.model_construct(a=1, text=text, more=text))
    | halves.map(lambda text: Bare(1, text))
    | halves.map(lambda text: Slotted(1, (text,))),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(halves, inner, max_size=2) | st.tuples(inner),
)


@generated(150)
@given(contents, halves)
@example('a\ud800b', 'q')
async def test_half_of_a_surrogate_pair_is_sent_as_the_sign_for_it(content: Any, text: str) -> None:
    """In a tool's text, in a value it returned, in a prompt, in an answer and in arguments; what is stored stays."""
    wire = Wire()
    messages = [
        ModelRequest(parts=[UserPromptPart(text)]),
        ModelResponse(parts=[TextPart(text), ToolCallPart('t', {'a': text}, 'c1')]),
        ModelRequest(parts=[ToolReturnPart('t', content, 'c1')]),
    ]
    before = copy.deepcopy(messages)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', HistoryRepairWarning)
        body = await sent(wire.model(), wire, messages)
    whole = text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')
    assert [message['role'] for message in body] == ['user', 'assistant', 'tool']
    assert (body[0]['content'], body[1]['content']) == (whole, whole)
    assert json.loads(body[1]['tool_calls'][0]['function']['arguments']) == {'a': whole}
    assert messages == before
    json.dumps(body, ensure_ascii=False).encode()


async def test_a_replaced_half_is_said(wire: Wire) -> None:
    with pytest.warns(HistoryRepairWarning, match='half of a surrogate pair, which none can: it is sent as U'):
        body = await sent(wire.model(), wire, returning('a\ud800b'))
    assert body[-1]['content'] == 'a\ufffdb'


@given(halves)
@generated(20)
async def test_a_half_beside_the_messages_is_sent_as_the_sign_for_it_too(text: str) -> None:
    """In instructions, in a tool's description and schema, and in a setting, where a request of stock fails."""
    wire = Wire()
    schema = {'type': 'object', 'properties': {'q': {'type': 'string', 'description': text}}}
    tool = ToolDefinition(name='t', description=text, parameters_json_schema=schema)
    parameters = ModelRequestParameters(function_tools=[tool])
    assert parameters.tool_defs == {'t': tool}
    request = ModelRequest(parts=[UserPromptPart('q')], instructions=text)
    chosen: Any = {'stop_sequences': [text]}
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', HistoryRepairWarning)
        await wire.model().request([request], chosen, parameters)
    whole = text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')
    (body,) = wire.bodies
    assert body['messages'][0] == {'role': 'system', 'content': whole}
    assert body['tools'][0]['function']['description'] == whole
    assert body['tools'][0]['function']['parameters']['properties']['q']['description'] == whole
    assert body['stop'] == [whole]
    assert (tool.description, request.instructions) == (text, text)


def test_a_half_is_replaced_in_what_holds_it_and_in_what_was_made_of_that() -> None:
    """`tool_defs` is made once of the tools, and was asked for before."""
    parameters = ModelRequestParameters(function_tools=[ToolDefinition(name='t', description='\ud800')])
    assert parameters.tool_defs['t'].description == '\ud800'
    with pytest.warns(HistoryRepairWarning):
        held, sendable = with_sendable_text((({'k': ['\ud800']}, 1), parameters))
    assert held == ({'k': ['\ufffd']}, 1)
    assert sendable.tool_defs == {'t': ToolDefinition(name='t', description='\ufffd')}
    assert parameters.tool_defs['t'].description == '\ud800'


def test_messages_without_a_half_are_left_alone() -> None:
    messages = returning([Outer(a=1, text='t'), {'k': (1, 'ö')}, Bare(1), Slotted(1), Bare])
    assert with_sendable_text(messages) is messages
