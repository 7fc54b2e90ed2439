"""Tags in text: thoughts and events, cut at any character."""

from __future__ import annotations as _annotations

import itertools
from typing import Any

import pytest
from generated import generated
from hypothesis import assume, given, strategies as st
from streaming.streams import call, chunk, joined, parse, text_chunk

from pydantic_ai_compat.errors import OptionError
from pydantic_ai_compat.streaming import MessageDelta, ReasoningDelta, StreamItem, TextEvent, ToolCallEvent
from pydantic_ai_compat.text.dialects.registry import pick
from pydantic_ai_compat.text.scanner import TextScanner

TAGS = ('<think>', '</think>')


def text_items(*pieces: str, **options: Any) -> list[StreamItem]:
    """The items of a text in these pieces, without the finish."""
    return joined(parse([text_chunk(piece) for piece in pieces], **options))[:-1]


def message(text: str) -> StreamItem:
    return MessageDelta(text)


def thought(text: str) -> StreamItem:
    return ReasoningDelta(text, 'content')


def event(name: str) -> StreamItem:
    return TextEvent(ToolCallEvent(name))


WHOLE = {
    'a\n<think>b</think>c': [message('a\n'), thought('b'), message('c')],
    '<think>a</think>b\n  <think>c</think>': [thought('a'), message('b\n  '), thought('c')],
    '<think>a</think> <think>c</think>': [thought('a'), message(' '), thought('c')],
    'a\n<think>b': [message('a\n<think>b')],
    'a\n<think>b\n<think>c</think>': [message('a\n'), thought('b\n<think>c')],
    'a <think>b</think>c': [message('a <think>b</think>c')],
    '`<think>`a</think>c': [message('`<think>`a</think>c')],
    '```\n<think>\n```\n<think>a</think>': [message('```\n<think>\n```\n'), thought('a')],
    '~~~ ``` x\n<think>\n~~~\n': [message('~~~ ``` x\n<think>\n~~~\n')],
    '~~~~\n<think>\n~~~\n<think>a</think>': [message('~~~~\n<think>\n~~~\n<think>a</think>')],
    'a ``` b\n<think>c</think>': [message('a ``` b\n'), thought('c')],
    '```x```\n<think>c</think>': [message('```x```\n'), thought('c')],
    '```x ~~~\n<think>\n```\n<think>c</think>': [message('```x ~~~\n<think>\n```\n'), thought('c')],
    '`` a ` <ev>x</ev>``': [message('`` a ` <ev>x</ev>``')],
    'a ~~~\n<think>c</think>': [message('a ~~~\n'), thought('c')],
    '`<ev>x</ev>`': [message('`<ev>x</ev>`')],
    '<think></think>a': [message('a')],
    '<think>a': [thought('a')],
    'a</think>b': [message('a</think>b')],
    '<think>a<think>b</think>c': [thought('a<think>b'), message('c')],
    'a<b and <thin> \n<think>c</think>': [message('a<b and <thin> \n'), thought('c')],
    'a<ev>x</ev>b': [message('a'), event('x'), message('b')],
    '<ev>x, y\nz</ev>': [event('x'), event('y'), event('z')],
    '<ev> mcp:a.b/c-d_e </ev>': [event('mcp:a.b/c-d_e')],
    '<ev></ev> <ev>,</ev>': [message('<ev></ev> <ev>,</ev>')],
    '<ev>not a name!</ev>': [message('<ev>not a name!</ev>')],
    '<ev>x</e>': [message('<ev>x</e>')],
    '<ev>x<ev>y</ev>': [message('<ev>x'), event('y')],
    '<ev>x\n<think>y</think>': [message('<ev>x\n'), thought('y')],
    '<ev>x': [message('<ev>x')],
    '<ev>x</e': [message('<ev>x</e')],
    '<think><ev>x</ev></think>': [thought('<ev>x</ev>')],
    'é<ev>ñame</ev>🙂': [message('é'), event('ñame'), message('🙂')],
}


@pytest.mark.parametrize('text', WHOLE)
def test_tags_are_found_wherever_the_text_is_cut(text: str) -> None:
    """Cut in two at every character, in three with a short piece in the middle, and into single characters."""
    expected = WHOLE[text]
    places = range(1, len(text))
    cuts: list[tuple[int, ...]] = [(), tuple(places), *((place,) for place in places)]
    cuts += [(place, place + length) for length in (2, 5) for place in places[:-length]]
    for cut in cuts:
        pieces = [text[a:b] for a, b in itertools.pairwise([0, *cut, len(text)])]
        if '<think>' in pieces:
            continue
        assert text_items(*pieces, text_event_tag='ev') == expected, cut


@generated()
@given(st.lists(st.text('<>/thinkev x', max_size=9), max_size=8))
def test_any_text_is_read_the_same_whole_and_in_pieces(pieces: list[str]) -> None:
    """Text made of the characters of the tags."""
    assume('<think>' not in pieces)
    assert text_items(*pieces, text_event_tag='ev') == text_items(''.join(pieces), text_event_tag='ev')


