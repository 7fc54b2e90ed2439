"""Every recorded stream of a real server: the calls of the same server's plain answer, however the bytes are cut.

The recordings were made with llama.cpp (xllamacpp 2026.10), vLLM 0.32, transformers serve 5.19, llama-cpp-python 0.3.36
and LiteLLM 1.108; `data/plain_answers.json` holds what the same server gave for the same request without streaming.
"""

from __future__ import annotations as _annotations

import contextlib
import functools
import json
import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior
from streaming.streams import HERE, joined, parsed_calls, parts_of_items, streamed

from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.streaming import ChatStreamParser, StreamItem, iter_sse_chunks
from pydantic_ai_compat.testing import Recording, recorded_chunks
from pydantic_ai_compat.testing.plugin import RecordedOpenAI

# What a server left in the text of its recordings stays there, and the model says which option would read it.
pytestmark = pytest.mark.filterwarnings('ignore:The answer of .* holds a tool call in its text')

RECORDINGS = {path.name: path for path in sorted((HERE / 'recordings').glob('*.sse'))}
SMALL = [name for name, path in RECORDINGS.items() if path.stat().st_size < 1300]
PLAIN: dict[str, dict[str, Any]] = json.loads((HERE / 'data/plain_answers.json').read_text('utf-8'))

DIFFERENCES = {
    'llama-cpp-python-tools-named-stream.sse': 'sampled again: another value of the enum',
    'transformers-serve-scripted-think-stream.sse': 'the server strips white space around thoughts only when plain',
    'transformers-serve-scripted-thinktext-stream.sse': 'likewise, and around the text',
    'vllm-qwen3tmpl-scripted-think-stream.sse': 'the server drops white space before calls only when plain',
    'vllm-qwen3tmpl-scripted-thinktext-stream.sse': 'its reasoning parser leaves the tags in `reasoning` when streaming',
    'vllm-random-simple-stream.sse': 'random weights: another text each time',
    'vllm-random-tools-required-stream.sse': 'random weights: other calls each time',
    'vllm-scripted-scripted-badjson-stream.sse': 'broken arguments are a call when streaming and text when plain',
    'vllm-scripted-scripted-cut-stream.sse': 'cut arguments are a call when streaming and text when plain',
    'vllm-scripted-tools-named-stream.sse': 'sampled again: another value of the enum',
}
"""Where the server itself answers differently, and why."""

ERRORS = {
    name: 'The server reported an error in chunk'
    for name in RECORDINGS
    if 'midstream-error' in name or 'context-overflow' in name
} | {
    'llama-cpp-python-history-tool-partstream.sse': 'The server reported an error in chunk',
    'transformers-serve-scripted-badjson-stream.sse': 'Line 3 of the stream is not JSON',
}
for unbroken in (
    'llama-cpp-python-err-context-overflow-stream.sse',
    'transformers-serve-err-context-overflow-stream.sse',
):
    del ERRORS[unbroken]  # an empty body, and an answer after all


def items_of(chunks: Iterable[dict[str, Any]]) -> tuple[list[StreamItem], str | None]:
    parser = ChatStreamParser(tool_names=('get_weather', 'get_time'))
    items: list[StreamItem] = []
    try:
        for chunk in chunks:
            items += parser.feed(chunk)
        items += parser.flush()
    except StreamError as error:
        return items, str(error)
    return items, None


@functools.cache
def recorded_items(name: str) -> tuple[list[StreamItem], str | None]:
    return items_of(recorded_chunks(Recording.load(RECORDINGS[name])))


def answer(items: list[StreamItem]) -> dict[str, Any]:
    calls = [item.tool_call for item in items if item.tool_call is not None]
    [finish] = [item for item in items if item.kind == 'finish']
    texts = {
        kind: ''.join(item.text for item in items if item.kind == kind) for kind in ('message_delta', 'reasoning_delta')
    }
    return {
        'content': texts['message_delta'],
        'reasoning': texts['reasoning_delta'],
        'calls': [{'name': call.name, 'arguments': call.raw_arguments} for call in calls],
        'finish_reason': finish.finish_reason,
    }


def plain_answer(name: str) -> dict[str, Any]:
    """The plain answer, read by the same rules: thoughts between tags are thoughts."""
    wire = PLAIN[name]
    calls = [{'id': None, 'index': n, 'function': call} for n, call in enumerate(wire['calls'])]
    message = {'content': wire['content'], 'reasoning': wire['reasoning'], 'tool_calls': calls}
    return answer(items_of([{'choices': [{'index': 0, 'delta': message, 'finish_reason': wire['finish_reason']}]}])[0])


@pytest.mark.parametrize('name', PLAIN)
@pytest.mark.untraced
def test_a_stream_gives_what_the_same_server_gives_without_streaming(name: str) -> None:
    """Both recordings come from the same server, model and request; `DIFFERENCES` says where the server differs."""
    items, error = recorded_items(name)
    assert error is None
    assert (answer(items) != plain_answer(name)) == (name in DIFFERENCES)


