"""What each server hands to the template. The facts are measured or read in the sources that `SERVERS` names."""

from __future__ import annotations as _annotations

from typing import Any

import pytest
from templates.conversation import SYSTEM, USER, sample, turn

from pydantic_ai_compat.errors import OptionError
from pydantic_ai_compat.templates import (
    SERVER_NAMES,
    SERVERS,
    ContentFormats,
    HandedOver,
    content_formats,
    hand_over,
    server_named,
    server_view,
)

PARTS = [{'type': 'text', 'text': 'alpha'}, {'type': 'text', 'text': 'beta'}]
WANTS_PARTS = ContentFormats(vllm_parts=True, sglang_parts=True, llamacpp_parts=True)


def contents(handed: HandedOver) -> list[Any]:
    return [message['content'] for message in handed.messages]


@pytest.mark.parametrize(
    ('server', 'formats', 'expected'),
    [
        ('vllm', None, ['alpha\nbeta']),
        ('vllm', WANTS_PARTS, ['alpha\nbeta']),
        ('vllm-0.19', None, ['alpha\nbeta']),
        ('vllm-0.19', WANTS_PARTS, [PARTS]),
        ('sglang', None, ['alpha beta']),
        ('sglang', WANTS_PARTS, ['alpha beta']),
        ('llama.cpp', None, ['alpha\nbeta']),
        ('llama.cpp', WANTS_PARTS, [PARTS]),
        ('ollama', None, ['alpha', 'beta']),
        ('tgi', None, ['alphabeta']),
        ('transformers', None, ['alpha beta']),
        ('litellm', None, ['alpha\nbeta']),
        ('litellm+sglang', None, ['alpha beta']),
    ],
)
def test_a_list_of_text_parts(server: str, formats: ContentFormats | None, expected: list[Any]) -> None:
    assert contents(server_view(PARTS, server, formats)) == expected


@pytest.mark.parametrize(
    ('server', 'formats', 'expected'),
    [
        ('vllm', WANTS_PARTS, ['alpha']),
        ('vllm-0.19', WANTS_PARTS, [PARTS[:1]]),
        ('llama.cpp', ContentFormats(llamacpp_parts=True, llamacpp_strings=False), [PARTS[:1]]),
        ('llama.cpp', WANTS_PARTS, ['alpha']),
        *((server, None, ['alpha']) for server in SERVER_NAMES),
    ],
)
def test_a_string(server: str, formats: ContentFormats | None, expected: list[Any]) -> None:
    """vLLM up to 0.19 wraps it where it thinks the template wants parts: vllm-project/vllm#39614."""
    assert contents(server_view('alpha', server, formats)) == expected


@pytest.mark.parametrize(
    ('server', 'content', 'words'),
    [
        ('vllm', ['alpha'], 'vLLM answers 400'),
        ('vllm', None, '400: the content of a tool message'),
        ('vllm', {'a': 1}, 'vLLM answers 400'),
        ('vllm', [{'output': 'alpha'}], 'vLLM answers 400'),
        ('sglang', ['alpha'], 'SGLang answers 400'),
        ('llama.cpp', [{'type': 'text'}], 'unsupported content[].type'),
        ('ollama', ['alpha'], 'invalid message format'),
        ('ollama', None, 'invalid message content type: <nil>'),
        ('tgi', ['alpha'], 'TGI answers 422'),
        ('tgi', None, 'TGI answers 422'),
        ('transformers', ['alpha'], 'transformers serve answers 500'),
    ],
)
def test_a_content_that_is_refused(server: str, content: Any, words: str) -> None:
    handed = server_view(content, server)
    assert (words in handed.refused, handed.messages) == (True, [])


@pytest.mark.parametrize('server', ['sglang', 'llama.cpp', 'transformers'])
def test_no_content_is_an_empty_one_where_it_is_not_refused(server: str) -> None:
    assert contents(server_view(None, server)) == ['']


def test_media_leave_no_text() -> None:
    image = {'type': 'image_url', 'image_url': {'url': 'data:'}}
    assert contents(server_view([*PARTS, image], 'vllm')) == ['alpha\nbeta']


CALLS: list[dict[str, Any]] = turn('alpha', arguments='{"query": "fruit"}', content=None, reasoning_content='Hm.')


@pytest.mark.parametrize(
    ('server', 'expected'),
    [
        ('vllm', {'content': '', 'reasoning': 'Hm.', 'reasoning_content': 'Hm.', 'tool_calls': {'query': 'fruit'}}),
        ('sglang', {'content': '', 'reasoning_content': 'Hm.', 'tool_calls': {'query': 'fruit'}}),
        ('llama.cpp', {'content': '', 'reasoning_content': 'Hm.', 'tool_calls': {'query': 'fruit'}}),
        ('ollama', {'content': '', 'reasoning_content': 'Hm.', 'tool_calls': {'query': 'fruit'}}),
        ('transformers', {'content': '', 'tool_calls': {'query': 'fruit'}}),
        ('litellm+llama.cpp', {'content': '', 'reasoning_content': 'Hm.', 'tool_calls': {'query': 'fruit'}}),
    ],
)
def test_a_turn_of_calls_alone(server: str, expected: dict[str, Any]) -> None:
    seen = dict(hand_over(CALLS, server, ContentFormats()).messages[2])
    seen['tool_calls'] = seen['tool_calls'][0]['function']['arguments']
    assert seen == {'role': 'assistant', **expected}
    assert CALLS[2]['tool_calls'][0]['function']['arguments'] == '{"query": "fruit"}'


def test_tgi_turns_calls_into_text_and_drops_ids() -> None:
    handed = hand_over(CALLS, 'tgi', ContentFormats()).messages
    assert [set(message) for message in handed] == [{'role', 'content'}] * 4
    assert '"arguments": "{\\"query\\": \\"fruit\\"}"' in handed[2]['content']


