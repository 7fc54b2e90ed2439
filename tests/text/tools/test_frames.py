"""What stands around a result, for each dialect."""

from __future__ import annotations as _annotations

from typing import Any

import pytest
from generated import generated
from hypothesis import given, strategies as st

from pydantic_ai_compat.text import DIALECTS, read_text, write_result
from pydantic_ai_compat.text.dialects.registry import find
from pydantic_ai_compat.text.tools import ResultFrame, describe_tools, tools_as_text

NAMES = ('get_items', 'ping')
TOOLS = [{'type': 'function', 'function': {'name': name}} for name in NAMES]
SHARED = '<tool_response>\nCall 1, get_items:\na\n</tool_response>\n<tool_response>\nCall 2, ping:\nb\n</tool_response>'
OWN = {
    'nemotron_json': '<TOOL_RESPONSE>[Call 1, get_items:\na]</TOOL_RESPONSE>\n<TOOL_RESPONSE>[Call 2, ping:\nb]</TOOL_RESPONSE>',
    'mistral': '[TOOL_RESULTS] Call 1, get_items:\na[/TOOL_RESULTS]\n[TOOL_RESULTS] Call 2, ping:\nb[/TOOL_RESULTS]',
    'mistral_v11': '[TOOL_RESULTS]c1[TOOL_CONTENT]a[/TOOL_RESULTS]\n[TOOL_RESULTS]c2[TOOL_CONTENT]b[/TOOL_RESULTS]',
    'mistral_v13': '[TOOL_RESULTS]Call 1, get_items:\na[/TOOL_RESULTS]\n[TOOL_RESULTS]Call 2, ping:\nb[/TOOL_RESULTS]',
    'cohere_command3': '<|START_TOOL_RESULT|>Call 1, get_items:\na<|END_TOOL_RESULT|>\n'
    '<|START_TOOL_RESULT|>Call 2, ping:\nb<|END_TOOL_RESULT|>',
    'command_r': '<results>\nCall 1, get_items:\na</results>\n<results>\nCall 2, ping:\nb</results>',
    'deepseek_v3': '<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>Call 1, get_items:\na<｜tool▁output▁end｜>\n'
    '<｜tool▁output▁begin｜>Call 2, ping:\nb<｜tool▁output▁end｜><｜tool▁outputs▁end｜>',
    'deepseek_v31': '<｜tool▁output▁begin｜>Call 1, get_items:\na<｜tool▁output▁end｜>\n'
    '<｜tool▁output▁begin｜>Call 2, ping:\nb<｜tool▁output▁end｜>',
    'deepseek_v32': '<function_results>\n<result>Call 1, get_items:\na</result>\n<result>Call 2, ping:\nb</result>\n'
    '</function_results>',
    'deepseek_v4': '<tool_result>Call 1, get_items:\na</tool_result>\n<tool_result>Call 2, ping:\nb</tool_result>',
    'gemma4': '<|tool_response>response:get_items{value:<|"|>a<|"|>}<tool_response|>\n'
    '<|tool_response>response:ping{value:<|"|>b<|"|>}<tool_response|>',
    'hunyuan_a13b': SHARED.replace('>\nCall', '>Call').replace('\n</', '</'),
    'glm47': SHARED.replace('>\nCall', '>Call').replace('\n</', '</'),
    'hy_v3': '<tool_responses:opensource>\n'
    '<tool_response:opensource>\nCall 1, get_items:\na\n</tool_response:opensource>\n'
    '<tool_response:opensource>\nCall 2, ping:\nb\n</tool_response:opensource>\n'
    '</tool_responses:opensource>',
    'minimax_m2': '<response>Call 1, get_items:\na</response>\n<response>Call 2, ping:\nb</response>',
    'lfm2': '<|tool_response_start|>Call 1, get_items:\na<|tool_response_end|>\n'
    '<|tool_response_start|>Call 2, ping:\nb<|tool_response_end|>',
}


