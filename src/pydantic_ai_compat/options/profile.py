"""The options of `OpenAICompatibleModel` as keys of a profile, and the way from YAML text to typed values."""

from __future__ import annotations as _annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, cast, overload

from pydantic_ai.models.openai import OpenAIResponsesModelSettings
from pydantic_ai.profiles import ModelProfile, ModelProfileSpec, merge_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile

from ..errors import OptionError, shown
from .conversion import convert_known, key_annotations, nearest_name

__all__ = (
    'DEFAULT_OPTIONS',
    'HistoryMode',
    'OpenAICompatibleModelProfile',
    'TextEventMode',
    'ToolCallContent',
    'ToolMode',
    'ToolReturnListFormat',
    'ToolsPrompt',
    'build_profile',
)

_DIALECTS = 'openai_chat_text_tool_calls'

ToolReturnListFormat = Literal['text_parts', 'messages', 'text']
"""How a list that a tool returned goes out."""

ToolCallContent = Literal['null', 'empty', 'omit']
"""What `content` is on an assistant message that holds only tool calls."""

HistoryMode = Literal['repair', 'check', 'off']
"""What becomes of a tool-call history that breaks a rule."""

ToolMode = Literal['native', 'text']
"""How tools reach the model."""

ToolsPrompt = str | Callable[[Sequence[Mapping[str, Any]], str], str]
"""A text around the described tools, or a function that makes it."""

TextEventMode = Literal['report', 'call']
"""What becomes of a name-only event found in the text."""


class OpenAICompatibleModelProfile(OpenAIModelProfile, total=False):
    """Profile for models used with `OpenAICompatibleModel`.

    Every key can be set in a profile dict, as a keyword of the model, or as a string in YAML.
    """

    openai_chat_tool_return_as_list: bool
    """Whether a list returned by a tool goes out as a list of text parts. Default: `False`.

    Most servers flatten the parts before the chat template sees them, and some hosts refuse them with a 400, so
    stock's JSON string stays the default. See `docs/tool-returns.md` for what each server does."""

    openai_chat_tool_return_list_format: ToolReturnListFormat
    """How a list goes out when `openai_chat_tool_return_as_list` is set. Default: `'text_parts'`.

    * `'text_parts'` (default): one tool message whose `content` is a list of text parts.
    * `'messages'`: one tool message per item under the same call id. The only form that reaches GLM's templates as
      separate blocks, and refused by hosts that pair calls and results (DeepSeek, Mistral, MiniMax, OpenAI).
    * `'text'`: one string, an item a line."""

    openai_chat_parallel_list_messages: bool
    """Whether `'messages'` also sends a message per item in a turn with several tool calls. Default: `False`.

    By default each call of such a turn has one message, with an item a line: most chat templates show no mark of the
    call beside a result, and some count, so that an item would stand under the next call's name. `True` is right where
    the template labels each result with its call's id, as Mistral's do."""

    openai_chat_empty_tool_return: str | None
    """The text sent for a tool return that is `None` or an empty list. Default: `None`, which keeps stock's `''`.

    <https://github.com/pydantic/pydantic-ai/issues/8294>"""

    openai_chat_tool_call_content: ToolCallContent
    """What `content` is on an assistant message that holds only tool calls. Default: what the policy takes, `'null'` first.

    * `'null'`: the key with `null`, as stock sends it; llama-cpp-python answers 500 to it.
    * `'empty'`: the key with `''`; Moonshot has refused empty text beside tool calls.
    * `'omit'`: no key; Groq wants the key to be there."""

    openai_chat_history: HistoryMode
    """What becomes of a tool-call history that breaks a rule of the policy. Default: `'repair'`.

    * `'repair'` (default): repaired on the request's copy, with one `HistoryRepairWarning` per conversation.
    * `'check'`: refused with a `HistoryError` before anything is sent.
    * `'off'`: sent as it is."""

    openai_chat_history_policy: str
    """The name of the policy whose rules hold for this server. Default: by the host of `base_url`, else `'standard'`."""

    openai_chat_tools: ToolMode
    """How tools reach the model. Default: `'native'`.

    * `'native'` (default): as `tools` of the request.
    * `'text'`: described in the system prompt, for a model or server that has no tools. Calls are read from the text of
      the answer, in the dialects of `openai_chat_text_tool_calls` (default here: `hermes`). In the history they are text
      of the assistant's turn, as the first of these dialects writes them, and results are user turns. No `tools`,
      `tool_choice` or `parallel_tool_calls` is sent: a choice of tool becomes a sentence.

    <https://github.com/pydantic/pydantic-ai/issues/2170>"""

    openai_chat_tools_prompt: ToolsPrompt | None
    """A text of your own around the tools that `openai_chat_tools='text'` describes. Default: `None`.

    A text with `{tools}` in it, where each tool stands on a line as JSON, and `{example}`, where a call is shown as the
    dialect writes it. Or, from Python, a function of the tools (in the form of the API, ordered by name) and the example
    that returns the whole text."""

    openai_chat_include_usage: bool
    """Whether a stream asks for `stream_options.include_usage`. Default: `True`, as stock; some servers refuse it."""

    openai_chat_thinking_starts_open: bool
    """Whether the text of a response begins inside a thought, so that it holds the closing tag alone. Default: `False`.

    For a model whose chat template ends in the opening tag, on a server that leaves the thoughts in the text. All text
    up to `</think>` is a thought then, also if the tag never comes, so it has no place where thinking is off.
    <https://github.com/ggml-org/llama.cpp/issues/11861>"""

    openai_chat_text_event_tag: str | None
    """The name of the tag that holds name-only events in the text, such as `'agent_events'`. Default: `None`.

    `<agent_events>first, second</agent_events>` are two events. None is read in a thought."""

    openai_chat_text_events: TextEventMode
    """What becomes of the events named by `openai_chat_text_event_tag`. Default: `'report'`.

    * `'report'` (default): taken out of the text and listed in `ModelResponse.provider_details['text_events']`.
    * `'call'`: each becomes a tool call without arguments if the request declares that tool."""

    openai_chat_text_tool_calls: list[str]
    """The dialects in which tool calls are read from the text, such as `['hermes', 'qwen3_coder']`. Default: none.

    For a server that leaves the model's own markup in the text. The names are those of vLLM's parsers; `'auto'` stands
    for those that are safe together. Only declared tools are called, and nothing in code or in a thought is.
    `docs/calls-in-text.md` has the forms."""

    openai_chat_text_tool_calls_in_thoughts: bool
    """Whether the calls of `openai_chat_text_tool_calls` count inside thoughts, too. Default: `False`.

    Kimi K2-Thinking writes calls there, and reasoning parsers of servers swallow some.
    <https://github.com/MoonshotAI/Kimi-K2/issues/89>"""


