"""One conversation in several forms, with what arrived, leaked or got lost."""

from __future__ import annotations as _annotations

import json
from typing import Any

import pytest
from pydantic_ai.messages import ToolReturnPart
from templates.conversation import SYSTEM, USER, sample, turn

from pydantic_ai_compat.errors import OptionError
from pydantic_ai_compat.templates import ChatTemplate
from pydantic_ai_compat.templates.compare import Rendering, compare_forms, list_items

ITEMS = ['alpha "one"', 'beta <two>']
HISTORY = turn(json.dumps(ITEMS))


def marked(rendering: Rendering) -> list[tuple[str, str]]:
    return [(span.kind, rendering.prompt[span.start : span.end]) for span in rendering.spans]


def test_a_list_that_leaks_is_marked_beside_what_arrived() -> None:
    leaking, separate, stock = compare_forms(sample('glm_like'), HISTORY)
    assert marked(leaking) == [
        ('leaked', "{'type': 'text', 'text': '"),
        ('item', 'alpha "one"'),
        ('leaked', "'}"),
        ('leaked', "{'type': 'text', 'text': '"),
        ('item', 'beta <two>'),
        ('leaked', "'}"),
    ]
    assert marked(separate) == [('item', 'alpha "one"'), ('item', 'beta <two>')]
    assert marked(stock) == [('escaped', 'alpha \\"one\\"'), ('item', 'beta <two>')]
    assert [rendering.form for rendering in (leaking, separate, stock)] == ['text_parts', 'messages', 'json']
    assert leaking.summary == f'2 intact, 4 leaks of list syntax; {len(leaking.prompt)} characters'


def test_the_part_that_differs_from_the_first_form_is_known() -> None:
    first, second, same = compare_forms(sample('chatml'), HISTORY, forms=['text', 'messages', 'text'])
    assert (first.differs, same.differs) == ((0, 0), (0, 0))
    start, end = second.differs
    assert second.prompt[:start] == first.prompt[:start]
    assert second.prompt[end:] == first.prompt[len(first.prompt) - (len(second.prompt) - end) :]
    assert second.prompt[start:end] == '</tool_response>\n<tool_response>\n'


def test_items_that_are_not_in_the_prompt_are_named() -> None:
    (rendering,) = compare_forms(sample('first_part'), HISTORY, forms=['text_parts'])
    assert (marked(rendering), rendering.lost) == ([('item', 'alpha "one"')], ('beta <two>',))
    assert rendering.summary == f'1 intact, 1 lost; {len(rendering.prompt)} characters'


def test_a_form_that_raises_has_the_words_of_the_template() -> None:
    parts, messages = compare_forms(sample('chatml'), HISTORY, forms=['text_parts', 'messages'])
    assert parts.error == 'TypeError: can only concatenate str (not "list") to str (at message 3, role \'tool\')'
    assert (messages.error, messages.differs) == ('', (0, 0))
    (only,) = compare_forms(sample('chatml'), HISTORY, forms=['text_parts'])
    assert only.prompt == ''


def test_a_server_in_front_changes_what_arrives() -> None:
    (joined,) = compare_forms(sample('glm_like'), HISTORY, forms=['text_parts'], server='sglang')
    assert '<tool_response>alpha "one" beta <two></tool_response>' in joined.prompt
    broken = turn('x', arguments='{')
    (refused,) = compare_forms(sample('glm_like'), broken, forms=['json'], server='sglang')
    assert refused.error.startswith('SGLang answers 400')
    (changed,) = compare_forms(sample('appending'), turn('x'), forms=['json'], server='llama.cpp')
    assert changed.prompt.endswith('<tool>x')
    with pytest.raises(OptionError):
        compare_forms(sample('chatml'), HISTORY, server='x')


def test_variables_reach_the_template() -> None:
    (closed,) = compare_forms(sample('glm_like'), HISTORY, forms=['json'], enable_thinking=False)
    assert closed.prompt.endswith('<|assistant|></think>')


