"""Rules on the request around the messages: only explained, as an option of the request is their fix."""

from __future__ import annotations as _annotations

from ..rule import ErrorText, HistoryRule
from .schemas import SCHEMA_RULES
from .tools import TOOL_RULES

__all__ = ('REQUEST_RULES',)

REQUEST_RULES = (
    HistoryRule(
        'R01',
        'The list of tools is left out if it is empty.',
        (
            ErrorText(
                'vLLM',
                '`tools` must not be an empty array. Either provide at least one tool or omit the field entirely.',
                'https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/chat_completion/protocol.py',
            ),
        ),
        'no `tools` in the model setting `extra_body`; pydantic-ai itself leaves an empty list out',
    ),
    HistoryRule(
        'R02',
        'A tool definition has a schema of its parameters.',
        (
            ErrorText(
                'MiniMax',
                'function parameters is empty (2013)',
                'https://github.com/QwenLM/qwen-code/issues/11905',
            ),
        ),
        'a parameters schema with `type` and `properties` on each tool',
    ),
    HistoryRule(
        'R03',
        'The request has no fields but those that the host knows.',
        (
            ErrorText(
                'Fireworks',
                "Extra inputs are not permitted, field: '{}'",
                'https://github.com/web-infra-dev/midscene/issues/1322',
            ),
            ErrorText(
                'Mistral, and servers that are made with FastAPI',
                '"type":"extra_forbidden","loc":["body","{}"],"msg":"Extra inputs are not permitted"',
                'https://github.com/partITech/php-mistral/issues/76',
            ),
            ErrorText(
                'vLLM before 0.6.5, and others that show a validation error of pydantic',
                'Extra inputs are not permitted [type=extra_forbidden',
                'https://github.com/vllm-project/vllm/issues/12864',
            ),
            ErrorText(
                'Xinference, and others that use the first pydantic',
                'extra fields not permitted',
                'https://github.com/xorbitsai/inference/issues/2387',
            ),
        ),
        'the field named in the text left out of the model settings and of `extra_body`',
    ),
    HistoryRule(
        'R04',
        'A choice of tool goes with tools.',
        (
            ErrorText(
                'vLLM',
                'When using `tool_choice`, `tools` must be set.',
                'https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/chat_completion/protocol.py',
            ),
            ErrorText(
                'Writer, Cerebras',
                "'tool_choice' is only allowed when 'tools' are specified.",
                'https://github.com/writer/writer-framework/pull/1013',
            ),
            ErrorText(
                'OpenAI',
                "'parallel_tool_calls' is only allowed when 'tools' are specified.",
                'https://github.com/openai/swarm/issues/30',
                fix='the model setting `parallel_tool_calls` left out where no tool is given',
            ),
        ),
        'the model setting `tool_choice` left out where no tool is given',
    ),
    HistoryRule(
        'R05',
        'A prefilled answer does not go with thinking.',
        (
            ErrorText(
                'llama.cpp',
                'Assistant response prefill is incompatible with enable_thinking.',
                'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-common.cpp',
            ),
        ),
        "openai_chat_history_policy='llamacpp+H26', which lets no assistant message stand at the end",
    ),
    HistoryRule(
        'R06',
        'A turn with calls carries text or thinking, not both.',
        (
            ErrorText(
                'gpt-oss templates',
                'Cannot pass both content and thinking in an assistant message with tool calls!',
                'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/842',
            ),
        ),
        "upstream's openai_chat_send_back_thinking_parts=False",
    ),
    *TOOL_RULES,
    *SCHEMA_RULES,
)
