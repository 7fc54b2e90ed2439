"""What rarely happens to the pieces of an answer: fields that nothing can stand for, calls twice, empty parts."""

from __future__ import annotations as _annotations

from datetime import date
from typing import Annotated, Any

import pytest
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletionChunk
from openai.types.completion_usage import PromptTokensDetails
from pydantic import BaseModel, Field, ValidationError
from streaming.streams import call, calls_chunk, chunk, parse, parsed_calls

from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.streaming import ChatStreamParser
from pydantic_ai_compat.streaming.bodies.chunks import iter_body_chunks
from pydantic_ai_compat.streaming.calls.naming import undecorated_name
from pydantic_ai_compat.streaming.completion import CompletionBuilder
from pydantic_ai_compat.streaming.fields import MOST_ROUNDS, Dropped, mended
from pydantic_ai_compat.streaming.parts import Part, joined_text, read_parts
from pydantic_ai_compat.streaming.reasoning_details import ReasoningDetails
from pydantic_ai_compat.streaming.usage import RunningUsage


class Cat(BaseModel):
    lives: int


class Dog(BaseModel):
    tricks: list[str]
    born: date | None = None


class Born(BaseModel):
    on: date
    at: date


class Zoo(BaseModel):
    pet: Cat | Dog | None = None
    count: Annotated[int, Field(ge=0)] | None = None
    weights: dict[str, int] = {}
    births: list[Born] = []


MENDED: dict[str, tuple[dict[str, Any], dict[str, Any], list[Dropped]]] = {
    'a fraction in place of a whole number': ({'count': 1.5}, {'count': 1}, [Dropped('count', 1.5)]),
    'text in place of a number': ({'count': 'x'}, {'count': None}, [Dropped('count', 'x')]),
    'a wrong value in a mapping': (
        {'weights': {'a': 'x', 'b': 1}},
        {'weights': {}},
        [Dropped('weights', {'a': 'x', 'b': 1})],
    ),
    'two wrong values in one item': (
        {'births': [{'on': 'x', 'at': 'y'}, {'on': '2026-01-01', 'at': '2026-01-02'}]},
        {'births': [{'on': '2026-01-01', 'at': '2026-01-02'}]},
        [Dropped('births.0', {'on': 'x', 'at': 'y'})],
    ),
    'a field of the second member of a union': (
        {'pet': {'tricks': ['sit'], 'born': 'x'}},
        {'pet': {'tricks': ['sit'], 'born': None, 'lives': 0}},
        [Dropped('pet.born', 'x')],
    ),
}


@pytest.mark.parametrize('way', MENDED)
def test_what_does_not_fit_gives_way_to_the_nearest_empty_value(way: str) -> None:
    """The places are those of pydantic's errors (<https://docs.pydantic.dev/latest/errors/errors/>)."""
    data, expected, dropped = MENDED[way]
    assert (mended(Zoo, data), data) == (dropped, expected)
    Zoo.model_validate(data)


@pytest.mark.parametrize(
    'needed',
    [{('births',)}, {('births', 0)}, {('births', 0, 'on')}],
    ids=['the list', 'the item', 'the field'],
)
def test_a_needed_place_is_not_emptied_for_what_is_wrong_inside_it(needed: set[tuple[int | str, ...]]) -> None:
    """An answer without what it is made of would be another answer."""
    data = {'births': {'on': 'x'}} if ('births',) in needed else {'births': [{'on': 'x', 'at': '2026-01-01'}]}
    with pytest.raises(ValidationError):
        mended(Zoo, data, needed.__contains__)


def test_a_required_value_that_has_no_zero_is_an_error() -> None:
    """There is no date that says nothing."""
    with pytest.raises(ValidationError, match='on'):
        mended(Born, {'on': 'x', 'at': '2026-01-01'})


def test_a_required_value_that_may_be_null_becomes_null() -> None:
    class Kennel(BaseModel):
        dog: Dog | None
        at: date | None

    data: dict[str, Any] = {'dog': 5, 'at': 'x'}
    assert mended(Kennel, data) == [Dropped('dog', 5), Dropped('at', 'x')]
    assert data == {'dog': None, 'at': None}


def test_mending_ends_although_the_default_itself_does_not_fit() -> None:
    """pydantic does not validate defaults: <https://docs.pydantic.dev/latest/concepts/fields/#default-values>."""

    class Odd(BaseModel):
        value: int = Field(default='none')  # pyright: ignore[reportAssignmentType]

    data: dict[str, Any] = {'value': 'x'}
    dropped = mended(Odd, data)
    assert dropped == [Dropped('value', 'x'), *[Dropped('value', 'none')] * (MOST_ROUNDS - 1)]
    assert data == {'value': 'none'}


