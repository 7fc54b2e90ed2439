"""The published templates that lie beside the repository, or where `CHAT_TEMPLATE_CORPUS` says; without them, nothing.

`rendered.json` in that folder says what each template makes of a small conversation, as transformers 5.24 renders it.
"""

from __future__ import annotations as _annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from templates.conversation import corpus_folder
from templates.corpus import abilities_of, recommendation_of, template_of

from pydantic_ai_compat.errors import ChatTemplateError
from pydantic_ai_compat.templates import (
    SERVER_NAMES,
    content_formats,
)
from pydantic_ai_compat.templates.conversations import TOOLS, call, content_of

FOLDER = corpus_folder()
if FOLDER is None:
    pytest.skip('no published templates beside the repository', allow_module_level=True)
RENDERED: Mapping[str, Mapping[str, Any]] = json.loads((FOLDER / 'rendered.json').read_text('utf-8'))
NAMES = tuple(RENDERED)


SHAPES = {'a': 'json', 'b': 'text_parts', 'c': 'strings', 'd': 'outputs', 'e': 'parts_with_output', 'f': 'messages'}


def shape_prompt(name: str, shape: str) -> str | None:
    """The conversation of `rendered.json`, in one of its shapes; `None` where the template raises."""
    base, mode = RENDERED[name]['base'], RENDERED[name]['mode']
    template = template_of(name).for_llama_cpp() if 'mut' in mode else template_of(name)
    form: Any = SHAPES[shape]
    arguments = [{'query': 'fruit', 'limit': 3}, {'query': 'veg', 'limit': 5}][: 2 if shape == 'f' else 1]
    told = str(RENDERED[name]['excerpts'])
    ids = ['callAB123', 'callAB456']
    if 'functions.get_items:0' in told:
        ids = ['functions.get_items:0', 'functions.get_items:1']
    given: list[Any] = [json.dumps(entry) if base['args'] == 'str' else entry for entry in arguments]
    contents = content_of(['alpha', 'beta'], form) if form != 'json' else ['["alpha","beta"]']
    messages: list[dict[str, Any]] = [
        *([{'role': 'system', 'content': 'SYSTEM-YY'}] if base['system'] else []),
        {'role': 'user', 'content': 'QUESTION-ZZ'},
        {
            'role': 'assistant',
            'content': base['acontent'],
            'tool_calls': [call(entry, call_id) for entry, call_id in zip(given, ids, strict=False)],
        },
        *(
            {'role': 'tool', 'tool_call_id': ids[index if shape == 'f' else 0], 'content': content}
            for index, content in enumerate(contents)
        ),
    ]
    tools: Sequence[Any] = [tool['function'] for tool in TOOLS] if 'flat' in mode else TOOLS
    variables: dict[str, Any] = {'functions': '[]', 'datetime': 'now'} if 'extra' in mode else {}
    try:
        return template.render_as_given(messages, tools, True, **variables)
    except ChatTemplateError:
        return None


@pytest.mark.parametrize('name', [name for name in NAMES if RENDERED[name]['base']])
def test_the_rendering_of_a_tool_turn_is_the_recorded_one(name: str) -> None:
    """Every recorded excerpt is in our prompt, and where the recording raised, so does ours."""
    for shape, excerpt in RENDERED[name]['excerpts'].items():
        prompt = shape_prompt(name, shape)
        if RENDERED[name]['shapes'][shape] == 'raised':
            assert prompt is None, shape
        elif 'get_items' in excerpt or 'alpha' in excerpt:
            # The others show a prompt without the tool turn: its tools, which are not ours.
            assert prompt is not None, shape
            # The recording begins in the text before, which is not ours.
            start = excerpt.find('get_items') if 'get_items' in excerpt else len(excerpt) // 3
            assert excerpt[start:] in prompt, (shape, excerpt)


ARRIVALS = {
    # The recording has a call for each result, so a template that counts them counts right there.
    'native blocks': ('separate', 'joined', 'escaped', 'json', 'mislabelled'),
    'joined text': ('joined', 'separate'),
    'joined, each item JSON-quoted': ('escaped',),
    'dict repr leaked': ('repr', 'escaped'),
    'json dump': ('json', 'escaped', 'repeated'),
    'partly dropped': ('partial',),
    'dropped': ('dropped',),
    'raised': ('raises', 'escaped'),
    'string verbatim': ('json',),
    'string, JSON-escaped': ('escaped',),
    'garbled': ('dropped', 'raises', 'garbled'),
}


