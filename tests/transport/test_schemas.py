"""Schemas of tools are transformed once, and come out as pydantic-ai transforms them."""

from __future__ import annotations as _annotations

import copy
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest
from generated import generated
from hypothesis import given, strategies as st
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles import InlineDefsJsonSchemaTransformer, JsonSchemaTransformer, ModelProfile
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.tools import ToolDefinition
from support import Wire

from pydantic_ai_compat.transport import LeanChatModel, schemas
from pydantic_ai_compat.transport.schemas import TransformedSchemas

REQUEST: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('Go.')])]


def tool(name: str = 'look', strict: bool | None = None, **properties: Any) -> ToolDefinition:
    schema = {'type': 'object', 'properties': properties or {'a': {'type': 'string', 'minLength': 1}}}
    return ToolDefinition(name=name, parameters_json_schema=schema, strict=strict)


def model(transformer: type[JsonSchemaTransformer] | None, kind: type[OpenAIChatModel] = LeanChatModel) -> Any:
    provider = OpenAICompatibleProvider('x', base_url='http://x/v1', api_key='k')
    return kind('m', provider=provider, profile=ModelProfile(json_schema_transformer=transformer))


class Walks:
    """Counts the schemas that pydantic-ai transforms."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        walk: Callable[[JsonSchemaTransformer], dict[str, Any]] = JsonSchemaTransformer.walk

        def counted(transformer: JsonSchemaTransformer) -> dict[str, Any]:
            self.count += 1
            return walk(transformer)

        monkeypatch.setattr(JsonSchemaTransformer, 'walk', counted)


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> Walks:
    return Walks(monkeypatch)


SCALARS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    ({'type': 'string'}, {'type': 'string', 'pattern': 'a+'}, {'type': 'integer', 'default': 1})
)


def array(items: dict[str, Any]) -> dict[str, Any]:
    return {'type': 'array', 'items': items, 'minItems': 1}


def any_of(some: list[dict[str, Any]]) -> dict[str, Any]:
    return {'anyOf': some}


def an_object(properties: dict[str, Any], *, closed: bool) -> dict[str, Any]:
    schema = {'type': 'object', 'properties': properties, 'required': sorted(properties)[:1]}
    return {**schema, 'additionalProperties': False} if closed else schema


NESTED: st.SearchStrategy[dict[str, Any]] = st.recursive(
    SCALARS | st.just({'$ref': '#/$defs/Node'}),
    lambda inner: st.one_of(
        st.builds(array, inner),
        st.builds(any_of, st.lists(inner, min_size=1, max_size=3)),
        st.builds(an_object, st.dictionaries(st.sampled_from('abc'), inner, max_size=3), closed=st.booleans()),
    ),
    max_leaves=6,
)


@st.composite
def tools(draw: st.DrawFn) -> list[ToolDefinition]:
    made: list[ToolDefinition] = []
    for number in range(draw(st.integers(0, 3))):
        properties = draw(st.dictionaries(st.sampled_from('abc'), NESTED, max_size=3))
        one = tool(f'tool_{number}', draw(st.sampled_from((None, True, False))), **properties)
        one.parameters_json_schema['$defs'] = {'Node': {'type': 'object', 'properties': {}}}
        made.append(one)
    return made


@generated(100)
@given(
    transformer=st.sampled_from((OpenAIJsonSchemaTransformer, InlineDefsJsonSchemaTransformer, None)),
    rounds=st.lists(st.tuples(tools(), tools()), min_size=1, max_size=3),
)
def test_each_request_has_the_schemas_of_stock(
    transformer: type[JsonSchemaTransformer] | None, rounds: list[tuple[list[ToolDefinition], list[ToolDefinition]]]
) -> None:
    ours, stock = model(transformer), model(transformer, OpenAIChatModel)
    for function_tools, output_tools in (*rounds, *rounds):
        parameters = ModelRequestParameters(
            function_tools=function_tools, output_tools=output_tools, output_mode='tool', allow_text_output=False
        )
        given_before = copy.deepcopy(parameters)
        customized = ours.customize_request_parameters(parameters)
        assert customized == stock.customize_request_parameters(parameters)
        assert parameters == given_before
        for one in customized.function_tools:
            one.parameters_json_schema.clear()  # what a hook does to its own copy is nobody else's


async def test_a_conversation_transforms_each_schema_once(wire: Wire, walks: Walks) -> None:
    ours = wire.model()
    parameters = ModelRequestParameters(function_tools=[tool(), tool('read', b={'type': 'integer'})])
    for _ in range(3):
        await ours.request(REQUEST, None, parameters)
    assert walks.count == 2
    assert wire.bodies[0]['tools'] == wire.bodies[2]['tools']


def test_a_schema_that_is_changed_in_place_is_another_one(walks: Walks) -> None:
    ours = model(OpenAIJsonSchemaTransformer)
    parameters = ModelRequestParameters(function_tools=[tool()])
    ours.customize_request_parameters(parameters)
    parameters.function_tools[0].parameters_json_schema['properties']['b'] = {'type': 'boolean'}
    customized = ours.customize_request_parameters(parameters)
    assert sorted(customized.function_tools[0].parameters_json_schema['properties']) == ['a', 'b']
    ours.customize_request_parameters(replace(parameters, function_tools=[tool(strict=True)]))
    assert walks.count == 3


def test_a_transformer_of_the_users_own_runs_each_time(walks: Walks) -> None:
    class Own(OpenAIJsonSchemaTransformer):
        pass

    ours = model(Own)
    for _ in range(2):
        ours.customize_request_parameters(ModelRequestParameters(function_tools=[tool()]))
    assert walks.count == 2


def test_a_schema_that_is_no_plain_json_is_transformed_each_time(walks: Walks) -> None:
    ours = model(OpenAIJsonSchemaTransformer)
    for _ in range(2):
        parameters = ModelRequestParameters(function_tools=[tool(a=OrderedDict(type='string'))])
        assert ours.customize_request_parameters(parameters).function_tools[0].name == 'look'
    assert walks.count == 2


def test_a_hook_that_changes_more_than_schemas_is_asked_each_time() -> None:
    class Described(Model):
        def customize_request_parameters(
            self, model_request_parameters: ModelRequestParameters
        ) -> ModelRequestParameters:
            customized = super().customize_request_parameters(model_request_parameters)
            described = [replace(tool, description='Ask first.') for tool in customized.function_tools]
            return replace(customized, function_tools=described)

    class Mixed(LeanChatModel, OpenAIChatModel, Described):
        pass

    ours = model(OpenAIJsonSchemaTransformer, Mixed)
    for _ in range(2):
        customized = ours.customize_request_parameters(ModelRequestParameters(function_tools=[tool()]))
        assert customized.function_tools[0].description == 'Ask first.'


def test_what_comes_out_otherwise_than_one_for_each_is_not_kept() -> None:
    known = TransformedSchemas()
    parameters = ModelRequestParameters(function_tools=[tool()])
    for many in ([], [tool('one'), tool('other')]):
        for _ in range(2):
            more = replace(parameters, function_tools=many)
            assert known.customize(parameters, OpenAIJsonSchemaTransformer, Mock(return_value=more)) is more


def test_not_every_schema_of_a_long_life_is_kept(monkeypatch: pytest.MonkeyPatch, walks: Walks) -> None:
    monkeypatch.setattr(schemas, '_MOST', 2)
    ours = model(OpenAIJsonSchemaTransformer)
    for name in ('a', 'b', 'c', 'c', 'a'):
        properties: dict[str, Any] = {name: {'type': 'string'}}
        one = tool(**properties)
        ours.customize_request_parameters(ModelRequestParameters(function_tools=[one]))
    assert walks.count == 4