DEFAULT_OPTIONS = OpenAICompatibleModelProfile(
    openai_chat_tool_return_as_list=False,
    openai_chat_tool_return_list_format='text_parts',
    openai_chat_parallel_list_messages=False,
    openai_chat_empty_tool_return=None,
    openai_chat_history='repair',
    openai_chat_tools='native',
    openai_chat_tools_prompt=None,
    openai_chat_include_usage=True,
    openai_chat_thinking_starts_open=False,
    openai_chat_text_event_tag=None,
    openai_chat_text_events='report',
    openai_chat_text_tool_calls=[],
    openai_chat_text_tool_calls_in_thoughts=False,
)
"""What holds for an option that nobody set.

`openai_chat_history_policy` has none, as the host decides, nor `openai_chat_tool_call_content`, as the policy does."""


@overload
def build_profile(options: Mapping[str, object], base: ModelProfile | None = None) -> OpenAICompatibleModelProfile: ...


@overload
def build_profile(
    options: Mapping[str, object], base: Callable[[ModelProfile], ModelProfile]
) -> Callable[[ModelProfile], ModelProfile]: ...


def build_profile(
    options: Mapping[str, object], base: ModelProfileSpec | None = None
) -> OpenAICompatibleModelProfile | Callable[[ModelProfile], ModelProfile]:
    """Convert options to what their annotations say and merge them over a profile.

    Args:
        options: Profile keys with their values, as text from YAML or already typed, such as
            `{'openai_chat_tool_return_as_list': 'true'}`.
        base: The profile that the options go over, in any form that a model's `profile=` takes: nothing, a dict, or a
            function from the resolved profile to the profile. Text in it is converted as well.

    Returns:
        A partial profile with the converted options, or, for a function, a function that applies both. Deprecated
        keys are translated by pydantic-ai, with its own warning.

    Raises:
        OptionError: If a value does not fit; it names the option, the value and what is allowed.
        UnknownOptionError: If a key is neither a profile key nor one of another provider's; it names the nearest.
    """
    converted = merge_profile(None, _convert_profile(options))
    if callable(base):
        resolve = base
        # Spread, not merged: pydantic-ai translates the deprecated keys of a function's result itself, and can tell
        # there which current spellings the function only carried over.
        return lambda resolved: cast(ModelProfile, {**_convert_profile(resolve(resolved)), **converted})
    base_profile = merge_profile(None, _convert_profile(base or {}))
    return cast(OpenAICompatibleModelProfile, merge_profile(base_profile, converted))


def _convert_profile(profile: Mapping[str, object] | ModelProfile) -> ModelProfile:
    converted = convert_known(cast('Mapping[str, object]', profile), OpenAICompatibleModelProfile)
    if names := converted.get(_DIALECTS):
        from ..text.dialects.registry import pick  # the tables of the dialects are for who names one

        try:
            pick(names)
        except OptionError as error:
            raise OptionError(f'`{_DIALECTS}`: {error}') from None
    _check_setting_names(converted)
    return cast(ModelProfile, converted)


def _check_setting_names(profile: Mapping[str, Any]) -> None:
    """Refuse the name of a setting that pydantic-ai does not have, which would leave nothing out."""
    known = key_annotations(OpenAIResponsesModelSettings)
    for name in profile.get('openai_unsupported_model_settings') or ():
        if name not in known:
            where = '`openai_unsupported_model_settings`'
            raise OptionError(f'{where}: {shown(name)} is no model setting{nearest_name(name, known)}')
