"""Which delta belongs to which call: every way in which servers label their deltas."""

from __future__ import annotations as _annotations

from typing import Any

import pytest
from generated import generated
from hypothesis import given, strategies as st
from streaming.streams import as_stock_reads, call, calls_chunk, chunk, parse, parsed_calls

from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.streaming import ChatStreamParser, Finish, ProviderToolCall, StreamItem, ToolCallEvent

END = chunk('tool_calls')

A = '{"a":1}'
B = '{"b":2}'

ONE_CALL: dict[str, list[dict[str, Any]]] = {
    'well-formed': [calls_chunk(call(0, 'c1', 'f', '')), calls_chunk(call(0, arguments='{"a"')), calls_chunk(call(0, arguments=':1}'))],
    # vLLM leaves `arguments` out of the first delta.
    'no arguments key at first': [calls_chunk(call(0, 'c1', 'f', ...)), calls_chunk(call(0, ..., ..., A))],
    'index missing': [calls_chunk(call(..., 'c1', 'f', '{"a"')), calls_chunk(call(..., arguments=':1}'))],
    'index as text': [calls_chunk(call('0', 'c1', 'f', '{"a"')), calls_chunk(call('0', arguments=':1}'))],
    'index moves while the id stays': [calls_chunk(call(0, 'c1', 'f', '{"a"')), calls_chunk(call(1, 'c1', None, ':1')), calls_chunk(call(1, None, None, '}'))],
    'index moves on and on': [calls_chunk(call(0, 'c1', 'f', '{"a"')), calls_chunk(call(1, 'c1', None, ':')), calls_chunk(call(1, 'c1', None, '1')), calls_chunk(call(1, None, None, '}'))],
    'index comes late': [calls_chunk(call(None, 'c1', 'f', '{"a"')), calls_chunk(call(0, arguments=':1}'))],
    'id late': [calls_chunk(call(0, None, 'f', '{"a"')), calls_chunk(call(0, 'c1', None, ':1}'))],
    'id late, then the name': [calls_chunk(call(0, None, None, '{"a"')), calls_chunk(call(0, 'c1', None, ':1}')), calls_chunk(call(0, None, 'f', ''))],
    'id late, with the name again': [calls_chunk(call(0, None, 'f', '{"a"')), calls_chunk(call(0, 'c1', 'f', ':1}'))],
    'id late, without an index': [calls_chunk(call(None, None, 'f', '{"a"')), calls_chunk(call(None, 'c1', None, ':1}'))],
    'id after the arguments': [calls_chunk(call(0, None, 'f', A)), calls_chunk(call(0, 'c1'))],
    'id after the arguments, with all of it again': [calls_chunk(call(0, None, 'f', A)), calls_chunk(call(0, 'c1', 'f', A))],
    'id empty later': [calls_chunk(call(0, 'c1', 'f', '{"a"')), calls_chunk(call(0, '', '', ':1}'))],
    'id repeated': [calls_chunk(call(0, 'c1', 'f', '{"a"')), calls_chunk(call(0, 'c1', None, ':1}'))],
    'id new on each chunk': [calls_chunk(call(0, 'c1', 'f', '{"a"')), calls_chunk(call(0, 'x2', None, ':1')), calls_chunk(call(0, 'x3', None, '}'))],
    'id new on each chunk, also after the end': [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, 'x2', None, ''))],
    'id new on each chunk, without an index': [calls_chunk(call(None, 'c1', 'f', '{"a"')), calls_chunk(call(None, 'x2', None, ':1}'))],
    'name repeated': [calls_chunk(call(0, 'c1', 'f', '{"a"')), calls_chunk(call(0, 'c1', 'f', ':1')), calls_chunk(call(0, 'c1', 'f', '}'))],
    'name repeated without id and index': [calls_chunk(call(None, 'c1', 'f', '{"a"')), calls_chunk(call(None, None, 'f', ':1}'))],
    'name repeated after the end': [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, 'c1', 'f', ''))],
    'name late': [calls_chunk(call(0, 'c1', '', '{"a"')), calls_chunk(call(0, None, 'f', ':1}'))],
    'name after the arguments': [calls_chunk(call(0, 'c1', None, A)), calls_chunk(call(0, 'c1', 'f', ''))],
    'id, then name, then arguments': [calls_chunk(call(0, 'c1')), calls_chunk(call(0, None, 'f')), calls_chunk(call(0, None, None, A))],
    'nothing but arguments, then all of it': [calls_chunk(call(0, 'c1', None, A)), calls_chunk(call(0, 'c1', 'f', A))],
    'arguments as object': [calls_chunk(call(0, 'c1', 'f', {'a': 1}))],
    'object, then string': [calls_chunk(call(0, 'c1', 'f', {'a': 1})), calls_chunk(call(0, None, None, A))],
    'empty object, then string': [calls_chunk(call(0, 'c1', 'f', {})), calls_chunk(call(0, None, None, A))],
    'cumulative': [calls_chunk(call(0, 'c1', 'f', '{')), calls_chunk(call(0, None, None, '{"a"')), calls_chunk(call(0, None, None, A))],
    'cumulative with a repeat': [calls_chunk(call(0, 'c1', 'f', '{"a"')), calls_chunk(call(0, 'c1', 'f', '{"a"')), calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, 'c1', 'f', A))],
    'cumulative, cut where an object could follow': [calls_chunk(call(0, 'c1', 'f', '{"a":')), calls_chunk(call(0, None, None, A))],
    'sent again': [calls_chunk(call(0, 'c1', 'f', '{"a"')), calls_chunk(call(0, None, None, ':1}')), calls_chunk(call(0, 'c1', 'f', A))],
    'sent again with other white space': [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, 'c1', 'f', '{ "a": 1 }'))],
    'sent again in pieces': [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, 'c1', 'f', '{"a')), calls_chunk(call(0, 'c1', 'f', '":1}'))],
    'sent again, twice encoded': [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, 'c1', 'f', '"{\\"a\\":1}"'))],
    'sent again and cut': [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, 'c1', 'f', '{"a"'))],
    'two fragments in one chunk': [calls_chunk(call(0, 'c1', 'f', ''), call(0, None, None, '{"a"')), calls_chunk(call(0, None, None, ':1}'))],
    'null among the deltas': [chunk(tool_calls=[None, call(0, 'c1', 'f', A)])],
    'a delta without a function': [calls_chunk(call(0, 'c1', 'f', A)), chunk(tool_calls=[{'index': 0, 'function': None}])],
    'a finish reason on every chunk': [calls_chunk(call(0, 'c1', 'f', '{"a"'), finish_reason='stop'), calls_chunk(call(0, None, None, ':1}'), finish_reason='stop'), chunk('stop')],
    'a choice index other than 0': [
        {**calls_chunk(), 'choices': [{'index': 1, 'delta': {'tool_calls': [call(0, 'c1', 'f', A)]}, 'finish_reason': None}]},
        {**calls_chunk(), 'choices': [{'index': 1, 'delta': {}, 'finish_reason': 'tool_calls'}]},
    ],
}  # fmt: skip


