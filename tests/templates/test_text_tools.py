"""A conversation whose tools are text, rendered with templates that have no tool turn."""

from __future__ import annotations as _annotations

from contextlib import suppress
from itertools import product

import pytest
from templates.conversation import corpus_folder
from templates.corpus import template_of
from templates.text_tools_table import PAGE, templates_without_tool_turn, text_delivery_of, with_table

from pydantic_ai_compat.errors import OptionError
from pydantic_ai_compat.lazy import TemplateFailure
from pydantic_ai_compat.templates import ChatTemplate, recommend
from pydantic_ai_compat.templates.conversations import TOOLS, Setting, tool_turn
from pydantic_ai_compat.templates.text_tools import find_text_delivery, text_prompt
from pydantic_ai_compat.text import write_result

ROLES = "{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}"
USERS = "{% for m in messages if m['role'] != 'tool' %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}"
NO_SYSTEM = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
TURNS = (
    "{% for m in messages if m['role'] != 'system' %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}{% endfor %}"
)
TWICE = "{% for m in messages %}{{ m['content'] }}{{ m['content'] }}{% endfor %}"


@pytest.mark.parametrize(
    ('source', 'role', 'intact'),
    [
        (USERS, 'system', True),
        (TURNS + ROLES, 'system', True),
        # https://github.com/sgl-project/sglang/issues/892
        (NO_SYSTEM + TURNS + USERS, 'user', True),
        (TWICE, 'user', False),
        ("{{ raise_exception('no') }}", 'user', False),
    ],
)
def test_everything_arrives_once_and_in_order_where_a_template_has_users_and_assistants(
    source: str, role: str, intact: bool
) -> None:
    delivery = find_text_delivery(ChatTemplate(source, name='t'))
    assert (delivery.system_role, delivery.intact) == (role, intact)
    assert bool(delivery.prompt) != bool(delivery.error)


@pytest.mark.parametrize(
    ('server', 'options'),
    [
        ('vllm', {'openai_system_prompt_role': 'user'}),
        ('sglang', {'openai_system_prompt_role': 'user'}),
        ('llama.cpp', {}),  # puts system text into the first user turn itself
    ],
)
def test_text_is_recommended_where_no_form_of_a_result_arrives(server: str, options: dict[str, str]) -> None:
    recommendation = recommend(ChatTemplate(NO_SYSTEM + TURNS + USERS, name='t'), server)
    assert recommendation.options == {'openai_chat_tools': 'text', **options}
    assert recommendation.choices[0].reason == (
        'no form of a result arrives in a tool turn, and each one does as text of a user turn; where tools stay native, '
        "openai_chat_history_policy='no-tool-role' makes them that text, too"
    )


def test_nothing_is_recommended_where_text_does_not_arrive_either() -> None:
    assert 'openai_chat_tools' not in recommend(ChatTemplate("{{ raise_exception('no') }}", name='t')).options


def test_native_tools_stay_where_results_arrive() -> None:
    assert 'openai_chat_tools' not in recommend(ChatTemplate(ROLES, name='t')).options


def test_a_conversation_that_a_server_or_template_refuses_is_said_to_be() -> None:
    messages = [{'role': 'user', 'content': 'Hi.'}]
    assert text_prompt(ChatTemplate(ROLES, name='t'), messages, TOOLS).endswith('[user]Hi.')
    with pytest.raises(TemplateFailure, match='no'):
        text_prompt(ChatTemplate("{{ raise_exception('no') }}", name='t'), messages, TOOLS)
    with pytest.raises(OptionError, match='nosuch'):
        text_prompt(ChatTemplate(ROLES, name='t'), messages, TOOLS, dialects=['nosuch'])


PLAIN = [{'role': role, 'content': 'Hi.'} for role in ('user', 'assistant', 'user')]
published = pytest.mark.skipif(corpus_folder() is None, reason='no published templates beside the repository')


@published
def test_every_published_template_without_a_tool_turn_takes_tools_as_text() -> None:
    """All but two, which raise at a conversation without any tool as well."""
    lost: set[tuple[str, str]] = set()
    for name, servers in templates_without_tool_turn():
        for server in servers:
            if not text_delivery_of(name, server).intact:
                lost.add((name, server))
                with pytest.raises(TemplateFailure):
                    text_prompt(template_of(name), PLAIN, [], server)
    assert lost == {
        ('mirothinker.jinja', 'vllm'),
        ('mirothinker.jinja', 'sglang'),
        ('mirothinker.jinja', 'llama.cpp'),
        ('minimax-m1.jinja', 'sglang'),
    }


@published
def test_the_table_of_the_page_is_what_the_templates_give() -> None:
    page = PAGE.read_text('utf-8')
    assert page == with_table(page), 'docs/no-tools.md has drifted: run python tests/templates/text_tools_table.py'


FRAMES = {
    'command-r-plus-tool-use': 'command_r',
    'deepseek-r1-distill-llama-8b': 'deepseek_v3',
    'deepseek-v3.2': 'deepseek_v32',
    'deepseek-v4': 'deepseek_v4',
    'gemma-4-31b-it': 'gemma4',
    'glm-4.5': 'glm45',
    'glm-4.7-flash': 'glm47',
    'hunyuan-hy3': 'hy_v3',
    'lfm2-8b-a1b': 'lfm2',
    'minimax-m2': 'minimax_m2',
    'ministral-3-14b-reasoning': 'mistral_v13',
    'mistral-small-3.2-2506': 'mistral_v11',
    'nemotron-nano-v2': 'nemotron_json',
    'qwen2.5-7b-instruct': 'hermes',
    'qwen3-coder': 'qwen3_coder',
    'vllm-deepseekv31': 'deepseek_v31',
    'vllm-hunyuan-a13b': 'hunyuan_a13b',
}


@published
@pytest.mark.parametrize(('name', 'dialect'), FRAMES.items())
def test_the_frame_of_a_result_is_the_one_that_the_models_template_writes(name: str, dialect: str) -> None:
    """Each template is published with its model: its name on <https://huggingface.co> is that of the file."""
    template = template_of(f'{name}.jinja')
    prompts: list[str] = []
    for setting, rendering in product((Setting(), Setting(arguments='string')), (template, template.for_llama_cpp())):
        with suppress(TemplateFailure):
            prompts.append(rendering.try_rendering(tool_turn(setting, ['Qresultq']), setting.tools))
    frame = write_result('Qresultq', dialect, name='get_items', id='callQid01')
    assert any(frame in prompt for prompt in prompts)
