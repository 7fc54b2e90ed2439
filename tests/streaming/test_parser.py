"""The parser: items, each once, and an honest end."""

from __future__ import annotations as _annotations

import json
from typing import Any

import pytest
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletionChunk
from pydantic_ai.exceptions import UserError
from streaming.streams import call, calls_chunk, chunk, joined, parse, parsed_calls, text_chunk

from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.streaming import (
    ChatStreamParser,
    Finish,
    MessageDelta,
    ProviderToolCall,
    ReasoningDelta,
    TextEvent,
    ToolCallEvent,
    Usage,
)

USAGE: dict[str, Any] = {'prompt_tokens': 1, 'completion_tokens': 2, 'total_tokens': 3}
CALL = calls_chunk(call(0, 'c1', 'f', '{"a":1}'))
CALL_ITEM = ProviderToolCall(ToolCallEvent('f', 'c1', 0, '{"a":1}', {'a': 1}, complete=True))


def test_each_kind_has_a_class_and_the_fields_of_all_others_empty() -> None:
    """The kinds of the specification, and what each carries."""
    usage = CompletionUsage(**USAGE)
    items = [
        MessageDelta('a'),
        ReasoningDelta('b', 'reasoning'),
        TextEvent(ToolCallEvent('e')),
        ProviderToolCall(ToolCallEvent('f', 'c1', 0, '{}', {})),
        Finish('stop', provider_finish_reason=None),
        Usage(usage),
    ]
    assert [item.kind for item in items] == [
        'message_delta', 'reasoning_delta', 'text_event', 'provider_tool_call', 'finish', 'usage',
    ]  # fmt: skip
    assert [(item.text, item.field, item.tool_call, item.token_usage) for item in items] == [
        ('a', None, None, None),
        ('b', 'reasoning', None, None),
        ('', None, ToolCallEvent('e'), None),
        ('', None, ToolCallEvent('f', 'c1', 0, '{}', {}), None),
        ('', None, None, None),
        ('', None, None, usage),
    ]
    assert (items[4].finish_reason, items[4].provider_sent) == ('stop', False)
    with pytest.raises(AttributeError):
        items[0].text = 'x'  # pyright: ignore[reportAttributeAccessIssue]


def test_a_whole_stream_comes_as_items() -> None:
    """Thoughts, text, a call, usage and finish; the usage and the finish come last, whatever came last."""
    chunks: list[dict[str, Any]] = [
        chunk(role='assistant', content=''),
        chunk(reasoning_content='hm'),
        chunk(content='Hi'),
        CALL,
        chunk('tool_calls'),
        {'choices': [], 'usage': USAGE},
    ]
    assert parse(chunks) == [
        ReasoningDelta('hm', 'reasoning_content'),
        MessageDelta('Hi'),
        CALL_ITEM,
        Usage(CompletionUsage.construct(**USAGE)),
        Finish('tool_calls', provider_finish_reason='tool_calls'),
    ]


def test_chunks_of_the_sdk_and_decoded_json_are_read_alike() -> None:
    """`feed` takes both."""
    chunks = [chunk(content='Hi'), CALL, chunk('tool_calls')]
    assert parse(ChatCompletionChunk.model_validate(each) for each in chunks) == parse(chunks)


def test_a_whole_call_comes_at_the_finish_reason_and_an_open_one_at_the_flush() -> None:
    """Exactly once each, in the provider's order."""
    parser = ChatStreamParser()
    assert parser.feed(CALL) == []
    assert parser.feed(chunk('tool_calls')) == [CALL_ITEM]
    assert parser.feed(calls_chunk(call(1, 'c2', 'g', '{"b"'), call(2, 'c3', 'h', '{}'))) == []
    assert parser.feed(chunk('tool_calls')) == []
    assert [item.tool_call and item.tool_call.id for item in parser.flush()] == ['c2', 'c3', None]


def test_a_second_flush_gives_nothing() -> None:
    """Also if the first was never iterated: the end came once."""
    parser = ChatStreamParser()
    parser.feed(CALL)
    assert [item.kind for item in parser.flush()] == ['provider_tool_call', 'finish']
    assert list(parser.flush()) == []


def test_a_call_sent_again_after_it_was_given_is_not_given_twice() -> None:
    """A proxy that puts a finish reason on every chunk, in front of a server that sends summaries."""
    assert parsed_calls(
        [{**CALL, 'choices': [{**CALL['choices'][0], 'finish_reason': 'stop'}]}, CALL, chunk('stop')]
    ) == [('c1', 'f', '{"a":1}')]