def completed(*chunks: dict[str, Any]) -> dict[str, Any]:
    """The choice of the completion that chunks come to, with what it holds."""
    builder = CompletionBuilder(('reasoning',))
    for one in chunks:
        builder.add(ChatCompletionChunk.construct(**one))
    choice = builder.build(builder.calls).choices[0]
    return choice.model_dump(exclude_none=True, warnings=False)


def with_choice(**fields: Any) -> dict[str, Any]:
    return {'id': 'x', 'choices': [{'index': 0, **fields}]}


def test_a_choice_without_a_delta_adds_nothing_to_the_message() -> None:
    """Its finish reason counts all the same."""
    got = completed(with_choice(delta={'content': 'a'}), with_choice(delta=None, finish_reason='stop'))
    assert got == {'finish_reason': 'stop', 'index': 0, 'message': {'content': 'a', 'role': 'assistant'}}


def test_lists_of_a_delta_are_joined() -> None:
    """Citations come with the text that they belong to."""
    got = completed(with_choice(delta={'annotations': [{'n': 1}]}), with_choice(delta={'annotations': [{'n': 2}]}))
    assert got['message'] == {'annotations': [{'n': 1}, {'n': 2}], 'role': 'assistant'}


def test_a_call_without_a_function_keeps_what_came_before() -> None:
    """Some deltas bring nothing but an id."""
    got = completed(
        with_choice(delta={'tool_calls': [{'index': 0, 'function': {'name': 'f', 'arguments': '{}'}}]}),
        with_choice(delta={'tool_calls': [{'index': 0, 'id': 'c1'}]}),
    )
    assert got['message']['tool_calls'] == [
        {'id': 'c1', 'type': 'function', 'function': {'name': 'f', 'arguments': '{}'}}
    ]


def test_the_log_probabilities_of_all_chunks_are_joined() -> None:
    """<https://platform.openai.com/docs/api-reference/chat-streaming/streaming>."""
    tokens: list[dict[str, Any]] = [{'token': token, 'logprob': -0.5, 'top_logprobs': []} for token in ('a', 'b')]
    got = completed(*(with_choice(delta={'content': one['token']}, logprobs={'content': [one]}) for one in tokens))
    assert got['logprobs'] == {'content': tokens}


def test_an_empty_string_among_the_parts_is_no_part() -> None:
    """Nor is a thought without words."""
    assert read_parts(['', {'type': 'reasoning', 'text': ''}, 'a', '', 'b']) == [Part('text', 'ab')]
    assert joined_text([{'type': 'thinking', 'thinking': '', 'text': ''}]) == ''


def test_reasoning_details_keep_what_a_later_piece_leaves_empty() -> None:
    """What is no object is passed over, and null takes nothing away."""
    details = ReasoningDetails()
    details.add(['x', {'type': 'reasoning.text', 'index': 0, 'text': 'a', 'signature': 's'}, None])
    details.add([{'type': 'reasoning.text', 'index': 0, 'text': 'b', 'signature': None}])
    assert details.merged() == [{'type': 'reasoning.text', 'index': 0, 'text': 'ab', 'signature': 's'}]


def test_the_details_of_usages_that_fall_are_added_up_too() -> None:
    """A count that falls shows that each chunk has its own usage."""
    usage = RunningUsage()
    for count, cached in ((5, 3), (2, 1)):
        usage.add(
            CompletionUsage(
                prompt_tokens=count,
                completion_tokens=1,
                total_tokens=count + 1,
                prompt_tokens_details=PromptTokensDetails(cached_tokens=cached),
            )
        )
    assert usage.total == CompletionUsage(
        prompt_tokens=7,
        completion_tokens=2,
        total_tokens=9,
        prompt_tokens_details=PromptTokensDetails(cached_tokens=4),
    )


def test_nothing_of_a_body_is_read_behind_its_end() -> None:
    """`[DONE]` ends the stream: <https://platform.openai.com/docs/api-reference/chat-streaming>."""
    body = b'data: {"a": 1}\n\ndata: [DONE]\n\ndata: {"b": 2}\n\n'
    assert list(iter_body_chunks(body)) == [{'a': 1}]


@pytest.mark.parametrize('value', ['[1]', '5', '"a"', 'null'])
def test_an_event_that_is_no_object_is_an_error(value: str) -> None:
    """Nothing of a chunk can be read in it, be it the first or a later one; the message says which line it is."""
    for before, line in ((b'', 1), (b'data: {"a": 1}\n\n', 3)):
        with pytest.raises(StreamError, match=f'Line {line} of the stream holds no JSON object'):
            list(iter_body_chunks(before + f'data: {value}\n\n'.encode()))


