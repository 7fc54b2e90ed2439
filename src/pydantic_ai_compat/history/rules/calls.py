"""Rules on what a tool call looks like."""

from __future__ import annotations as _annotations

from ..rule import ErrorText, HistoryRule

__all__ = ('CALL_RULES',)

_VALIDATOR = 'https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py'
_REPAIR = "openai_chat_history='repair'"

CALL_RULES = (
    HistoryRule(
        'H08',
        'The arguments of a call are one JSON object, as a string.',
        (
            ErrorText(
                'MiniMax',
                'invalid params, invalid function arguments json string, tool_call_id: {} (2013)',
                'https://github.com/HKUDS/nanobot/issues/2373',
            ),
            ErrorText(
                'SGLang',
                'Assistant tool call function.arguments must be valid JSON.',
                'https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/entrypoints/openai/serving_chat.py',
            ),
            ErrorText(
                'SGLang',
                'Assistant tool call function.arguments must be a JSON object.',
                'https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/entrypoints/openai/serving_chat.py',
            ),
            ErrorText(
                'Ollama',
                'invalid tool call arguments',
                'https://github.com/ollama/ollama/blob/main/openai/openai.go',
            ),
            ErrorText(
                'llama.cpp',
                'Failed to parse tool call arguments as JSON: {}',
                'https://github.com/ggml-org/llama.cpp/blob/master/common/chat.cpp',
            ),
        ),
        _REPAIR,
    ),
    HistoryRule(
        'H09',
        '`tool_calls`, where it is there, is a list of at least one call with a type and a name.',
        (
            ErrorText(
                'OpenAI',
                "Invalid 'messages[{}].tool_calls': empty array. Expected an array with minimum length 1, but got an "
                'empty array instead.',
                'https://github.com/chatboxai/chatbox/issues/2079',
            ),
            ErrorText(
                'OpenAI',
                "Invalid 'messages[{}].tool_calls[{}].function.name': empty string. Expected a string with minimum "
                'length 1, but got an empty string instead.',
                'https://github.com/continuedev/continue/issues/11645',
            ),
            ErrorText(
                'DashScope',
                'Empty tool_calls is not supported in message',
                'https://github.com/smallmain/vscode-unify-chat-provider/pull/65',
            ),
            ErrorText(
                'vLLM',
                "chat completions only support assistant tool_calls of type 'function'.",
                'https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/chat_utils.py',
            ),
            ErrorText(
                'llama.cpp',
                'Missing tool call type',
                'https://github.com/ggml-org/llama.cpp/blob/master/common/chat.cpp',
            ),
            ErrorText(
                'llama.cpp',
                'Missing tool call name',
                'https://github.com/ggml-org/llama.cpp/blob/master/common/chat.cpp',
            ),
            ErrorText(
                'llama.cpp',
                'Missing tool call function',
                'https://github.com/ggml-org/llama.cpp/blob/master/common/chat.cpp',
            ),
        ),
        _REPAIR,
    ),
    HistoryRule(
        'H10',
        'The name of a function is 1 to 64 letters, digits, underscores and dashes.',
        (
            ErrorText(
                'Mistral',
                'Function name was {} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum '
                'length of 64.',
                _VALIDATOR,
                fix="openai_chat_history_policy='mistral'",
            ),
        ),
        "openai_chat_history_policy='standard+H10'",
    ),
    HistoryRule(
        'H11',
        'An id is nine letters and digits.',
        (
            ErrorText(
                'Mistral',
                'Tool call id was {} but must be a-z, A-Z, 0-9, with a length of 9.',
                'https://github.com/nearai/ironclaw/issues/1241',
            ),
            ErrorText(
                'Mistral templates',
                'Tool call IDs should be alphanumeric strings with length 9!',
                'https://github.com/ggml-org/llama.cpp/blob/master/models/templates/mistralai-Mistral-Nemo-Instruct-2407.jinja',
            ),
            ErrorText(
                'Mistral templates',
                'Tool call IDs should be alphanumeric strings with length >= 9!',
                'https://github.com/vllm-project/vllm/blob/main/examples/tool_chat_template_mistral_parallel.jinja',
            ),
        ),
        "openai_chat_history_policy='mistral'",
    ),
    HistoryRule(
        'H12',
        'An id has no more than 40 characters.',
        (
            ErrorText(
                'OpenAI, Azure',
                "Invalid 'messages[{}].tool_calls[{}].id': string too long. Expected a string with maximum length 40, "
                'but got a string with length {} instead.',
                'https://github.com/camel-ai/camel/issues/2215',
            ),
            ErrorText(
                'OpenAI Responses behind LiteLLM',
                "Invalid 'input[{}].call_id': string too long. Expected max 64, got {}.",
                'https://github.com/AstrBotDevs/AstrBot/pull/7735',
            ),
        ),
        "openai_chat_history_policy='openai'",
    ),
    HistoryRule(
        'H13',
        'An id is `functions.NAME:INDEX`, counted over the history.',
        (
            ErrorText(
                'Kimi K2 templates',
                '',
                'https://github.com/getkimchi/kimchi/pull/1066',
                'the template writes the id where the model expects the name of the function',
            ),
        ),
        "openai_chat_history_policy='kimi'",
    ),
)