OPEN = {
    'a</think>b': [thought('a'), message('b')],
    ' \n a</think>b': [thought(' \n a'), message('b')],
    '</think>b': [message('b')],
    'a': [thought('a')],
    ' ': [message(' ')],
    '<think>a</think>b': [thought('a'), message('b')],
    ' <think>a</think>b': [message(' '), thought('a'), message('b')],
    '<thin>a</think>b': [thought('<thin>a'), message('b')],
    '<thi': [message('<thi')],
}


@pytest.mark.parametrize('text', OPEN)
def test_a_text_that_starts_in_a_thought_ends_it_at_the_closing_tag(text: str) -> None:
    """Models whose chat template ends in the opening tag; an opening tag that comes all the same is not doubled."""
    for cut in range(1, len(text)):
        assert text_items(text[:cut], text[cut:], thinking_starts_open=True) == OPEN[text]
    assert text_items(*text, thinking_starts_open=True) == OPEN[text]


@pytest.mark.parametrize('field', ['reasoning', 'reasoning_content', 'thoughts'])
def test_thoughts_in_a_field_of_their_own_leave_the_text_an_answer(field: str) -> None:
    """The server has a reasoning parser, so the text does not begin in a thought after all."""
    chunks = [chunk(content=' '), chunk(**{field: 'a'}), chunk(content='b</think>')]
    assert joined(parse(chunks, thinking_starts_open=True, thinking_field='thoughts'))[:-1] == [
        message(' '),
        ReasoningDelta('a', field),
        message('b</think>'),
    ]


def test_a_thought_in_a_field_or_a_call_ends_what_waits() -> None:
    """A tag is not put together across a call or a thought that came in another field."""
    across_call = [chunk(content='a<thi'), chunk(tool_calls=[call(0, 'c1', 'f', '{}')]), chunk(content='nk>b')]
    across_thought = [chunk(content='a<thi'), chunk(reasoning='x'), chunk(content='nk>b')]
    both = [chunk(content='a<thi', tool_calls=[call(0, 'c1', 'f', '{}')]), chunk(content='nk>b')]
    texts = [
        ''.join(i.text for i in parse(c) if i.kind == 'message_delta') for c in (across_call, across_thought, both)
    ]
    assert texts == ['a<think>b'] * 3


def test_chunks_without_text_do_not_end_what_waits() -> None:
    """Usage, role and finish reason may stand between two pieces of a tag."""
    chunks: list[dict[str, Any]] = [
        chunk(content='<thi'),
        chunk(role='assistant'),
        chunk('stop'),
        {'choices': []},
        chunk(content='nk>b'),
    ]
    assert joined(parse(chunks))[:-1] == [thought('b')]


@pytest.mark.parametrize('kind', [tuple, list])
def test_other_tags_can_be_set(kind: type[Any]) -> None:
    """pydantic-ai's `thinking_tags`, such as Mistral's `[THINK]`; JSON and YAML have them as a list."""
    assert text_items('a\n[TH', 'INK]b[/THINK]c', thinking_tags=kind(('[THINK]', '[/THINK]'))) == [
        message('a\n'),
        thought('b'),
        message('c'),
    ]


def test_a_tag_that_is_a_chunk_of_its_own_opens_a_thought_anywhere() -> None:
    """As pydantic-ai has it: a server sends a special token as a chunk."""
    assert text_items('a ', '<think>', 'b', '</think>', 'c') == [message('a '), thought('b'), message('c')]
    assert text_items('a ', '<think>', 'b') == [message('a <think>b')]


def test_a_tag_that_begins_like_itself_is_found() -> None:
    """What waits can be the beginning of a tag that begins one character later."""
    for pieces in (('/xaaaab', 'y'), ('/', 'x', 'a', 'a', 'a', 'a', 'b', 'y'), ('/xaa', 'aa', 'by')):
        assert text_items(*pieces, thinking_tags=('/', 'aaab')) == [thought('xa'), message('y')]


@pytest.mark.parametrize('tag', ['', '<ev>', 'a b', '1', 'ev>'])
def test_a_tag_that_is_no_name_is_refused(tag: str) -> None:
    """The message says how to write it."""
    with pytest.raises(OptionError, match="leave out `<` and `>`, as in 'agent_events'"):
        TextScanner(TAGS, tag)


def test_the_tag_of_thoughts_is_no_tag_of_events() -> None:
    """No event is read in a thought."""
    with pytest.raises(OptionError, match='is the tag around thoughts'):
        TextScanner(TAGS, 'think')


def test_a_tag_with_more_names_than_may_be_is_the_text_that_it_is() -> None:
    """65,536 characters of names are held at most."""
    text = f'<ev>{"a" * 70_000}</ev>'
    assert text_items(text, text_event_tag='ev') == [message(text)]
    assert text_items(text[:100], text[100:69_000], text[69_000:], text_event_tag='ev') == [message(text)]


def test_a_text_that_passes_quickly_is_an_answer_that_has_begun() -> None:
    """A thought in the middle of a message does not begin it anew."""
    scanner = TextScanner(TAGS, dialects=pick('llama3_json'), tools={'f': {}})
    scanner.feed('<think>x</think>')
    scanner.feed('y')
    assert scanner.passes('z')
    scanner.feed('\n')
    call = '\n<think>x</think>{"name": "f", "parameters": {}}'
    segments = scanner.feed(call) + scanner.flush()
    assert [segment.kind for segment in segments if segment.kind == 'call'] == []
