"""Which options are recommended for the sample templates, and why."""

from __future__ import annotations as _annotations

from typing import Any

import pytest
from templates.conversation import known, sample

from pydantic_ai_compat.errors import OptionError
from pydantic_ai_compat.templates import (
    SERVER_NAMES,
    ChatTemplate,
    Choice,
    Recommendation,
    abilities,
    recommend,
)

AS_LIST = 'openai_chat_tool_return_as_list'
FORMAT = 'openai_chat_tool_return_list_format'
PARALLEL = 'openai_chat_parallel_list_messages'
TOOLS = 'openai_chat_tools'
POLICY = 'openai_chat_history_policy'
CALL_CONTENT = 'openai_chat_tool_call_content'
SYSTEMS = 'openai_chat_supports_multiple_system_messages'
DIALECT = 'openai_chat_text_tool_calls'


@pytest.mark.parametrize(
    ('name', 'server', 'options'),
    [
        ('chatml', 'vllm', {AS_LIST: True, FORMAT: 'messages', DIALECT: ['hermes']}),
        ('blocks', 'llama.cpp', {AS_LIST: True, FORMAT: 'text_parts', DIALECT: ['glm45']}),
        ('blocks', 'sglang', {AS_LIST: True, FORMAT: 'messages', DIALECT: ['glm45']}),
        # A message for each part, and then nothing tells the calls apart.
        ('blocks', 'ollama', {AS_LIST: True, FORMAT: 'messages', DIALECT: ['glm45']}),
        ('glm_like', 'litellm', {AS_LIST: True, FORMAT: 'messages'}),
        # It writes the id of its call beside each result.
        ('json_results', 'vllm', {AS_LIST: True, FORMAT: 'messages', PARALLEL: True, DIALECT: ['mistral']}),
        ('appending', 'vllm', {}),
        ('appending', 'llama.cpp', {AS_LIST: True, FORMAT: 'messages'}),
        ('parts_only', 'vllm-0.19', {AS_LIST: True, FORMAT: 'text_parts'}),
        # No form of a result is taken, and text in its place is.
        ('parts_only', 'vllm', {TOOLS: 'text'}),
        ('counted', 'vllm', {AS_LIST: True, FORMAT: 'messages', SYSTEMS: False}),
        ('no_tools', 'vllm', {'openai_system_prompt_role': 'user', TOOLS: 'text'}),
        ('string_arguments', 'vllm', {TOOLS: 'text'}),
        ('string_arguments', 'llama.cpp', {AS_LIST: True, FORMAT: 'messages'}),
    ],
)
def test_the_options_that_fit(name: str, server: str, options: dict[str, Any]) -> None:
    found = recommend(sample(name), server, found=known(name)).options
    thinking = ('openai_chat_thinking_field', 'openai_chat_send_back_thinking_parts')
    assert {option: value for option, value in found.items() if option not in thinking} == options


@pytest.mark.parametrize('server', SERVER_NAMES)
@pytest.mark.parametrize('name', ['chatml', 'blocks', 'glm_like', 'counted', 'thinking', 'first_part', 'python_list'])
def test_with_the_recommended_options_every_item_arrives_once_and_unescaped(name: str, server: str) -> None:
    """Where any form does: vLLM up to 0.19 shows GLM's template a `{'type': 'text', ...}` whatever is sent."""
    found = recommend(sample(name), server, found=known(name))
    possible = any(delivery.intact for delivery in found.deliveries.values())
    assert (found.delivery.intact, found.form in found.deliveries) == (possible, True)
    assert possible == ((name, server) != ('glm_like', 'vllm-0.19'))


BLURRED = 'where a turn has several calls, as `messages` nothing tells whose they are'


def test_each_choice_has_its_reason() -> None:
    found = recommend(sample('counted'), 'sglang', found=known('counted'))
    separate = 'each item arrives between marks of its own'
    assert found.choices == (
        Choice(AS_LIST, True, separate),
        Choice(
            FORMAT,
            'messages',
            f"{separate}; as `text_parts` they are joined by ' '; as `text` they are joined by '\\n'",
        ),
        Choice(PARALLEL, False, BLURRED, is_default=True),
        Choice(CALL_CONTENT, 'null', 'a turn of tool calls alone is rendered', is_default=True),
        Choice(SYSTEMS, False, 'a second system message does not arrive: it is not in the prompt'),
    )


def test_the_dialect_of_calls_is_named_with_its_reason() -> None:
    """Found by reading back what the template makes of a call."""
    reason = 'the template writes calls as hermes does, should the server leave one in the text'
    assert recommend(sample('chatml')).choices[-1] == Choice(DIALECT, ['hermes'], reason)
    assert DIALECT not in {choice.option for choice in recommend(sample('counted')).choices}


def test_thinking_is_sent_back_where_the_template_writes_it() -> None:
    found = recommend(sample('thinking'), 'vllm', found=known('thinking')).options
    assert (found['openai_chat_thinking_field'], found['openai_chat_send_back_thinking_parts']) == (
        'reasoning_content',
        'field',
    )
    assert found['thinking_tags'] == ('<seed:think>', '</seed:think>')
    # transformers serve hands over role, content, calls and ids only.
    assert (
        'openai_chat_thinking_field'
        not in recommend(sample('thinking'), 'transformers', found=known('thinking')).options
    )


