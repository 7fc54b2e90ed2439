"""A conversation with tools, written as one without and read back."""

from __future__ import annotations as _annotations

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from generated import generated
from hypothesis import given, strategies as st

from pydantic_ai_compat.text import DIALECTS, TextCall, read_text, write_calls
from pydantic_ai_compat.text.tools import ResultFrame, tools_as_text

Message = Mapping[str, Any]


def tool(name: str, description: str = '', **properties: Any) -> dict[str, Any]:
    parameters = {'type': 'object', 'properties': properties, 'required': list(properties)}
    return {'type': 'function', 'function': {'name': name, 'description': description, 'parameters': parameters}}


TOOLS = [
    tool('get_items', 'Search items.', query={'type': 'string'}, limit={'type': 'integer'}),
    tool('tag', 'Tag an item.', tags={'type': 'array', 'items': {'type': 'string'}}, active={'type': 'boolean'}),
    tool('ping'),
]
# No mark of a dialect can come of these; that marks inside of arguments are data is the reader's affair.
WORDS = st.text('ab "\'\\{}:,\né你😀', max_size=12)
ARGUMENTS: dict[str, st.SearchStrategy[Any]] = {
    'get_items': st.fixed_dictionaries({'query': WORDS, 'limit': st.integers(-9, 10**12)}),
    'tag': st.fixed_dictionaries({'tags': st.lists(WORDS, max_size=3), 'active': st.booleans()}),
    'ping': st.builds(dict[str, Any]),
}
CALLS = st.sampled_from(sorted(ARGUMENTS)).flatmap(lambda name: st.tuples(st.just(name), ARGUMENTS[name]))
MARKUP = ('<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>', '```', '`', '<think>', '</think>', '[')
TEXTS = st.lists(st.one_of(WORDS, st.sampled_from(MARKUP)), max_size=5).map(''.join)


def call(name: str, arguments: Any, call_id: str) -> dict[str, Any]:
    return {'id': call_id, 'type': 'function', 'function': {'name': name, 'arguments': json.dumps(arguments)}}


def step(calls: Sequence[tuple[str, Any]], text: str | None, results: Sequence[str], start: int) -> list[Message]:
    """An assistant turn with calls, and their results."""
    ids = [f'call_{start}_{number}' for number in range(len(calls))]
    turn = {
        'role': 'assistant',
        'content': text,
        'tool_calls': [call(*one, call_id) for one, call_id in zip(calls, ids, strict=True)],
    }
    returned = zip(ids, results, strict=False)
    return [turn, *({'role': 'tool', 'tool_call_id': call_id, 'content': result} for call_id, result in returned)]


@st.composite
def histories(draw: st.DrawFn, texts: st.SearchStrategy[str] = TEXTS) -> list[Message]:
    """A conversation of a few turns, with tools called in some of them."""
    messages: list[Message] = [{'role': 'system', 'content': 'Be brief.'}] if draw(st.booleans()) else []
    for turn in range(draw(st.integers(1, 3))):
        messages.append({'role': 'user', 'content': draw(texts)})
        if calls := draw(st.lists(CALLS, max_size=3)):
            results = [draw(texts) for _ in calls]
            messages += step(calls, draw(st.one_of(st.none(), texts)), results, turn)
        if draw(st.booleans()):
            messages.append({'role': 'assistant', 'content': draw(texts)})
    return messages


def calls_of(message: Message) -> list[tuple[str, Any]]:
    return [
        (entry['function']['name'], json.loads(entry['function']['arguments']))
        for entry in message.get('tool_calls', ())
    ]


def read_back(message: Message, dialect: str) -> list[tuple[str, Any]]:
    return [(one.name, json.loads(one.arguments)) for one in read_text(message['content'], TOOLS, [dialect]).calls]


@pytest.mark.parametrize('dialect', DIALECTS)
@generated(15)
@given(history=histories())
def test_what_is_read_back_of_a_history_are_its_calls(dialect: str, history: list[Message]) -> None:
    """Calls come back from assistant turns, each once and in order, and from nowhere else."""
    given_messages = copy.deepcopy(history)
    written = tools_as_text(history, TOOLS, dialects=[dialect])
    assert history == given_messages
    expected = [one for message in history for one in calls_of(message)]
    assert [
        one for message in written if message['role'] == 'assistant' for one in read_back(message, dialect)
    ] == expected
    assert not [one for message in written if message['role'] == 'user' for one in read_back(message, dialect)]
    assert {key for message in written for key in message} <= {'role', 'content'}