@pytest.mark.parametrize('name', [name for name in NAMES if RENDERED[name]['base']])
def test_the_abilities_are_the_recorded_ones(name: str) -> None:
    recorded, found = RENDERED[name], abilities_of(name)
    for shape, form in SHAPES.items():
        words = recorded['shapes'][shape].partition(' (')[0]
        arrival = next(value for key, value in found.tool_returns.items() if key == form).arrival
        assert arrival in ARRIVALS[words], (shape, words, arrival)
    # Where these templates raise on several calls only, the recording has two calls and we have one.
    roles = {
        'several systems': 'two_system',
        'later system': 'system_not_first',
        'user after user': 'user_user',
        'assistant after assistant': 'assistant_assistant',
    }
    for role, key in roles.items():
        assert found.roles[role] == recorded[key].partition(':')[0].replace('ok', 'kept'), role
    leaked = {'leaks': 'leaked', 'raises': 'raises', 'ok': 'kept', 'double-encoded': 'encoded twice'}
    for kind, key in {'null': 'content_none', 'absent': 'content_absent'}.items():
        outcome = next(value for name, value in found.call_content.items() if name == kind)
        expected = leaked[recorded[key].partition(' ')[0].rstrip(':')]
        # A template that dumps an absent text as JSON's `null` counts as a leak here.
        assert outcome == expected or (outcome, expected) in (('leaked', 'kept'), ('dropped', 'kept')), (kind, expected)


@pytest.mark.parametrize('name', NAMES)
def test_what_vllm_and_sglang_find_out_is_the_recorded_format(name: str) -> None:
    formats = content_formats(template_of(name))
    found = ('openai' if formats.vllm_parts else 'string', 'openai' if formats.sglang_parts else 'string')
    assert found == (RENDERED[name]['vllm_format'], RENDERED[name]['sglang_format'])


@pytest.mark.parametrize('server', SERVER_NAMES)
def test_the_recommended_form_brings_every_item_once_and_unescaped_where_any_form_can(server: str) -> None:
    """The score over the corpus, and for each of the rest the reason that no form arrives intact."""
    outcomes: Counter[str] = Counter()
    rest: list[str] = []
    for name in NAMES:
        found = recommendation_of(name, server)
        possible = [form for form, delivery in found.deliveries.items() if delivery.intact]
        assert found.delivery.intact == bool(possible), (name, possible)
        outcomes[found.delivery.arrival if found.delivery.intact else 'not intact'] += 1
        if not found.delivery.intact:
            rest.append(f'{name}: {found.delivery.arrival} {found.delivery.error}'.rstrip())
    intact = outcomes.total() - outcomes['not intact']
    sys.stdout.write(f'\n{server}: {intact} of {outcomes.total()} intact ({dict(outcomes)})\n')
    sys.stdout.writelines(f'  {line}\n' for line in rest)
    assert intact >= LEAST_INTACT[server]


@pytest.mark.parametrize('server', ['vllm', 'sglang', 'llama.cpp', 'ollama'])
def test_the_recommended_options_keep_the_items_of_two_calls_under_their_calls(server: str) -> None:
    """Two and three items, wherever the template renders two calls in any form; before, 31 did and 52 did not."""
    kept = 0
    for name in NAMES:
        found = recommendation_of(name, server)
        if all(delivery.arrival in ('raises', 'dropped') for delivery in found.parallel.values()):
            continue
        each = found.options.get('openai_chat_parallel_list_messages', False)
        sent = found.parallel['text' if found.form == 'messages' and not each else found.form]
        assert sent.arrival in ('separate', 'joined', 'escaped', 'json'), (name, found.form, sent.arrival)
        assert found.delivery.arrival not in ('mislabelled', 'not told apart'), name
        kept += 1
    assert kept >= 83


LEAST_INTACT = {
    'vllm': 82,
    'vllm-0.19': 73,
    'sglang': 82,
    'llama.cpp': 87,
    'ollama': 82,
    'tgi': 76,
    'transformers': 82,
    'litellm': 82,
}
"""What no form can help: templates that know no tools, refuse the history's calls, or escape every result."""


@pytest.mark.parametrize('name', NAMES)
def test_no_published_template_runs_into_a_limit(name: str) -> None:
    """A conversation of four hundred messages, rendered or refused in the template's own words."""
    turn: list[dict[str, Any]] = [
        {'role': 'assistant', 'content': 'x', 'tool_calls': [call({'query': 'fruit'})]},
        {'role': 'tool', 'tool_call_id': 'callQid01', 'content': 'alpha'},
        {'role': 'assistant', 'content': 'answer'},
        {'role': 'user', 'content': 'question'},
    ]
    try:
        template_of(name).render([{'role': 'user', 'content': 'question'}, *turn * 100], TOOLS)
    except ChatTemplateError as error:
        assert 'limit' not in str(error)


def test_the_corpus_is_no_part_of_the_repository() -> None:
    assert FOLDER is not None
    assert Path(__file__).parents[2] not in FOLDER.resolve().parents
