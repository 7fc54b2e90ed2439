"""The schema and the loader are two readings of one annotation, so each is the other's test."""

from __future__ import annotations as _annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict, cast

import pytest
from pydantic_ai.models.openai import OpenAIChatModelSettings
from support import SchemaValidator

from pydantic_ai_compat import OpenAICompatibleModelProfile
from pydantic_ai_compat.config.schema.options import is_settable, option_schema
from pydantic_ai_compat.errors import OptionError
from pydantic_ai_compat.options.conversion import convert, key_annotations


class Plain:
    """A class that only Python code can make an object of."""


class Options(TypedDict):
    a: int


@dataclass
class Point:
    x: int


KEYS = {**key_annotations(OpenAIChatModelSettings), **key_annotations(OpenAICompatibleModelProfile)}
ANNOTATIONS: dict[str, Any] = {
    **{str(annotation): annotation for annotation in KEYS.values()},
    **{
        str(annotation): annotation
        for annotation in (
            Any,
            Annotated[bool, 'x'],
            Literal['A.b', 'low', True],
            Literal[None],  # noqa: PYI061 - as an annotation may have it
            list,
            dict,
            list[bool],
            list[Options],
            list[Point],
            tuple[int, float],
            tuple[Point, int],
            Mapping[str, list[int]],
            Sequence[Literal['a', 'b'] | None],
            datetime.timedelta,
        )
    },
}
SAMPLES: list[Any] = [
    *(True, False, 'true', 'Yes', ' OFF ', 'f', 'maybe', ''),
    *(0, 1, 2, -1, 1.5, '7', ' 7 ', '+7', '7.0', '1.5', '-3', '.5', '1e3', '1.5.2'),
    *('a, b', 'a,,b', 'a', 'low', 'LOW', 'low, high', 'low,nope', 'yes, no', '1, 2', '1, 2.5', '1, x', 'b, null'),
    *(['a'], ['low', 'high'], ['a', 'b'], ['a', 'b', 'c'], [1], [1, 2.5], [True], [{'a': 1}], [], [None]),
    *({}, {'a': 1}, {'a': 'b'}, {'a': [1]}, {'x': 1}, {'a': ['x']}, [{'x': 1}], [{'x': 1}, 2]),
    *(None, 'null', 'NULL', 'developer', 'Developer', 'A.b', 'a.b', 'Axb', 'auto', 'field', '5m', '5m, 1h'),
    *('application/pdf', 'text/plain,text/html', '1:30:00', '12:30', 'P1DT2H', '90', 'P'),
]


def differs_on_purpose(value: object) -> bool:
    """Where the schema is narrower than pydantic's lenient reading, or as wide as a schema has to be."""
    if isinstance(value, list):
        return any(isinstance(item, dict) for item in cast('list[object]', value))
    # A boolean for a number; which fields a dataclass has is left to the loader.
    return isinstance(value, bool | dict)


@pytest.mark.parametrize('name', [name for name, annotation in ANNOTATIONS.items() if is_settable(annotation)])
@pytest.mark.untraced
def test_the_schema_takes_what_the_loader_takes(name: str):
    annotation = ANNOTATIONS[name]
    schema = option_schema(annotation)
    validator = SchemaValidator(schema)
    for value in SAMPLES:
        try:
            convert('option', value, annotation)
            fits = True
        except OptionError:
            fits = False
        if validator.is_valid(value) != fits:
            assert differs_on_purpose(value), (name, value, fits)


@pytest.mark.parametrize('annotation', [bool, int | None, Literal['a'], list[bool], dict[str, int], tuple[int, int]])
def test_a_text_with_a_variable_in_it_fits_every_option(annotation: Any):
    """What it becomes is known when the variant is built."""
    assert SchemaValidator(option_schema(annotation)).is_valid('${NAME:-x}')


@pytest.mark.parametrize(
    'annotation, text', [(list[int], '[1, 2]'), (dict[str, int], '{"a": 1}'), (Options, '{"a": 1}')]
)
def test_json_text_fits_a_list_and_a_map(annotation: Any, text: str):
    """A loader that knows only strings can give nothing else; what is inside the text the schema cannot see."""
    validator = SchemaValidator(option_schema(annotation))
    assert validator.is_valid(text)
    assert convert('option', text, annotation) == json.loads(text)
    assert not validator.is_valid('1; 2')


@pytest.mark.parametrize(
    'annotation, settable',
    [
        (type[int] | None, True),
        (type[int], False),
        (type, False),
        (frozenset[type[int]], False),
        (Plain, False),
        (int | Plain, True),
        (bool, True),
    ],
)
def test_a_class_or_an_object_of_one_cannot_be_given_in_yaml(annotation: Any, settable: bool):
    assert is_settable(annotation) == settable


def test_what_yaml_cannot_give_is_left_out_of_a_union():
    assert option_schema(Plain | None | type[int]) == {
        'anyOf': [
            {'type': 'null'},
            {'type': 'string', 'pattern': r'^\s*(?:[nN][uU][lL][lL])\s*$'},
            {'type': 'string', 'pattern': r'\$\{', 'description': 'Text with ${VARIABLE} in it.'},
        ]
    }


def test_an_option_that_takes_anything_has_an_empty_schema():
    assert option_schema(object) == option_schema(int | Any) == {}
