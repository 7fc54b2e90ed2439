"""Rendering as transformers does; `test_transformers.py` compares with transformers itself."""

from __future__ import annotations as _annotations

import json
from collections import UserString
from enum import StrEnum
from typing import Any

import pytest
from templates.conversation import SYSTEM, TOOLS, USER, sample, turn
from templates.language import LANGUAGE

from pydantic_ai_compat.errors import ChatTemplateError
from pydantic_ai_compat.templates import ChatTemplate, RenderLimits


def rendered(source: str, *messages: dict[str, Any], **variables: Any) -> str:
    return ChatTemplate(source).render(messages or [USER], **variables)


def test_a_tool_turn_is_rendered_with_its_tools_and_the_start_of_the_answer() -> None:
    """Written out by hand from the template."""
    prompt = sample('chatml').render(turn('alpha', 'beta'), TOOLS)
    assert prompt == (
        '<|im_start|>system\nBe brief.\nTools:\n'
        '{"type": "function", "function": {"name": "get_items", "description": "Finds <items> & \\"more\\": Äpfel", '
        '"parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}}}'
        '<|im_end|>\n<|im_start|>user\nWhich "fruit" <b>?<|im_end|>\n'
        '<|im_start|>assistant\n<tool_call>\n{"name": "get_items", "arguments": {"query": "fruit"}}\n</tool_call>'
        '<|im_end|>\n<|im_start|>user\n<tool_response>\nalpha\n</tool_response>\n<tool_response>\nbeta\n</tool_response>'
        '<|im_end|>\n<|im_start|>assistant\n'
    )
    assert sample('chatml').render([USER], add_generation_prompt=False) == (
        '<|im_start|>user\nWhich "fruit" <b>?<|im_end|>\n'
    )


@pytest.mark.parametrize(('source', 'expected'), LANGUAGE)
def test_the_language_of_templates_is_that_of_transformers(source: str, expected: str) -> None:
    """`test_transformers.py` gives the same lines to transformers itself."""
    assert rendered(source) == expected


def test_keys_without_a_value_are_left_out_unless_asked_for() -> None:
    """transformers 5.24: `_normalize_chat_messages` drops them, `render_jinja_template` alone does not."""
    template = ChatTemplate('{{ messages[0].content }}|{{ messages[0].content is defined }}')
    assert template.render([{'role': 'user', 'content': None}]) == '|False'
    assert template.render_as_given([{'role': 'user', 'content': None}]) == 'None|True'


@pytest.mark.parametrize('name', ['reasoning_content', 'thinking', 'reasoning'])
def test_thinking_is_there_under_each_name_that_templates_read(name: str) -> None:
    """transformers 5.24, `_alias_reasoning_fields`."""
    template = ChatTemplate('{{ messages[0] }}')
    expected = {'thinking': 't', 'role': 'assistant', name: 't', 'reasoning_content': 't'}
    assert template.render([{'role': 'assistant', name: 't'}]) == str(expected)
    assert ChatTemplate('{{ messages[0] | length }}').render_as_given([{'role': 'assistant', name: None}]) == '2'


def test_a_template_sees_plain_values_only() -> None:
    """transformers 5.24, `_plain_template_data`: anything that is no JSON becomes the name of its type."""

    class Colour(StrEnum):
        RED = 'red'

    class Count(int):
        pass

    class Share(float):
        pass

    values = {'a': Colour.RED, 'b': Count(3), 'c': Share(0.5), 'd': (1, [UserString('x')]), 'e': True}
    prompt = rendered('{{ a }} {{ b }} {{ c }} {{ d }} {{ e }}', **values)
    assert prompt == "red 3 0.5 (1, ['<UserString>']) True"


def test_the_conversation_is_never_changed() -> None:
    messages = turn('alpha')
    before = str(messages)
    assert sample('appending', llama_cpp=True).render(messages) == (
        '<system>Be brief.\n<user>Which "fruit" <b>?\n<assistant>\nfunctions.get_items:0{"query": "fruit"}\n<tool>alpha'
    )
    changing = ChatTemplate('{% set _ = messages.append(1) %}{{ messages | length }}', llama_cpp=True)
    assert changing.render(messages) == '5'
    assert str(messages) == before


def test_changing_a_list_is_refused_as_in_transformers_unless_allowed() -> None:
    with pytest.raises(ChatTemplateError, match="'append' of 'list' object is unsafe"):
        sample('appending').render(turn('alpha'))
    assert 'functions.get_items' in sample('appending').for_llama_cpp().render(turn('alpha'))
    refused = ChatTemplate('{% set _ = {}.update(a=1) %}', llama_cpp=True)
    with pytest.raises(ChatTemplateError, match="'update' of 'dict' object is unsafe"):
        refused.render([USER])


