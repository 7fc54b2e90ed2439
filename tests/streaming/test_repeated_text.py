"""Text, thoughts and their signatures that come in pieces which repeat or belong together."""

from __future__ import annotations as _annotations

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import (
    TextPart,
    ThinkingPart,
)
from streaming.answers import PARAMETERS, REQUEST, a_call
from streaming.streams import chunk, stream_answer
from support import Wire, completion


@pytest.mark.parametrize(
    ('pieces', 'text'),
    [
        (['The cat', 'The cat sat', 'The cat sat on it.'], 'The cat sat on it.'),
        (
            ['The cat', 'The cat sat', 'The cat sat on it.', 'The cat sat on it.', 'The cat sat on it. So'],
            'The cat sat on it. So',
        ),
        (['The cat', 'The cat sat on it.', ' And'], 'The catThe cat sat on it. And'),
        (['ha', 'ha', 'ha'], 'hahaha'),
        (['1', '10', '100'], '110100'),
        (['1', '10'], '110'),
        (['-' * 16] * 3, '-' * 48),
    ],
)
@pytest.mark.parametrize('field', ['content', 'reasoning_content'])
async def test_cumulative_text_is_read_once(field: str, pieces: list[str], text: str, wire: Wire) -> None:
    """F27 <https://github.com/QwenLM/qwen-code/pull/3896>: only where no other reading is likely."""
    wire.answers.append(
        stream_answer([*(chunk(**{field: piece}) for piece in pieces), chunk(content='.'), chunk('stop')])
    )
    async with wire.model().request_stream(REQUEST, None, PARAMETERS) as response:
        async for _ in response:
            pass
    said = ''.join(part.content for part in response.get().parts if isinstance(part, TextPart | ThinkingPart))
    assert said == text + '.'


async def test_reasoning_details_are_merged_and_go_back_as_they_came(wire: Wire) -> None:
    """F37 <https://github.com/agno-agi/agno/pull/5802>: OpenRouter refuses the next request without the signature."""
    details = [{'type': 'reasoning.text', 'text': 'Let me', 'signature': 'SIG', 'index': 0}, {'type': 'reasoning.encrypted', 'data': 'X', 'index': 1}]  # fmt: skip
    pieces = [
        chunk(reasoning='Let', reasoning_details=[{'type': 'reasoning.text', 'text': 'Let', 'index': 0}]),
        chunk(reasoning=' me', reasoning_details=[{'type': 'reasoning.text', 'text': ' me', 'index': 0}]),
        chunk(reasoning_details=[{'type': 'reasoning.text', 'signature': 'SIG', 'index': 0}, details[1]]),
        chunk(tool_calls=[{'index': 0, **a_call('now', '{}')}]),
        chunk('tool_calls'),
    ]
    plain = completion(reasoning='Let me', reasoning_details=details, tool_calls=[a_call('now', '{}')])
    for answer in (plain, stream_answer(pieces)):
        wire.requests.clear()
        wire.answers += [answer, *([] if answer is plain else [stream_answer([chunk(content='done'), chunk('stop')])])]
        agent = Agent(wire.model())

        @agent.tool_plain
        def now() -> str:
            return 'noon'

        if answer is plain:
            await agent.run('hi')
        else:
            async with agent.run_stream('hi') as result:
                await result.get_output()
        assert wire.bodies[1]['messages'][1]['reasoning_details'] == details