@pytest.mark.parametrize('way', ONE_CALL)
def test_one_call_comes_once_however_its_deltas_are_labelled(way: str) -> None:
    """Servers: `docs/streams.md`; tie-breaks: the module docstring of `streaming/calls.py`."""
    [(id, name, arguments)] = parsed_calls([*ONE_CALL[way], END])
    assert (id, name, arguments) == ('c1', 'f', A)
    assert as_stock_reads([*ONE_CALL[way], END]) == [('c1', 'f', A)]


TWO_CALLS: dict[str, list[dict[str, Any]]] = {
    'well-formed': [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(1, 'c2', 'g', B))],
    'interleaved': [calls_chunk(call(0, 'c1', 'f', '{"a"')), calls_chunk(call(1, 'c2', 'g', '{"b"')), calls_chunk(call(0, arguments=':1}')), calls_chunk(call(1, arguments=':2}'))],
    'both whole in one chunk': [calls_chunk(call(0, 'c1', 'f', A), call(1, 'c2', 'g', B))],
    'both whole in one chunk, index always 0': [calls_chunk(call(0, 'c1', 'f', A), call(0, 'c2', 'g', B))],
    'index always 0': [calls_chunk(call(0, 'c1', 'f', '{"a"')), calls_chunk(call(0, arguments=':1}')), calls_chunk(call(0, 'c2', 'g', '{"b"')), calls_chunk(call(0, arguments=':2}'))],
    'index always 0, name before arguments': [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, 'c2', 'g', '')), calls_chunk(call(0, arguments=B))],
    'index missing': [calls_chunk(call(..., 'c1', 'f', A)), calls_chunk(call(..., 'c2', 'g', '{"b"')), calls_chunk(call(..., arguments=':2}'))],
    'index 0, 0, 1': [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, 'c2', 'g', B)), calls_chunk(call(0, 'c2', None, ''))],
    'index from 1': [calls_chunk(call(1, 'c1', 'f', A)), calls_chunk(call(2, 'c2', 'g', B))],
    'a name that comes late does not lose its place': [calls_chunk(call(0, 'c1', None, A)), calls_chunk(call(1, 'c2', 'g', B)), calls_chunk(call(0, None, 'f', ''))],
    'arguments as objects, index always 0': [calls_chunk(call(0, 'c1', 'f', {'a': 1})), calls_chunk(call(0, 'c2', 'g', {'b': 2}))],
    'id first, on a used index': [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, 'c2')), calls_chunk(call(0, None, 'g', B))],
}  # fmt: skip


