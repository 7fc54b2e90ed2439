"""The dialect that a template writes, found by what it makes of a turn with a call."""

from __future__ import annotations as _annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pydantic_ai_compat.errors import ChatTemplateError
from pydantic_ai_compat.text import DIALECTS, TextCall, find_dialect, write_calls

SAME = {'ernie45': 'hermes', 'deepseek_v4': 'deepseek_v4'}
"""Dialects that another one before them is equal to."""


class Template:
    """A template that writes calls in one dialect, and takes arguments in one form only."""

    def __init__(self, dialect: str | None, arguments: type = dict, *, thinks: bool = False):
        self.dialect = dialect
        self.arguments = arguments
        self.thinks = thinks

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = True,
        **variables: Any,
    ) -> str:
        prompt = f'<|user|>{messages[0]["content"]}'
        if add_generation_prompt:
            prompt += '<|assistant|><think>' if self.thinks else '<|assistant|>'
        for message in messages[1:]:
            function = message['tool_calls'][0]['function']
            if not isinstance(function['arguments'], self.arguments):
                raise ChatTemplateError('arguments of another form')
            arguments = function['arguments']
            text = arguments if isinstance(arguments, str) else json.dumps(arguments)
            prompt += '<|assistant|>'
            if self.dialect:
                prompt += write_calls([TextCall(function['name'], text, 'callAB123')], self.dialect)
        return prompt


@pytest.mark.parametrize('dialect', DIALECTS)
def test_the_dialect_that_a_template_writes_is_found(dialect: str) -> None:
    """By reading it back, so no model's name is needed."""
    assert find_dialect(Template(dialect)) == SAME.get(dialect, dialect)


def test_a_template_that_wants_text_for_arguments_is_asked_with_text() -> None:
    assert find_dialect(Template('hermes', str)) == 'hermes'


def test_a_prompt_that_ends_in_a_thinking_tag_does_not_hide_the_turn() -> None:
    assert find_dialect(Template('kimi_k2', thinks=True)) == 'kimi_k2'


def test_a_template_without_calls_or_one_that_takes_none_has_no_dialect() -> None:
    assert find_dialect(Template(None)) is None
    assert find_dialect(Template('hermes', int)) is None