@pytest.mark.parametrize('name', RECORDINGS)
def test_a_recording_ends_in_one_finish_or_one_error(name: str) -> None:
    """A server's error ends the stream: nothing comes after it."""
    items, error = recorded_items(name)
    kinds = [item.kind for item in items]
    if name in ERRORS:
        assert (error or '').startswith(ERRORS[name])
        assert 'finish' not in kinds
    else:
        assert error is None
        assert kinds.count('finish') == 1 and kinds[-1] == 'finish'


def recut(chunks: Iterable[dict[str, Any]], random_source: random.Random) -> Iterator[dict[str, Any]]:
    """The same stream in other chunks: strings cut anywhere, and neighbouring pieces of text glued together."""
    for chunk in chunks:
        choices: list[dict[str, Any]] = chunk.get('choices') or [{}]
        choice = choices[0]
        delta: dict[str, Any] = choice.get('delta') or {}
        content: str = delta.get('content') or ''
        if len(content) > 1:
            cut = random_source.randrange(1, len(content))
            yield {
                **chunk,
                'usage': None,
                'choices': [{**choice, 'delta': {**delta, 'content': content[:cut]}, 'finish_reason': None}],
            }
            yield {**chunk, 'choices': [{**choice, 'delta': {'content': content[cut:]}}]}
            continue
        calls: list[dict[str, Any]] = delta.get('tool_calls') or []
        text: str = calls[0]['function'].get('arguments') or '' if calls else ''
        if len(calls) == 1 and len(text) > 1:
            cut = random_source.randrange(1, len(text))
            function = {**calls[0]['function'], 'arguments': text[:cut]}
            rest = {'index': calls[0]['index'], 'function': {'arguments': text[cut:]}}
            yield {
                **chunk,
                'usage': None,
                'choices': [
                    {
                        **choice,
                        'delta': {**delta, 'tool_calls': [{**calls[0], 'function': function}]},
                        'finish_reason': None,
                    }
                ],
            }
            yield {**chunk, 'choices': [{**choice, 'delta': {'tool_calls': [rest]}}]}
            continue
        yield chunk


@pytest.mark.parametrize('name', RECORDINGS)
@pytest.mark.untraced
def test_the_items_do_not_depend_on_the_chunks(name: str) -> None:
    """Each string is cut in two at random places, and those once more where the recording is not long."""
    chunks: list[dict[str, Any]] = []
    with contextlib.suppress(StreamError):
        chunks.extend(recorded_chunks(Recording.load(RECORDINGS[name])))
    expected = joined(items_of(chunks)[0])
    source = random.Random(name)
    for _ in range(2 if len(chunks) < 50 else 1):
        chunks = list(recut(chunks, source))
    assert joined(items_of(chunks)[0]) == expected


@pytest.mark.parametrize('name', [name for name in RECORDINGS if RECORDINGS[name].stat().st_size])
@pytest.mark.untraced
async def test_the_parts_do_not_depend_on_the_bytes(name: str, recorded_openai: RecordedOpenAI) -> None:
    """The bytes are cut at 40 seeded places, inside characters too; for the small ones, after each byte."""
    size = RECORDINGS[name].stat().st_size
    places = sorted(random.Random(name).sample(range(size), min(40, size)))
    outcomes: list[object] = []
    for cut in ('whole', 'bytes' if name in SMALL else places):
        model = recorded_openai(f'recordings/{name}', cut=cut)
        try:
            got = await streamed(model, 'get_weather', 'get_time')
        except (ModelAPIError, UnexpectedModelBehavior) as error:
            outcomes.append(str(error))
        else:
            outcomes.append((parts_of_response(got.response), got.response.finish_reason, str(got.error)))
    assert outcomes[0] == outcomes[1]


def parts_of_response(response: Any) -> list[object]:
    return [
        (part.part_kind, part.tool_name, part.args, part.tool_call_id)
        if part.part_kind == 'tool-call'
        else (part.part_kind, part.content)
        for part in response.parts
    ]


def test_a_recording_reads_the_same_as_lines_of_text_and_of_bytes() -> None:
    """`iter_sse_chunks` takes both, with and without the ends of the lines."""
    data = RECORDINGS['vllm-scripted-scripted-two-stream.sse'].read_bytes()
    expected = list(iter_sse_chunks(data.decode().split('\n')))
    assert list(iter_sse_chunks(data.splitlines(keepends=True))) == expected
    assert list(iter_sse_chunks(data.replace(b'\n', b'\r\n').splitlines(keepends=True))) == expected
    assert parsed_calls(expected) == [
        ('chatcmpl-tool-aa7eb8064f89970a', 'get_weather', '{"city": "Rome", "days": 3}'),
        ('chatcmpl-tool-83082fc272bc84a8', 'get_time', '{"zone": "CET"}'),
    ]
    assert parts_of_items(items_of(expected)[0])[0]['args'] == {'city': 'Rome', 'days': 3}
