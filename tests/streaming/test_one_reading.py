"""A plain response and the same response as a stream of one chunk are read the same."""

from __future__ import annotations as _annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from generated import generated
from hypothesis import given, strategies as st
from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse, ToolCallPart
from streaming.answers import REQUEST
from streaming.streams import parameters, stream_answer
from streaming.test_odd_fields import ODD, ODD_CHOICES, ODD_FIELDS, ODD_MESSAGES
from streaming.test_plain_equality import bodies, fields
from support import Wire

from pydantic_ai_compat import OpenAICompatibleModel

TESTS = Path(__file__).parents[1]
SHARED = TESTS.parents[1] / 'shared' / 'recordings'
"""Recordings of five servers, which are no part of the repository: beside it."""


def recorded() -> dict[str, dict[str, Any]]:
    """Recorded plain bodies by their names, whatever their status was."""
    lines = (TESTS / 'model' / 'recordings.jsonl').read_text('utf-8').splitlines()
    found = {one['id']: one['response'] for one in map(json.loads, lines)}
    for path in SHARED.glob('*.json'):
        one = json.loads(path.read_text('utf-8'))
        if isinstance(one.get('response'), dict):
            found[path.stem] = one['response']
    return found


RECORDED = recorded()
NAMES = ('get_weather', 'get_time', 'get_items')


def as_one_chunk(body: dict[str, Any]) -> dict[str, Any]:
    """The body as a stream would send it: with a delta for a message, in which calls have an index."""
    choices: list[dict[str, Any]] = []
    for choice in body.get('choices') or ():
        delta = dict(choice['message'])
        calls = delta.get('tool_calls')
        if calls:
            delta['tool_calls'] = [{'index': number, **call} for number, call in enumerate(calls)]
        choices.append({**{name: value for name, value in choice.items() if name != 'message'}, 'delta': delta})
    return {**body, 'choices': choices} if choices else body


async def both(wire: Wire, model: OpenAICompatibleModel, body: dict[str, Any], *names: str) -> list[Any]:
    """What comes of the body, plain and as a stream: the fields of the response, or the error."""
    wire.answers += [httpx2.Response(200, json=body), stream_answer([as_one_chunk(body)])]
    results: list[Any] = []
    for streamed in (False, True):
        try:
            results.append(in_words(await read(model, names, streamed=streamed)))
        except (ModelAPIError, UnexpectedModelBehavior) as error:
            # The stream and the response are named in the words.
            results.append((type(error), re.sub(r'Chunk 1 of the stream|the stream|to chunk 1 ', '', str(error))))
    return results


async def read(model: OpenAICompatibleModel, names: tuple[str, ...], *, streamed: bool) -> ModelResponse:
    if not streamed:
        return await model.request(REQUEST, None, parameters(*names))
    async with model.request_stream(REQUEST, None, parameters(*names)) as response:
        async for _ in response:
            pass
    return response.get()


def in_words(response: ModelResponse) -> dict[str, Any]:
    """All fields but the time at which it was read, with one id for those that were made up."""
    calls = [
        replace(part, tool_call_id='made up')
        if isinstance(part, ToolCallPart) and part.tool_call_id.startswith('pyd_ai_')
        else part
        for part in response.parts
    ]
    details = dict(response.provider_details or {})
    # A tag inside of the text has to be taken out of a chunk, which a plain response has none of.
    if corrected := [name for name in details.pop('corrected', ()) if name not in ('tag-cut', 'whole-call')]:
        details['corrected'] = corrected
    return {**fields(response), 'parts': calls, 'provider_details': details}


@pytest.mark.filterwarnings('ignore::pydantic_ai_compat.errors.CompatWarning')
@pytest.mark.parametrize('dialects', [None, 'auto'])
async def test_recorded_responses_are_read_the_same_both_ways(dialects: str | None, wire: Wire) -> None:
    """Parts, usage, details and finish reason, or the server's own words; no field is left out of the comparison."""
    model = wire.model(**({'openai_chat_text_tool_calls': dialects} if dialects else {}))
    different: dict[str, list[Any]] = {}
    # The text of a message is read by dialects for every fourth, which holds each server's kinds.
    for name, body in list(RECORDED.items())[:: 4 if dialects else 1]:
        results = await both(wire, model, body, *NAMES)
        if results[0] != results[1]:
            different[name] = results
    assert different == {}
    assert len(RECORDED) >= 62


@pytest.mark.filterwarnings('ignore::pydantic_ai_compat.errors.CompatWarning')
@generated(40)
@given(bodies(), st.sampled_from([None, *ODD]), st.sampled_from(['', '}', '[', 'x']))
def test_generated_responses_are_read_the_same_both_ways(body: dict[str, Any], odd: str | None, behind: str) -> None:
    """Well-formed ones, those with odd fields, and those with something behind the arguments of their calls."""
    choice = body['choices'][0]
    choice['message'] |= ODD_MESSAGES.get(odd or '', {})
    choice |= ODD_CHOICES.get(odd or '', {})
    body |= ODD_FIELDS.get(odd or '', {})
    for call in choice['message'].get('tool_calls') or ():
        call['function']['arguments'] += behind
    wire = Wire()
    plain, streamed = asyncio.run(both(wire, wire.model(), body, 'f', 'get_weather'))
    if odd is not None and not isinstance(plain, tuple) and not isinstance(streamed, tuple):
        # pydantic-ai validates all fields of a plain response, and in a stream those only that it reads.
        assert len(without_dropped(streamed)) <= len(without_dropped(plain))
    assert plain == streamed


def without_dropped(result: dict[str, Any]) -> dict[str, Any]:
    """Take out what was put aside."""
    details = result['provider_details']
    if 'dropped' in details:
        details['corrected'].remove('field-dropped')
        if not details['corrected']:
            del details['corrected']
    return details.pop('dropped', {})
