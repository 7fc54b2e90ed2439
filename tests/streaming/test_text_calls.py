"""Tool calls written in the text, as a model and a parser give them."""

from __future__ import annotations as _annotations

from typing import Any

import pytest
from streaming.streams import call, chunk, joined, parse, text_chunk
from text.dialects.cases import load

from pydantic_ai_compat.streaming import Finish, MessageDelta, ProviderToolCall, ReasoningDelta, ToolCallEvent

HERMES = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
TOOLS = {'f': {'type': 'object', 'properties': {'a': {'type': 'integer'}, 'b': {'type': 'string'}}}}


def items(*chunks: dict[str, Any], **options: Any) -> list[Any]:
    """The items of a stream whose text is read for calls of the tool `f`."""
    return joined(parse(chunks, text_tool_calls='auto', tools=TOOLS, **options))


def written(arguments: dict[str, Any] | None, raw: str) -> ProviderToolCall:
    complete = arguments is not None
    return ProviderToolCall(
        ToolCallEvent('f', raw_arguments=raw, arguments=arguments, complete=complete, dialect='hermes')
    )


@pytest.mark.parametrize('size', [1, 5, 100])
def test_a_call_in_the_text_is_an_item_of_its_own(size: int) -> None:
    """It is marked as read from the text, and the finish reason says that calls came."""
    text = f'I look.\n{HERMES}\n'
    chunks = [chunk(content=text[n : n + size]) for n in range(0, len(text), size)]
    assert items(*chunks, chunk('stop')) == [
        MessageDelta('I look.\n'),
        written({'a': 1}, '{"a": 1}'),
        Finish('tool_calls', provider_finish_reason='stop'),
    ]


def test_a_cut_call_is_not_complete() -> None:
    """Its header is whole, so it is a call, and what came of its arguments may not be run."""
    assert items(chunk(content=HERMES[: HERMES.index('}}')]), chunk('length')) == [
        written(None, '{"a": 1'),
        Finish('length', provider_finish_reason='length'),
    ]


def test_a_native_call_wins_over_the_same_call_in_the_text() -> None:
    """Reports: https://github.com/openclaw/openclaw/issues/138198 and Rapid-MLX#1373."""
    native = chunk(tool_calls=[call(0, 'c1', 'f', '{"a":1}')])
    for chunks in ([native, chunk(content=HERMES)], [chunk(content=HERMES, tool_calls=native_calls())]):
        [one, _] = items(*chunks, chunk('tool_calls'))
        assert one.tool_call == ToolCallEvent(
            'f', id='c1', index=0, raw_arguments='{"a":1}', arguments={'a': 1}, complete=True
        )


def native_calls() -> list[dict[str, Any]]:
    return [call(0, 'c1', 'f', '{"a":1}')]


def test_a_native_call_that_says_again_what_has_gone_on_is_not_run_again() -> None:
    """The call in the text came first and has gone on; one call is left, whichever way the native one is cut."""
    pieces = [call(0, 'c1', 'f', ''), call(0, None, None, '{"a"'), call(0, None, None, ':1}')]
    chunks = [chunk(content=HERMES), *(chunk(tool_calls=[piece]) for piece in pieces), chunk('tool_calls')]
    assert items(*chunks)[:-1] == [written({'a': 1}, '{"a": 1}')]


def test_another_native_call_of_the_same_tool_is_a_call() -> None:
    """Before or behind the one in the text."""
    native = chunk(tool_calls=[call(0, 'c1', 'f', '{"a":2}')])
    for chunks in ([native, chunk(content=HERMES)], [chunk(content=HERMES), native]):
        calls = [item.tool_call for item in items(*chunks, chunk('stop')) if item.kind == 'provider_tool_call']
        assert sorted(one.arguments['a'] for one in calls) == [1, 2]


