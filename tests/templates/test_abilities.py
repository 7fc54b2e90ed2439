"""What is found about the sample templates, whose text says what has to be found."""

from __future__ import annotations as _annotations

import pytest
from templates.conversation import SAMPLES, known

from pydantic_ai_compat.templates import ChatTemplate, Delivery, abilities
from pydantic_ai_compat.templates.conversations import FORMS, Setting
from pydantic_ai_compat.templates.deliveries import Needle, find_delivery

# In the order of `FORMS`: json, text, text_parts, strings, outputs, parts_with_output, messages.
RAISES = ('raises',) * 7
ARRIVALS = {
    'appending': ('json', 'joined', 'raises', 'raises', 'raises', 'raises', 'separate'),
    'blocks': ('json', 'joined', 'separate', 'raises', 'raises', 'separate', 'separate'),
    'chatml': ('json', 'joined', 'raises', 'raises', 'raises', 'raises', 'separate'),
    'counted': ('json', 'joined', 'repr', 'repr', 'repr', 'repr', 'separate'),
    'first_part': ('json', 'joined', 'partial', 'dropped', 'dropped', 'partial', 'separate'),
    'glm_like': ('json', 'joined', 'repr', 'separate', 'separate', 'separate', 'separate'),
    'json_results': ('escaped', 'escaped', 'json', 'json', 'json', 'json', 'escaped'),
    'no_tools': RAISES,
    'parts_only': ('raises', 'raises', 'separate', 'raises', 'raises', 'separate', 'raises'),
    'python_list': ('json', 'joined', 'repr', 'repr', 'repr', 'repr', 'separate'),
    'strict': ('json', 'joined', 'repr', 'repr', 'repr', 'repr', 'separate'),
    'string_arguments': ('json', 'joined', 'raises', 'raises', 'raises', 'raises', 'separate'),
    'thinking': ('json', 'joined', 'repr', 'repr', 'repr', 'repr', 'separate'),
}


@pytest.mark.parametrize('name', SAMPLES)
def test_how_a_list_arrives_is_found_for_each_form(name: str) -> None:
    found = known(name)
    assert tuple(found.tool_returns[form].arrival for form in FORMS) == ARRIVALS[name]


@pytest.mark.parametrize(
    ('name', 'setting', 'arguments'),
    [
        ('chatml', Setting(), {'object': 'kept', 'string': 'encoded twice'}),
        ('string_arguments', Setting(arguments='string'), {'object': 'raises', 'string': 'kept'}),
        ('python_list', Setting(), {'object': 'leaked', 'string': 'kept'}),
        ('no_tools', None, {'object': 'raises', 'string': 'raises'}),
        ('blocks', Setting(), {'object': 'kept', 'string': 'raises'}),
    ],
)
def test_the_shape_of_arguments_is_found(name: str, setting: Setting | None, arguments: dict[str, str]) -> None:
    found = known(name)
    assert (found.setting, found.arguments) == (setting, arguments)


@pytest.mark.parametrize(
    ('name', 'content'),
    [
        ('chatml', {'null': 'kept', 'empty': 'kept', 'absent': 'kept'}),
        ('python_list', {'null': 'leaked', 'empty': 'kept', 'absent': 'kept'}),
        ('first_part', {'null': 'raises', 'empty': 'kept', 'absent': 'raises'}),
    ],
)
def test_what_becomes_of_a_turn_without_text_is_found(name: str, content: dict[str, str]) -> None:
    assert known(name).call_content == content


def test_a_result_that_is_left_out_beside_such_a_turn_is_found() -> None:
    source = """{% set ns = namespace(show=true) %}{% for m in messages %}{% if m.tool_calls %}{%
    set ns.show = m.content is string %}{{ m.tool_calls | tojson }}{% elif m.role != 'tool' or ns.show %}{{
    m.content }}{% endif %}{% endfor %}"""
    assert abilities(ChatTemplate(source)).call_content == {'null': 'dropped', 'empty': 'kept', 'absent': 'dropped'}


KEPT = {
    'system': 'kept',
    'several systems': 'kept',
    'later system': 'kept',
    'developer': 'kept',
    'user after user': 'kept',
    'assistant after assistant': 'kept',
    'user after tool': 'kept',
    'no user': 'kept',
}


@pytest.mark.parametrize(
    ('name', 'different'),
    [
        ('chatml', {}),
        ('counted', {'several systems': 'dropped', 'later system': 'dropped'}),
        ('strict', dict.fromkeys([role for role in KEPT if role != 'system'], 'raises')),
        (
            'no_tools',
            {role: 'raises' for role in KEPT if role not in ('user after user', 'assistant after assistant')},
        ),
    ],
)
def test_what_becomes_of_roles_and_their_order_is_found(name: str, different: dict[str, str]) -> None:
    assert known(name).roles == {**KEPT, **different}


@pytest.mark.parametrize(
    ('name', 'ids', 'names', 'parallel'),
    [
        ('chatml', 'absent', False, 'kept'),
        ('json_results', 'shown', False, 'kept'),
        ('counted', 'invented', True, 'kept'),
        ('no_tools', 'absent', False, 'raises'),
    ],
)
def test_ids_and_names_are_found(name: str, ids: str, names: bool, parallel: str) -> None:
    found = known(name)
    assert (found.tool_call_ids, found.tool_names, found.parallel_calls) == (ids, names, parallel)


def test_a_name_that_is_looked_up_by_the_id_is_found() -> None:
    source = """{% for m in messages %}{% if m.role == 'tool' %}{% for c in messages[loop.index0 - 1].tool_calls
    %}{{ c.function.name }}{% endfor %}:{% endif %}{{ m.content }}{% for c in m.tool_calls
    %}{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}"""
    assert abilities(ChatTemplate(source)).tool_names


