"""Rules on the order of roles."""

from __future__ import annotations as _annotations

from ..rule import ErrorText, HistoryRule

__all__ = ('ORDER_RULES',)

_VALIDATOR = 'https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py'
ORDER_RULES = (
    HistoryRule(
        'H20',
        'System messages stand only at the start.',
        (
            ErrorText(
                'Qwen3.5 and later on vLLM, SGLang and llama.cpp',
                'System message must be at the beginning.',
                'https://github.com/vllm-project/vllm/issues/41114',
            ),
            ErrorText(
                'Mistral',
                "Unexpected role 'system' after role '{}'",
                _VALIDATOR,
                fix="openai_chat_history_policy='mistral'",
            ),
            ErrorText(
                'Mistral Nemo and Small templates',
                'Only user and assistant roles are supported, with the exception of an initial optional system message!',
                'https://github.com/ggml-org/llama.cpp/blob/master/models/templates/mistralai-Mistral-Nemo-Instruct-2407.jinja',
                fix="openai_chat_history_policy='alternating'",
            ),
        ),
        "openai_chat_history_policy='vllm'",
    ),
    HistoryRule(
        'H21',
        'There is one system message at most.',
        (
            ErrorText(
                'Qwen3.5 and later, MiniMax, DashScope',
                '',
                'https://github.com/can1357/oh-my-pi/issues/958',
                'refused with the text of H20',
            ),
        ),
        "openai_chat_history_policy='vllm'",
    ),
    HistoryRule(
        'H22',
        'There is a user turn.',
        (
            ErrorText(
                'Qwen3 templates',
                'No user query found in messages.',
                'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1586',
                fix="openai_chat_history_policy='vllm'",
            ),
            ErrorText(
                'Z.AI',
                'The messages parameter is illegal. Please check the documentation.',
                'https://github.com/anomalyco/opencode/issues/2557',
            ),
            ErrorText(
                'BigModel',
                'messages 参数非法。请检查文档。',
                'https://github.com/anomalyco/opencode/issues/2557',
            ),
        ),
        "openai_chat_history_policy='zai'",
    ),
    HistoryRule(
        'H23',
        'The first turn is a user turn.',
        (
            ErrorText(
                'Mistral templates',
                'Conversation must start with a user message, got {}.',
                'https://github.com/mistralai/mistral-common/blob/main/tests/data/chat_templates/v3.jinja',
            ),
            ErrorText(
                'Mistral templates',
                'Conversation must start with a user or system message, got {}.',
                'https://github.com/mistralai/mistral-common/blob/main/tests/data/chat_templates/v13.jinja',
            ),
        ),
        "openai_chat_history_policy='mistral'",
    ),
    HistoryRule(
        'H24',
        'No user turn follows a tool turn directly.',
        (
            ErrorText(
                'Mistral and Devstral, NVIDIA NIM',
                "Unexpected role 'user' after role 'tool'",
                'https://github.com/NousResearch/hermes-agent/issues/20154',
            ),
        ),
        "openai_chat_history_policy='mistral'",
    ),
    HistoryRule(
        'H25',
        'User and assistant turns alternate: no two neighbours have the same of these roles.',
        (
            ErrorText(
                'Ministral templates',
                'After the optional system message, conversation roles must alternate user and assistant roles',
                'https://github.com/charmbracelet/crush/issues/279',
            ),
            ErrorText(
                'Gemma templates',
                'Conversation roles must alternate user/assistant/user/assistant/...',
                'https://github.com/suitenumerique/conversations/issues/197',
                fix="openai_chat_history_policy='no-tool-role' where tools are used, which Gemma's templates know nothing of, else 'alternating'",
            ),
            ErrorText(
                'Mistral Nemo and Small templates',
                'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
                'https://github.com/ggml-org/llama.cpp/blob/master/models/templates/mistralai-Mistral-Nemo-Instruct-2407.jinja',
            ),
            ErrorText(
                'llama.cpp',
                'Cannot have 2 or more assistant messages at the end of the list.',
                'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-common.cpp',
                fix="openai_chat_history_policy='llamacpp+H25'",
            ),
            ErrorText(
                'Z.AI',
                '',
                'https://github.com/Lingtai-AI/lingtai-kernel/issues/70',
                'refused with the text of H22',
                fix="openai_chat_history_policy='zai'",
            ),
        ),
        "openai_chat_history_policy='alternating'",
    ),
    HistoryRule(
        'H26',
        'The last message is of a user or a tool.',
        (
            ErrorText(
                'Mistral',
                'Expected last role User or Tool (or Assistant with prefix{}) for serving but got {}',
                'https://github.com/huggingface/smolagents/issues/757',
            ),
            ErrorText(
                'SGLang',
                '',
                'https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/entrypoints/openai/serving_chat.py',
                'an assistant message at the end becomes a user message',
                fix="openai_chat_history_policy='sglang+H26'",
            ),
        ),
        "openai_chat_history_policy='mistral'",
    ),
    HistoryRule(
        'H27',
        'There is no tool role: calls and results are readable text.',
        (
            ErrorText(
                'Gemma 2 and 3 templates',
                '',
                'https://github.com/ggml-org/llama.cpp/blob/master/models/templates/google-gemma-2-2b-it.jinja',
                'refused with the text of H25',
            ),
            ErrorText(
                'templates without calls, such as those of Phi-4-mini, SmolLM3 and Granite 3.3',
                '',
                'https://github.com/ggml-org/llama.cpp/tree/master/models/templates',
                'the calls are left out of the prompt',
            ),
        ),
        "openai_chat_history_policy='no-tool-role'",
    ),
)
