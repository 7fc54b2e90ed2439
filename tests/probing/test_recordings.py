"""Recorded servers as replayed endpoints: what a probe of each has to find.

`recordings/` holds the answers of real servers (vLLM 0.32, transformers serve 5.19, llama-cpp-python 0.3.36, LiteLLM
1.108 in front of llama.cpp, llama.cpp b11549) to requests of the same kind as ours.
"""

from __future__ import annotations as _annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pydantic_ai_compat.probing import PROBES, Limits, Report, build_report, plan, run_probes

FOLDER = Path(__file__).parent / 'recordings'
BODIES = {json.dumps(probe.body, sort_keys=True): name for name, probe in PROBES.items()}


def replay(server: str) -> Report:
    recorded: Mapping[str, Any] = json.loads((FOLDER / f'{server}.json').read_text('utf-8'))

    def answer(request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        assert body.pop('model') == 'm'
        entry = recorded[BODIES[json.dumps(body, sort_keys=True)]]
        headers = {name: value for name, value in entry['headers'].items() if name in ('server', 'content-type')}
        content = entry['text'] if 'text' in entry else json.dumps(entry['body'])
        return httpx2.Response(entry['status'], headers=headers, content=content.encode())

    with httpx2.Client(transport=httpx2.MockTransport(answer)) as client:
        answers = run_probes(plan(list(recorded)), base_url='http://s/v1', model='m', limits=Limits(), client=client)
        return build_report(list(answers), 'm')


ANSWER = ('works', 'an answer, a finish reason (stop) and usage')
TAKEN = ('works', 'taken')
ONE_CALL = ('works', '1 call')
GOOD = {
    'chat': ANSWER,
    'stream': ANSWER,
    'tool call': ONE_CALL,
    'streamed tool call': ONE_CALL,
    'parallel calls': ('differs', 'one call: it may make them one after the other'),
    'strict tool': TAKEN,
    'string result': TAKEN,
    'list result': TAKEN,
    'null content': TAKEN,
    'empty content': TAKEN,
    'two systems': TAKEN,
    'later system': TAKEN,
    'json schema': ('works', 'kept to'),
    'json object': ('works', 'kept to'),
}
IGNORED = (
    '`tool_choice` is ignored: no call, but the text \'<tool_call>\\n{"name": "get_weather", "arguments": {"city": '
)

EXPECTED: Mapping[str, Mapping[str, tuple[str, str]]] = {
    'vllm': {},
    'llamacpp': {},
    'litellm': {},
    'transformers-serve': {
        'chat': ('differs', 'an empty answer'),
        'stream': ('differs', 'no [DONE] at the end; an empty answer'),
        'streamed tool call': ('differs', '1 call; no [DONE] at the end'),
        'json schema': ('differs', "ignored: the answer is ''"),
        'json object': ('differs', "ignored: the answer is ''"),
    },
    'llama-cpp-python': {
        'stream': ('differs', 'no usage'),
        'tool call': ('differs', IGNORED),
        'streamed tool call': ('differs', IGNORED),
        'parallel calls': ('differs', 'no call'),
        'list result': ('refused', '500: 9 validation errors'),
        'null content': ('refused', '500: 7 validation errors'),
        'json schema': ('refused', '500: 1 validation error'),
    },
}


@pytest.mark.parametrize('server', EXPECTED)
def test_a_recorded_server_is_found_to_do_what_the_recordings_show(server: str) -> None:
    found = {finding.name: (finding.verdict, finding.text) for finding in replay(server).findings}
    expected = {**GOOD, **EXPECTED[server]}
    assert {name: verdict for name, (verdict, _) in found.items()} == {
        name: verdict for name, (verdict, _) in expected.items()
    }
    for name, (_, text) in expected.items():
        assert found[name][1].startswith(text), name


@pytest.mark.parametrize(
    ('server', 'options'),
    [
        ('vllm', {}),
        ('llamacpp', {}),
        ('litellm', {}),
        ('transformers-serve', {'supports_json_schema_output': False, 'supports_json_object_output': False}),
        (
            'llama-cpp-python',
            {
                'supports_forced_tool_choice': False,
                'openai_chat_tool_return_as_list': False,
                'openai_chat_tool_call_content': 'empty',
                'supports_json_schema_output': False,
            },
        ),
    ],
)
def test_the_options_for_a_recorded_server_follow(server: str, options: dict[str, Any]) -> None:
    assert replay(server).options == options


@pytest.mark.parametrize(('server', 'told'), [('llamacpp', 'llama.cpp'), ('vllm', 'uvicorn'), ('litellm', '')])
def test_a_server_is_called_what_it_calls_itself(server: str, told: str) -> None:
    assert replay(server).server == told