@pytest.mark.parametrize('way', TWO_CALLS)
def test_two_calls_come_in_the_provider_s_order_and_apart(way: str) -> None:
    """Servers: `docs/streams.md`."""
    assert parsed_calls([*TWO_CALLS[way], END]) == [('c1', 'f', A), ('c2', 'g', B)]
    assert as_stock_reads([*TWO_CALLS[way], END]) == [('c1', 'f', A), ('c2', 'g', B)]


def test_calls_without_ids_are_told_apart_by_index_name_and_arguments() -> None:
    """Gateways that send no ids at all; the client makes them."""
    by_index = [calls_chunk(call(0, '', 'f', A)), calls_chunk(call(1, '', 'f', A))]
    by_name = [calls_chunk(call(0, None, 'f', A)), calls_chunk(call(0, None, 'g', A))]
    by_arguments = [calls_chunk(call(0, None, 'f', A)), calls_chunk(call(0, None, 'f', B))]
    beside = [calls_chunk(call(0, None, 'f', A), call(0, None, 'f', A))]
    empty = [calls_chunk(call(None, None, 'f', '')), calls_chunk(call(None, None, 'g', ''))]
    begun = [calls_chunk(call(None, None, 'f', A)), calls_chunk(call(None, None, 'g', B))]
    assert parsed_calls([*by_index, END]) == [(None, 'f', A), (None, 'f', A)]
    assert parsed_calls([*by_name, END]) == [(None, 'f', A), (None, 'g', A)]
    assert parsed_calls([*by_arguments, END]) == [(None, 'f', A), (None, 'f', B)]
    assert parsed_calls([*beside, END]) == [(None, 'f', A), (None, 'f', A)]
    assert parsed_calls([*empty, END]) == [(None, 'f', ''), (None, 'g', '')]
    assert parsed_calls([*begun, END]) == [(None, 'f', A), (None, 'g', B)]
    cut_short = [item.tool_call for item in parse([calls_chunk(call(None, None, 'f', '{')), *begun[1:]], tool_names=())]
    assert [event.name for event in cut_short if event] == ['f', 'g']


def test_many_calls_on_one_index_cost_no_more_than_they_are() -> None:
    """Each gets an index of its own; an index that comes later is not taken twice."""
    chunks = [calls_chunk(call(0, f'c{n}', 'f', A)) for n in range(500)] + [calls_chunk(call(300, 'last', 'g', B))]
    parser = ChatStreamParser()
    for one in [*chunks, END]:
        parser.feed(one)
    slots = [one.slot for one in parser._corrector.calls.calls]
    assert len(set(slots)) == 501
    assert parser.characters_examined == 501 * len(A)


