"""For each rule, a history that breaks it and what a repair makes of it.

The derived ids of H11 and H12 are written out: a release that derived others would empty its users' prompt caches.
"""

from __future__ import annotations as _annotations

from dataclasses import dataclass
from typing import Any

from history.wire import Message, assistant, call, calls, result, system, user

from pydantic_ai_compat.history import POLICIES, HistoryPolicy
from pydantic_ai_compat.history.repair_order import BRIDGE, CONTINUE
from pydantic_ai_compat.history.repair_pairs import INTERRUPTED, NOT_RUN

__all__ = ('EXAMPLES', 'RuleExample')

IMAGE: dict[str, Any] = {'type': 'image_url', 'image_url': {'url': 'data:image/png;base64,AA=='}}
A, B = {'type': 'text', 'text': 'a'}, {'type': 'text', 'text': 'b'}


@dataclass(frozen=True)
class RuleExample:
    rule: str
    broken: list[Message]
    repaired: list[Message]
    index: int
    """Where the fault of the rule is."""
    policy: str | HistoryPolicy = 'standard'


EXAMPLES = (
    RuleExample('H01', [user(), calls('c1')], [user(), calls('c1'), result('c1', INTERRUPTED)], 1),
    RuleExample(
        'H01',
        [user(), calls('c1', 'c2'), result('c2'), assistant()],
        [user(), calls('c1', 'c2'), result('c1', INTERRUPTED), result('c2'), assistant()],
        1,
    ),
    RuleExample(
        'H01', [user(), calls('c1'), user('x')], [user(), calls('c1'), result('c1', INTERRUPTED), user('x')], 1
    ),
    RuleExample('H02', [user(), calls('c1'), user('x'), result()], [user(), calls('c1'), result(), user('x')], 3),
    RuleExample(
        'H02',
        [user(), calls('c1', 'c2'), result('c1'), system('x'), user('y'), result('c2')],
        [user(), calls('c1', 'c2'), result('c1'), result('c2'), system('x'), user('y')],
        5,
    ),
    RuleExample(
        'H03',
        [user(), calls('c1', 'c2'), result('c2'), result('c1')],
        [user(), calls('c1', 'c2'), result('c1'), result('c2')],
        2,
    ),
    RuleExample('H04', [user(), result('c9'), assistant()], [user(), assistant()], 1),
    RuleExample('H04', [user(), calls('c1'), result(), result('c2')], [user(), calls('c1'), result()], 3),
    RuleExample('H05', [user(), calls('c1'), result(), result(content='r2')], [user(), calls('c1'), result()], 3),
    RuleExample(
        'H06',
        [user(), calls('c1', 'c1'), result(content='r1'), result(content='r2')],
        [user(), calls('c1', 'c1_2'), result(content='r1'), result('c1_2', 'r2')],
        1,
    ),
    RuleExample(
        'H06',
        [user(), calls(None, ''), result(None, 'r1'), result(7, 'r2')],
        [user(), calls('no_id_0', 'no_id_1'), result('no_id_0', 'r1'), result('no_id_1', INTERRUPTED)],
        1,
    ),
    RuleExample('H06', [user(), calls(7), result(7)], [user(), calls('7'), result('7')], 1),
    RuleExample('H06', [user(), calls('c1'), result(None)], [user(), calls('c1'), result('c1')], 2),
    RuleExample(
        'H07',
        [user(), calls('a'), result('a'), calls('a', 'a_2'), result('a'), result('a_2'), assistant()],
        [user(), calls('a'), result('a'), calls('a_3', 'a_2'), result('a_3'), result('a_2'), assistant()],
        3,
        'ollama',
    ),
    RuleExample(
        'H08',
        [user(), calls(call('c1', '{"a": ')), result(content='invalid arguments')],
        [user(), calls(call('c1', '{}')), result(content='invalid arguments')],
        1,
    ),
    RuleExample(
        'H08',
        [user(), calls(call('c1', '{"a": ')), user('x')],
        [user(), calls(call('c1', '{}')), result('c1', NOT_RUN), user('x')],
        1,
    ),
    RuleExample(
        'H08',
        [user(), calls(call('c1', {'a': 'ö'})), result()],
        [user(), calls(call('c1', '{"a": "ö"}')), result()],
        1,
    ),
    RuleExample('H08', [user(), calls(call('c1', '')), result()], [user(), calls(call('c1', '{}')), result()], 1),
    RuleExample('H09', [user(), assistant('a', tool_calls=[])], [user(), assistant('a')], 1),
    RuleExample('H09', [user(), assistant('a', tool_calls='c1')], [user(), assistant('a')], 1),
    RuleExample('H09', [user(), assistant('a', tool_calls=['c1'])], [user(), assistant('a')], 1),
    RuleExample(
        'H09',
        [user(), assistant(None, tool_calls=[{'id': 'c1', 'function': {'name': 't', 'arguments': '{"a":1}'}}, None])],
        [user(), calls('c1'), result('c1', INTERRUPTED)],
        1,
    ),
    RuleExample(
        'H09',
        [user(), assistant(None, tool_calls=[{'id': 'c1', 'type': 'function'}]), result()],
        [user(), calls(call('c1', '{}', 'unnamed_tool')), result()],
        1,
    ),
    RuleExample(
        'H10',
        [user(), calls(call('c1', name='get.weather/ö')), result()],
        [user(), calls(call('c1', name='get_weather__')), result()],
        1,
        'openai',
    ),
    RuleExample(
        'H11',
        [user(), calls('call_search', 'AbCdEf123'), result('call_search'), result('AbCdEf123')],
        [user(), calls('YFelZP03H', 'AbCdEf123'), result('YFelZP03H'), result('AbCdEf123')],
        1,
        'mistral',
    ),
    RuleExample(
        'H12',
        [user(), calls('ws_' + 'a' * 50), result('ws_' + 'a' * 50)],
        [
            user(),
            calls('call_269f186643debff760628bd986072872'),
            result('call_269f186643debff760628bd986072872'),
        ],
        1,
        'openai',
    ),
    RuleExample(
        'H13',
        [user(), calls('functions.t:0'), result('functions.t:0'), calls('toolu_1', 'functions.t:2'), result('toolu_1')],
        [
            user(),
            calls('functions.t:0'),
            result('functions.t:0'),
            calls('functions.t:1', 'functions.t:2'),
            result('functions.t:1'),
            result('functions.t:2', INTERRUPTED),
        ],
        3,
        'kimi',
    ),
    RuleExample('H14', [user(), assistant(None), user('x')], [user(), user('x')], 1),
    RuleExample('H14', [user(), assistant([{'type': 'text', 'text': ''}]), user('x')], [user(), user('x')], 1),
    RuleExample('H15', [user(), calls('c1', content=''), result()], [user(), calls('c1'), result()], 1, 'moonshot'),
    RuleExample(
        'H15',
        [user(), calls('c1', content=[{'type': 'text', 'text': ''}]), result()],
        [user(), calls('c1'), result()],
        1,
        'moonshot',
    ),
    RuleExample(
        'H15', [user(), calls('c1'), result()], [user(), calls('c1', content=''), result()], 1, 'llama-cpp-python'
    ),
    RuleExample(
        'H16',
        [user(), calls('c1', content='Let me see.'), result()],
        [user(), assistant('Let me see.'), calls('c1'), result()],
        1,
        'tgi',
    ),
    RuleExample(
        'H16',
        [user(), calls('c1', content=[{'type': 'text', 'text': ''}]), result()],
        [user(), calls('c1'), result()],
        1,
        'tgi',
    ),
    RuleExample('H17', [user(), calls('c1'), result(content=None)], [user(), calls('c1'), result(content='')], 2),
    RuleExample(
        'H17', [user(), calls('c1'), result(content={'a': 1})], [user(), calls('c1'), result(content='{"a": 1}')], 2
    ),
    RuleExample(
        'H17',
        [user(['a', {'output': 'b'}, IMAGE])],
        [user([A, {'type': 'text', 'text': '{"output": "b"}'}, IMAGE])],
        0,
    ),
    RuleExample('H17', [user(), calls('c1', content=[]), result()], [user(), calls('c1'), result()], 1),
    RuleExample('H17', [user(), {'role': 'system'}], [user(), system('')], 1),
    RuleExample(
        'H18',
        [user(), calls('c1'), result(content=[A, B])],
        [user(), calls('c1'), result(content='a\nb')],
        2,
        'deepseek',
    ),
    RuleExample(
        'H18',
        [user(), calls('c1', 'c2'), result('c1', [A, IMAGE]), result('c2')],
        [user(), calls('c1', 'c2'), result('c1', 'a'), result('c2'), user([IMAGE])],
        2,
        'deepseek',
    ),
    RuleExample('H19', [user([A, B])], [user('a\nb')], 0, 'dashscope'),
    RuleExample(
        'H20',
        [system('S1'), user(), assistant(), system('S2'), user()],
        [system('S1'), user(), assistant(), user('<system>S2</system>\n\nq')],
        3,
        'vllm',
    ),
    RuleExample(
        'H20',
        [user(), assistant(), system('S1'), user()],
        [user(), assistant(), user('<system>S1</system>\n\nq')],
        2,
        'mistral',
    ),
    RuleExample(
        'H20',
        [user(), assistant(), system('S1'), {'role': 'developer', 'content': [A]}, user([B, IMAGE]), user()],
        [
            user(),
            assistant(),
            user(
                [
                    {'type': 'text', 'text': '<system>S1</system>'},
                    {'type': 'text', 'text': '<system>'},
                    A,
                    {'type': 'text', 'text': '</system>'},
                    B,
                    IMAGE,
                ]
            ),
            user(),
        ],
        2,
        'mistral',
    ),
    RuleExample('H21', [system('S1'), system('S2'), user()], [system('S1\n\nS2'), user()], 1, 'vllm'),
    RuleExample(
        'H21',
        [system('S1'), {'role': 'system', 'content': [A]}, user()],
        [{'role': 'system', 'content': [{'type': 'text', 'text': 'S1'}, A]}, user()],
        1,
        'minimax',
    ),
    RuleExample(
        'H21',
        [user(), system('S1'), assistant(), system('S2')],
        [user(), system('S1'), assistant(), user('<system>S2</system>')],
        3,
        POLICIES['standard'].extended('H21'),
    ),
    RuleExample('H22', [system(), assistant(), user()], [system(), user(CONTINUE), assistant(), user()], 1, 'zai'),
    RuleExample('H22', [system(), assistant()], [system(), user(CONTINUE), assistant()], 2, 'zai'),
    RuleExample('H22', [], [user(CONTINUE)], 0, 'zai'),
    RuleExample(
        'H23',
        [system(), calls('AbCdEf123'), result('AbCdEf123')],
        [system(), user(CONTINUE), calls('AbCdEf123'), result('AbCdEf123')],
        1,
        'mistral',
    ),
    RuleExample(
        'H24',
        [user(), calls('AbCdEf123'), result('AbCdEf123'), user('more')],
        [user(), calls('AbCdEf123'), result('AbCdEf123'), assistant(BRIDGE), user('more')],
        3,
        'mistral',
    ),
    RuleExample(
        'H25',
        [user('a'), user([IMAGE]), assistant('b'), calls('c1', reasoning_content='plan'), result()],
        [
            user([A, IMAGE]),
            calls('c1', content='b', reasoning_content='plan'),
            result(),
        ],
        1,
        'zai',
    ),
    RuleExample('H26', [user(), assistant()], [user(), assistant(), user(CONTINUE)], 2, 'mistral'),
    RuleExample(
        'H26',
        [user(), assistant('a'), assistant('b'), user()],
        [user(), assistant('a'), user(CONTINUE), assistant('b'), user()],
        2,
        'mistral',
    ),
    RuleExample('H26', [], [user(CONTINUE)], 0, 'mistral'),
    RuleExample(
        'H27',
        [user(), calls('c1', content='See.'), result(), assistant('a')],
        [
            user(),
            assistant('See.\n\nTool call c1: t({"a":1})'),
            user('Result of tool call c1, t:\nr'),
            assistant('a'),
        ],
        1,
        'no-tool-role',
    ),
    RuleExample(
        'H27',
        [user(), calls('c1', content=[A]), result(content=[B])],
        [
            user(),
            assistant([A, {'type': 'text', 'text': 'Tool call c1: t({"a":1})'}]),
            user([{'type': 'text', 'text': 'Result of tool call c1, t:'}, B]),
        ],
        1,
        'no-tool-role',
    ),
    RuleExample('H28', [{**user(), 'timestamp': 1}], [user()], 0, 'groq'),
    RuleExample(
        'H29',
        [user(), assistant(reasoning_content='plan'), calls('c1'), result()],
        [user(), assistant(reasoning_content='plan'), calls('c1', reasoning_content=''), result()],
        2,
        'deepseek',
    ),
    RuleExample(
        'H30',
        [user(), calls('c1'), result()],
        [user(), calls('c1', reasoning_content=' '), result()],
        1,
        'moonshot-thinking',
    ),
    RuleExample(
        'H31',
        [user(), calls('c1', reasoning_content=''), result()],
        [user(), calls('c1', reasoning_content=' '), result()],
        1,
        'moonshot',
    ),
    RuleExample(
        'H32',
        [user(), calls('c1', reasoning_content='plan'), result()],
        [user(), calls('c1'), result()],
        1,
        'cerebras',
    ),
    RuleExample('H33', [{'role': 'developer', 'content': 'S'}, user()], [system('S'), user()], 0, 'zai'),
    RuleExample(
        'H25',
        [user(), assistant('a'), assistant('b'), assistant('c'), user('x')],
        [user(), assistant('a\n\nb\n\nc'), user('x')],
        2,
        POLICIES['standard'].extended('H25'),
    ),
)