@pytest.mark.parametrize(
    ('name', 'thinking', 'tags', 'prompt'),
    [
        ('thinking', ('kept', 'dropped'), ('<seed:think>', '</seed:think>'), '<seed:bos>assistant\n'),
        ('glm_like', ('kept', 'kept'), ('<think>', '</think>'), '<|assistant|><think>'),
        ('chatml', ('dropped', 'dropped'), None, '<|im_start|>assistant\n'),
        ('python_list', ('dropped', 'dropped'), None, ''),
    ],
)
def test_what_becomes_of_thinking_is_found(
    name: str, thinking: tuple[str, str], tags: tuple[str, str] | None, prompt: str
) -> None:
    found = known(name)
    assert (tuple(found.thinking.values()), found.thinking_tags, found.generation_prompt) == (thinking, tags, prompt)


def test_tags_are_found_where_a_template_cuts_thoughts_out_of_earlier_answers() -> None:
    source = """{% for m in messages %}<{{ m.role }}>{{ (m.content or '').split('[/THINK]')[-1] }}{% endfor %}"""
    assert abilities(ChatTemplate(source)).thinking_tags == ('[THINK]', '[/THINK]')


def test_a_prompt_that_a_generation_prompt_changes_throughout_has_none() -> None:
    source = "{{ 'g' if add_generation_prompt else 'n' }}{% for m in messages %}{{ m.content }}{% endfor %}"
    assert abilities(ChatTemplate(source)).generation_prompt == ''


@pytest.mark.parametrize(
    ('name', 'dialect'),
    [
        ('chatml', 'hermes'),
        ('blocks', 'glm45'),
        ('thinking', 'seed_oss'),
        ('json_results', 'mistral'),
        ('counted', None),
    ],
)
def test_the_dialect_of_calls_is_found(name: str, dialect: str | None) -> None:
    assert known(name).dialect == dialect


def test_a_call_is_shown_as_the_template_writes_it() -> None:
    assert known('thinking').call_text == (
        '<seed:eos><seed:bos>assistant\n<seed:tool_call>\n<function=get_items><parameter=query>Qargzq</parameter>'
        '<parameter=limit>3</parameter></function>\n</seed:tool_call><seed:eos><seed:bos>tool\n'
    )
    without_calls = '{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}'
    found = abilities(ChatTemplate(without_calls))
    assert (found.call_text, found.dialect, found.arguments) == ('', None, {'object': 'dropped', 'string': 'dropped'})


def test_a_template_that_changes_lists_is_tried_where_it_may() -> None:
    found = known('appending')
    assert (found.changes_lists, found.setting) == (True, Setting())


def test_a_template_that_changes_lists_and_knows_no_tools_is_left_as_it_is() -> None:
    source = '{% set _ = [].append(1) %}{{ messages[0].content }}'
    found = abilities(ChatTemplate(source))
    assert (found.changes_lists, found.setting) == (False, None)


def test_errors_are_kept_in_the_words_of_the_template() -> None:
    found = known('strict')
    assert found.errors['later system'] == "System message must be at the beginning. (at message 3, role 'system')"
    assert found.tool_returns['text_parts'].error == ''


ONE, TWO = Needle(1), Needle(2)
JSON_ONE, JSON_TWO = ('Qa1zq \\"é\\"\\n<b> & qz1aQ', 'Qa2zq \\"é\\"\\n<b> & qz2aQ')


@pytest.mark.parametrize(
    ('prompt', 'delivery'),
    [
        ('', Delivery('dropped')),
        (f'{ONE.text}', 'partial'),
        (f'<r>{ONE.text}</r><r>{TWO.text}</r>', 'separate'),
        (f'<r>{ONE.text}\n{TWO.text}</r>', 'joined'),
        (f'<r>[{ONE.text}, {TWO.text}]</r>', 'joined'),
        (f'<r>{TWO.text}{ONE.text}</r>', 'garbled'),
        (f'{ONE.text}{ONE.text}{TWO.text}', 'repeated'),
        (f'["{JSON_ONE}", "{JSON_TWO}"]', 'json'),
        (f'[{{"text": "{JSON_ONE}"}}, {{"text": "{JSON_TWO}"}}]', 'json'),
        (f'{{"a": "{JSON_ONE}"}}</r><r>{{"a": "{JSON_TWO}"}}', 'escaped'),
        (f'{{"text": "{JSON_ONE}", "output": "{JSON_ONE}"}}, {{"text": "{JSON_TWO}", "output": "{JSON_TWO}"}}', 'json'),
        (f'{[ONE.text, TWO.text]}', 'repr'),
        (f"{{'text': '{ONE.text}'}}{TWO.text}", 'repr'),
        (f'{ONE.text.replace("<", "&lt;")} {TWO.text.replace("<", "&lt;")}', 'escaped'),
        (f'{ONE.first}{"x" * 99}{ONE.last}{TWO.text}', 'garbled'),
        (f'{ONE.first}{TWO.text}', 'garbled'),
    ],
)
def test_how_needles_arrived_is_told_apart(prompt: str, delivery: Delivery | str) -> None:
    found = find_delivery(prompt, [ONE, TWO])
    assert (found if isinstance(delivery, Delivery) else found.arrival) == delivery
    assert found.intact == (found.arrival in ('separate', 'joined'))


@pytest.mark.parametrize(
    ('prompt', 'arrival'),
    [(f'<r>{ONE.text}</r>', 'joined'), (f'<r>["{JSON_ONE}"]</r>', 'json'), (f'<r>"{JSON_ONE}"</r>', 'escaped')],
)
def test_a_single_item_is_judged_by_what_stands_before_it(prompt: str, arrival: str) -> None:
    assert find_delivery(prompt, [ONE]).arrival == arrival