def test_the_same_id_with_other_arguments_is_a_second_call() -> None:
    """Tie-break: the same id and a different object is a second call, whole or in pieces."""
    whole = [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, 'c1', 'f', B))]
    in_pieces = [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(1, 'c1', 'f', '')), calls_chunk(call(1, None, None, B))]  # fmt: skip
    no_index = [calls_chunk(call(None, 'c1', 'f', A)), calls_chunk(call(None, 'c1', 'f', B))]
    other_name = [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(1, 'c1', 'g', A))]
    interleaved = [
        calls_chunk(call(0, 'c1', 'f', '{"a"')),
        calls_chunk(call(1, 'c1', 'g', '{"b"')),
        calls_chunk(call(0, 'c1', None, ':1}')),
        calls_chunk(call(1, 'c1', None, ':2}')),
    ]
    assert parsed_calls([*whole, END]) == [('c1', 'f', A), ('c1', 'f', B)]
    assert parsed_calls([*in_pieces, END]) == [('c1', 'f', A), ('c1', 'f', B)]
    assert parsed_calls([*no_index, END]) == [('c1', 'f', A), ('c1', 'f', B)]
    assert parsed_calls([*other_name, END]) == [('c1', 'f', A), ('c1', 'g', A)]
    assert parsed_calls([*interleaved, END]) == [('c1', 'f', A), ('c1', 'g', B)]


@pytest.mark.parametrize(
    ('pieces', 'tools', 'name'),
    [
        (('edit_ex', 'isting_file'), ('edit_existing_file',), 'edit_existing_file'),
        (('edit_ex', 'isting_file'), (), 'edit_existing_file'),
        (('get', 'get_weather'), ('get_weather',), 'get_weather'),
        (('get', '_we', 'ather'), ('get', 'get_weather'), 'get_weather'),
        (('f', 'f'), ('f', 'ff'), 'f'),
        (('f', 'f'), (), 'f'),
        (('go', 'go'), ('gogo',), 'gogo'),
        (('get_weather', 'function'), ('get_weather',), 'get_weather'),
        (('no_such', '_tool'), ('get_weather',), 'no_such_tool'),
    ],
)
def test_a_name_in_pieces_becomes_the_declared_tool(pieces: tuple[str, ...], tools: tuple[str, ...], name: str) -> None:
    """Tie-break: equal to the name so far is a repeat; else append, preferring the result that is a declared tool."""
    chunks = [calls_chunk(call(0, 'c1', piece, '')) for piece in pieces]
    assert parsed_calls([*chunks, calls_chunk(call(0, None, None, A)), END], tool_names=tools) == [('c1', name, A)]


@generated(40)
@given(st.text('`x[\\', min_size=1, max_size=3), st.text('`x[ {}', max_size=6))
def test_arguments_that_are_no_json_are_not_cumulative(head: str, rest: str) -> None:
    """Such as a fence around the arguments, which comes backtick by backtick: nothing of it is taken away."""
    text = '`' + head + rest
    chunks = [calls_chunk(call(0, 'c1', 'f', '')), *(calls_chunk(call(0, None, None, piece)) for piece in text)]
    assert as_stock_reads([*chunks, chunk('tool_calls')]) == [('c1', 'f', text)]


def test_arguments_that_go_on_as_they_began_are_not_cumulative() -> None:
    """`{"a":` followed by `{"a":1}` reads as cumulative until the last brace comes."""
    nested = [call(0, 'c1', 'f', '{"a":'), call(0, None, None, A), call(0, None, None, ''), call(0, None, None, '}')]
    deeper = [call(0, 'c1', 'f', '{"a":'), *[call(0, None, None, '{"a":')] * 9, call(0, None, None, '1' + '}' * 10)]
    assert parsed_calls([*map(calls_chunk, nested), END]) == [('c1', 'f', '{"a":{"a":1}}')]
    assert parsed_calls([*map(calls_chunk, deeper), END]) == [('c1', 'f', '{"a":' * 10 + '1' + '}' * 10)]


