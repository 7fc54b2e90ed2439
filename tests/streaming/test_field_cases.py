"""Field cases about streams and plain responses, each by the id of its report, without and with an agent.

`data/cases.jsonl` holds the inputs, what was asked for, and the address of each report.
"""

from __future__ import annotations as _annotations

import json
from typing import Any

import httpx2
import pytest
from pydantic_ai import Agent, IncompleteToolCall, ModelAPIError, ModelResponse
from streaming.streams import HERE, chunk, parse, parts_of, parts_of_items, stream_answer
from support import Wire

from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.streaming import ChatStreamParser, Finish, MessageDelta, StreamItem

CASES: dict[str, dict[str, Any]] = {
    case['id']: case for case in map(json.loads, (HERE / 'data/cases.jsonl').read_text('utf-8').splitlines())
}
REFUSED = {
    'C03': 'inside the arguments of tool call 1 `t`',
    'C12': "Tool call 2 (id 'c1') never got a name: it began in chunk 2",
    'C45': "the finish reason 'length'",
}
"""Cases in which a call must not be run: part of the error."""

WITH_PARTS = [id for id, case in CASES.items() if 'parts' in case['expected'] and case['input']['kind'] == 'stream']


def chunks_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        one['raw'] if 'raw' in one else chunk(one['finish_reason'], **one['delta']) for one in case['input']['chunks']
    ]


def same_parts(got: list[dict[str, Any]], expected: list[dict[str, Any]], *, generated: bool) -> bool:
    """Whether the parts are those of a case, where `<generated>` stands for a unique id that the client makes."""
    ids = [part['id'] for part in got if 'tool' in part]
    wanted = [dict(part) for part in expected]
    for part, have in zip(wanted, got, strict=False):
        if str(part.get('id', '')).startswith('<generated'):
            part['id'] = have.get('id') if generated and have.get('id') else None
    return got == wanted and (not generated or len(set(ids)) == len(ids))


@pytest.mark.parametrize('id', WITH_PARTS)
def test_the_parser_gives_the_parts_that_were_asked_for(id: str) -> None:
    """Expected parts: the case. Calls come when they are whole, so behind text that came while they were open."""
    case = CASES[id]
    items: list[StreamItem] = []
    parser = ChatStreamParser(tool_names={'t', 'get_x'})
    for one in chunks_of(case):
        items += parser.feed(one)
    try:
        items.extend(parser.flush())
    except StreamError:
        assert id in REFUSED
    expected = case['expected']['parts']
    in_order = [part for part in expected if 'tool' not in part], [part for part in expected if 'tool' in part]
    got = parts_of_items(items)
    texts, calls = [part for part in got if 'tool' not in part], [part for part in got if 'tool' in part]
    joined_texts = [{'text': ''.join(part['text'] for part in in_order[0])}] if id == 'C43' else in_order[0]
    assert texts == joined_texts
    assert same_parts(calls, in_order[1], generated=False)
    assert len([item for item in items if item.kind == 'finish']) == 1


@pytest.mark.parametrize('id', WITH_PARTS)
@pytest.mark.untraced
async def test_an_agent_runs_the_calls_that_were_asked_for(id: str, wire: Wire) -> None:
    """Expected parts and finish reason: the case."""
    case = CASES[id]
    wire.answers += [
        stream_answer(chunks_of(case), done=case['input']['eof'] == 'done'),
        stream_answer([chunk(content='done'), chunk('stop')]),
    ]
    runs: list[dict[str, Any]] = []
    agent = Agent(wire.model())

    @agent.tool_plain(name='t')
    async def tool_t(a: int = 0) -> str:
        runs.append({'a': a} if a else {})
        return 'ok'

    @agent.tool_plain(name='get_x')
    async def tool_get_x(a: int) -> str:
        runs.append({'a': a})
        return 'ok'

    responses: list[ModelResponse] = []
    try:
        async with agent.iter('hi') as run:
            async for node in run:
                if Agent.is_model_request_node(node):
                    async with node.stream(run.ctx) as stream:
                        async for _ in stream:
                            pass
                        responses.append(stream.response)
    except (StreamError, IncompleteToolCall) as error:
        assert REFUSED[id] in str(error)
        assert runs == []
        return
    first = responses[0]
    expected = case['expected']['parts']
    assert same_parts(parts_of(first), expected, generated=True)
    assert runs == [part['args'] for part in expected if 'tool' in part]
    assert first.finish_reason == ('tool_call' if runs else 'stop')
    assert first.model_name == 'm'


