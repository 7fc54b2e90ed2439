"""The hooks of the model behind the option `openai_chat_tools`."""

from __future__ import annotations as _annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from openai.types import chat
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModelSettings
from pydantic_ai.profiles import ModelProfile, merge_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.settings import ModelSettings
from typing_extensions import override

from ..errors import IgnoredOptionWarning
from ..options.profile import OpenAICompatibleModelProfile
from ..transport import LeanChatModel

if TYPE_CHECKING:
    from .text_tools import TextTools

__all__ = ('TextToolsModel',)

_DEFAULT_DIALECT = 'hermes'
"""What is written where nothing says what the model was trained on: the form that most templates share."""


class TextToolsModel(LeanChatModel):
    """A chat model whose tools can be text of the messages; with native tools, nothing is changed."""

    @cached_property
    @override
    def profile(self) -> OpenAIModelProfile:
        return _with_text_tools(super().profile)

    @cached_property
    def _text_tools(self) -> TextTools | None:
        profile = cast(OpenAICompatibleModelProfile, self.profile)
        if profile.get('openai_chat_tools') != 'text':
            if profile.get('openai_chat_tools_prompt') is not None:
                warnings.warn(
                    "`openai_chat_tools_prompt` has no effect without `openai_chat_tools`='text'.",
                    IgnoredOptionWarning,
                    stacklevel=2,
                )
            return None
        from .text_tools import TextTools  # with all that writes tools and calls as text

        return TextTools.from_profile(profile)

    @override
    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        settings, parameters = super().prepare_request(model_settings, model_request_parameters)
        return (self._text_tools.settings(settings, parameters) if self._text_tools else settings), parameters

    @override
    def customize_request_parameters(self, model_request_parameters: ModelRequestParameters) -> ModelRequestParameters:
        customized = super().customize_request_parameters(model_request_parameters)
        return self._text_tools.parameters(customized) if self._text_tools else customized

    @override
    def _supports_tool_forcing(
        self, model_settings: OpenAIChatModelSettings, model_request_parameters: ModelRequestParameters
    ) -> bool:
        # As text it is a sentence, which no server refuses.
        return bool(self._text_tools) or super()._supports_tool_forcing(model_settings, model_request_parameters)

    @override
    def _get_tool_choice(
        self, model_settings: OpenAIChatModelSettings, model_request_parameters: ModelRequestParameters
    ) -> tuple[list[chat.ChatCompletionToolParam], Any]:
        # As text they go into the messages, and the body of the request has none.
        return ([], None) if self._text_tools else super()._get_tool_choice(model_settings, model_request_parameters)

    def _with_tools_as_text(
        self,
        mapped: list[chat.ChatCompletionMessageParam],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> list[chat.ChatCompletionMessageParam]:
        """The last step on the way of the messages into the body: behind the mapping and what is made of the history."""
        if self._text_tools is None:
            return mapped
        settings = cast(OpenAIChatModelSettings, model_settings or {})
        tools, choice = super()._get_tool_choice(settings, model_request_parameters)
        return self._text_tools.apply(mapped, tools, choice, model_settings)

    @override
    async def _completions_create(
        self,
        messages: Sequence[ModelMessage],
        stream: bool,
        model_settings: OpenAIChatModelSettings,
        model_request_parameters: ModelRequestParameters,
    ) -> Any:
        if self._text_tools:
            model_request_parameters = self._text_tools.without_format(model_request_parameters)
        return await super()._completions_create(messages, stream, model_settings, model_request_parameters)


def _with_text_tools(profile: OpenAIModelProfile) -> OpenAIModelProfile:
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
