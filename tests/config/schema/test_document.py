from __future__ import annotations as _annotations

import inspect
import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import SchemaValidator

from pydantic_ai_compat import OpenAICompatibleModel, load_model_variants
from pydantic_ai_compat.config.schema.document import CONSTRUCTOR_ANNOTATIONS, model_variants_schema
from pydantic_ai_compat.errors import ConfigError
from pydantic_ai_compat.options.profile import DEFAULT_OPTIONS

ROOT = Path(__file__).parents[3]
SCHEMA = model_variants_schema()
VALIDATOR = SchemaValidator(SCHEMA)
YAML_BLOCK = re.compile(r'^```yaml\n(.*?)^```$', re.MULTILINE | re.DOTALL)
DOCUMENTED = [
    (page.name, block)
    for page in (ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md')))
    for block in YAML_BLOCK.findall(page.read_text('utf-8'))
    if 'model_variants:' in block
]


def variant(**kw_args: Any) -> dict[str, Any]:
    return {
        'model_variants': {
            'v': {
                'type': 'import',
                'model': 'pydantic_ai_compat.OpenAICompatibleModel',
                'kw_args': {'model_name': 'm', 'base_url': 'http://host/v1', **kw_args},
            }
        }
    }


def loads(document: dict[str, Any]) -> bool:
    try:
        for config in load_model_variants(json.dumps(document)).values():
            config.get_model()
    except ConfigError:
        return False
    return True


@pytest.mark.parametrize('page, block', DOCUMENTED, ids=[page for page, _ in DOCUMENTED])
def test_the_documented_files_are_valid(page: str, block: str):
    assert VALIDATOR.errors(yaml.safe_load(block)) == []


def test_at_least_the_page_on_yaml_and_those_of_the_servers_hold_a_file():
    assert {'yaml.md', 'vllm.md', 'zai.md'} <= {page for page, _ in DOCUMENTED}


GOOD: list[dict[str, Any]] = [
    {},
    {'tool_return_as_list': 'true', 'openai_chat_tool_return_list_format': 'messages'},
    {'tool_return_as_list': True, 'timeout': 30, 'max_retries': '0'},
    {'headers': {'X-A': 'b'}, 'api_key': 'k'},
    {'headers': '{"X-A": "b"}'},
    {'openai_system_prompt_role': None},
    {'openai_unsupported_model_settings': ['temperature']},
    {'openai_unsupported_model_settings': 'temperature, top_p'},
    {'settings': {'temperature': '0.5', 'extra_body': {'any': ['thing']}, 'logit_bias': {'1': 2}}},
    {'settings': '{"temperature": 0.5}'},
    {'settings': {'anthropic_thinking': {'type': 'enabled'}}},
    {'profile': {'supports_json_schema_output': 'yes', 'openai_chat_thinking_field': 'reasoning'}},
    {'profile': '{"supports_tools": false}'},
    {'openai_chat_send_back_thinking_parts': 'false'},
]
BAD: list[dict[str, Any]] = [
    {'tool_retrun_as_list': 'true'},
    {'tool_return_as_list': 'maybe'},
    {'openai_chat_tool_return_list_format': 'part'},
    {'openai_no_such_option': True},
    {'supports_tools': True},
    {'temperature': 0.5},
    {'model_name': 4.7},
    {'timeout': 'soon'},
    {'max_retries': 1.5},
    {'headers': ['a']},
    {'openai_unsupported_model_settings': [1]},
    {'settings': {'temperatur': 0.5}},
    {'settings': {'temperature': 'warm'}},
    {'settings': 'hot'},
    {'profile': {'no_such_key': 1}},
    {'profile': {'supports_tools': 'perhaps'}},
    {'profile': {'json_schema_transformer': 'a.b.C'}},
]


@pytest.mark.parametrize('kw_args', GOOD)
def test_what_the_loader_takes_is_valid(kw_args: dict[str, Any]):
    document = variant(**kw_args)
    assert VALIDATOR.errors(document) == []
    assert loads(document)


@pytest.mark.parametrize('kw_args', BAD)
def test_what_the_loader_refuses_is_invalid(kw_args: dict[str, Any]):
    document = variant(**kw_args)
    assert not VALIDATOR.is_valid(document)
    assert not loads(document)


def without(document: dict[str, Any], *path: str) -> dict[str, Any]:
    copy = deepcopy(document)
    inner = copy
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return copy


@pytest.mark.parametrize(
    'document',
    [
        without(variant(), 'model_variants', 'v', 'model'),
        without(variant(), 'model_variants', 'v', 'kw_args', 'model_name'),
        without(variant(), 'model_variants', 'v', 'kw_args'),
        without(variant(), 'model_variants'),
        {'model_variants': {'v': {**variant()['model_variants']['v'], 'kwargs': {}}}},
        {'model_variants': {'v': {**variant()['model_variants']['v'], 'type': 5}}},
        {'model_variants': {'v': {'model': 'a.__main__.b'}}},
        {'model_variants': {'v': {'model': 'no_dot'}}},
        {'model_variants': {'v': {'model': 'a.b-c'}}},
        {'model_variants': []},
    ],
)
def test_a_file_of_another_shape_is_invalid(document: dict[str, Any]):
    assert not VALIDATOR.is_valid(document)
    assert not loads(document)


def test_the_keywords_of_another_class_are_not_restricted():
    document: dict[str, Any] = {
        'model_variants': {'v': {'model': 'pydantic_ai.models.test:TestModel', 'kw_args': {'call_tools': []}}}
    }
    assert VALIDATOR.is_valid(document)
    assert VALIDATOR.is_valid({'other_section': 1, **document})


@pytest.mark.parametrize(
    'path', ['pydantic_ai_compat:OpenAICompatibleModel', 'pydantic_ai_compat.model.OpenAICompatibleModel']
)
def test_our_class_is_checked_under_each_of_its_paths(path: str):
    document = variant(nonsense=1)
    document['model_variants']['v']['model'] = path
    assert not VALIDATOR.is_valid(document)


def test_each_argument_of_the_constructor_has_a_schema_and_a_description():
    """Profile options come in through `**options`."""
    arguments = set(inspect.signature(OpenAICompatibleModel).parameters) - {'options'}
    assert arguments == {*CONSTRUCTOR_ANNOTATIONS, 'profile', 'settings'}
    keywords = SCHEMA['definitions']['keywords']['properties']
    assert all(keywords[name]['description'] for name in arguments)


@pytest.mark.parametrize('option', DEFAULT_OPTIONS)
def test_each_option_of_ours_has_a_description_and_its_default(option: str):
    schema = SCHEMA['definitions']['profile']['properties'][option]
    assert schema['default'] == json.loads(json.dumps(DEFAULT_OPTIONS.get(option)))
    assert schema['description']
    assert SCHEMA['definitions']['keywords']['properties'][option] == {
        '$ref': f'#/definitions/profile/properties/{option}'
    }
