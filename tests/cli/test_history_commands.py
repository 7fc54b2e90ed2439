"""`check` and `explain` as a person runs them."""

from __future__ import annotations as _annotations

import json
from pathlib import Path
from typing import Any

import pytest
from history.wire import calls, result, user
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from typer.testing import CliRunner, Result

from pydantic_ai_compat.cli.app import app
from pydantic_ai_compat.history.repair_pairs import INTERRUPTED

WIRE = """[
  {"role": "user", "content": "q"},

  {"role": "tool",
   "tool_call_id": "c9", "content": "r"},
  {"role": "assistant", "content": null, "tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "t", "arguments": "{\\"a\\":1}"}}]}
]"""
BODY = '{"messages": 1, "model": "m",\n "messages":\n' + WIRE + ', "tools": [{"messages": []}]}'
REPAIRED = [user(), calls('c1'), result('c1', INTERRUPTED)]


def run(*arguments: object, text: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=text)


@pytest.fixture
def stored(tmp_path: Path) -> Any:
    def write(text: str) -> Path:
        path = tmp_path / 'history.json'
        path.write_text(text, encoding='utf-8')
        return path

    return write


def test_the_faults_of_wire_messages_are_printed_with_their_lines(stored: Any) -> None:
    path = stored(WIRE)
    checked = run('check', path)
    assert checked.stdout.splitlines() == [
        f"{path}:4: H04 messages[1]: the result for 'c9' answers no call of the turn before it",
        f"{path}:6: H01 messages[2]: the call 'c1' has no result",
        '2 faults in 3 messages under policy standard',
    ]
    assert checked.exit_code == 1


def test_the_faults_of_a_request_body_are_printed_with_their_lines(stored: Any) -> None:
    """JSON lets the last of two equal keys win, and a nested key of the same name is another."""
    path = stored('\ufeff' + BODY)
    assert [line.split(' ')[0] for line in run('check', path).stdout.splitlines()] == [f'{path}:6:', f'{path}:8:', '2']


def test_the_faults_of_a_dump_of_pydantic_ai_are_printed_with_their_lines(stored: Any) -> None:
    messages: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('q')]),
        ModelResponse(parts=[ToolCallPart('t', '{"a":1}', 'c1'), ToolCallPart('t', '{}', 'c2')]),
        ModelRequest(parts=[ToolReturnPart('t', 'r1', 'c1'), UserPromptPart('x')]),
        ModelResponse(parts=[]),
        ModelResponse(parts=[TextPart('a')]),
    ]
    dumped = [ModelMessagesTypeAdapter.dump_json([message]).decode()[1:-1] for message in messages]
    path = stored('[\n' + ',\n'.join(dumped) + '\n]')
    checked = run('check', path)
    assert checked.stdout.splitlines() == [
        f"{path}:3: H01 messages[1]: the call 'c2' has no result",
        '1 fault in 5 messages under policy standard',
    ]
    made = json.loads(run('check', path, '--repair').stdout)
    assert [message['role'] for message in made] == ['user', 'assistant', 'tool', 'tool', 'user', 'assistant']


def test_the_repaired_history_is_printed_alone(stored: Any) -> None:
    repaired = run('check', stored(WIRE), '--repair')
    assert json.loads(repaired.stdout) == REPAIRED
    assert repaired.stderr.splitlines()[-1] == '2 faults in 3 messages under policy standard'
    assert repaired.exit_code == 0


def test_a_request_body_is_printed_whole(stored: Any) -> None:
    repaired = run('check', stored(BODY), '--repair')
    assert json.loads(repaired.stdout) == {'messages': REPAIRED, 'model': 'm', 'tools': [{'messages': []}]}


def test_a_good_history_has_no_faults(stored: Any) -> None:
    checked = run('check', stored(json.dumps(REPAIRED)), '--policy', 'deepseek')
    assert checked.stdout == '0 faults in 3 messages under policy deepseek\n'
    assert checked.exit_code == 0


def test_a_fault_of_the_end_is_in_the_last_line(stored: Any) -> None:
    path = stored('[\n{"role": "user", "content": "q"},\n{"role": "assistant", "content": "a"}]')
    assert run('check', path, '--policy', 'mistral').stdout.startswith(f'{path}:3: H26 messages[2]: ')
    empty = stored('[]')
    assert run('check', empty, '--policy', 'mistral').stdout.startswith(f'{empty}:1: H26 messages[0]: ')


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('{', 'this is not JSON'),
        ('[' * 100_000, 'this is not JSON'),
        ('"text"', 'expected a list of wire messages'),
        ('{"model": "m"}', 'expected a list of wire messages'),
        ('[{"role": "user", "content": "q"}, 5]', r'messages[1] is not a message'),
        ('[{"kind": "request", "parts": 5}]', 'these are not messages of pydantic-ai'),
    ],
)
def test_a_file_of_another_shape_is_refused(stored: Any, text: str, message: str) -> None:
    checked = run('check', stored(text))
    assert checked.exit_code == 1
    assert message in checked.stderr
    assert checked.stdout == ''


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / 'history.json'
    path.write_bytes(b'\xff\xfe\x00')
    assert 'this is not JSON' in run('check', path).stderr


def test_an_unknown_policy_and_a_missing_file_are_refused(stored: Any) -> None:
    assert "Did you mean 'mistral'?" in run('check', stored(WIRE), '--policy', 'mistrl').stderr
    assert run('check', 'no-such-file.json').exit_code == 2


def test_an_error_text_is_explained() -> None:
    explained = run('explain', "{'message': 'Unexpected role \\'user\\' after role \\'tool\\''}")
    assert explained.stdout.splitlines() == [
        'rule       H24 No user turn follows a tool turn directly.',
        'known from Mistral and Devstral, NVIDIA NIM',
        "set        openai_chat_history_policy='mistral'",
        'source     https://github.com/NousResearch/hermes-agent/issues/20154',
    ]
    assert explained.exit_code == 0


def test_an_error_text_is_read_from_standard_input() -> None:
    assert run('explain', '-', text='error: No user query found in messages.\n').stdout.startswith('rule       H22')


def test_an_unknown_error_text_ends_with_an_error() -> None:
    explained = run('explain', 'no such luck')
    assert explained.exit_code == 1
    assert explained.stderr.startswith('error: no known rule has this text')