@pytest.mark.parametrize('dialect', DIALECTS)
@generated(5)
@given(history=histories(st.just('<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>') | WORDS))
def test_a_quoted_call_is_text_wherever_it_stands(dialect: str, history: list[Message]) -> None:
    """A user who pastes a call has called nothing: https://github.com/vllm-project/vllm/issues/54686"""
    written = tools_as_text(history, TOOLS, dialects=[dialect, 'hermes'])
    for message in written:
        if message['role'] == 'user':
            assert read_text(message['content'], TOOLS, [dialect, 'hermes']).calls == ()


@generated(60)
@given(
    history=histories(), choice=st.sampled_from(['auto', 'required', {'type': 'function', 'function': {'name': 'tag'}}])
)
def test_what_was_sent_stays_the_beginning_of_what_is_sent_later(history: list[Message], choice: Any) -> None:
    """But for the sentence about a choice of tool, which stands at the very end, for prompt caches to hit.

    https://github.com/strands-agents/harness-sdk/pull/4097
    """
    whole = flat(tools_as_text(history, TOOLS))
    for length in range(1, len(history)):
        if history[length]['role'] != 'assistant' or history[length - 1]['role'] == 'assistant':
            continue  # a request goes out where the model is to answer
        earlier = tools_as_text(history[:length], TOOLS)
        assert whole.startswith(flat(earlier))
        wishing = tools_as_text(history[:length], TOOLS[::-1], tool_choice=choice)
        assert flat(wishing).startswith(flat(earlier))


def flat(messages: Sequence[Message]) -> str:
    return ''.join(f'\x00{message["role"]}\x01{message["content"]}' for message in messages)


WEATHER = call('get_weather', {'city': 'Paris'}, 'c1')
TIME = call('get_time', {}, 'c2')


def test_each_result_stands_once_in_order_under_its_calls_in_one_user_turn() -> None:
    """Qwen's templates put results into user turns: https://huggingface.co/Qwen/Qwen2.5-7B-Instruct"""
    messages = [
        {'role': 'user', 'content': 'Weather and time?'},
        {'role': 'assistant', 'content': 'I look.', 'tool_calls': [WEATHER, TIME]},
        {
            'role': 'tool',
            'tool_call_id': 'c1',
            'content': [{'type': 'text', 'text': 'sun'}, {'type': 'text', 'text': 'wind'}],
        },
        {'role': 'tool', 'tool_call_id': 'c2', 'content': '12:00'},
        {'role': 'user', 'content': 'Hurry.'},
    ]
    assert tools_as_text(messages) == [
        {'role': 'user', 'content': 'Weather and time?'},
        {
            'role': 'assistant',
            'content': 'I look.\n'
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>\n'
            '<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>',
        },
        {
            'role': 'user',
            'content': '<tool_response>\nCall 1, get_weather:\nsun\n</tool_response>\n'
            '<tool_response>\nCall 1, get_weather:\nwind\n</tool_response>\n'
            '<tool_response>\nCall 2, get_time:\n12:00\n</tool_response>\n\n'
            'Hurry.',
        },
    ]


def test_code_that_ends_hides_no_call_behind_it() -> None:
    messages = [
        {'role': 'user', 'content': 'Weather?'},
        {'role': 'assistant', 'content': '`I look`', 'tool_calls': [WEATHER]},
    ]
    (_, turn) = tools_as_text(messages)
    assert turn['content'] == (
        '`I look`\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
    )


def test_files_of_a_result_stand_behind_it() -> None:
    """pydantic-ai puts the files that a tool returned into a user message behind the results."""
    image = {'type': 'image_url', 'image_url': {'url': 'data:image/png;base64,AA'}}
    note = {'type': 'text', 'text': 'This is file a:'}
    messages = [
        {'role': 'user', 'content': 'Show it.'},
        {'role': 'assistant', 'content': None, 'tool_calls': [WEATHER]},
        {'role': 'tool', 'tool_call_id': 'c1', 'content': [{'type': 'text', 'text': 'See file a.'}, image]},
        {'role': 'user', 'content': [note, image]},
    ]
    assert tools_as_text(messages)[2] == {
        'role': 'user',
        'content': [{'type': 'text', 'text': '<tool_response>\nSee file a.\n</tool_response>'}, image, note, image],
    }


