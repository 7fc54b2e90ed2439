"""Rules on which result belongs to which tool call."""

from __future__ import annotations as _annotations

from ..rule import ErrorText, HistoryRule

__all__ = ('PAIR_RULES',)

_VALIDATOR = 'https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py'
_REPAIR = "openai_chat_history='repair'"

PAIR_RULES = (
    HistoryRule(
        'H01',
        'Every tool call is answered before the next assistant turn.',
        (
            ErrorText(
                'DeepSeek',
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                "'tool_call_id'. (insufficient tool messages following tool_calls message)",
                'https://github.com/langgenius/dify/issues/32222',
            ),
            ErrorText(
                'OpenAI, Azure, Moonshot',
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                "'tool_call_id'. The following tool_call_ids did not have response messages: {}",
                'https://github.com/RamiAwar/dataline/issues/172',
            ),
            ErrorText(
                'gateways in front of these',
                "An assistant message with 'tool_calls' must be followed by tool messages",
                'https://github.com/MoonshotAI/kimi-cli/issues/1977',
            ),
            ErrorText(
                'DashScope',
                '<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by '
                'tool messages responding to each "tool_call_id". The following tool_call_ids did not have response '
                'messages: message[{}].role',
                'https://github.com/QwenLM/qwen-code/issues/315',
            ),
            ErrorText(
                'Mistral',
                'Not the same number of function calls and responses',
                _VALIDATOR,
            ),
            ErrorText(
                'MiniMax',
                'invalid params, tool call and result not match (2013)',
                'https://github.com/Kilo-Org/kilocode/issues/3967',
            ),
        ),
        _REPAIR,
    ),
    HistoryRule(
        'H02',
        'Nothing stands between the tool calls of a turn and their results.',
        (
            ErrorText(
                'DeepSeek',
                '',
                'https://github.com/gptme/gptme/issues/3421',
                'refused with the text of H01',
            ),
            ErrorText(
                'MiniMax',
                'invalid params, tool call result does not follow tool call (2013)',
                'https://github.com/anomalyco/opencode/issues/32608',
            ),
        ),
        _REPAIR,
    ),
    HistoryRule(
        'H03',
        'The results stand in the order of the calls.',
        (
            ErrorText(
                'chat templates that pair by position, such as GLM-4.5 to 5.2',
                '',
                'https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/parser/glm53_chat_template.py',
                'the model takes a result for that of another call; SGLang sorts for GLM-5.3 alone',
            ),
        ),
        _REPAIR,
    ),
    HistoryRule(
        'H04',
        'Every result answers a call of the assistant turn before it.',
        (
            ErrorText(
                'DeepSeek',
                "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
                'https://github.com/qwersyk/Newelle/issues/425',
            ),
            ErrorText(
                'OpenAI',
                "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                "'tool_calls'.",
                'https://github.com/smarter-sh/smarter/issues/264',
            ),
            ErrorText(
                'DashScope',
                '<400> InternalError.Algo.InvalidParameter: messages with role "tool" must be a response to a '
                'preceeding message with "tool_calls".',
                'https://github.com/QwenLM/qwen-code/issues/2360',
            ),
            ErrorText(
                'Mistral',
                "Unexpected role 'tool' after role 'user'",
                'https://github.com/charmbracelet/crush/issues/279',
            ),
            ErrorText(
                'Mistral',
                'Unexpected tool call id {} in tool results',
                _VALIDATOR,
            ),
            ErrorText(
                'MiniMax',
                "invalid params, tool result's tool id({}) not found (2013)",
                'https://github.com/MiniMax-AI/MiniMax-M2/issues/76',
            ),
            ErrorText(
                'gpt-oss and MiniMax-M2 templates',
                'Message has tool role, but there was no previous assistant message with a tool call!',
                'https://github.com/ggml-org/llama.cpp/blob/master/models/templates/openai-gpt-oss-120b.jinja',
            ),
        ),
        _REPAIR,
    ),
    HistoryRule(
        'H05',
        'A call has one result.',
        (
            ErrorText(
                'Mistral',
                'Duplicate tool call id {} in tool results',
                _VALIDATOR,
            ),
            ErrorText(
                'Mistral',
                'More tool responses than tool calls',
                _VALIDATOR,
            ),
            ErrorText(
                'OpenAI, DeepSeek, Moonshot, DashScope, MiniMax',
                '',
                'https://github.com/pydantic/pydantic-ai/issues/5637',
                'refused with the text of H04',
            ),
        ),
        "openai_chat_history='repair', and openai_chat_tool_return_list_format='text' for lists",
    ),
    HistoryRule(
        'H06',
        'Each call and each result has an id, a non-empty string, and the ids of one turn are distinct.',
        (
            ErrorText(
                'Mistral',
                'Duplicate tool call id {} in assistant message',
                _VALIDATOR,
            ),
            ErrorText(
                'Mistral',
                'Tool call id has to be defined.',
                _VALIDATOR,
            ),
            ErrorText(
                'MiniMax',
                'invalid params, tool call id is invalid (2013)',
                'https://github.com/Kilo-Org/kilocode/issues/3967',
            ),
            ErrorText(
                'Groq',
                "'messages.{}' : for 'role:tool' the following must be satisfied[('messages.{}' : property "
                "'tool_call_id' is missing)]",
                'https://github.com/CherryHQ/cherry-studio/issues/3307',
            ),
        ),
        _REPAIR,
    ),
    HistoryRule(
        'H07',
        'An id is not used again in a later turn.',
        (
            ErrorText(
                'Ollama',
                '',
                'https://github.com/ollama/ollama/blob/main/openai/openai.go',
                'the tool name of a result is looked up by its id over the whole history, and the last call wins',
            ),
        ),
        "openai_chat_history_policy='ollama'",
    ),
)
