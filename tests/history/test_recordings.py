"""What llama-cpp-python 0.3.36, the strictest of the open servers, was recorded to accept and refuse."""

from __future__ import annotations as _annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pydantic_ai_compat.history import check_history, explain_error, repair_history

RECORDINGS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name('llama_cpp_python.jsonl').read_text(encoding='utf-8').splitlines()
]
RULES = {
    'developer-role': 'H33',
    'history-asst-content-null': 'H15',
    'history-asst-parts': 'H19',
    'history-no-toolcallid': 'H06',
    'history-tool-emptyparts': 'H17',
    'history-tool-image': 'H18',
    'history-tool-object': 'H17',
    'history-tool-parts': 'H18',
    'history-two-results': 'H18',
    'system-parts': 'H19',
    'user-parts': 'H19',
}


@pytest.mark.parametrize('recording', RECORDINGS, ids=lambda recording: recording['case'])
def test_what_the_server_refuses_is_a_fault_and_what_it_accepts_is_none(recording: dict[str, Any]) -> None:
    faults = check_history(recording['messages'], 'llama-cpp-python')
    assert [fault.rule for fault in faults] == ([RULES[recording['case']]] if recording['status'] == 500 else [])
    repaired = repair_history(recording['messages'], 'llama-cpp-python').messages
    assert check_history(repaired, 'llama-cpp-python') == []


@pytest.mark.parametrize(
    'recording',
    [recording for recording in RECORDINGS if recording['status'] == 500],
    ids=lambda recording: recording['case'],
)
def test_the_recorded_error_leads_to_the_policy(recording: dict[str, Any]) -> None:
    """The server lists what is wrong for every role a message might have had, so the rule may be a neighbour."""
    explanation = explain_error(recording['error'])
    assert explanation is not None
    assert explanation.known.host == 'llama-cpp-python'
    assert 'llama-cpp-python' in explanation.fix or explanation.rule.id == 'H15'