@pytest.mark.parametrize(
    ('server', 'arguments', 'expected'),
    [
        ('vllm', '{"query": ', {}),
        ('vllm', '[]', {}),
        ('vllm', {'query': 'x'}, {'query': 'x'}),
        ('sglang', '{"query": ', 'SGLang answers 400'),
        ('llama.cpp', '', 'llama.cpp answers 500'),
        ('transformers', '1', 'transformers serve answers 500'),
    ],
)
def test_arguments_that_are_no_object(server: str, arguments: Any, expected: Any) -> None:
    handed = hand_over(turn('alpha', arguments=arguments), server, ContentFormats())
    if handed.refused:
        assert handed.refused.startswith(expected)
    else:
        assert handed.messages[2]['tool_calls'][0]['function']['arguments'] == expected


def test_llama_cpp_keeps_strings_for_a_template_that_cannot_take_objects() -> None:
    handed = hand_over(CALLS, 'llama.cpp', ContentFormats(llamacpp_objects=False))
    assert handed.messages[2]['tool_calls'] == CALLS[2]['tool_calls']


def test_llama_cpp_knows_a_developer_as_a_system_and_merges_what_a_template_has_no_role_for() -> None:
    developer = {'role': 'developer', 'content': 'Be brief.'}
    assert hand_over([developer, USER], 'llama.cpp', ContentFormats()).messages[0] == SYSTEM
    merged = hand_over([SYSTEM, USER, USER], 'llama.cpp', ContentFormats(llamacpp_system=False)).messages
    assert merged == [{'role': 'user', 'content': f'Be brief.\n{USER["content"]}'}, USER]
    refused = hand_over([{'role': 'user'}], 'llama.cpp', ContentFormats()).refused
    assert refused == "400: All non-assistant messages must contain 'content'"


def test_vllm_and_sglang_give_parts_of_other_messages_where_the_template_wants_them() -> None:
    asked = {'role': 'user', 'content': PARTS}
    assert contents(hand_over([asked, USER], 'vllm', WANTS_PARTS)) == [
        PARTS,
        [{'type': 'text', 'text': USER['content']}],
    ]
    assert contents(hand_over([asked, USER], 'sglang', WANTS_PARTS)) == [PARTS, USER['content']]
    assert contents(hand_over([asked], 'sglang', ContentFormats())) == ['alpha beta']
    answer: dict[str, Any] = {'role': 'assistant', 'content': 'x', 'tool_calls': []}
    assert hand_over([answer], 'vllm', ContentFormats()).messages == [{'role': 'assistant', 'content': 'x'}]


def test_every_server_names_its_source() -> None:
    for name in (*SERVER_NAMES, 'litellm+tgi'):
        server = server_named(name)
        assert (server.name, bool(server.title), len(server.source) > 20) == (name, True, True)
    assert 'litellm' not in SERVERS


@pytest.mark.parametrize('name', ['vLLM', 'litellm+x', '', 'vllm+litellm'])
def test_an_unknown_server_is_refused_with_the_names_there_are(name: str) -> None:
    with pytest.raises(OptionError, match='allowed are vllm, vllm-0.19, sglang, llama.cpp, ollama'):
        server_named(name)


@pytest.mark.parametrize(
    ('name', 'expected'),
    [
        ('chatml', ContentFormats()),
        ('blocks', ContentFormats(vllm_parts=True, sglang_parts=True, llamacpp_parts=True)),
        ('glm_like', ContentFormats(vllm_parts=True, sglang_parts=True)),
        ('first_part', ContentFormats(llamacpp_parts=True)),
        ('string_arguments', ContentFormats(llamacpp_objects=False)),
        ('no_tools', ContentFormats(llamacpp_system=False)),
    ],
)
def test_what_servers_find_out_about_a_template(name: str, expected: ContentFormats) -> None:
    """The rules of vLLM and SGLang agree with all 107 templates of the corpus; llama.cpp's with 101 of 103."""
    assert content_formats(sample(name)) == expected


@pytest.mark.parametrize(
    ('source', 'vllm', 'sglang'),
    [
        ('{% for m in messages %}{% for c in m["content"] %}{% endfor %}{% endfor %}', True, True),
        (
            '{% set x = messages[1:] %}{% for y in x | list %}{% for c in y.content | list %}{% endfor %}{% endfor %}',
            True,
            False,
        ),
        ('{% for message in others %}{% for c in message.content %}{% endfor %}{% endfor %}', False, True),
        (
            '{% for m in messages %}{% for c in m.other %}{% endfor %}{% for c in m[x] %}{% endfor %}{% endfor %}',
            False,
            False,
        ),
        ('{% macro f(content) %}{% for c in content %}{% endfor %}{% endmacro %}', True, False),
        ('{% macro f(text) %}{% for c in text %}{% endfor %}{% endmacro %}{% set a, b = 1, 2 %}', False, False),
        ('a vision model', False, True),
    ],
)
def test_the_rules_of_vllm_and_sglang_for_parts(source: str, vllm: bool, sglang: bool) -> None:
    from pydantic_ai_compat.templates import ChatTemplate

    found = content_formats(ChatTemplate(source))
    assert (found.vllm_parts, found.sglang_parts) == (vllm, sglang)


def test_what_llama_cpp_says_of_itself_goes_before_what_is_found() -> None:
    caps = {
        'supports_typed_content': True,
        'supports_string_content': False,
        'supports_system_role': False,
        'supports_object_arguments': False,
    }
    assert content_formats(sample('chatml'), caps) == ContentFormats(
        llamacpp_parts=True, llamacpp_strings=False, llamacpp_system=False, llamacpp_objects=False
    )
