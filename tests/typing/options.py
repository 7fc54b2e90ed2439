"""What type checkers say about the model's keywords; CI runs pyright and mypy over this file, and nothing runs it.

Each `type: ignore` is an error that has to be there: both report one that is not needed.
"""

from __future__ import annotations as _annotations

from typing import assert_type

from pydantic_ai_compat import OpenAICompatibleModel, OpenAICompatibleModelProfile
from pydantic_ai_compat.streaming import StreamItem, ToolCallEvent

profile = OpenAICompatibleModelProfile(openai_chat_history='check', supports_tools=True)

OpenAICompatibleModel(
    'm',
    base_url='http://localhost:8000/v1',
    profile=profile,
    openai_chat_tool_return_as_list=True,
    openai_chat_include_usage='off',
    openai_chat_tool_return_list_format='messages',
    openai_unsupported_model_settings=['seed'],
    openai_chat_empty_tool_return=None,
    openai_system_prompt_role='developer',
)
OpenAICompatibleModel('m', openai_unsupported_model_settings='seed, top_p', openai_chat_thinking_false_body='{}')
OpenAICompatibleModel('m', profile={'openai_chat_history': 'off'})

OpenAICompatibleModel('m', openai_chat_histori='off')  # type: ignore[call-arg]
OpenAICompatibleModel('m', tool_retrun_as_list=True)  # type: ignore[call-arg]
OpenAICompatibleModel('m', openai_chat_history='never')  # type: ignore[arg-type]
OpenAICompatibleModel('m', openai_system_prompt_role='boss')  # type: ignore[arg-type]
OpenAICompatibleModel('m', openai_chat_include_usage=3.5)  # type: ignore[arg-type]


def narrow(item: StreamItem) -> None:
    if item.kind == 'provider_tool_call':
        assert_type(item.tool_call, ToolCallEvent)
    elif item.kind == 'reasoning_delta':
        assert_type(item.field, str)
    else:
        assert_type(item.field, str | None)
    print(item.missing)  # type: ignore[union-attr]
