from __future__ import annotations as _annotations

from typing import Any

import pytest
from pydantic_ai.exceptions import PydanticAIDeprecationWarning
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.profiles.openai import OpenAIModelProfile

from pydantic_ai_compat import OpenAICompatibleModel, OpenAICompatibleModelProfile, build_profile
from pydantic_ai_compat.errors import OptionError, UnknownOptionError
from pydantic_ai_compat.options.conversion import key_annotations
from pydantic_ai_compat.options.profile import DEFAULT_OPTIONS

HOST = 'http://localhost:8000/v1'


def test_options_become_a_typed_partial_profile() -> None:
    assert build_profile(
        {
            'openai_chat_tool_return_as_list': 'true',
            'openai_chat_tool_return_list_format': 'messages',
            'openai_chat_empty_tool_return': 'null',
            'openai_system_prompt_role': 'developer',
            'openai_chat_send_back_thinking_parts': 'off',
            'openai_unsupported_model_settings': 'temperature, top_p',
            'openai_chat_thinking_false_body': '{"thinking": {"type": "disabled"}}',
        }
    ) == {
        'openai_chat_tool_return_as_list': True,
        'openai_chat_tool_return_list_format': 'messages',
        'openai_chat_empty_tool_return': None,
        'openai_system_prompt_role': 'developer',
        'openai_chat_send_back_thinking_parts': False,
        'openai_unsupported_model_settings': ['temperature', 'top_p'],
        'openai_chat_thinking_false_body': {'thinking': {'type': 'disabled'}},
    }


def test_options_go_over_a_dict_whose_text_is_converted_too() -> None:
    base = ModelProfile(supports_thinking='yes', thinking_tags='<a>, </a>')  # type: ignore[typeddict-item]
    assert build_profile({'openai_chat_include_usage': 'no'}, base) == {
        'supports_thinking': True,
        'thinking_tags': ('<a>', '</a>'),
        'openai_chat_include_usage': False,
    }
    assert base == {'supports_thinking': 'yes', 'thinking_tags': '<a>, </a>'}


def test_options_go_over_a_function_that_sees_the_resolved_profile() -> None:
    seen: list[ModelProfile] = []

    def base(resolved: ModelProfile) -> ModelProfile:
        seen.append(resolved)
        return {**resolved, 'openai_chat_include_usage': 'true', 'supports_thinking': 'true'}  # type: ignore[typeddict-unknown-key]

    merged = build_profile({'openai_chat_include_usage': 'no'}, base)
    assert merged(ModelProfile(supports_tools=True)) == {
        'supports_tools': True,
        'supports_thinking': True,
        'openai_chat_include_usage': False,
    }
    assert seen == [{'supports_tools': True}]


def test_a_default_that_nobody_set_is_in_the_models_profile() -> None:
    profile = OpenAICompatibleModel('m', base_url=HOST).profile
    assert {key: profile.get(key, 'absent') for key in DEFAULT_OPTIONS} == DEFAULT_OPTIONS
    assert 'openai_chat_history_policy' not in profile


def test_every_option_of_ours_has_a_default_but_those_that_the_host_and_its_policy_decide() -> None:
    ours = key_annotations(OpenAICompatibleModelProfile).keys() - key_annotations(OpenAIModelProfile).keys()
    assert ours - DEFAULT_OPTIONS.keys() == {'openai_chat_history_policy', 'openai_chat_tool_call_content'}


def as_list(resolved: ModelProfile) -> ModelProfile:
    return {**resolved, 'openai_chat_tool_return_as_list': 'true'}  # type: ignore[typeddict-unknown-key]


@pytest.mark.parametrize(
    'options',
    [
        {'tool_return_as_list': 'true'},
        {'tool_return_as_list': True},
        {'openai_chat_tool_return_as_list': 'on'},
        {'tool_return_as_list': 'true', 'openai_chat_tool_return_as_list': 'yes'},
        {'profile': {'openai_chat_tool_return_as_list': True}},
        {'profile': {'openai_chat_tool_return_as_list': 'true'}},
        {'profile': '{"openai_chat_tool_return_as_list": "true"}'},
        {'profile': as_list},
        {'profile': {'openai_chat_tool_return_as_list': False}, 'tool_return_as_list': 'true'},
    ],
)
def test_the_models_profile_tells_what_holds_however_it_was_set(options: dict[str, Any]) -> None:
    assert OpenAICompatibleModel('m', base_url=HOST, **options).profile['openai_chat_tool_return_as_list'] is True  # type: ignore[typeddict-item]


def test_a_deprecated_key_takes_effect_with_pydantic_ais_warning() -> None:
    """`openai_supports_tool_choice_required` became `supports_forced_tool_choice`."""
    with pytest.warns(PydanticAIDeprecationWarning, match='openai_supports_tool_choice_required'):
        model = OpenAICompatibleModel('m', base_url=HOST, openai_supports_tool_choice_required='false')
    assert model.profile.get('supports_forced_tool_choice') is False


def test_a_deprecated_key_in_the_result_of_a_function_takes_effect() -> None:
    def legacy(resolved: ModelProfile) -> ModelProfile:
        return {**resolved, 'openai_supports_tool_choice_required': 'false'}  # type: ignore[typeddict-unknown-key]

    with pytest.warns(PydanticAIDeprecationWarning, match='openai_supports_tool_choice_required'):
        model = OpenAICompatibleModel('m', base_url=HOST, profile=legacy, openai_chat_include_usage='no')
    assert model.profile.get('supports_forced_tool_choice') is False


def test_a_value_and_a_name_that_do_not_fit_are_errors() -> None:
    with pytest.raises(OptionError, match=r"`openai_chat_history`='fix' does not fit: allowed is 'repair', 'check'"):
        build_profile({'openai_chat_history': 'fix'})
    with pytest.raises(UnknownOptionError, match="'openai_chat_histroy', did you mean 'openai_chat_history'?"):
        build_profile({'openai_chat_histroy': 'off'})
    with pytest.raises(UnknownOptionError, match="'suports_tools', did you mean 'supports_tools'?"):
        build_profile({}, {'suports_tools': True})  # type: ignore[typeddict-unknown-key]