def test_calls_in_thoughts_count_where_they_are_asked_for() -> None:
    """A reasoning parser that swallows the call: https://github.com/MoonshotAI/Kimi-K2/issues/89."""
    chunks = [chunk(reasoning_content=f'Hm. {HERMES[:20]}'), chunk(reasoning_content=HERMES[20:]), chunk('stop')]
    assert items(*chunks, calls_in_thoughts=True) == [
        ReasoningDelta('Hm. ', 'reasoning_content'),
        written({'a': 1}, '{"a": 1}'),
        Finish('tool_calls', provider_finish_reason='stop'),
    ]
    assert [item.kind for item in items(*chunks)] == ['reasoning_delta', 'finish']


def test_calls_in_thoughts_of_the_text_count_where_they_are_asked_for() -> None:
    """The same with thoughts between tags."""
    chunks = [chunk(content=f'<think>Hm. {HERMES}</think>Done.'), chunk('stop')]
    kinds = [item.kind for item in items(*chunks, calls_in_thoughts=True)]
    assert sorted(kinds) == ['finish', 'message_delta', 'provider_tool_call', 'reasoning_delta']
    assert [item.kind for item in items(*chunks)] == ['reasoning_delta', 'message_delta', 'finish']


@pytest.mark.parametrize('case', load('cases.jsonl')[::41], ids=lambda case: case['id'])
def test_a_stream_is_read_the_same_wherever_it_is_cut(case: dict[str, Any]) -> None:
    """Some of the dialects' cases, as each of them is cut where its dialect is tested; a parser adds its chunks only."""
    text = case['text']
    options: dict[str, Any] = {'text_tool_calls': case['dialects'], 'tools': case['tools']}
    whole = joined(parse([text_chunk(text), chunk('stop')], **options))
    threes = [text[start : start + 3] for start in range(0, len(text), 3)]
    for pieces in (list(text), threes, [text[: len(text) // 2], text[len(text) // 2 :]]):
        assert joined(parse([*(text_chunk(piece) for piece in pieces), chunk('stop')], **options)) == whole


@pytest.mark.parametrize('case', load('cases.jsonl')[::83], ids=lambda case: case['id'])
def test_a_native_call_amid_the_text_loses_nothing_of_it(case: dict[str, Any]) -> None:
    """A server that parses some calls only sends the rest as text; wherever it cuts that, both kinds are read."""
    options: dict[str, Any] = {'text_tool_calls': case['dialects'], 'tools': case['tools']}
    native = [call(0, 'c1', 'native', '{}')]
    # A thought amid the text is one only if it ends, which a call of the provider's leaves open.
    for before in ('', 'Hi.\n') if '<think>' not in case['text'] else ('',):
        text = before + case['text']
        whole = said(parse([text_chunk(text), chunk('stop')], **options))
        for cut in range(1, len(text), max(1, len(text) // 8)):
            for beside in (False, True):
                first = [text_chunk(text[:cut]), chunk(tool_calls=native)]
                if beside:
                    first = [chunk(content=text[:cut], tool_calls=native)]
                chunks = [*first, text_chunk(text[cut:]), chunk('stop')]
                assert said(parse(chunks, tool_names=['native', *case['tools']], **options)) == whole + ['native']


def said(items: list[Any]) -> list[object]:
    """The text, and the calls, those that the provider sent as such last."""
    calls = [item.tool_call for item in items if item.kind == 'provider_tool_call']
    texts = ''.join(item.text for item in items if item.kind == 'message_delta')
    written_calls = [(one.name, one.raw_arguments, one.complete) for one in calls if one.dialect is not None]
    return [texts, written_calls, *(one.name for one in calls if one.dialect is None)]


def test_text_before_a_cut_call_is_not_said_twice() -> None:
    """What the scanner has seen of a call that it cannot be sure of is not in the text as well."""
    text = 'Hi.\n```json\n{"name": "f", "arguments": {"b": "x",,, "a": 3}}\n```'
    options: dict[str, Any] = {'text_tool_calls': ['json_fence'], 'tools': TOOLS}
    whole = said(parse([text_chunk(text), chunk('stop')], **options))
    for cut in range(0, len(text), 2):
        assert said(parse([text_chunk(text[:cut]), text_chunk(text[cut:]), chunk('stop')], **options)) == whole
