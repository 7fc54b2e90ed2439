"""The option `openai_chat_tools`: what a request with tools becomes for a model or server that has none."""

from __future__ import annotations as _annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from openai.types import chat
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.profiles import DEFAULT_PROMPTED_OUTPUT_TEMPLATE
from pydantic_ai.settings import ModelSettings, merge_model_settings

from ..errors import OptionError
from ..options.profile import OpenAICompatibleModelProfile
from ..text.dialects.registry import pick
from ..text.tools import ResultFrame, ToolsPrompt, WrittenCalls, check_prompt, tools_as_text

__all__ = ('TextTools',)

_MOST_STOP_WORDS = 4
"""OpenAI's limit. <https://platform.openai.com/docs/api-reference/chat/create>"""


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
    def from_profile(cls, profile: OpenAICompatibleModelProfile) -> TextTools:
        """Read the options of a profile in which tools are text.

        Raises:
            OptionError: If a value does not fit.
        """
        prompt = profile.get('openai_chat_tools_prompt')
        if isinstance(prompt, str) and (missing := check_prompt(prompt)) is not None:
            raise OptionError(
                f'`openai_chat_tools_prompt`={prompt[:200]!r} does not fit: the text needs `{missing}` in it, where '
                f'{_MEANINGS[missing]}.'
            )
        names = profile.get('openai_chat_text_tool_calls', ())
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