CONTENT = """{%% for m in messages %%}{%% if m.tool_calls %%}%s{%% for c in m.tool_calls %%}{{
c.function.arguments | tojson }}{%% endfor %%}{%% elif m.content is string %%}{{ m.content }}{%% else %%}{%%
for part in m.content %%}{{ part.text }}{%% endfor %%}{%% endif %%};{%% endfor %%}"""


@pytest.mark.parametrize(
    ('use', 'server', 'value', 'is_default', 'reason'),
    [
        # Most servers hand over an empty text for an absent one, so that the default does no harm.
        ('{{ m.content + "x" }}', 'ollama', 'null', True, 'a turn of tool calls alone is rendered'),
        # vLLM up to 0.19 makes a list without parts of it.
        (
            '{{ m.content[0].text.strip() }}',
            'vllm-0.19',
            'empty',
            False,
            (
                'a turn of tool calls alone is rendered; with `null` UndefinedError: list object has no element 0 '
                "(at message 2, role 'assistant')"
            ),
        ),
        (
            '{{ "" if m.content else "null" }}',
            'ollama',
            'null',
            True,
            (
                'with `null` the prompt has the word None or null for it; with `empty` the prompt has the word None or '
                'null for it; with `omit` the prompt has the word None or null for it'
            ),
        ),
        (
            '{{ "" if m.content else raise_exception("no text") }}',
            'sglang',
            'null',
            True,
            (
                "with `null` no text (at message 2, role 'assistant'); with `empty` no text (at message 2, role "
                "'assistant'); with `omit` no text (at message 2, role 'assistant')"
            ),
        ),
    ],
)
def test_the_content_of_a_turn_of_calls_alone_is_the_first_that_does_no_harm(
    use: str, server: str, value: str, is_default: bool, reason: str
) -> None:
    template = ChatTemplate(CONTENT % use)
    (choice,) = [choice for choice in recommend(template, server).choices if choice.option == CALL_CONTENT]
    assert choice == Choice(CALL_CONTENT, value, reason, is_default)


def test_a_form_that_the_host_refuses_is_not_recommended() -> None:
    found = recommend(sample('chatml'), 'vllm', without=('messages',))
    assert (found.form, found.options) == ('text', {AS_LIST: True, FORMAT: 'text', DIALECT: ['hermes']})


def test_what_is_lost_with_other_values_is_known() -> None:
    found = recommend(sample('first_part'), 'llama.cpp', found=known('first_part'))
    assert found.losses == {FORMAT: {'text_parts': 'as `text_parts` some are lost'}, PARALLEL: {True: BLURRED}}
    assert recommend(sample('no_tools'), 'vllm', found=known('no_tools')).losses['openai_system_prompt_role'] == {
        'system': "a system message does not arrive: system role not supported (at message 0, role 'system')"
    }
    assert recommend(sample('counted'), 'vllm', found=known('counted')).losses == {
        PARALLEL: {True: BLURRED},
        SYSTEMS: {True: 'a second system message does not arrive: it is not in the prompt'},
    }


def test_abilities_that_are_known_already_are_not_found_again() -> None:
    template = sample('chatml')
    found = abilities(template)
    assert recommend(template, 'vllm', found=found) == recommend(template, 'vllm')


def test_what_llama_cpp_said_about_the_template_is_used() -> None:
    template = sample('blocks')
    assert recommend(template, 'llama.cpp').form == 'text_parts'
    assert recommend(template, 'llama.cpp', caps={'supports_typed_content': False}).form == 'messages'
    template.caps = {'supports_typed_content': False}
    assert recommend(template, 'llama.cpp').form == 'messages'


def test_an_unknown_server_is_refused() -> None:
    with pytest.raises(OptionError, match="`server`='x' does not fit"):
        recommend(sample('chatml'), 'x', found=known('chatml'))


def test_the_form_that_is_best_has_the_delivery() -> None:
    found: Recommendation = recommend(sample('glm_like'), 'vllm', found=known('glm_like'))
    assert (found.server, found.delivery) == ('vllm', found.deliveries['messages'])
    assert found.delivery.excerpt.count('<tool_response>') == 2


def test_a_template_that_renders_nothing_has_no_advice_on_systems() -> None:
    found = recommend(ChatTemplate("{{ raise_exception('no') }}"), 'vllm')
    assert [choice.option for choice in found.choices] == [AS_LIST, CALL_CONTENT]


def test_a_second_form_that_is_joined_by_other_marks_is_worse_than_lines() -> None:
    source = "{% for m in messages %}{{ m.content if m.content is string else m.content | map(attribute='text') | join(', ') }}{{ m.tool_calls | tojson if m.tool_calls }}{% endfor %}"
    found = recommend(ChatTemplate(source), 'llama.cpp', without=('messages',))
    assert (found.deliveries['text_parts'].separator, found.form) == (', ', 'text')