def test_special_tokens_and_variables_are_there_and_variables_win() -> None:
    template = ChatTemplate('{{ bos_token }}{{ enable_thinking }}', special_tokens={'bos_token': '<s>'})
    assert template.render([USER], enable_thinking=False) == '<s>False'
    assert template.render([USER], bos_token='<x>', enable_thinking=True) == '<x>True'


def test_of_several_templates_the_one_for_tools_is_used_with_tools() -> None:
    """transformers 5.24, `get_chat_template`."""
    template = ChatTemplate({'default': 'plain', 'tool_use': 'tools', 'rag': 'documents'}, name='config.json')
    assert (template.render([USER]), template.render([USER], []), template.source) == ('plain', 'tools', 'plain')
    assert template.names == ('default', 'tool_use', 'rag')
    assert repr(template) == "ChatTemplate(name='config.json')"


def test_an_error_has_the_words_of_the_template_and_the_message_concerned() -> None:
    with pytest.raises(ChatTemplateError) as caught:
        sample('strict').render([SYSTEM, USER, USER])
    assert str(caught.value) == (
        "strict: Roles must alternate user/assistant, but message 2 does not. (at message 2, role 'user')"
    )
    assert caught.value.position == 2


def test_an_error_about_no_message_in_particular_names_none() -> None:
    with pytest.raises(ChatTemplateError) as caught:
        sample('strict').render([SYSTEM])
    assert (str(caught.value), caught.value.position) == ('strict: No user query found in messages.', None)


def test_an_error_of_python_names_its_kind() -> None:
    with pytest.raises(ChatTemplateError) as caught:
        sample('string_arguments').render(turn('alpha'))
    assert str(caught.value) == (
        'string_arguments: TypeError: can only concatenate str (not "dict") to str (at message 2, role \'assistant\')'
    )


@pytest.mark.parametrize(
    ('messages', 'words'),
    [
        ([], 'An empty conversation cannot be rendered'),
        ([USER, 'text'], 'Message 1 is str, and has to be a mapping'),
    ],
)
def test_what_is_no_conversation_is_refused(messages: Any, words: str) -> None:
    with pytest.raises(ChatTemplateError, match=words):
        ChatTemplate('x').render(messages)


@pytest.mark.parametrize(
    ('source', 'words'),
    [
        ('a\n{% if %}', 'here.jinja, line 2 is no chat template: TemplateSyntaxError: Expected an expression'),
        ('{{ ' + '(' * 3000 + ')' * 3000 + ' }}', 'is no chat template: RecursionError'),
        ('{% for a in b %}' * 25 + '{% endfor %}' * 25, 'is no chat template: SyntaxError: too many statically nested'),
        ('x' * 262_145, 'here.jinja has 262145 characters, and the limit is 262144'),
        ({}, 'here.jinja holds no chat template'),
        ({'rag': 'x'}, 'here.jinja has no template named `default`, only: rag'),
    ],
)
def test_what_is_no_template_is_refused_when_it_is_read(source: Any, words: str) -> None:
    with pytest.raises(ChatTemplateError) as caught:
        ChatTemplate(source, name='here.jinja')
    assert words in str(caught.value)


def test_a_longer_template_is_read_with_a_higher_limit() -> None:
    limits = RenderLimits(source=300_000)
    template = ChatTemplate('x' * 262_145, limits=limits)
    assert template.for_llama_cpp().limits is limits
    assert len(template.render([USER])) == 262_145


def test_any_mapping_is_a_message() -> None:
    from types import MappingProxyType

    assert ChatTemplate('{{ messages[0].role }}').render([MappingProxyType(USER)]) == 'user'


def test_llama_cpp_prints_nothing_of_a_map_or_of_null_and_the_items_of_a_list() -> None:
    """Seen on llama.cpp b11549 (`tests/real/test_templates.py`); it is how GLM's tool results get lost there."""
    source = "{{ {'a': 1} }}|{{ none }}|{{ [1, 'b', {'c': 2}, [none, 'd']] }}|{{ true }}|{{ 1.5 }}|{{ {'a': 1} ~ 'x' }}"
    template = ChatTemplate(source)
    conversation = [{'role': 'user', 'content': 'q'}]
    assert template.render(conversation) == "{'a': 1}|None|[1, 'b', {'c': 2}, [None, 'd']]|True|1.5|{'a': 1}x"
    assert template.for_llama_cpp().render(conversation) == "||1bd|True|1.5|{'a': 1}x"


def test_a_dump_with_an_indent_is_the_same_for_few_and_for_many_items() -> None:
    """Many items are paid for by their depth, which takes a second walk."""
    template = ChatTemplate('{{ messages[0].content | tojson(indent=2) }}')
    for count in (3, 40):
        content = [{'item': [number, {'deep': (number,)}]} for number in range(count)]
        assert template.render([{'role': 'user', 'content': content}]) == json.dumps(content, indent=2)