def test_text_between_does_not_end_a_doubt() -> None:
    """The other deltas go on while one waits."""
    chunks = [calls_chunk(call(0, 'c1', 'f', '{"a":')), calls_chunk(call(0, None, None, A)), chunk(content='x')]
    assert parsed_calls([*chunks, calls_chunk(call(0, None, None, '}')), END]) == [('c1', 'f', '{"a":{"a":1}}')]


def test_a_stream_cut_in_a_doubt_gives_a_cut_call() -> None:
    """Neither reading is whole, so the call is not complete."""
    chunks = [calls_chunk(call(0, 'c1', 'f', '{"a":')), calls_chunk(call(0, None, None, '{"a":{"b":')), END]
    [event] = [item.tool_call for item in parse(chunks) if item.tool_call]
    assert (event.raw_arguments, event.complete) == ('{"a":{"a":{"b":', False)


def test_the_deprecated_function_call_makes_one_call_unless_tool_calls_come_too() -> None:
    """llama-cpp-python sends both in each delta; <https://platform.openai.com/docs/api-reference/chat-streaming>."""
    legacy = [chunk(function_call={'name': 'f', 'arguments': '{"a"'}), chunk(function_call={'arguments': ':1}'})]
    both = [chunk(function_call={'name': 'f', 'arguments': A}, tool_calls=[call(0, 'c1', 'f', A)]), chunk(function_call={'name': 'f', 'arguments': A})]  # fmt: skip
    assert parsed_calls([*legacy, chunk('function_call')]) == [(None, 'f', A)]
    assert parsed_calls([*both, END]) == [('c1', 'f', A)]


@pytest.mark.parametrize('arguments', [None, '', ' ', {}, ...])
def test_a_call_without_arguments_is_whole_once_the_provider_says_it_is_finished(arguments: Any) -> None:
    """Qwen on vLLM, Ollama: <https://github.com/pydantic/pydantic-ai/issues/1654>."""
    [event] = [item.tool_call for item in parse([calls_chunk(call(0, 'c1', 'f', arguments)), END]) if item.tool_call]
    assert (event.arguments, event.complete) == ({}, True)


@pytest.mark.parametrize('finish_reason', [None, 'length', 'content_filter', 'abort'])
def test_a_call_without_arguments_is_cut_if_nothing_says_that_it_was_finished(finish_reason: str | None) -> None:
    """vLLM's first delta of each call has no arguments, so a stream that ends there looks just like this."""
    chunks = [calls_chunk(call(0, 'c1', 'f', ...), finish_reason=finish_reason)]
    [event] = [item.tool_call for item in parse(chunks) if item.tool_call]
    assert (event.arguments, event.complete) == (None, False)


@pytest.mark.parametrize('arguments', ['{"a": }', '{"a":1}}', '[1]', 'null', '5', '{"a":1} x', '"x"', '{"a":1]'])
def test_arguments_that_are_closed_but_no_object_are_not_complete(arguments: str) -> None:
    """They are kept byte for byte; pydantic-ai asks the model again."""
    [event] = [item.tool_call for item in parse([calls_chunk(call(0, 'c1', 'f', arguments)), END]) if item.tool_call]
    assert event == ToolCallEvent('f', 'c1', 0, arguments, None, complete=False)


def test_text_after_whole_arguments_breaks_them() -> None:
    """A brace too many, in a delta of its own: kept, so that nothing runs that the model did not write."""
    chunks = [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, None, None, '}')), calls_chunk(call(0, None, None, '}')), END]  # fmt: skip
    [event] = [item.tool_call for item in parse(chunks) if item.tool_call]
    assert event == ToolCallEvent('f', 'c1', 0, '{"a":1}}}', None, complete=False)


