"""The quirks that `replay` names, each found in a stream that has it and nowhere else."""

from __future__ import annotations as _annotations

import contextlib
from typing import Any

import pytest
from streaming.streams import HERE, TOOLS, call, calls_chunk, chunk

from pydantic_ai_compat.errors import StreamError
from pydantic_ai_compat.streaming import ChatStreamParser
from pydantic_ai_compat.streaming.quirks import QUIRKS
from pydantic_ai_compat.testing import Recording, recorded_chunks

A = '{"a":1}'
FIRST = calls_chunk(call(0, 'c1', 'f', '{"a"'))
REST = calls_chunk(call(0, None, None, ':1}'))
END = chunk('tool_calls')
TEXT = [chunk(content='a'), chunk('stop')]


def quirks(chunks: list[dict[str, Any]]) -> set[str]:
    parser = ChatStreamParser(tool_names=TOOLS, optional_tool_names=['g'], text_tool_calls=['hermes'])
    with contextlib.suppress(StreamError):
        for each in chunks:
            parser.feed(each)
        list(parser.flush())
    return set(parser.quirks)


STREAMS: dict[str, tuple[list[dict[str, Any]], set[str]]] = {
    'none': ([FIRST, REST, END, {'choices': []}], set()),
    'no-finish-reason': ([FIRST, REST], {'no-finish-reason'}),
    'finish-reason-repeated': ([chunk('stop', content='a'), chunk('stop')], {'finish-reason-repeated'}),
    'stop-with-calls': ([FIRST, REST, chunk('stop')], {'stop-with-calls'}),
    'unknown-finish-reason': ([chunk('eos', content='a')], {'unknown-finish-reason'}),
    'error-event': ([chunk(content='a'), {'error': 'x'}], {'error-event'}),
    'choices-missing': ([{'choices': None}, *TEXT], {'choices-missing'}),
    'delta-missing': ([{'choices': [{'index': 0, 'delta': None}]}, *TEXT], {'delta-missing'}),
    'other-choice': ([TEXT[0], {'choices': [{'index': 1, 'delta': {'content': 'x'}}]}, *TEXT], {'other-choice'}),
    'field-dropped': ([{**TEXT[0], 'created': '2026-12-01'}, *TEXT], {'field-dropped'}),
    'empty-objects': ([chunk(content='a', function_call={'name': '', 'arguments': ''}), *TEXT], {'empty-objects'}),
    'usage-in-choice': ([{'choices': [{'index': 0, 'delta': {}, 'usage': {'prompt_tokens': 1}}]}, *TEXT], {'usage-in-choice'}),
    'usage-totals': ([{'choices': [], 'usage': {'prompt_tokens': 1}}] * 2 + TEXT, {'usage-totals'}),
    'content-cumulative': ([chunk(content='The cat sat on a mat'[:n]) for n in (3, 9, 20)] + [chunk('stop')], {'content-cumulative'}),
    'thinking-parts': ([chunk(reasoning=[{'type': 'text', 'text': 'a'}]), *TEXT], {'thinking-parts'}),
    'call-unwrapped': ([calls_chunk({'index': 0, 'id': 'c1', 'name': 'f', 'arguments': A}), END], {'call-unwrapped', 'whole-call'}),
    'name-decorated': ([calls_chunk(call(0, 'c1', 'functions.f', '{"a"')), REST, END], {'name-decorated'}),
    'arguments-nothing': ([calls_chunk(call(0, 'c1', 'g', 'null')), END], {'arguments-nothing'}),
    'arguments-twice': ([calls_chunk(call(0, 'c1', 'f', '"{}"')), END], {'arguments-twice', 'whole-call'}),
    'arguments-control': ([calls_chunk(call(0, 'c1', 'f', '{"a": "')), calls_chunk(call(0, None, None, '\n"}')), END], {'arguments-control'}),
    'call-in-text': ([chunk(content='<tool_call>{"name": "f", "arguments": {}}</tool_call>'), chunk('stop')], {'call-in-text', 'stop-with-calls'}),
    'content-parts': ([chunk(content=[{'type': 'text', 'text': 'a'}]), *TEXT], {'content-parts'}),
    'thinking-in-text': ([chunk(content=text) for text in ('<think>', 'a', '</think>')] + TEXT, {'thinking-in-text'}),
    'tag-cut': ([chunk(content=text) for text in ('<thi', 'nk>a</think>')] + TEXT, {'thinking-in-text', 'tag-cut'}),
    'closing-tag-alone': ([chunk(content='a</think>b'), *TEXT], {'closing-tag-alone'}),
    'function-call': ([chunk('function_call', function_call={'name': 'f', 'arguments': A})], {'function-call', 'whole-call'}),
    'no-tool-calls': ([chunk(tool_calls=[]), *TEXT], {'no-tool-calls'}),
    'index-missing': ([calls_chunk(call(None, 'c1', 'f', '{"a"')), calls_chunk(call(None, None, None, ':1}')), END], {'index-missing'}),
    'index-shared': ([FIRST, REST, calls_chunk(call(0, 'c2', 'f', '')), REST, END], {'index-shared', 'arguments-invalid'}),
    'index-moves': ([FIRST, calls_chunk(call(1, 'c1', None, ':1}')), END], {'index-moves', 'id-repeated'}),
    'id-missing': ([calls_chunk(call(0, None, 'f', '{"a"')), REST, END], {'id-missing'}),
    'id-late': ([calls_chunk(call(0, None, 'f', '{"a"')), calls_chunk(call(0, 'c1', None, ':1}')), END], {'id-missing', 'id-late'}),
    'id-empty': ([FIRST, calls_chunk(call(0, '', None, ':1}')), END], {'id-empty'}),
    'id-number': ([calls_chunk(call(0, 7, 'f', '{"a"')), REST, END], {'id-number'}),
    'id-repeated': ([FIRST, calls_chunk(call(0, 'c1', None, ':1}')), END], {'id-repeated'}),
    'id-changes': ([FIRST, calls_chunk(call(0, 'x', None, ':1}')), END], {'id-changes'}),
    'name-repeated': ([FIRST, calls_chunk(call(0, None, 'f', ':1}')), END], {'name-repeated'}),
    'name-in-pieces': ([calls_chunk(call(0, 'c1', 'get_', '')), calls_chunk(call(0, None, 'x', '')), calls_chunk(call(0, None, None, A)), END], {'name-in-pieces'}),
    'name-late': ([calls_chunk(call(0, 'c1', None, '{"a"')), calls_chunk(call(0, None, 'f', ':1}')), END], {'name-late'}),
    'name-never': ([calls_chunk(call(0, 'c1', None, A)), END], {'name-never'}),
    'arguments-object': ([calls_chunk(call(0, 'c1', 'f', {'a': 1})), END], {'arguments-object', 'whole-call'}),
    'arguments-null': ([calls_chunk(call(0, 'c1', 'f', None)), END], {'arguments-null'}),
    'arguments-empty': ([calls_chunk(call(0, 'c1', 'f', '')), END], {'arguments-empty'}),
    'arguments-cumulative': ([FIRST, calls_chunk(call(0, None, None, A)), END], {'arguments-cumulative'}),
    'arguments-again': ([FIRST, REST, calls_chunk(call(0, None, None, A)), END], {'arguments-again'}),
    'arguments-cut': ([FIRST, END], {'arguments-cut'}),
    'arguments-invalid': ([FIRST, calls_chunk(call(0, None, None, ':}')), END], {'arguments-invalid'}),
    'whole-call': ([calls_chunk(call(0, 'c1', 'f', A)), END], {'whole-call'}),
    'fragments-together': ([calls_chunk(call(0, 'c1', 'f', ''), call(0, None, None, A)), END], {'fragments-together'}),
    'no function': ([FIRST, chunk(tool_calls=[{'index': 0, 'function': None}, None]), REST, END], set()),
}  # fmt: skip


