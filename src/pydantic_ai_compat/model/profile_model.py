"""The layer of the model that knows the profile: what the user set, what a template or a server adds, and what follows."""

from __future__ import annotations as _annotations

import copy
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from openai import AsyncOpenAI
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.profiles import ModelProfile, ModelProfileSpec, merge_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import Provider
from pydantic_ai.settings import ModelSettings
from typing_extensions import override

from ..history import NameMap
from ..options.profile import DEFAULT_OPTIONS, OpenAICompatibleModelProfile, build_profile
from .history_hooks import HistoryGuard, HistoryOptions
from .policy_options import thinking_defaults
from .text_tools_model import TextToolsModel
from .tool_names import names_of
from .tool_returns import ToolReturnMapping

if TYPE_CHECKING:
    from .template_options import TemplateOptions

__all__ = ('ProfileModel',)


class ProfileModel(TextToolsModel):
    """A chat model whose profile is made of options, of a profile under them, and of what a template recommends."""

    def __init__(
        self,
        model_name: str,
        *,
        provider: str | Provider[AsyncOpenAI],
        keywords: Mapping[str, object],
        profile: ModelProfileSpec | None,
        settings: ModelSettings | None,
    ) -> None:
        """Initialize the model.

        Args:
            model_name: The model's name at the endpoint.
            provider: The provider, or its name.
            keywords: The options that were given as keywords, converted.
            profile: The profile under them.
            settings: Default model settings.
        """
        self._template_options: TemplateOptions | None = None
        self._keyword_options = frozenset(keywords)
        super().__init__(
            model_name, provider=cast(Any, provider), profile=build_profile(keywords, profile), settings=settings
        )

    @cached_property
    @override
    def profile(self) -> OpenAIModelProfile:
        profile = super().profile
        user = self._profile
        options = cast(OpenAICompatibleModelProfile, profile)
        takes_turns = options.get('openai_chat_tools') == 'text'
        several = profile.get('openai_chat_supports_multiple_system_messages', True)
        if (several and not takes_turns) or (isinstance(user, dict) and 'supports_inline_system_prompts' in user):
            return profile
        # A server that takes one system message takes none after a tool result either, nor does one for whose sake
        # tools are text, as its users and assistants take turns; pydantic-ai would put its notes about files and
        # look-alike tags there.
        return cast(OpenAIModelProfile, merge_profile(profile, ModelProfile(supports_inline_system_prompts=False)))

    @property
    def _resolved_profile(self) -> OpenAICompatibleModelProfile:
        return cast(OpenAICompatibleModelProfile, self.profile)

    @cached_property
    def _tool_return_mapping(self) -> ToolReturnMapping:
        return ToolReturnMapping.from_profile(self._resolved_profile)

    @override
    def _instance_profile_defaults(self, profile: ModelProfile) -> ModelProfile:
        defaults = merge_profile(DEFAULT_OPTIONS, super()._instance_profile_defaults(profile))
        user = cast(Any, self._profile)
        set_by_user = merge_profile(defaults, None if callable(user) else user)
        defaults = merge_profile(
            defaults, thinking_defaults(cast(OpenAICompatibleModelProfile, set_by_user), self.base_url)
        )
        if self._template_options is None:
            return defaults
        return merge_profile(defaults, self._template_options.options(set_by_user, self.base_url))

    @cached_property
    def _history(self) -> HistoryGuard:
        return HistoryGuard(
            HistoryOptions.from_profile(self._resolved_profile, self.base_url, user_options=self._user_options())
        )

    def _user_options(self) -> frozenset[str]:
        """The keys of the profile that the user set, where a function sets some, those that it changes."""
        user = self._profile
        if not callable(user):
            return frozenset(user or ())
        bare = copy.copy(self)
        bare._profile = None
        bare._forget_profile()
        inferred = cast('Mapping[str, object]', bare.profile)
        changed = (key for key, value in self.profile.items() if key not in inferred or inferred[key] != value)
        return self._keyword_options.union(changed)

    def _forget_profile(self) -> None:
        """Let the profile, and what follows from it, be made anew at the next look."""
        for name in ('profile', '_tool_return_mapping', '_text_tools', '_history'):
            vars(self).pop(name, None)

    async def _use_template(self) -> None:
        """Before the first request: ask a server for its template, and take up what is recommended."""
        options = self._template_options
        if options is not None and not options.is_used:
            await options.use(self.client, self._resolved_profile, self.base_url, self.model_name)
            self._forget_profile()
            options.warn_losses(self._resolved_profile)

    def _names(self, parameters: ModelRequestParameters) -> NameMap | None:
        options = self._history.options
        return names_of(parameters, options.policy, options.mode)

    def _changed_names(self, parameters: ModelRequestParameters) -> NameMap | None:
        """The same where a function goes out under another name than its own; `None` where none does."""
        names = self._names(parameters)
        return names if names is not None and names.changes else None