@pytest.mark.parametrize('rest', [['{"a": 1}'], ['{"a": 1', '{"a": 1}']])
def test_what_could_be_an_object_in_an_object_is_cumulative_once_it_comes_again(rest: list[str]) -> None:
    """`{"a":{"a": 1` may go on, but no object begins behind a number."""
    pieces = ['{"a":', '{"a": 1', *rest]
    first, *others = (call(0, 'c1', 'f', piece) for piece in pieces)
    chunks = [calls_chunk(first), *(calls_chunk({**other, 'id': None}) for other in others), chunk('tool_calls')]
    assert parsed_calls(chunks) == [('c1', 'f', '{"a": 1}')]


def test_white_space_after_whole_arguments_stays() -> None:
    """Byte for byte, also when a copy was begun."""
    chunks = [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, None, None, '\n')), END]
    assert parsed_calls(chunks) == [('c1', 'f', A + '\n')]


def test_a_second_call_that_is_cut_is_reported_as_one() -> None:
    """The name comes again and begins it, and the stream ends inside its arguments."""
    chunks = [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, 'c1', 'f', '{"b"')), chunk('length')]
    events = [item.tool_call for item in parse(chunks) if item.tool_call]
    assert events == [
        ToolCallEvent('f', 'c1', 0, A, {'a': 1}, complete=True),
        ToolCallEvent('f', 'c1', 0, '{"b"', None, complete=False),
    ]


@pytest.mark.parametrize('behind', [B, '{', '{"b"', '[', '"', '""', '{}', 'x'])
def test_what_stands_behind_whole_arguments_without_a_name_makes_them_wrong(behind: str) -> None:
    """As in a plain response, where it is no delta of its own: kept byte for byte, and the model is asked again."""
    for pieces in ([A + behind], [A, behind], [A, *behind], [*A, behind]):
        deltas = [call(0, 'c1', 'f' if number == 0 else None, piece) for number, piece in enumerate(pieces)]
        [event] = [item.tool_call for item in parse([*map(calls_chunk, deltas), END]) if item.tool_call]
        assert event == ToolCallEvent('f', 'c1', 0, A + behind, None, complete=False)


def test_the_error_for_a_nameless_call_comes_after_all_other_items() -> None:
    """The calls behind it are not lost."""
    parser = ChatStreamParser(tool_names={'f'})
    items: list[StreamItem] = []
    for one in [calls_chunk(call(0, 'c1', None, B)), calls_chunk(call(1, 'c2', 'f', A)), END]:
        items += parser.feed(one)
    with pytest.raises(StreamError, match=r"""the arguments '\{"b":2\}'"""):
        for item in parser.flush():
            items.append(item)
    assert items == [
        ProviderToolCall(ToolCallEvent('f', 'c2', 1, A, {'a': 1}, complete=True)),
        Finish('tool_calls', provider_finish_reason='tool_calls'),
    ]


def test_an_id_that_is_announced_and_comes_to_nothing_is_no_call() -> None:
    """An unknown id on the index of a whole call, with nothing behind it."""
    chunks = [calls_chunk(call(0, 'c1', 'f', A)), calls_chunk(call(0, 'c2')), calls_chunk(call(1, 'c3', 'g', B)), END]
    assert parsed_calls(chunks) == [('c1', 'f', A), ('c3', 'g', B)]


@pytest.mark.parametrize('index', [True, 'x', 1.5, [0]])
def test_an_index_that_is_no_number_counts_as_missing(index: Any) -> None:
    """Wrong types neither crash nor decide."""
    assert parsed_calls([calls_chunk(call(index, 'c1', 'f', A)), END]) == [('c1', 'f', A)]


def test_ids_and_arguments_come_back_byte_for_byte() -> None:
    """White space, escapes and order of keys are the model's."""
    raw = '{ "b" : "\\u00e9\\n\\"", "a":[1, 2.50] }'
    cut = [raw[n : n + 3] for n in range(0, len(raw), 3)]
    chunks = [calls_chunk(call(0, ' Ü/1', 'f', '')), *[calls_chunk(call(0, None, None, piece)) for piece in cut], END]
    assert parsed_calls(chunks) == [(' Ü/1', 'f', raw)]