def test_a_text_that_the_template_trims_is_looked_for() -> None:
    """Marks around an item would keep the template from trimming it."""
    source = '{% for m in messages %}{{ m.content | trim }}{{ ";" if m.tool_calls }}{% endfor %}'
    messages = turn(json.dumps([' alpha ', 'it\'s "b"']))
    one, other = compare_forms(ChatTemplate(source), messages, forms=['messages', 'text'])
    assert marked(one) == [('item', 'alpha'), ('item', 'it\'s "b"')]
    assert marked(other) == [('item', 'alpha'), ('item', 'it\'s "b"')]
    escaping = '{% for m in messages %}{{ (m.content | trim) | tojson }}{% endfor %}'
    (escaped,) = compare_forms(ChatTemplate(escaping), messages, forms=['messages'])
    assert marked(escaped) == [('item', 'alpha'), ('escaped', 'it\'s \\"b\\"')]
    losing = '{% for m in messages %}{{ m.content | trim | truncate(9) if m.role != "tool" }}{% endfor %}'
    (lost,) = compare_forms(ChatTemplate(losing), turn(json.dumps([' ', 'zzz'])), forms=['messages'])
    assert (marked(lost), lost.lost) == ([], (' ', 'zzz'))


def test_an_item_that_is_neither_marked_nor_found_is_lost() -> None:
    source = '{% for m in messages %}{{ (m.content | trim)[:5] }}{% endfor %}'
    (rendering,) = compare_forms(ChatTemplate(source), turn(json.dumps([' abc ', ' longer '])), forms=['messages'])
    assert (marked(rendering), rendering.lost) == ([('item', 'abc')], (' longer ',))


def test_a_dumped_list_of_objects_is_marked_as_leaked() -> None:
    source = '{% for m in messages %}{{ m.content | tojson }}{% endfor %}'
    (rendering,) = compare_forms(ChatTemplate(source), HISTORY, forms=['text_parts'])
    assert [kind for kind, _ in marked(rendering)] == ['leaked', 'escaped', 'leaked', 'leaked', 'item', 'leaked']


def test_marks_without_partners_mark_nothing() -> None:
    """A template that cuts a text in the middle leaves the mark at its beginning only."""
    source = "{% for m in messages %}{{ m.content.split('\n')[0] }}{% endfor %}"
    messages = turn(json.dumps(['one\ntwo']))
    (rendering,) = compare_forms(ChatTemplate(source), messages, forms=['messages'])
    assert (marked(rendering), rendering.lost) == ([], ('one\ntwo',))
    closing = "{% for m in messages %}{{ m.content.split('\n')[-1] }}{% endfor %}"
    (rendering,) = compare_forms(ChatTemplate(closing), messages, forms=['messages'])
    assert (marked(rendering), rendering.lost) == ([], ('one\ntwo',))


@pytest.mark.parametrize(
    ('contents', 'items'),
    [
        (['["a", 1, {"b": null}]'], ['a', '1', '{"b":null}']),
        ([[{'type': 'text', 'text': 'a'}, {'type': 'text', 'text': 'b'}]], ['a', 'b']),
        (['a', ['b']], ['a', '["b"]']),
        (['plain'], None),
        (['[not JSON'], None),
        ([None], None),
        ([[{'type': 'image_url'}]], None),
        ([['a']], None),
        ([{'a': 1}], None),
    ],
)
def test_what_a_tool_returned_as_a_list_is_told_by_its_content(contents: list[Any], items: list[str] | None) -> None:
    assert [found for group, found in list_items(turn(*contents)) if group[0]['role'] == 'tool'] == [items]


def test_results_of_different_calls_are_no_list() -> None:
    one, other = ({'role': 'tool', 'tool_call_id': call_id, 'content': '["a"]'} for call_id in ('c1', 'c2'))
    assert list_items([SYSTEM, one, other]) == [([SYSTEM], None), ([one], ['a']), ([other], ['a'])]
    without = {'role': 'tool', 'content': 'x'}
    assert list_items([without, without]) == [([without], None), ([without], None)]
    assert list_items([]) == []


def test_a_conversation_without_lists_is_rendered_alike_in_each_form() -> None:
    one, other = compare_forms(sample('chatml'), [SYSTEM, USER], forms=['text_parts', 'json'])
    assert (one.prompt, other.differs) == (other.prompt, (len(one.prompt), len(one.prompt)))
    assert one.summary == f'no list among the tool results; {len(one.prompt)} characters'