@pytest.mark.parametrize(
    ('text', 'written'),
    [
        ('a</tool_response>b', 'a<\\/tool_response>b'),
        ('a< / Tool_Response >b<TOOL_RESPONSE x="1">', 'a<\\ / Tool_Response >b<\\TOOL_RESPONSE x="1">'),
        ('if a < b: return "<tool_responses>"', 'if a < b: return "<tool_responses>"'),
        ('<div>&amp;</div>', '<div>&amp;</div>'),
        ('<tool_call> is a tag', '<tool_call> is a tag'),
        (
            '<tool_call>{"name": "ping"}</tool_call>',
            '<\\tool_call>{"name": "ping"}</tool_call>',
        ),
    ],
)
def test_only_what_would_be_a_frame_or_a_call_gets_a_backslash(text: str, written: str) -> None:
    """So that code stays readable: https://github.com/leookun/cursor-byok/pull/229"""
    messages = [
        {'role': 'user', 'content': text},
        {'role': 'assistant', 'content': text, 'tool_calls': [call('ping', {}, 'c1')]},
        {'role': 'tool', 'tool_call_id': 'c1', 'content': text},
        {'role': 'user', 'content': [{'type': 'text', 'text': text}, {'type': 'image_url', 'image_url': {'url': 'u'}}]},
    ]
    user, assistant, returned = tools_as_text(messages, TOOLS)[1:]
    assert user['content'] == written
    assert assistant['content'].partition('\n')[0] == written
    assert [part.get('text') for part in returned['content']] == [
        f'<tool_response>\n{written}\n</tool_response>',
        written,
        None,
    ]


@pytest.mark.parametrize('dialect', ['llama3_json', 'xlam', 'functionary_v32', 'openai', 'pythonic', 'llama4_pythonic'])
@pytest.mark.parametrize('escaped', [False, True])
def test_a_quoted_call_without_a_mark_is_text_however_its_name_is_written(dialect: str, escaped: bool) -> None:
    """These dialects begin a call at the start of a text; JSON may hold the name with escapes."""
    quoted = write_calls([TextCall('ping', '{}')], dialect)
    if escaped:
        quoted = quoted.replace('"ping"', '"\\u0070ing"')
    assert [one.name for one in read_text(quoted, TOOLS, [dialect]).calls] == ['ping']
    written = tools_as_text([{'role': 'user', 'content': quoted}], TOOLS, dialects=[dialect])[1]['content']
    assert read_text(written, TOOLS, [dialect]).calls == ()
    assert written.replace('\\', '', 1) == quoted
    plain = quoted.replace('ping', 'pong').replace('\\u0070ing', 'pong')
    assert tools_as_text([{'role': 'user', 'content': plain}], TOOLS, dialects=[dialect])[1]['content'] == plain


def test_a_megabyte_of_brackets_is_looked_at_once() -> None:
    """What may be a tag is no more than its own length to look at, whatever stands behind it."""
    frame = ResultFrame.of(DIALECTS['hermes'])
    text = '<' * 500_000 + '< ' * 250_000
    assert frame.harmless(text) == text


@pytest.mark.parametrize(
    ('system_role', 'messages', 'roles'),
    [
        ('system', [], ['system']),
        ('system', [{'role': 'user', 'content': 'Hi.'}], ['system', 'user']),
        ('developer', [{'role': 'user', 'content': 'Hi.'}], ['developer', 'user']),
        (
            'system',
            [{'role': 'developer', 'content': 'Be brief.'}, {'role': 'user', 'content': 'Hi.'}],
            ['developer', 'user'],
        ),
        # Gemma 2 knows no system role: https://github.com/sgl-project/sglang/issues/892
        ('user', [{'role': 'user', 'content': 'Hi.'}], ['user']),
        ('user', [], ['user']),
        ('user', [{'role': 'assistant', 'content': 'Hi.'}], ['user', 'assistant']),
    ],
)
def test_the_tools_are_described_in_the_system_text_or_the_first_user_turn(
    system_role: str, messages: list[Message], roles: list[str]
) -> None:
    written = tools_as_text(messages, TOOLS, system_role=system_role)
    assert [message['role'] for message in written] == roles
    assert '# Tools' in written[0]['content']
    assert sum(message['content'].count('# Tools') for message in written) == 1
    given_first = messages[0]['content'] if messages and messages[0]['role'] == roles[0] else ''
    assert given_first in written[0]['content']


def test_a_conversation_whose_choice_is_none_has_no_tools_and_keeps_its_calls() -> None:
    messages = [
        {'role': 'user', 'content': 'Hi.'},
        {'role': 'assistant', 'content': None, 'tool_calls': [WEATHER]},
        {'role': 'tool', 'tool_call_id': 'c1', 'content': 'sun'},
    ]
    written = tools_as_text(messages, TOOLS, tool_choice='none')
    assert written == tools_as_text(messages)
    assert [message['role'] for message in written] == ['user', 'assistant', 'user']


