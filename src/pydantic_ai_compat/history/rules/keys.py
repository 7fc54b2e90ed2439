"""Rules on the keys of a message, and on who speaks."""

from __future__ import annotations as _annotations

from ..rule import ErrorText, HistoryRule

__all__ = ('KEY_RULES',)

KEY_RULES = (
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
                'llama-cpp-python',
                "'ChatCompletionRequestSystemMessage', 'role'), 'msg': \"Input should be 'system'\", 'input': 'developer'",
                'https://github.com/abetlen/llama-cpp-python/blob/main/llama_cpp/llama_types.py',
                fix="openai_chat_history_policy='llama-cpp-python'",
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