def test_feeding_after_the_flush_is_a_mistake() -> None:
    """A parser reads one stream."""
    parser = ChatStreamParser()
    list(parser.flush())
    with pytest.raises(UserError, match='use a new `ChatStreamParser` for each stream'):
        parser.feed(chunk(content='x'))


@pytest.mark.parametrize(
    ('error', 'words'),
    [
        ({'message': 'boom', 'code': 500}, 'boom'),
        ('boom', 'boom'),
        ({'msg': 'boom'}, 'boom'),
        ({'error': {'detail': 'boom'}}, 'boom'),
        ({'code': 7}, '{"code": 7}'),
        (['boom'], '["boom"]'),
    ],
)
def test_nothing_is_given_after_an_error_event(error: Any, words: str) -> None:
    """The error carries the server's words, in whatever field they are."""
    parser = ChatStreamParser()
    assert parser.feed(chunk(content='Hi')) == [MessageDelta('Hi')]
    parser.feed(CALL)
    with pytest.raises(StreamError) as caught:
        parser.feed({'error': error})
    assert str(caught.value) == f'The server reported an error in chunk 3 of the stream: {words}'
    assert parser.feed(chunk('tool_calls')) == []
    assert list(parser.flush()) == []


def test_an_error_in_a_chunk_of_the_sdk_is_found_too() -> None:
    """The SDK keeps unknown fields."""
    with pytest.raises(StreamError, match='chunk 1 of the stream: boom'):
        ChatStreamParser().feed(ChatCompletionChunk.construct(error='boom'))


MALFORMED: dict[str, tuple[Any, str]] = {
    'no object': ([1], 'is no JSON object but list'),
    'choices': ({'choices': 'ab'}, "its `choices` is str 'ab'"),
    'choices as an object': ({'choices': {'a': 1}}, 'its `choices` is dict'),
    'function': (chunk(tool_calls=[{'index': 0, 'function': 'ab'}]), "the `function` of a tool call is str 'ab'"),
    'function_call': (chunk(function_call='ab'), "`function_call` is str 'ab'"),
    'a choice': ({'choices': [5]}, "a choice is int '5'"),
    'delta': ({'choices': [{'index': 0, 'delta': 'x'}]}, "its `delta` is str 'x'"),
    'content': (chunk(content={'a': 1}), '`content` is dict'),
    'tool_calls': (chunk(tool_calls='ab'), "`tool_calls` is str 'ab'"),
    'a tool call': (chunk(tool_calls=[5]), "a tool call is int '5'"),
}


@pytest.mark.parametrize('what', MALFORMED)
def test_a_chunk_that_cannot_be_read_is_an_error_that_names_it(what: str) -> None:
    """Nothing is dropped in silence, and nothing is given after it."""
    bad, words = MALFORMED[what]
    parser = ChatStreamParser()
    parser.feed(chunk(content='Hi'))
    with pytest.raises(StreamError) as caught:
        parser.feed(bad)
    assert 'hunk 2 of the stream' in str(caught.value) and words in str(caught.value)
    assert list(parser.flush()) == []


@pytest.mark.parametrize(
    'odd',
    [
        {'choices': None},
        {'choices': []},
        {},
        {'choices': [{'index': 0, 'delta': None, 'finish_reason': None}]},
        {'choices': [{'index': 0, 'finish_reason': None}]},
        chunk(tool_calls=[]),
        chunk(content=None),
        chunk(''),
    ],
)
def test_chunks_that_say_nothing_are_passed_over(odd: dict[str, Any]) -> None:
    """Z.AI sends `choices: null`, Azure `delta: null`, kimi-k2.5 `tool_calls: []`, all in good streams."""
    assert joined(parse([chunk(content='a'), odd, chunk(content='b'), odd, chunk('stop'), odd])) == [
        MessageDelta('ab'),
        Finish('stop', provider_finish_reason='stop'),
    ]


def test_content_as_a_list_of_parts_is_text() -> None:
    """Mistral's models behind the Albert API; parts that are no text are no text."""
    chunks = [chunk(content=[{'type': 'text', 'text': '<th'}, 'ink>', {'type': 'image'}, 5]), chunk(content=[{'type': 'text', 'text': 'b'}])]  # fmt: skip
    assert joined(parse(chunks))[:-1] == [ReasoningDelta('b', 'content')]


