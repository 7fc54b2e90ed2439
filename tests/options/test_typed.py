"""The keywords that type checkers know are the ones that the model takes."""

from __future__ import annotations as _annotations

import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin

import pytest
from pydantic_ai.models.openai import OpenAIResponsesModelSettings
from pydantic_ai.profiles import InlineDefsJsonSchemaTransformer
from pydantic_ai.profiles.google import GoogleOpenAPISchemaTransformer
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer
from support import SchemaValidator

from pydantic_ai_compat import OpenAICompatibleModel, build_profile
from pydantic_ai_compat.config.schema import model_variants_schema
from pydantic_ai_compat.errors import OptionError, UnknownOptionError
from pydantic_ai_compat.options.conversion import _WIRE_NAMES, key_annotations
from pydantic_ai_compat.options.profile import OpenAICompatibleModelProfile
from pydantic_ai_compat.options.typed import OpenAICompatibleOptions

HOST = 'http://localhost:8000/v1'
TYPED = key_annotations(OpenAICompatibleOptions)
PROFILE = {
    name: annotation
    for name, annotation in key_annotations(OpenAICompatibleModelProfile).items()
    if name.startswith('openai_')
}


def members(annotation: Any) -> set[Any]:
    return set(get_args(annotation)) if get_origin(annotation) in (Union, types.UnionType) else {annotation}


def kinds(annotation: Any) -> set[Any]:
    """The values of an annotation, with every list for one, every map and function for one, and each word of a `Literal`."""
    found: set[Any] = set()
    for member in members(annotation):
        origin = get_origin(member)
        if origin is Literal:
            found |= set(get_args(member))
        elif origin is not None and issubclass(origin, Mapping):
            found.add(Mapping)
        elif origin is Callable:
            found.add(member)
        elif origin is not None:
            found.add((Sequence, frozenset(kinds(get_args(member)[0]))))
        else:
            found.add(member)
    return found


def test_every_option_of_the_profile_is_a_typed_keyword() -> None:
    """A key that pydantic-ai adds is missing here until it is typed; one that an older pydantic-ai lacks is not."""
    assert sorted(set(PROFILE) - set(TYPED)) == []


@pytest.mark.parametrize('name', PROFILE)
def test_a_typed_keyword_takes_what_the_option_is_and_text(name: str) -> None:
    option, typed = kinds(PROFILE[name]), kinds(TYPED[name])
    has_words = any(get_origin(member) is Literal for member in members(PROFILE[name]))
    assert typed == option | (set() if has_words else {str})


NAMED = {
    'inline_defs': InlineDefsJsonSchemaTransformer,
    'openai': OpenAIJsonSchemaTransformer,
    'google_openapi': GoogleOpenAPISchemaTransformer,
    'null': None,
}


@pytest.mark.parametrize('name', NAMED)
@pytest.mark.untraced
def test_a_transformer_of_schemas_is_named_in_text(name: str) -> None:
    model = OpenAICompatibleModel('m', base_url=HOST, profile={'json_schema_transformer': name})  # type: ignore[typeddict-item]
    assert model.profile.get('json_schema_transformer') is NAMED[name]
    keywords = {'model_name': 'm', 'base_url': HOST, 'profile': {'json_schema_transformer': name}}
    document = {'model_variants': {'m': {'model': 'pydantic_ai_compat.OpenAICompatibleModel', 'kw_args': keywords}}}
    assert SchemaValidator(model_variants_schema()).is_valid(document)


def test_a_transformer_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(OptionError, match="'inline_defs', 'openai', 'google', 'google_openapi' or a class or null"):
        build_profile({'json_schema_transformer': 'inline'})


@pytest.mark.parametrize(
    ('name', 'meant'),
    [*_WIRE_NAMES.items(), ('temprature', 'temperature'), ('top-p', 'top_p'), ('stop_sequence', 'stop_sequences')],
)
def test_a_setting_that_pydantic_ai_does_not_have_is_refused_with_the_nearest(name: str, meant: str) -> None:
    """A wire name would leave nothing out: pydantic-ai compares with its own names."""
    for options in (
        {'openai_unsupported_model_settings': f'seed, {name}'},
        {'profile': {'openai_unsupported_model_settings': [name]}},
    ):
        with pytest.raises(OptionError) as caught:
            OpenAICompatibleModel('m', base_url=HOST, **options)  # pyright: ignore[reportArgumentType]
        assert str(caught.value) == (
            f'`openai_unsupported_model_settings`: {name!r} is no model setting, did you mean {meant!r}?'
        )
    assert meant in key_annotations(OpenAIResponsesModelSettings)
    with pytest.raises(UnknownOptionError, match=f"unknown option '{name}', did you mean '{meant}'"):
        OpenAICompatibleModel('m', base_url=HOST, settings={name: 1})
