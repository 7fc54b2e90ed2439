"""Where a history policy and the options of a profile are about the same thing, and which of the two holds."""

from __future__ import annotations as _annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import cast

from pydantic_ai.profiles import ModelProfile
from pydantic_ai.profiles.openai import OpenAIModelProfile

from ..history import HistoryPolicy, get_policy, policy_name_for_url
from ..options.profile import OpenAICompatibleModelProfile

__all__ = ('policy_name', 'thinking_defaults', 'under_options')

_REASONING_FIELD = 'reasoning_content'
"""The field that H29, H30 and H31 are about."""

_SEND_BACK = 'openai_chat_send_back_thinking_parts'
_LIST_FORMAT = 'openai_chat_tool_return_list_format'

_OVERRULED: tuple[tuple[str, str, object], ...] = (
    ('H18', _LIST_FORMAT, 'text_parts'),
    ('H20', 'supports_inline_system_prompts', True),
    ('H21', 'openai_chat_supports_multiple_system_messages', True),
    ('H32', _SEND_BACK, 'field'),
    ('H33', 'openai_system_prompt_role', 'developer'),
)
"""Rules with the option and the value that ask for what the rule forbids."""


def policy_name(profile: OpenAICompatibleModelProfile, base_url: str) -> str:
    """The name or expression of the policy that is set, or that the host of `base_url` picks."""
    return profile.get('openai_chat_history_policy') or policy_name_for_url(base_url)


def thinking_defaults(profile: OpenAICompatibleModelProfile, base_url: str) -> ModelProfile:
    """What a policy that requires `reasoning_content` makes of the options about thoughts that nobody set.

    pydantic-ai sends a thought back in its field only to the provider of the name that it was made under, and writes
    any other into the visible text, where such a host then misses the field. Under H29 and H30 thoughts go back in the
    field whoever made them, as pydantic-ai's own providers for DeepSeek, Moonshot and Z.AI have it.

    Args:
        profile: The profile without these defaults, with what the user set.
        base_url: The endpoint, which picks the policy where none is set.

    Raises:
        OptionError: If there is no such policy.
    """
    if profile.get('openai_chat_history', 'repair') == 'off':
        return ModelProfile()
    requires = get_policy(policy_name(profile, base_url)).rules & {'H29', 'H30'}
    if not requires or profile.get('openai_chat_thinking_field', _REASONING_FIELD) != _REASONING_FIELD:
        return ModelProfile()
    return cast(
        ModelProfile,
        OpenAIModelProfile(openai_chat_thinking_field=_REASONING_FIELD, openai_chat_send_back_thinking_parts='field'),
    )


def under_options(
    policy: HistoryPolicy, profile: OpenAICompatibleModelProfile, user_options: Collection[str]
) -> tuple[HistoryPolicy, tuple[str, ...]]:
    """A policy without the rules that contradict what the user set.

    Args:
        policy: The policy.
        profile: The resolved profile of the model.
        user_options: The keys of the profile that the user set. What is inferred, from a host, a template or the name
            of a model, is not among them.

    Returns:
        The policy, and a sentence about each rule that does not hold.
    """
    values = cast('Mapping[str, object]', profile)
    overruled = [
        (rule, option, value)
        for rule, option, value in _OVERRULED
        if rule in policy.rules
        and option in user_options
        and values.get(option) == value
        and (option != _LIST_FORMAT or values.get('openai_chat_tool_return_as_list'))
    ]
    notes = tuple(
        f'`{option}`={value!r} is set, so {rule} of the history policy {policy.name!r} does not hold.'
        for rule, option, value in overruled
    )
    if any(option == _SEND_BACK for _, option, _ in overruled):
        # The field is no key that the host knows either.
        field = profile.get('openai_chat_thinking_field') or _REASONING_FIELD
        policy = dataclasses.replace(policy, message_keys=policy.message_keys | {field})
    return policy.extended(without=[rule for rule, _, _ in overruled]), notes