COUNTING = """{% set seen = namespace(ids=[], number=0) %}{% for m in messages %}{% if m.role == 'tool' %}## Result of {{
seen.ids[seen.number] if seen.number < seen.ids | length else 'unknown' }}:
{{ m.content }}
{% set seen.number = seen.number + 1 %}{% else %}<{{ m.role }}>{{ m.content }}{% for call in m.tool_calls %}{{
call.function | tojson }}{% set seen.ids = seen.ids + [call.function.name ~ ':' ~ loop.index0] %}{% endfor %}
{% endif %}{% endfor %}"""
"""Labels results in the order of the calls, as Kimi-K2's template does, whatever id a result has."""


def test_a_form_that_puts_an_item_under_another_label_is_not_recommended() -> None:
    """Kimi-K2's published template shows the second item of one call as the result of `functions.unknown:1`."""
    template = ChatTemplate(COUNTING)
    found = recommend(template, 'vllm')
    assert found.deliveries['messages'].arrival == 'mislabelled'
    assert 'get_items:0:\nQa1zq' in found.deliveries['messages'].excerpt
    assert found.options == {AS_LIST: True, FORMAT: 'text'}
    assert found.losses[FORMAT]['messages'] == "as `messages` they stand under another call's label"
    known = abilities(template)
    assert (known.tool_returns['messages'].arrival, known.parallel_returns['messages'].arrival) == (
        'mislabelled',
        'mislabelled',
    )
    assert known.parallel_returns['text'].arrival == 'joined'


def test_a_form_that_blurs_whose_items_they_are_is_not_recommended() -> None:
    """Every part looks like a result of its own, so that the parts of one call and the next call's look alike."""
    blurring = ChatTemplate(sample('blocks').source.replace('<results>', '').replace('</results>', ''))
    found = recommend(blurring, 'llama.cpp')
    assert (found.deliveries['text_parts'].arrival, found.parallel['text_parts'].arrival) == (
        'separate',
        'not told apart',
    )
    assert found.options == {AS_LIST: True, FORMAT: 'messages', DIALECT: ['glm45']}


def test_the_name_of_a_tool_keeps_nothing_apart_that_is_called_twice() -> None:
    """With the name alone, two calls of one tool have the same label."""
    source = """{% for m in messages %}<{{ m.role }} {{ m.name }}{{ names[m.tool_call_id] if m.tool_call_id }}>{{ m.content
}}{% for call in m.tool_calls %}{{ call.function.name }} {{ call.id }}{% endfor %}{% endfor %}"""
    by_id = ChatTemplate(source.replace('names[m.tool_call_id]', 'm.tool_call_id'))
    assert recommend(by_id, 'vllm').options == {AS_LIST: True, FORMAT: 'messages', PARALLEL: True}
    by_name = ChatTemplate(
        '{% set calls = namespace(all=[]) %}{% for m in messages %}{% for call in m.tool_calls %}'
        '{% set calls.all = calls.all + [call] %}{% endfor %}{% endfor %}'
        + source.replace(
            '{{ names[m.tool_call_id] if m.tool_call_id }}',
            '{% for call in calls.all if m.tool_call_id and call.id == m.tool_call_id %}{{ call.function.name }}{% endfor %}',
        )
    )
    found = recommend(by_name, 'vllm')
    assert (found.parallel['messages'].arrival, found.options) == (
        'not told apart',
        {AS_LIST: True, FORMAT: 'messages'},
    )


def test_a_template_that_takes_one_call_a_turn_is_judged_by_that() -> None:
    """Llama 3.1's template raises on several calls, so no model behind it makes them."""
    source = sample('chatml').source
    single = ChatTemplate(
        "{% for m in messages %}{% if m.tool_calls and m.tool_calls | length > 1 %}{{ raise_exception('one call') }}"
        '{% endif %}{% endfor %}' + source
    )
    found = recommend(single, 'vllm')
    assert {delivery.arrival for delivery in found.parallel.values()} == {'raises'}
    assert found.options == {AS_LIST: True, FORMAT: 'messages', DIALECT: ['hermes']}
    assert PARALLEL not in {choice.option for choice in found.choices}


GEMMA = """{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Conversation roles must
alternate user/assistant/user/assistant/...') }}{% endif %}<start_of_turn>{{ m.role }}
{{ m.content }}<end_of_turn>
{% endfor %}"""


@pytest.mark.parametrize('server', ['vllm', 'llama.cpp'])
def test_a_template_that_takes_no_tool_result_gets_tools_as_text(server: str) -> None:
    """Gemma 3's template raises on a `tool` role, whatever its content is; as text in turns it takes it."""
    found = recommend(ChatTemplate(GEMMA), server)
    (choice,) = [choice for choice in found.choices if choice.option == TOOLS]
    assert (choice.value, choice.is_default) == ('text', False)
    assert choice.reason == (
        'no form of a result arrives in a tool turn, and each one does as text of a user turn; where tools stay native, '
        "openai_chat_history_policy='no-tool-role' makes them that text, too"
    )
    assert POLICY not in found.options
    assert TOOLS not in recommend(sample('chatml'), server, found=known('chatml')).options
