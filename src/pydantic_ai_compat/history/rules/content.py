"""Rules on what the messages hold."""

from __future__ import annotations as _annotations

from ..rule import ErrorText, HistoryRule

__all__ = ('CONTENT_RULES',)

_VALIDATOR = 'https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py'
_REPAIR = "openai_chat_history='repair'"

CONTENT_RULES = (
    HistoryRule(
        'H14',
        'An assistant message holds text or calls.',
        (
            ErrorText(
                'Moonshot',
                "Invalid request: the message at position {} with role 'assistant' must not be empty",
                'https://github.com/AstrBotDevs/AstrBot/issues/7200',
            ),
            ErrorText(
                'llama.cpp',
                "Assistant message must contain either 'content' or 'tool_calls'!",
                'https://github.com/ggml-org/llama.cpp/blob/master/common/chat.cpp',
            ),
            ErrorText(
                'DeepSeek',
                'Invalid assistant message: content or tool_calls must be set',
                'https://github.com/carlrobertoh/ProxyAI/issues/830',
            ),
        ),
        _REPAIR,
    ),
    HistoryRule(
        'H15',
        '`content` of an assistant message that holds only calls has a form that the host takes.',
        (
            ErrorText(
                'Moonshot',
                'Invalid request: text content is empty',
                'https://github.com/BerriAI/litellm/issues/42186',
                fix="openai_chat_tool_call_content='omit'",
            ),
            ErrorText(
                'Groq',
                "('messages.{}.content' : property 'content' is missing)",
                'https://github.com/musistudio/claude-code-router/issues/245',
                fix="openai_chat_tool_call_content='null'",
            ),
            ErrorText(
                'Ollama before 2026-05',
                'invalid message content type: <nil>',
                'https://github.com/pydantic/pydantic-ai/issues/5206',
                fix="openai_chat_tool_call_content='empty'",
            ),
            ErrorText(
                'llama-cpp-python',
                "'ChatCompletionRequestAssistantMessage', 'content'), 'msg': 'Input should be a valid string', "
                "'input': None",
                'https://github.com/abetlen/llama-cpp-python/blob/main/llama_cpp/llama_types.py',
                fix="openai_chat_tool_call_content='empty'",
            ),
            ErrorText(
                'TGI',
                '',
                'https://github.com/huggingface/text-generation-inference/blob/main/router/src/lib.rs',
                "the calls are lost where `content` is there, even as ''",
                fix="openai_chat_tool_call_content='omit'",
            ),
        ),
        "openai_chat_tool_call_content='empty'",
    ),
    HistoryRule(
        'H16',
        'An assistant message holds text or calls, not both.',
        (
            ErrorText(
                'Mistral before tokenizer 5',
                'Assistant message must have either content or tool_calls, but not both.',
                _VALIDATOR,
                fix="openai_chat_history_policy='mistral+H16'",
            ),
            ErrorText(
                'Mistral templates before tokenizer 7',
                'Assistant message cannot have both content and tool calls.',
                'https://github.com/mistralai/mistral-common/blob/main/tests/data/chat_templates/v3.jinja',
                fix="openai_chat_history_policy='standard+H16'",
            ),
            ErrorText(
                'TGI',
                '',
                'https://github.com/huggingface/text-generation-inference/blob/main/router/src/lib.rs',
                'the text is kept and the calls are lost',
            ),
        ),
        "openai_chat_history_policy='tgi'",
    ),
    HistoryRule(
        'H17',
        '`content` is a string or a list of content parts; only an assistant message may be without.',
        (
            ErrorText(
                'llama.cpp',
                "All non-assistant messages must contain 'content'",
                'https://github.com/ggml-org/llama.cpp/blob/master/common/chat.cpp',
            ),
            ErrorText(
                'llama.cpp',
                'unsupported content[].type',
                'https://github.com/ggml-org/llama.cpp/blob/master/common/chat.cpp',
            ),
            ErrorText(
                'vLLM',
                '{} validation error for ValidatorIterator',
                'https://github.com/nextcloud/integration_openai/issues/360',
            ),
            ErrorText(
                'Ollama',
                'invalid message format',
                'https://github.com/ollama/ollama/blob/main/openai/openai.go',
            ),
            ErrorText(
                'DeepSeek',
                'content should be a string or a list',
                'https://github.com/BigPizzaV3/CodexPlusPlus/issues/1731',
            ),
        ),
        _REPAIR,
    ),
    HistoryRule(
        'H18',
        '`content` of a tool message is a string.',
        (
            ErrorText(
                'DeepSeek',
                'messages[{}]: invalid type: sequence, expected a string at line {} column {}',
                'https://github.com/Gitlawb/openclaude/issues/774',
                fix="openai_chat_history_policy='deepseek' or openai_chat_tool_return_list_format='text'",
            ),
            ErrorText(
                'Groq',
                "for 'role:tool' the following must be satisfied[('messages.{}.content' : value must be a string)]",
                'https://github.com/CherryHQ/cherry-studio/issues/3307',
                fix="openai_chat_history_policy='groq' or openai_chat_tool_return_list_format='text'",
            ),
            ErrorText(
                'OpenCode Zen, SiliconFlow',
                '[invalid_request_error] Input should be a valid string',
                'https://github.com/tbphp/gpt-load/issues/743',
            ),
            ErrorText(
                'llama-cpp-python',
                "'ChatCompletionRequestSystemMessage', 'role'), 'msg': \"Input should be 'system'\", 'input': 'tool'",
                'https://github.com/abetlen/llama-cpp-python/blob/main/llama_cpp/llama_types.py',
                fix="openai_chat_history_policy='llama-cpp-python'",
            ),
            ErrorText(
                'Ollama',
                '',
                'https://github.com/ollama/ollama/blob/main/openai/openai.go',
                'each part becomes a message of its own that has lost its call',
            ),
        ),
        "openai_chat_tool_return_list_format='text'",
    ),
    HistoryRule(
        'H19',
        '`content` that is only text is a string, in each role.',
        (
            ErrorText(
                'DashScope, models that read only text',
                'The provided messages input is invalid. The error info is [Unexpected item type in content.]',
                'https://github.com/can1357/oh-my-pi/issues/1859',
            ),
            ErrorText(
                'llama-cpp-python',
                "'ChatCompletionRequestSystemMessage', 'content'), 'msg': 'Input should be a valid string'",
                'https://github.com/abetlen/llama-cpp-python/blob/main/llama_cpp/llama_types.py',
                fix="openai_chat_history_policy='llama-cpp-python'",
            ),
            ErrorText(
                'llama-cpp-python',
                'can only concatenate str (not "list") to str',
                'https://github.com/abetlen/llama-cpp-python/blob/main/llama_cpp/llama_types.py',
                fix="openai_chat_history_policy='llama-cpp-python'",
            ),
        ),
        "openai_chat_history_policy='dashscope'",
    ),
)
