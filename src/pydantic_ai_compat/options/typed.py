"""The keywords of the model that are options of the profile, as type checkers and editors know them."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, TypedDict

from .profile import HistoryMode, TextEventMode, ToolCallContent, ToolMode, ToolReturnListFormat, ToolsPrompt

__all__ = ('OpenAICompatibleOptions',)


class OpenAICompatibleOptions(TypedDict, total=False):
    """The keys of `OpenAICompatibleModelProfile` that begin with `openai_`, each with the values that the model takes.

    Every value may also be text, as a loader of YAML gives it, but for those with words of their own: there a type
    checker is to know a word that is none. A test holds the names and the types to the profile's.
    """

    openai_chat_thinking_field: str | None
    openai_chat_send_back_thinking_parts: Literal['auto', 'tags', 'field', False]
    openai_chat_thinking_requires_field_on_tool_calls: bool | str
    openai_supports_strict_tool_definition: bool | str
    openai_unsupported_model_settings: Sequence[str] | str
    openai_supports_tool_choice_required: bool | str
    openai_supports_forced_tool_choice_with_thinking: bool | str
    openai_system_prompt_role: Literal['system', 'developer', 'user'] | None
    openai_chat_supports_multiple_system_messages: bool | str
    openai_chat_streaming_requires_finish_reason: bool | str
    openai_chat_supports_web_search: bool | str
    openai_chat_audio_input_encoding: Literal['base64', 'uri']
    openai_chat_supports_file_urls: bool | str
    openai_supports_encrypted_reasoning_content: bool | str
    openai_supports_reasoning: bool | str
    openai_reasoning_enabled_by_default: bool | str
    openai_supports_reasoning_effort_none: bool | str
    openai_supports_minimal_reasoning_effort: bool | str
    openai_reasoning_efforts: Collection[Literal['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']] | str
    openai_chat_supports_max_reasoning_effort: bool | str
    openai_chat_thinking_false_body: Mapping[str, Any] | str
    openai_responses_supports_max_reasoning_effort: bool | str
    openai_responses_supports_reasoning_mode: bool | str
    openai_responses_supports_reasoning_context: bool | str
    openai_responses_requires_function_call_status_none: bool | str
    openai_responses_supports_json_schema_output: bool | str
    openai_responses_tool_call_ids_are_response_scoped: bool | str
    openai_responses_supports_interleaved_function_calls: bool | str
    openai_supports_phase: bool | str
    openai_chat_supports_document_input: bool | str
    openai_chat_supports_max_completion_tokens: bool | str
    openai_chat_supports_allowed_tools: bool | str
    openai_supports_prompt_cache_breakpoints: bool | str
    openai_responses_tool_choice_accepts_additional_tools: bool | str
    openai_responses_supports_prompt_cache_diagnostics: bool | str
    openai_responses_supports_websocket: bool | str
    openai_responses_supports_websocket_stream_id: bool | str
    openai_responses_requires_streaming: bool | str
    openai_responses_requires_store_false: bool | str
    openai_supports_input_token_counting: bool | str
    openai_supports_batch_api: bool | str
    openai_chat_tool_return_as_list: bool | str
    openai_chat_tool_return_list_format: ToolReturnListFormat
    openai_chat_parallel_list_messages: bool | str
    openai_chat_empty_tool_return: str | None
    openai_chat_tool_call_content: ToolCallContent
    openai_chat_history: HistoryMode
    openai_chat_history_policy: str
    openai_chat_tools: ToolMode
    openai_chat_tools_prompt: ToolsPrompt | None
    openai_chat_include_usage: bool | str
    openai_chat_thinking_starts_open: bool | str
    openai_chat_text_event_tag: str | None
    openai_chat_text_events: TextEventMode
    openai_chat_text_tool_calls: Sequence[str] | str
    openai_chat_text_tool_calls_in_thoughts: bool | str
