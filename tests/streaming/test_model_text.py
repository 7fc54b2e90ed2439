"""The text of a stream through the model: thoughts between tags, and name-only events."""

from __future__ import annotations as _annotations

import pytest
from streaming.streams import (
    call,
    calls_chunk,
    chunk,
    parts_of,
    stream_answer,
    streamed,
)
from support import Wire

from pydantic_ai_compat.errors import OptionError

A = '{"a":1}'
B = '{"b":2}'


async def test_content_as_a_list_of_parts_is_text(wire: Wire) -> None:
    """Mistral's models behind the Albert API send it so."""
    parts = [{'type': 'text', 'text': 'a'}, {'type': 'reference', 'ids': [1]}]
    wire.answers.append(
        stream_answer([chunk(content=parts), chunk(content=[{'type': 'text', 'text': 'b'}]), chunk('stop')])
    )
    assert parts_of((await streamed(wire.model())).response) == [{'text': 'ab'}]


async def test_the_usage_and_the_finish_of_a_chunk_with_a_glued_tag_count_once(wire: Wire) -> None:
    """A chunk that has to become several keeps everything else it carries, once."""
    usage = {'prompt_tokens': 5, 'completion_tokens': 7, 'total_tokens': 12}
    glued = chunk('stop', role='assistant', content='<think>a</think>b', reasoning_content='r')
    wire.answers.append(stream_answer([{**glued, 'usage': usage}]))
    got = (await streamed(wire.model())).response
    assert parts_of(got) == [{'think': 'r'}, {'think': 'a'}, {'text': 'b'}]
    assert (got.usage.input_tokens, got.usage.output_tokens, got.finish_reason) == (5, 7, 'stop')


async def test_a_tag_over_several_chunks_loses_nothing_that_they_carry(wire: Wire) -> None:
    """Chunks between the pieces of a tag, and calls behind it."""
    wire.answers.append(
        stream_answer(
            [
                chunk(content='x\n<th'),
                chunk(role='assistant'),
                chunk(content='ink>a <'),
                chunk(content='/think>', tool_calls=[call(0, 'c1', 'f', A)]),
                chunk('tool_calls'),
            ]
        )
    )
    assert parts_of((await streamed(wire.model())).response) == [
        {'text': 'x\n'},
        {'think': 'a '},
        {'tool': 'f', 'args': {'a': 1}, 'id': 'c1'},
    ]


async def test_a_closing_tag_alone_is_text_unless_the_option_says_otherwise(wire: Wire) -> None:
    """No guessing: `openai_chat_thinking_starts_open` is off by default."""
    chunks = [chunk(content='secret</th'), chunk(content='ink>answer'), chunk('stop')]
    wire.answers += [stream_answer(chunks), stream_answer(chunks)]
    assert parts_of((await streamed(wire.model())).response) == [{'text': 'secret</think>answer'}]
    on = wire.model(openai_chat_thinking_starts_open='true')
    assert parts_of((await streamed(on)).response) == [{'think': 'secret'}, {'text': 'answer'}]


EVENT_CHUNKS = [
    chunk(content='a <agent_'),
    chunk(content='events>f, nope'),
    chunk(content='</agent_events> b'),
    chunk('stop'),
]


async def test_text_events_are_off_by_default(wire: Wire) -> None:
    """The text stays as it is."""
    wire.answers.append(stream_answer(EVENT_CHUNKS))
    got = (await streamed(wire.model())).response
    assert parts_of(got) == [{'text': 'a <agent_events>f, nope</agent_events> b'}]
    assert 'text_events' not in (got.provider_details or {})


async def test_reported_text_events_leave_the_text(wire: Wire) -> None:
    """`report`: taken out of the text and listed in the details."""
    wire.answers.append(stream_answer(EVENT_CHUNKS))
    got = (await streamed(wire.model(openai_chat_text_event_tag='agent_events'))).response
    assert parts_of(got) == [{'text': 'a  b'}]
    assert (got.provider_details or {})['text_events'] == ['f', 'nope']
    assert got.finish_reason == 'stop'


async def test_called_text_events_are_calls_of_declared_tools_only(wire: Wire) -> None:
    """`call`: a call without arguments; a name that no tool has stays in the text."""
    wire.answers.append(stream_answer(EVENT_CHUNKS))
    options = {'openai_chat_text_event_tag': 'agent_events', 'openai_chat_text_events': 'call'}
    got = (await streamed(wire.model(**options))).response
    before, called, after = got.parts
    assert parts_of(got)[::2] == [{'text': 'a '}, {'text': '<agent_events>nope</agent_events> b'}]
    assert called.part_kind == 'tool-call'
    assert (called.tool_name, called.args_as_dict(), got.finish_reason) == ('f', {}, 'tool_call')
    assert called.tool_call_id and (before.part_kind, after.part_kind) == ('text', 'text')


async def test_a_called_text_event_beside_the_provider_s_calls_has_a_place_of_its_own(wire: Wire) -> None:
    """The index of the one is not that of the others."""
    wire.answers.append(
        stream_answer(
            [
                calls_chunk(call(0, 'c1', 'f', A)),
                chunk(content='<ev>g</ev><ev>nope</ev>'),
                calls_chunk(call(1, 'c2', 'f', B)),
                chunk('stop'),
            ]
        )
    )
    options = {'openai_chat_text_event_tag': 'ev', 'openai_chat_text_events': 'call'}
    got = parts_of((await streamed(wire.model(**options))).response)
    assert [(part.get('tool'), part.get('args')) for part in got] == [
        ('f', {'a': 1}),
        ('g', {}),
        (None, None),
        ('f', {'b': 2}),
    ]
    assert got[2] == {'text': '<ev>nope</ev>'}


async def test_no_event_and_no_call_is_read_in_a_thought(wire: Wire) -> None:
    """Between tags and in a field of its own."""
    inner = '<agent_events>f</agent_events>'
    wire.answers.append(
        stream_answer([chunk(reasoning=inner), chunk(content=f'<think>{inner}</think>ok'), chunk('stop')])
    )
    options = {'openai_chat_text_event_tag': 'agent_events', 'openai_chat_text_events': 'call'}
    got = (await streamed(wire.model(**options))).response
    assert parts_of(got) == [{'think': inner}, {'think': inner}, {'text': 'ok'}]


def test_a_tag_that_is_no_name_is_refused_when_the_model_is_made(wire: Wire) -> None:
    """Before anything is sent."""
    with pytest.raises(OptionError, match="`openai_chat_text_event_tag`='<ev>' is not the name of a tag"):
        wire.model(openai_chat_text_event_tag='<ev>')