def parallel(*contents: Any) -> list[dict[str, Any]]:
    """A turn with a call for each content."""
    ids = [f'callAB12{number}' for number in range(len(contents))]
    calls = [{'id': one, 'type': 'function', 'function': {'name': f't{one}', 'arguments': '{}'}} for one in ids]
    results = [
        {'role': 'tool', 'tool_call_id': one, 'content': content} for one, content in zip(ids, contents, strict=True)
    ]
    return [SYSTEM, USER, {'role': 'assistant', 'content': '', 'tool_calls': calls}, *results]


def test_items_of_which_nothing_tells_whose_they_are_are_not_counted_as_intact() -> None:
    messages = parallel('["a1", "a2"]', 'between', '["b1", "b2", "b3"]')
    each, lines = compare_forms(sample('chatml'), messages, forms=['messages', 'text'])
    assert each.summary.startswith('5 not told apart; ')
    assert lines.summary.startswith('5 intact; ')


def test_items_under_another_label_are_not_counted_as_intact() -> None:
    """As Kimi-K2's template does it: the label is the one of the next call, and of none behind the last one.

    A call's own label is the one that it has where each call has one message.
    """
    source = """{% set n = namespace(i=0) %}{% for m in messages %}{% if m.role == 'tool' %}
## Return {{ 'abcdef'[n.i] }}:
{{ m.content }}{% set n.i = n.i + 1 %}{% else %}{{ m.content }}{% endif %}{% endfor %}"""
    messages = parallel('["a1", "a2"]', '["b1", "b2", "b3"]')
    each, lines = compare_forms(ChatTemplate(source), messages, forms=['messages', 'text'])
    assert each.summary == "1 intact, 4 under another call's label; 102 characters"
    assert [(each.prompt[span.start : span.end], span.kind) for span in each.spans] == [
        ('a1', 'item'),
        ('a2', 'mislabelled'),
        ('b1', 'mislabelled'),
        ('b2', 'mislabelled'),
        ('b3', 'mislabelled'),
    ]
    assert lines.summary == '5 intact; 66 characters'


@pytest.mark.parametrize(
    'items', [['alpha', 'beta'], [{'a': [1, None]}, 'x', 2.5], ['\u00e9 "q" <b>', ['nested', {'k': True}]]]
)
def test_the_json_form_is_the_very_text_that_pydantic_ai_sends(items: list[Any]) -> None:
    sent = ToolReturnPart('t', items, 'callAB120').model_response_str()
    template = ChatTemplate('{% for m in messages %}{{ m.content }}{% endfor %}')
    (rendering,) = compare_forms(template, parallel(sent), forms=['json'])
    assert rendering.prompt.endswith(sent)
    assert (len(rendering.lost), len([span for span in rendering.spans if span.kind != 'leaked'])) == (0, len(items))
    texts = [item for item in items if isinstance(item, str)]
    parts = [{'type': 'text', 'text': text} for text in texts]
    (again,) = compare_forms(template, parallel(parts), forms=['json'])
    assert again.prompt.endswith(ToolReturnPart('t', texts, 'callAB120').model_response_str())


def test_half_a_surrogate_pair_in_an_item_is_marked_and_left_as_it_is() -> None:
    """pydantic's `to_json` makes no text of it, and a tool's own JSON may spell it: RFC 8259, section 8.2."""
    content = '["\\ud800x", "beta é"]'
    separate, stock = compare_forms(sample('chatml'), turn(content))[1:]
    assert content in stock.prompt
    assert marked(stock) == [('escaped', '\\ud800x'), ('item', 'beta é')]
    assert marked(separate) == [('item', '\ud800x'), ('item', 'beta é')]


def test_a_template_that_renders_no_lines_is_judged_by_its_first_items() -> None:
    """Without one message a call to compare with, the first item of each call is taken to stand under its label."""
    source = """{% set n = namespace(i=0) %}{% for m in messages %}{% if m.role == 'tool' %}
{% if '\\n' in m.content %}{{ raise_exception('one line, please') }}{% endif %}
## Return {{ 'abcdef'[n.i] }}: {{ m.content }}{% set n.i = n.i + 1 %}{% else %}{{ m.content }}{% endif %}{% endfor %}"""
    messages = parallel('["a1"]', '["b1", "b2"]')
    each, lines = compare_forms(ChatTemplate(source), messages, forms=['messages', 'text'])
    assert each.summary.startswith("2 intact, 1 under another call's label; ")
    assert 'one line, please' in lines.error
