"""Rules on the order of roles, and on the keys of a message."""

from __future__ import annotations as _annotations

from ..rule import ErrorText, HistoryRule

__all__ = ('ORDER_RULES',)

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
                'https://github.com/mistralai/mistral-common',
                fix="openai_chat_history_policy='mistral'",
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
                'https://github.com/mistralai/mistral-common',
            ),
            ErrorText(
                'Mistral templates',
                'Conversation must start with a user or system message, got {}.',
                'https://github.com/mistralai/mistral-common',
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
            ),
            ErrorText(
                'Mistral 7B templates',
                'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
                'https://huggingface.co/mistralai/Mistral-7B-Instruct-v0.3',
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
                'Gemma 2 and other templates without tools',
                'Only user and assistant roles are supported, with the exception of an initial optional system message!',
                'https://huggingface.co/mistralai/Mistral-7B-Instruct-v0.3',
            ),
        ),
        "openai_chat_history_policy='no-tool-role'",
    ),
    HistoryRule(
        'H28',
        'A message has no keys but those that the host knows.',
        (
            ErrorText(
                'Groq',
                "('messages.{}' : property '{}' is unsupported)",
                'https://github.com/ServiceStack/llms/issues/17',
                fix="openai_chat_history_policy='groq'",
            ),
            ErrorText(
                'Mistral',
                '"type":"extra_forbidden","loc":["body","messages",{}],"msg":"Extra inputs are not permitted"',
                'https://github.com/Gage-Technologies/mistral-go/issues/3',
                fix="openai_chat_history_policy='mistral'",
            ),
        ),
        "openai_chat_history_policy='groq'",
    ),
    HistoryRule(
        'H29',
        'Once one turn carries `reasoning_content`, every later turn with calls does.',
        (
            ErrorText(
                'DeepSeek',
                'The reasoning_content in the thinking mode must be passed back to the API.',
                'https://github.com/JohnnyZ93/oai-compatible-copilot/issues/215',
            ),
        ),
        "openai_chat_history_policy='deepseek', or 'deepseek-thinking' if no turn of the history carries it",
    ),
    HistoryRule(
        'H30',
        'Every turn with calls carries `reasoning_content`.',
        (
            ErrorText(
                'Moonshot',
                'thinking is enabled but reasoning_content is missing in assistant tool call message at index {}',
                'https://github.com/continuedev/continue/issues/11600',
            ),
        ),
        "openai_chat_history_policy='moonshot-thinking'",
    ),
    HistoryRule(
        'H31',
        '`reasoning_content` of a turn with calls is not empty.',
        (
            ErrorText(
                'Moonshot',
                '',
                'https://github.com/theopenco/llmgateway/pull/2093',
                'refused with the text of H30',
            ),
        ),
        "openai_chat_history_policy='moonshot'",
    ),
    HistoryRule(
        'H32',
        'No message carries `reasoning_content`.',
        (
            ErrorText(
                'Cerebras',
                "property 'messages.{}.assistant.reasoning_content' is unsupported",
                'https://github.com/Kilo-Org/kilocode/issues/10375',
            ),
            ErrorText(
                'Groq',
                "('messages.{}' : property 'reasoning_content' is unsupported)",
                'https://github.com/janhq/jan/issues/8136',
                fix="openai_chat_history_policy='groq'",
            ),
            ErrorText(
                'Mistral',
                '"type":"extra_forbidden","loc":["body","messages",{},"assistant","reasoning_content"]',
                'https://github.com/charmbracelet/crush/issues/1590',
                fix="openai_chat_history_policy='mistral'",
            ),
        ),
        "openai_chat_history_policy='cerebras', or upstream's openai_chat_send_back_thinking_parts=False",
    ),
    HistoryRule(
        'H33',
        'System text has the role `system`, not `developer`.',
        (
            ErrorText(
                'Z.AI',
                'Incorrect role information',
                'https://github.com/earendil-works/pi/issues/547',
                fix="openai_chat_history_policy='zai', or upstream's openai_system_prompt_role='system'",
            ),
            ErrorText(
                'BigModel',
                '角色信息不正确',
                'https://github.com/openclaw/openclaw/issues/23115',
                fix="openai_chat_history_policy='zai', or upstream's openai_system_prompt_role='system'",
            ),
            ErrorText(
                'Qwen templates on vLLM',
                'Unexpected message role.',
                'https://github.com/ogx-ai/ogx/issues/6069',
            ),
            ErrorText(
                'SGLang',
                '',
                'https://github.com/sgl-project/sglang/issues/40082',
                'a template that does not know the role leaves the message out',
            ),
        ),
        "upstream's openai_system_prompt_role='system'",
    ),
)