async def test_c01_a_missing_finish_reason_is_inferred_or_refused_by_an_option(wire: Wire) -> None:
    """<https://github.com/pydantic/pydantic-ai/issues/6610>: lenient by default, strict by upstream's own key."""
    chunks = chunks_of(CASES['C01'])
    assert parse(chunks) == [
        MessageDelta('hel'),
        MessageDelta('lo'),
        Finish('stop', provider_finish_reason=None),
    ]
    wire.answers += [stream_answer(chunks, done=False), stream_answer(chunks, done=False)]
    async with Agent(wire.model()).run_stream('hi') as lenient:
        assert await lenient.get_output() == 'hello'
        assert lenient.response.finish_reason == 'stop'
    strict = Agent(wire.model(openai_chat_streaming_requires_finish_reason=True))
    pieces: list[str] = []
    with pytest.raises(ModelAPIError, match='ended without a `finish_reason`'):
        async with strict.run_stream('hi') as result:
            async for text in result.stream_text(delta=True, debounce_by=None):
                pieces.append(text)
    assert pieces == ['hel', 'lo']


@pytest.mark.parametrize('id', ['C03', 'C45'])
async def test_a_cut_call_is_reported_and_not_run(id: str, wire: Wire) -> None:
    """C03: reported, not repaired into a call. C45: the reason names the token limit and the tool."""
    chunks = chunks_of(CASES[id])
    [item] = [item for item in parse(chunks) if item.kind == 'provider_tool_call']
    assert item.tool_call is not None
    assert (item.tool_call.complete, item.tool_call.arguments) == (False, None)
    wire.answers.append(stream_answer(chunks, done=CASES[id]['input']['eof'] == 'done'))
    agent = Agent(wire.model())
    runs: list[str] = []

    @agent.tool_plain
    def t(path: str = '', a: int = 0) -> None:
        runs.append(path)

    with pytest.raises(IncompleteToolCall if id == 'C45' else StreamError) as caught:
        async with agent.run_stream('hi') as result:
            await result.get_output()
    assert REFUSED[id] in str(caught.value) and '`t`' in str(caught.value)
    assert runs == []


async def test_c25_a_plain_response_without_choices_is_a_typed_error(wire: Wire) -> None:
    """<https://github.com/pydantic/pydantic-ai/issues/7909>: stock raises a bare `IndexError`."""
    wire.answers.append(CASES['C25']['input']['body'])
    with pytest.raises(StreamError, match=r'holds no answer: `choices` is \[\]'):
        await Agent(wire.model()).run('hi')


async def test_c29_an_empty_finish_reason_is_tolerated_and_kept(wire: Wire) -> None:
    """<https://github.com/pydantic/pydantic-ai/issues/7816>: stock still raises for the empty string."""
    wire.answers.append(CASES['C29']['input']['body'])
    result = await Agent(wire.model()).run('hi')
    assert (result.output, result.response.finish_reason) == ('ok', None)
    assert (result.response.provider_details or {})['finish_reason'] == ''


async def test_c38_split_thinking_tags_give_the_parts_of_the_plain_response(wire: Wire) -> None:
    """<https://github.com/pydantic/pydantic-ai/issues/3007>: the same as without streaming."""
    wire.answers += [
        stream_answer(chunks_of(CASES['C38'])),
        httpx2.Response(
            200,
            json={
                'id': 'x',
                'object': 'chat.completion',
                'created': 1,
                'model': 'm',
                'choices': [
                    {
                        'index': 0,
                        'finish_reason': 'stop',
                        'message': {'role': 'assistant', 'content': '<think>\nsecret</think>ans'},
                    }
                ],
            },
        ),
    ]
    agent = Agent(wire.model())
    async with agent.run_stream('hi') as result:
        await result.get_output()
    plain = (await agent.run('hi')).response
    assert parts_of(result.response) == parts_of(plain) == [{'think': '\nsecret'}, {'text': 'ans'}]


async def test_c46_a_thought_signature_goes_back_with_the_call(wire: Wire) -> None:
    """<https://github.com/open-webui/computer/issues/224>: Gemini refuses the next request without it."""
    case = CASES['C46']
    wire.answers += [stream_answer(chunks_of(case)), stream_answer([chunk(content='done'), chunk('stop')])]
    agent = Agent(wire.model())

    @agent.tool_plain
    def t(a: int) -> str:
        return 'ok'

    async with agent.run_stream('hi') as result:
        await result.get_output()
    [sent] = wire.bodies[1]['messages'][1]['tool_calls']
    assert sent['extra_content'] == case['expected']['next_request_call_has']['extra_content']
