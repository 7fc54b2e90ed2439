from __future__ import annotations as _annotations

from typing import Any

import pytest
from pydantic_ai.models.test import TestModel

from pydantic_ai_compat import ImportModelConfig
from pydantic_ai_compat.config.listing import ListedOption, ListedVariant, list_variant
from pydantic_ai_compat.errors import ConfigError
from pydantic_ai_compat.options.connection import shown_url

PATH = 'pydantic_ai_compat.OpenAICompatibleModel'


def list_kw_args(**kw_args: Any) -> dict[str, tuple[Any, str]]:
    variant = ImportModelConfig(model=PATH, kw_args={'model_name': 'm', **kw_args})
    return {option.name: (option.value, option.type) for option in list_variant('v', variant).options}


def test_a_variant_is_listed_with_what_its_options_became(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv('HOST', 'host:1')
    assert list_kw_args(
        base_url='http://user:pass@${HOST}/v1/',
        api_key='${KEY:-sk-local}',
        headers={'X-Team': 'secret-team'},
        timeout='30',
        max_retries='4',
        tool_return_as_list='yes',
        openai_chat_tool_return_list_format='messages',
        openai_system_prompt_role='developer',
        openai_supports_strict_tool_definition='off',
        openai_unsupported_model_settings='temperature, top_p',
        settings={'temperature': '0.5', 'extra_body': {'key': 'sk-body'}, 'extra_headers': '{"a": "sk-header"}'},
        profile={'supports_json_schema_output': 'yes'},
    ) == {
        'model_name': ('m', 'text'),
        'base_url': ('http://host:1/v1', 'text'),
        'api_key': ('***', 'text'),
        'headers': ({'X-Team': '***'}, 'map'),
        'timeout': (30.0, 'number'),
        'max_retries': (4, 'number'),
        'openai_chat_tool_return_as_list': (True, 'boolean'),
        'openai_chat_tool_return_list_format': ('messages', 'text'),
        'openai_system_prompt_role': ('developer', 'text'),
        'openai_supports_strict_tool_definition': (False, 'boolean'),
        'openai_unsupported_model_settings': (['temperature', 'top_p'], 'list'),
        'settings.temperature': (0.5, 'number'),
        'settings.extra_body': ({'key': '***'}, 'map'),
        'settings.extra_headers': ({'a': '***'}, 'map'),
        'supports_json_schema_output': (True, 'boolean'),
    }


def test_an_option_that_says_what_holds_anyway_is_listed_all_the_same():
    options = list_kw_args(base_url='http://host/v1', tool_return_as_list='false', openai_chat_include_usage='true')
    assert options['openai_chat_tool_return_as_list'] == (False, 'boolean')
    assert options['openai_chat_include_usage'] == (True, 'boolean')


def test_a_provider_is_listed_by_its_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-local')
    assert list_kw_args(provider='openai') == {'model_name': ('m', 'text'), 'provider': ('openai', 'text')}


def test_a_deprecated_option_is_listed_under_the_name_that_replaced_it_with_the_warning():
    variant = ImportModelConfig(
        model=PATH,
        kw_args={'model_name': 'm', 'base_url': 'http://host', 'openai_supports_tool_choice_required': 'false'},
    )
    listed = list_variant('v', variant)
    assert ListedOption(name='supports_forced_tool_choice', value=False, type='boolean') in listed.options
    (warning,) = listed.warnings
    assert 'openai_supports_tool_choice_required' in warning


def test_a_rule_that_an_option_overrules_is_listed_without_a_warning():
    """agentpool's users set the role `developer` for an address whose policy holds the role `system`."""
    kw_args = {'base_url': 'https://open.bigmodel.cn/api/paas/v4/', 'openai_system_prompt_role': 'developer'}
    listed = list_variant('v', ImportModelConfig(model=PATH, kw_args={'model_name': 'm', **kw_args}))
    assert (listed.notes, listed.warnings) == (
        ("`openai_system_prompt_role`='developer' is set, so H33 of the history policy 'zai' does not hold.",),
        (),
    )
    plain = ImportModelConfig(model=PATH, kw_args={'model_name': 'm', 'base_url': kw_args['base_url']})
    assert list_variant('v', plain).notes == ()


def test_the_name_of_a_provider_is_listed_where_it_is_set():
    assert list_kw_args(base_url='http://host/v1', provider_name='mine')['provider_name'] == ('mine', 'text')


def make_test_model(**kw_args: Any) -> TestModel:
    return TestModel()


def test_the_keywords_of_another_class_are_listed_as_written_without_what_looks_like_a_key(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr('pydantic_ai.models.test.make', make_test_model, raising=False)
    kw_args = {
        'name': '${NAME:-n}',
        'api_key': 'sk-1',
        'auth_headers': {'Authorization': 'sk-2'},
        'client': {'access_token': 'sk-3', 'retries': 3, 'ratio': 0.5, 'none': None},
        'tokens': ['sk-4'],
        'hosts': ['http://user:pass@a/v1', 'b'],
    }
    variant = ImportModelConfig(model='pydantic_ai.models.test:make', kw_args=kw_args)
    assert list_variant('other', variant) == ListedVariant(
        name='other',
        model='pydantic_ai.models.test:make',
        options=(
            ListedOption(name='name', value='${NAME:-n}', type='text'),
            ListedOption(name='api_key', value='***', type='text'),
            ListedOption(name='auth_headers', value={'Authorization': '***'}, type='map'),
            ListedOption(
                name='client',
                value={'access_token': '***', 'retries': 3, 'ratio': 0.5, 'none': None},
                type='map',
            ),
            ListedOption(name='tokens', value='***', type='text'),
            ListedOption(name='hosts', value=['http://a/v1', 'b'], type='list'),
        ),
        warnings=(),
    )


class Odd:
    pass


@pytest.mark.parametrize(
    'value, data, kind',
    [
        ({1: {'b', 'a'}}, {'1': ['a', 'b']}, 'map'),
        (frozenset({2, 1}), [1, 2], 'list'),
        ((1, None), [1, None], 'list'),
        (None, None, 'null'),
        (Odd, 'Odd', 'type'),
        (Odd(), 'Odd', 'Odd'),
    ],
)
def test_values_without_a_form_in_json_are_listed_by_their_class(
    monkeypatch: pytest.MonkeyPatch, value: Any, data: Any, kind: str
):
    """Factories take what they like, and a profile in Python holds classes."""
    monkeypatch.setattr('pydantic_ai.models.test.make', make_test_model, raising=False)
    variant = ImportModelConfig(model='pydantic_ai.models.test:make', kw_args={'x': value})
    assert list_variant('v', variant).options == (ListedOption(name='x', value=data, type=kind),)


def test_a_variant_that_cannot_be_built_is_an_error():
    with pytest.raises(ConfigError, match='tool_return_as_list'):
        list_kw_args(base_url='http://host', tool_return_as_list='maybe')


@pytest.mark.parametrize(
    'url, shown',
    [
        ('http://user:pass@host:1/v1/?token=t#x', 'http://host:1/v1'),
        ('https://host/', 'https://host'),
        ('', ''),
    ],
)
def test_an_address_is_shown_without_what_may_be_a_key(url: str, shown: str):
    assert shown_url(url) == shown