def test_only_the_first_choice_is_followed() -> None:
    """Two answers side by side are not mixed into one."""
    chunks = [
        {'choices': [{'index': 1, 'delta': {'content': 'x'}}, {'index': 0, 'delta': {'content': 'a'}}]},
        {'choices': [{'index': 1, 'delta': {'content': 'y'}}], 'usage': USAGE},
        {'choices': [{'index': 1, 'delta': {'content': 'y'}}]},
        {'choices': [{'index': 0, 'delta': {'content': 'b'}, 'finish_reason': 'stop'}]},
        {'choices': [{'index': None, 'delta': {'content': 'c'}}]},
    ]
    assert joined(parse(chunks)) == [
        MessageDelta('abc'),
        Usage(CompletionUsage.construct(**USAGE)),
        Finish('stop', provider_finish_reason='stop'),
    ]


def test_a_refusal_is_visible_text() -> None:
    """OpenAI sends it in a field of its own in place of the content."""
    assert parse([chunk(refusal='No.'), chunk('stop')])[0] == MessageDelta('No.')


@pytest.mark.parametrize(
    ('chunks', 'reason', 'provider'),
    [
        ([], None, None),
        ([chunk(content='a')], 'stop', None),
        ([chunk(content='a'), chunk('length')], 'length', 'length'),
        ([chunk(content='a'), chunk('eos')], 'eos', 'eos'),
        ([CALL], 'tool_calls', None),
        ([CALL, chunk('stop')], 'tool_calls', 'stop'),
        ([CALL, chunk('length')], 'length', 'length'),
        ([calls_chunk(call(0, 'c1', 'f', '{"a"'))], None, None),
        ([calls_chunk(call(0, 'c1', 'f', '{"a"')), chunk('stop')], 'stop', 'stop'),
        ([chunk('stop'), chunk('tool_calls', content='a')], 'tool_calls', 'tool_calls'),
    ],
)
def test_the_finish_says_what_the_provider_said_and_what_it_means(
    chunks: list[dict[str, Any]], reason: str | None, provider: str | None
) -> None:
    """`stop` beside calls means `tool_calls`; a missing one is inferred; the last one holds."""
    assert parse(chunks)[-1] == Finish(reason, provider_finish_reason=provider)


def test_usage_in_every_chunk_comes_once() -> None:
    """vLLM's `continuous_usage_stats` sends the sum so far with each chunk."""
    chunks = [{**chunk(content='a'), 'usage': {**USAGE, 'total_tokens': n}} for n in range(3)]
    assert [item.token_usage and item.token_usage.total_tokens for item in parse(chunks) if item.kind == 'usage'] == [2]


def test_the_work_for_long_arguments_is_linear() -> None:
    """Each character is looked at once as it comes, however they are cut; 8 KiB show that as well as more."""
    raw = json.dumps({'text': 'ab"\\{[ ' * 1_000})
    assert len(raw) >= 8 * 1024
    for count in (1, 16, 1024):
        size = -(-len(raw) // count)
        pieces = [raw[n : n + size] for n in range(0, len(raw), size)]
        parser = ChatStreamParser()
        parser.feed(calls_chunk(call(0, 'c1', 'f', '')))
        for piece in pieces:
            parser.feed(calls_chunk(call(0, None, None, piece)))
        [item, _] = parser.flush()
        assert item.tool_call is not None and item.tool_call.raw_arguments == raw
        assert parser.characters_examined == len(raw)


@pytest.mark.parametrize('count', [64, 256])
def test_the_work_for_cumulative_arguments_is_linear_in_what_came(count: int) -> None:
    """Each piece holds all before it, so what comes is quadratic in the arguments; the work is not more than that."""
    raw = json.dumps({'text': 'x' * count})
    parser = ChatStreamParser()
    came = 0
    for end in range(1, len(raw) + 1):
        came += end
        parser.feed(calls_chunk(call(0, 'c1', 'f', raw[:end])))
    [item, _] = parser.flush()
    assert item.tool_call is not None and item.tool_call.raw_arguments == raw
    assert parser.characters_examined <= 2 * came


@pytest.mark.parametrize('text', ['a < b ' * 50, '<think>' * 40, '<' * 300, '<ev>a b ' + 'c ' * 150, '</ev' * 80])
def test_the_work_for_text_is_linear(text: str) -> None:
    """What may begin a tag is looked at again, but never more of it than a tag is long."""
    for size in (len(text), 64, 1):
        parser = ChatStreamParser(text_event_tag='ev')
        for n in range(0, len(text), size):
            parser.feed(text_chunk(text[n : n + size]))
        list(parser.flush())
        assert parser.characters_examined <= len(text) * len('</think>')