@pytest.mark.parametrize('name', STREAMS)
def test_a_quirk_is_found_in_a_stream_that_has_it(name: str) -> None:
    """And no other."""
    chunks, expected = STREAMS[name]
    assert quirks(chunks) == expected


def test_every_quirk_has_a_stream_here() -> None:
    """`no-done` is told by the reader of the events."""
    assert {name for _, found in STREAMS.values() for name in found} | {'no-done'} == set(QUIRKS)


RECORDED = {
    'llamacpp-scripted-scripted-two-stream.sse': set[str](),
    'vllm-scripted-scripted-two-stream.sse': set[str](),
    'vllm-scripted-scripted-cut-stream.sse': {'arguments-cut'},
    'vllm-scripted-scripted-badjson-stream.sse': {'arguments-invalid'},
    'vllm-scripted-tools-named-stream.sse': {'stop-with-calls'},
    'vllm-scripted-scripted-think-stream.sse': {'thinking-in-text'},
    'transformers-serve-scripted-two-stream.sse': {'no-done', 'whole-call'},
    'llama-cpp-python-tools-named-stream.sse': {'id-repeated', 'name-repeated'},
    'llamacpp-random-midstream-error-GLM-4.6.sse': {'no-done', 'error-event'},
    'transformers-serve-scripted-badjson-stream.sse': {'no-done', 'no-finish-reason'},
}


@pytest.mark.parametrize('name', RECORDED)
def test_the_quirks_of_real_servers_are_found(name: str) -> None:
    """What `docs/streams.md` says they have."""
    recording = Recording.load(HERE / 'recordings' / name)
    parser = ChatStreamParser(tool_names=('get_weather', 'get_time'))
    try:
        for each in recorded_chunks(recording):
            parser.feed(each)
        list(parser.flush())
    except StreamError:
        assert 'badjson' in name or 'error' in name
    assert set(parser.quirks) == RECORDED[name] - {'no-done'}