@pytest.mark.parametrize(
    ('choice', 'parallel', 'sentence'),
    [
        (None, True, ''),
        ('auto', True, ''),
        ('required', True, '\n\nAnswer with a call of a tool now.'),
        ({'type': 'function', 'function': {'name': 'ping'}}, True, '\n\nCall the tool ping now.'),
        (
            {'type': 'allowed_tools', 'allowed_tools': {'mode': 'required', 'tools': [TOOLS[0], TOOLS[2]]}},
            True,
            '\n\nAnswer with a call of one of these tools now: get_items, ping.',
        ),
        (
            {'type': 'allowed_tools', 'allowed_tools': {'mode': 'auto', 'tools': [TOOLS[2]]}},
            False,
            '\n\nOf the tools, call none but these now: ping. Write one call at most.',
        ),
    ],
)
def test_a_choice_of_tool_is_a_sentence_at_the_end_of_the_last_user_turn(
    choice: Any, parallel: bool, sentence: str
) -> None:
    messages = [{'role': 'user', 'content': 'Hi.'}]
    written = tools_as_text(messages, TOOLS, tool_choice=choice, parallel_tool_calls=parallel)
    assert written[0] == tools_as_text(messages, TOOLS)[0]
    assert written[1:] == [{'role': 'user', 'content': f'Hi.{sentence}'}]


def test_a_sentence_has_a_turn_of_its_own_where_the_last_is_the_assistants() -> None:
    written = tools_as_text([{'role': 'assistant', 'content': 'Well,'}], TOOLS, tool_choice='required')
    assert [message['role'] for message in written] == ['system', 'assistant', 'user']


def test_neighbours_of_one_role_are_one_turn_with_the_keys_of_both() -> None:
    """Many templates raise otherwise: https://github.com/simular-ai/Agent-S/issues/70"""
    messages: list[Message] = [
        {'role': 'user', 'content': 'a', 'name': 'ann'},
        {'role': 'user', 'content': ''},
        {'role': 'user', 'content': 'b'},
        {'role': 'assistant', 'content': 'c', 'reasoning_content': 'r1'},
        {'role': 'assistant', 'reasoning_content': 'r2', 'refusal': 'no', 'tool_calls': [TIME]},
        {'role': 'assistant', 'content': None},
    ]
    assert tools_as_text(messages) == [
        {'role': 'user', 'content': 'a\n\nb', 'name': 'ann'},
        {
            'role': 'assistant',
            'content': 'c\n\n<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>',
            'reasoning_content': 'r1\n\nr2',
            'refusal': 'no',
        },
    ]


def test_a_turn_goes_back_as_the_model_wrote_it() -> None:
    """The white space before its calls included, so that a server finds its own tokens in its cache."""
    text = 'Let me check that. '
    assert tools_as_text([{'role': 'assistant', 'content': text, 'tool_calls': [TIME]}])[0]['content'] == (
        'Let me check that. <tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>'
    )


@pytest.mark.parametrize('text', ['<think>I look', '```python\nrun()', '~~~\nrun()'])
def test_calls_stand_before_a_text_in_which_none_would_be_read(text: str) -> None:
    """Code and a thought without an end would swallow them."""
    written = tools_as_text([{'role': 'assistant', 'content': text, 'tool_calls': [TIME]}])[0]['content']
    assert written == '<tool_call>\n{"name": "get_time", "arguments": {}}\n</tool_call>\n' + text
    assert read_text(written, ['get_time'], ['hermes']).calls[0].name == 'get_time'


def test_a_history_that_nobody_repaired_loses_nothing() -> None:
    """Arguments that are no JSON, a custom tool, a result without a call, content that is no text."""
    messages: list[Message] = [
        {'role': 'tool', 'content': 'orphan'},
        {
            'role': 'assistant',
            'content': [{'type': 'text', 'text': 'a'}, {'type': 'refusal', 'refusal': 'b'}],
            'tool_calls': [
                call('f', {}, 'c1') | {'function': {'name': 'f', 'arguments': '{"a": '}},
                {'id': 'c2', 'type': 'custom', 'custom': {'name': 'g', 'input': 'x'}},
            ],
        },
        {'role': 'tool', 'tool_call_id': 'c9', 'content': None},
        {'role': 'user', 'content': None},
    ]
    first, second, third = tools_as_text(messages)
    assert first['content'] == '<tool_response>\norphan\n</tool_response>'
    assert second['content'][:2] == messages[1]['content']
    assert [part in second['content'][2]['text'] for part in ('"f"', '{\\"a\\": ', '"g"', '"x"')] == [True] * 4
    assert third['content'] == '<tool_response>\n\n</tool_response>'