def turn(dialect: str, *results: Any, names: tuple[str, ...] = NAMES) -> Any:
    """The content of the user turn with the results, and what the user says then."""
    calls = [
        {'id': f'c{number}', 'type': 'function', 'function': {'name': name, 'arguments': '{}'}}
        for number, name in enumerate(names, 1)
    ]
    messages = [
        {'role': 'user', 'content': 'Hi.'},
        {'role': 'assistant', 'content': None, 'tool_calls': calls},
        *({'role': 'tool', 'tool_call_id': f'c{number}', 'content': one} for number, one in enumerate(results, 1)),
        {'role': 'user', 'content': 'Hurry.'},
    ]
    return tools_as_text(messages, TOOLS, dialects=[dialect])[-1]['content']


@pytest.mark.parametrize('dialect', DIALECTS)
def test_results_stand_in_the_frame_that_the_models_know(dialect: str) -> None:
    """The dialect's own, as its models' templates write it, or the one that most templates share."""
    assert turn(dialect, 'a', 'b') == f'{OWN.get(dialect, SHARED)}\n\nHurry.'


def test_two_calls_of_one_tool_are_told_apart_by_their_numbers() -> None:
    assert turn('gemma4', 'a', 'b', names=('ping', 'ping')).count('<|"|>Call 1, ping:\na<|"|>') == 1
    assert 'Call' not in turn('mistral_v11', 'a', 'b', names=('ping', 'ping'))


def test_the_marks_around_all_results_enclose_their_files() -> None:
    image = {'type': 'image_url', 'image_url': {'url': 'data:image/png;base64,AA'}}
    assert turn('deepseek_v32', [image, {'type': 'text', 'text': 'a'}], names=('ping',)) == [
        {'type': 'text', 'text': '<function_results>\n'},
        {'type': 'text', 'text': '<result>a</result>'},
        image,
        {'type': 'text', 'text': '\n</function_results>'},
        {'type': 'text', 'text': 'Hurry.'},
    ]


def bare(text: str) -> str:
    return text.lower().replace(' ', '')


@pytest.mark.parametrize('dialect', DIALECTS)
@generated(8)
@given(data=st.data())
def test_a_result_with_marks_of_its_frame_stays_in_it(dialect: str, data: st.DataObject) -> None:
    """However it is spelled: https://github.com/mmnto-ai/totem/issues/149"""
    frame = ResultFrame.of(find(dialect))
    marks = [part for part in (frame.before, frame.after, *frame.section) if part]
    marks += [mark.upper() for mark in marks] + [mark.replace('<', '< ').replace('/', ' / ') for mark in marks]
    results = [''.join(data.draw(st.lists(st.sampled_from([*marks, 'a', '\n']), max_size=4))) for _ in NAMES]
    written, empty = turn(dialect, *results), turn(dialect, '', '')
    for mark in filter(None, (frame.before.partition('{')[0].strip(), frame.after.strip(), *frame.section)):
        assert bare(written).count(bare(mark)) == bare(empty).count(bare(mark))
    assert written.replace('\\', '').replace(' ', '').count('Hurry') == 1
    assert not read_text(written, TOOLS, [dialect]).calls
    for result in results:
        assert result in written.replace('\\', '')


@pytest.mark.parametrize('dialect', DIALECTS)
def test_the_stop_word_is_what_a_result_begins_with_and_no_part_of_a_call(dialect: str) -> None:
    """At the end of a call it would cut off the next: https://github.com/QwenLM/Qwen-Agent/pull/928"""
    word = ResultFrame.of(find(dialect)).stop_word
    assert write_result('a', dialect).startswith(word)
    assert not word or word not in describe_tools([], find(dialect))


def test_a_word_of_everyday_markup_stops_no_answer() -> None:
    """An answer about XML may well have a `<response>` in it, and what the model says is never taken away."""
    without = [name for name in DIALECTS if not ResultFrame.of(find(name)).stop_word]
    assert without == ['command_r', 'minimax_m2']


def test_the_marks_around_all_results_are_closed_where_a_result_is_the_last_message() -> None:
    messages = [{'role': 'tool', 'tool_call_id': 'c1', 'content': 'a'}]
    assert tools_as_text(messages, dialects=['deepseek_v32']) == [
        {'role': 'user', 'content': write_result('a', 'deepseek_v32')}
    ]
