from __future__ import annotations as _annotations

import inspect

import pytest
from typing_extensions import TypedDict

from pydantic_ai_compat import ImportModelConfig, OpenAICompatibleModelProfile
from pydantic_ai_compat.config.schema.docstrings import argument_docs, attribute_docs


class Base(TypedDict):
    inherited: int
    """From the base."""

    changed: int
    """Before."""


class Derived(Base, total=False):
    """The class itself."""

    changed: int  # type: ignore[misc]
    """After.

    Indented.
    """

    without: int
    last: int


def documented(one: int, *, two: int, **three: int) -> None:
    """Do.

    Args:
        one: First: with a colon
            and a second line.
        two: Second.

        **three: Third.

    Raises:
        ValueError: Never.
    """


def undocumented() -> None: ...


def test_the_docstring_under_a_key_is_its_description():
    assert attribute_docs(Derived) == {'inherited': 'From the base.', 'changed': 'After.\n\nIndented.'}


def test_the_descriptions_of_pydantic_ai_come_along():
    """Its profiles and settings are documented the same way."""
    docs = attribute_docs(OpenAICompatibleModelProfile)
    assert docs['openai_chat_tool_return_list_format'].startswith('How a list goes out')
    assert docs['openai_system_prompt_role']
    assert docs['supports_json_schema_output']


def test_a_class_that_is_no_typed_dict_has_its_own_only():
    assert list(attribute_docs(ImportModelConfig)) == ['type', 'model', 'kw_args']


def test_without_source_there_are_no_descriptions(monkeypatch: pytest.MonkeyPatch):
    def no_source(cls: type) -> str:
        raise OSError('could not get source code')

    monkeypatch.setattr(inspect, 'getsource', no_source)
    assert attribute_docs(Derived) == {}


def test_an_argument_is_described_in_one_line():
    assert argument_docs(documented) == {
        'one': 'First: with a colon and a second line.',
        'two': 'Second.',
        '**three': 'Third.',
    }


def test_a_function_without_a_docstring_has_no_descriptions():
    assert argument_docs(undocumented) == {}
    assert argument_docs(lambda: None) == {}
