"""The option `openai_chat_tools`: what a request with tools becomes for a model or server that has none."""

from __future__ import annotations as _annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from openai.types import chat
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.profiles import DEFAULT_PROMPTED_OUTPUT_TEMPLATE, ModelProfile, merge_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.settings import ModelSettings, merge_model_settings

from ..errors import IgnoredOptionWarning, OptionError
from ..options.profile import OpenAICompatibleModelProfile
from ..text.dialects.registry import pick
from ..text.tools import ResultFrame, ToolsPrompt, WrittenCalls, check_prompt, tools_as_text

__all__ = ('TextTools', 'with_text_tools')

_DEFAULT_DIALECT = 'hermes'
"""What is written where nothing says what the model was trained on: the form that most templates share."""

_MOST_STOP_WORDS = 4
"""OpenAI's limit. <https://platform.openai.com/docs/api-reference/chat/create>"""


def with_text_tools(profile: OpenAIModelProfile) -> OpenAIModelProfile:
    """The profile of a model whose tools are text, with what follows from that.

    A choice among tools is a sentence, so that the described tools stay the same whatever the choice, and answers are
    read in the dialect that is written.
    """
    options = cast(OpenAICompatibleModelProfile, profile)
    if options.get('openai_chat_tools') != 'text':
        return profile
    follows: dict[str, Any] = {'supports_tools': True, 'openai_chat_supports_allowed_tools': True}
    if not options.get('openai_chat_text_tool_calls'):
        follows['openai_chat_text_tool_calls'] = [_DEFAULT_DIALECT]
    return cast(OpenAIModelProfile, merge_profile(profile, cast(ModelProfile, follows)))


@dataclass(frozen=True)
class TextTools:
    """How the tools of one model are written."""

    dialects: tuple[str, ...]
    """The dialects that answers are read in; the first is the one that is written."""

    prompt: ToolsPrompt | None
    """A text of the user's own around the tools."""

    system_role: str
    """The role of system text."""

    @classmethod
    def from_profile(cls, profile: OpenAICompatibleModelProfile) -> TextTools | None:
        """Read the options; `None` where tools are native.

        Raises:
            OptionError: If a value does not fit.
        """
        prompt = profile.get('openai_chat_tools_prompt')
        if profile.get('openai_chat_tools', 'native') != 'text':
            if prompt is not None:
                warnings.warn(
                    "`openai_chat_tools_prompt` has no effect without `openai_chat_tools`='text'.",
                    IgnoredOptionWarning,
                    stacklevel=2,
                )
            return None
        if isinstance(prompt, str) and (missing := check_prompt(prompt)) is not None:
            raise OptionError(
                f'`openai_chat_tools_prompt`={prompt[:200]!r} does not fit: the text needs `{missing}` in it, where '
                f'{_MEANINGS[missing]}.'
            )
        names = profile.get('openai_chat_text_tool_calls') or [_DEFAULT_DIALECT]
        return cls(tuple(names), prompt, profile.get('openai_system_prompt_role') or 'system')

    @cached_property
    def _stop_word(self) -> str:
        return ResultFrame.of(pick(self.dialects)[0]).stop_word

    @cached_property
    def _written(self) -> WrittenCalls:
        return WrittenCalls(pick(self.dialects)[0])

    def parameters(self, parameters: ModelRequestParameters) -> ModelRequestParameters:
        """Say the schema of a structured output in the prompt, beside tools.

        A server that holds the model to a response format lets it write no call, so none is asked for there.
        """
        if parameters.function_tools and parameters.prompted_output_template is None:
            return replace(parameters, prompted_output_template=DEFAULT_PROMPTED_OUTPUT_TEMPLATE)
        return parameters

    def without_format(self, parameters: ModelRequestParameters) -> ModelRequestParameters:
        """Ask for no response format beside tools, as `parameters` says."""
        return replace(parameters, output_mode='text') if parameters.function_tools else parameters

    def settings(self, settings: ModelSettings | None, parameters: ModelRequestParameters) -> ModelSettings | None:
        """Stop where the model begins to write a result of its own.

        Never at the end of a call: that would end the answer before its second call.
        <https://github.com/QwenLM/Qwen-Agent/pull/928>
        """
        stops: Sequence[str] = (settings or {}).get('stop_sequences') or ()
        word = self._stop_word
        if (
            not word
            or not (parameters.function_tools or parameters.output_tools)
            or word in stops
            or len(stops) >= _MOST_STOP_WORDS
        ):
            return settings
        return merge_model_settings(settings, ModelSettings(stop_sequences=[*stops, word]))

    def apply(
        self,
        messages: Sequence[chat.ChatCompletionMessageParam],
        tools: Sequence[chat.ChatCompletionToolParam],
        choice: Any,
        settings: ModelSettings | None,
    ) -> list[chat.ChatCompletionMessageParam]:
        """The messages that go out instead of these and the tools."""
        return cast(
            'list[chat.ChatCompletionMessageParam]',
            tools_as_text(
                cast(Any, messages),
                cast(Any, tools),
                dialects=self.dialects,
                tool_choice=choice,
                parallel_tool_calls=(settings or {}).get('parallel_tool_calls') is not False,
                prompt=self.prompt,
                system_role=self.system_role,
                written=self._written,
            ),
        )


_MEANINGS = {'{tools}': 'the tools are listed', '{example}': 'an example of a call stands'}
