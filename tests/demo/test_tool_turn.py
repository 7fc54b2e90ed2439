from __future__ import annotations as _annotations

from typing import Any

import pytest

from pydantic_ai_compat.demo.tool_turn import cut_tool_turn, last_tool_turn, with_user_turn_instead


def turn(role: str, content: str = '') -> dict[str, Any]:
    return {'role': role, 'content': content}


USER, ASSISTANT, TOOL = turn('user', 'hi'), turn('assistant'), turn('tool', 'result')


@pytest.mark.parametrize(
    'messages, expected',
    [
        ([USER, ASSISTANT, TOOL], slice(2, 3)),
        ([USER, ASSISTANT, TOOL, TOOL], slice(2, 4)),
        ([USER, ASSISTANT, TOOL, TOOL, USER], slice(2, 4)),
        ([USER, ASSISTANT, TOOL, ASSISTANT, TOOL, ASSISTANT], slice(4, 5)),
        ([TOOL], slice(0, 1)),
        # Where tools are text there are no tool messages: the results are in the user turn behind the assistant's.
        ([USER, ASSISTANT, USER], slice(2, 3)),
        ([USER, ASSISTANT], slice(2, 2)),
        ([USER], slice(0, 0)),
        ([], slice(0, 0)),
    ],
)
def test_the_last_tool_messages_that_stand_together_are_the_tool_turn(messages: list[dict[str, Any]], expected: slice):
    assert last_tool_turn(messages) == expected


def test_the_other_conversation_ends_in_a_user_turn():
    assert with_user_turn_instead([USER, ASSISTANT, TOOL, TOOL]) == [USER, ASSISTANT, turn('user', 'x')]


@pytest.mark.parametrize(
    'prompt, other, expected',
    [
        pytest.param(
            '<|im_start|>user\nhi<|im_end|>\n<|im_start|>user\n<tool_response>\nA\n</tool_response><|im_end|>\n<|im_start|>assistant\n',
            '<|im_start|>user\nhi<|im_end|>\n<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\n',
            '<tool_response>\nA\n</tool_response>',
            id='ChatML: the results are in a user turn',
        ),
        pytest.param(
            '<|user|>hi<|assistant|>call<|observation|><tool_response>A</tool_response><|assistant|><think>',
            '<|user|>hi<|assistant|>call<|user|>x<|assistant|><think>',
            '<|observation|><tool_response>A</tool_response>',
            id='GLM: the difference begins inside a tag',
        ),
        pytest.param(
            '[INST]hi[/INST][TOOL_CALLS][{"name": "f"}]</s>[TOOL_RESULTS]A[/TOOL_RESULTS]',
            '[INST]hi[/INST][TOOL_CALLS][{"name": "f"}]</s>[INST]x[/INST]',
            '[TOOL_RESULTS]A[/TOOL_RESULTS]',
            id='Mistral: it ends inside a tag too',
        ),
        pytest.param(
            'User: hi\nCall: f [1, 2]\nTool: A\nAssistant:',
            'User: hi\nCall: f [1, 2]\nUser: x\nAssistant:',
            'Tool: A',
            id='no tags at all',
        ),
        pytest.param('Call: [ A ]\n', 'Call: [ x ]\n', 'A', id='a bracket that is no tag'),
        pytest.param('head tail', 'head tail', '', id='a template that leaves tool turns out'),
        pytest.param('', '', '', id='nothing'),
    ],
)
def test_what_both_prompts_share_is_cut_off_at_the_borders_of_tags(prompt: str, other: str, expected: str):
    assert cut_tool_turn(prompt, other) == expected


def test_a_template_that_moves_the_tools_is_cut_after_the_question():
    """Mistral's declares the tools before the last user turn, wherever it is."""
    prompt = '[AVAILABLE_TOOLS][...][/AVAILABLE_TOOLS][INST]hi[/INST][TOOL_CALLS]f[TOOL_RESULTS]A[/TOOL_RESULTS]'
    other = '[INST]hi[/INST][TOOL_CALLS]f[AVAILABLE_TOOLS][...][/AVAILABLE_TOOLS][INST]x[/INST]'
    assert cut_tool_turn(prompt, other, after='hi') == '[/INST][TOOL_CALLS]f[TOOL_RESULTS]A[/TOOL_RESULTS]'