def test_an_error_that_says_nothing_matters_only_where_there_is_no_answer() -> None:
    """Servers written in Go send every field of the schema, the empty ones with the zero value of their type."""
    void: dict[str, Any] = {'error': {'message': '', 'code': 0}}
    assert parse([{**chunk(content='a'), **void}]) == parse([chunk(content='a')])
    empty: dict[str, Any] = {'choices': [], **void}
    for one in (empty, ChatCompletionChunk.construct(**empty)):
        with pytest.raises(StreamError, match='The server reported an error in chunk 1'):
            ChatStreamParser().feed(one)


def test_a_namespace_that_comes_alone_is_no_part_of_the_name() -> None:
    """Models trained on OpenAI's own prompt format write `functions.` before the name."""
    assert undecorated_name('functions.', {'f'}) == ''
    assert undecorated_name('functions.', {'functions.f'}) == 'functions.'
    pieces = [call(id='c1', name='functions.'), call(name='f', arguments='{}')]
    assert parsed_calls([calls_chunk(one) for one in pieces]) == [('c1', 'f', '{}')]


def written(name: str, arguments: str) -> str:
    return f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>'


def test_a_call_of_the_provider_goes_on_beside_another_that_was_written_in_the_text() -> None:
    """They are two calls, whichever index the second has."""
    chunks = [
        chunk(content=written('f', '{"a": 1}')),
        calls_chunk(call(1, id='c2', name='g', arguments='{"b":')),
        calls_chunk(call(1, arguments=' 2}')),
    ]
    calls = [(name, arguments) for _, name, arguments in parsed_calls(chunks, text_tool_calls='hermes')]
    assert calls == [('f', '{"a": 1}'), ('g', '{"b": 2}')]


@pytest.mark.parametrize('arguments', ['{"a": 1}', '{"a": 2}'], ids=['the same', 'another'])
def test_a_written_call_waits_until_that_of_the_provider_is_whole(arguments: str) -> None:
    """Only then it shows whether they are one: <https://github.com/openclaw/openclaw/issues/138198>."""
    chunks = [
        calls_chunk(call(0, id='c1', name='f', arguments='{"a":')),
        chunk(content=written('f', arguments)),
        calls_chunk(call(0, arguments=' 1}')),
    ]
    calls = [(name, arguments) for _, name, arguments in parsed_calls(chunks, text_tool_calls='hermes')]
    assert calls == [('f', '{"a": 1}'), *([('f', arguments)] if arguments != '{"a": 1}' else [])]


@pytest.mark.parametrize(
    ('dialect', 'text'),
    [('json_fence', '```json\n{"name":"f","arguments":{"a":1}}'), ('pythonic', '[f(a=1)'), ('pythonic', '[f(a=1)]')],
)
def test_a_call_at_the_end_of_the_thoughts_is_there_although_nothing_closes_it(dialect: str, text: str) -> None:
    """That it is whole shows when the answer begins."""
    chunks = [chunk(reasoning=text), chunk(content='b')]
    items = parse(chunks, text_tool_calls=dialect, calls_in_thoughts=True)
    assert [item.kind for item in items] == ['message_delta', 'provider_tool_call', 'finish']
    assert [item.tool_call.arguments for item in items if item.kind == 'provider_tool_call'] == [{'a': 1}]


def test_a_call_of_the_provider_does_not_end_one_that_is_being_written() -> None:
    """The text goes on inside the call."""
    text = written('f', '{"a": 1}')
    chunks = [
        chunk(content=text[:42]),
        calls_chunk(call(1, id='c2', name='g', arguments='{}')),
        chunk(content=text[42:]),
    ]
    calls = [(name, arguments) for _, name, arguments in parsed_calls(chunks, text_tool_calls='hermes')]
    assert calls == [('f', '{"a": 1}'), ('g', '{}')]


XML = '<tool_call>\n<function=f>\n<parameter=a>\nx<y\n</parameter>\n</function>\n</tool_call>'


@pytest.mark.parametrize('cut', range(XML.index('<y'), XML.index('</function>')))
def test_a_call_that_comes_in_the_same_chunk_takes_nothing_from_the_one_being_written(cut: int) -> None:
    """Wherever the chunk cuts the value, even where it ends in what may be the mark behind it."""
    chunks = [
        chunk(content=XML[:cut], tool_calls=[call(1, id='c2', name='g', arguments='{}')]),
        chunk(content=XML[cut:]),
    ]
    calls = [(name, arguments) for _, name, arguments in parsed_calls(chunks, text_tool_calls='qwen3_coder')]
    assert calls == [('g', '{}'), ('f', '{"a": "x<y"}')]
