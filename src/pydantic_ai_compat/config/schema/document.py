"""The JSON schema of a file of model variants, derived from the code that loads the file."""

from __future__ import annotations as _annotations

import pkgutil
from collections.abc import Mapping
from typing import Any, cast

import pydantic_ai.models
import pydantic_ai.profiles
from pydantic_ai.models.openai import OpenAIChatModelSettings

from ...model.openai_compatible import OpenAICompatibleModel
from ...options.conversion import key_annotations
from ...options.profile import DEFAULT_OPTIONS, OpenAICompatibleModelProfile
from ..import_config import ImportModelConfig
from .docstrings import argument_docs, attribute_docs
from .options import JsonSchema, is_settable, option_schema

__all__ = ('CONSTRUCTOR_ANNOTATIONS', 'model_variants_schema')

# What the constructor makes of each argument; its own annotations also allow any text.
CONSTRUCTOR_ANNOTATIONS: Mapping[str, Any] = {
    'model_name': str,
    'base_url': str | None,
    'api_key': str | None,
    'provider': str | None,
    'tool_return_as_list': bool | None,
    'headers': dict[str, str] | None,
    'timeout': float | None,
    'max_retries': int | None,
    'provider_name': str | None,
    'chat_template': str | None,
    'chat_template_server': str | None,
}

_OUR_PATHS = [
    f'pydantic_ai_compat{module}{separator}OpenAICompatibleModel' for module in ('', '.model') for separator in '.:'
]

# A name that is not one of Python's own, such as `__main__`.
_NAME = r'(?!__)[^\W\d]\w*'


def model_variants_schema() -> JsonSchema:
    """The schema, in draft 7, which the YAML language server knows best.

    A variant of `OpenAICompatibleModel` may hold the options that the loader knows, each with the values that fit its
    type and the texts that stand for them. The keywords of any other class are not restricted.
    """
    return {
        '$schema': 'http://json-schema.org/draft-07/schema#',
        'title': 'Model variants for pydantic-ai-compat',
        'type': 'object',
        'required': ['model_variants'],
        'properties': {
            'model_variants': {
                'description': 'The variants by name. Other keys of the file belong to whoever shares it.',
                'type': 'object',
                'additionalProperties': {'$ref': '#/definitions/variant'},
            }
        },
        'definitions': {
            'variant': _variant_schema(),
            'keywords': _keywords_schema(),
            'profile': _block_schema(OpenAICompatibleModelProfile, DEFAULT_OPTIONS),
            'settings': _block_schema(OpenAIChatModelSettings, {}),
        },
    }


def _variant_schema() -> JsonSchema:
    """An entry of ours, or one that another loader of the file knows by its `type`."""
    return {
        'type': 'object',
        'properties': {'type': {'type': 'string', 'description': attribute_docs(ImportModelConfig)['type']}},
        'if': {'properties': {'type': {'const': 'import'}}},
        'then': _import_schema(),
    }


def _import_schema() -> JsonSchema:
    docs = attribute_docs(ImportModelConfig)
    ours = {'required': ['model'], 'properties': {'model': {'enum': _OUR_PATHS}}}
    return {
        'required': ['model'],
        'additionalProperties': False,
        'properties': {
            'type': {'const': 'import'},
            'model': {
                'description': docs['model'],
                # The first is for the editor to offer; any path that can name a class or a function will do.
                'anyOf': [
                    {'const': _OUR_PATHS[0]},
                    {'type': 'string', 'pattern': rf'^{_NAME}(\.{_NAME})*[.:]{_NAME}(\.{_NAME})*$'},
                ],
            },
            'kw_args': {'description': docs['kw_args'], 'type': 'object'},
        },
        'if': ours,
        'then': {'required': ['kw_args'], 'properties': {'kw_args': {'$ref': '#/definitions/keywords'}}},
    }


def _keywords_schema() -> JsonSchema:
    docs = argument_docs(OpenAICompatibleModel.__init__)
    properties: dict[str, JsonSchema] = {
        name: {'description': docs[name], **option_schema(annotation)}
        for name, annotation in CONSTRUCTOR_ANNOTATIONS.items()
    }
    for block in ('profile', 'settings'):
        reference = {'$ref': f'#/definitions/{block}'}
        as_text = {'type': 'string', 'pattern': r'^\s*\{|\$\{', 'description': 'The map as JSON text.'}
        properties[block] = {'description': docs[block], 'anyOf': [reference, {'type': 'null'}, as_text]}
    for name, annotation in key_annotations(OpenAICompatibleModelProfile).items():
        if name.startswith('openai_') and is_settable(annotation):
            properties[name] = {'$ref': f'#/definitions/profile/properties/{name}'}
    return {'type': 'object', 'required': ['model_name'], 'additionalProperties': False, 'properties': properties}


def _block_schema(typed_dict: type, defaults: Mapping[str, Any]) -> JsonSchema:
    docs = attribute_docs(typed_dict)
    properties: dict[str, JsonSchema] = {}
    for name, annotation in key_annotations(typed_dict).items():
        if is_settable(annotation):
            described = {'description': docs[name]} if name in docs else {}
            default = {'default': _as_json(defaults[name])} if name in defaults else {}
            properties[name] = {**described, **option_schema(annotation), **default}
    return {
        'type': 'object',
        'additionalProperties': False,
        'properties': properties,
        # Keys that are another provider's, which pydantic-ai's merging of profiles and settings lets through.
        'patternProperties': {f'^({"|".join(_other_providers())})_': {}},
    }


def _as_json(default: object) -> object:
    return list(cast('tuple[object, ...]', default)) if isinstance(default, tuple) else default


def _other_providers() -> list[str]:
    """The prefixes of keys that belong to other providers, by the modules that pydantic-ai has for them."""
    packages = (pydantic_ai.models, pydantic_ai.profiles)
    modules = {module.name for package in packages for module in pkgutil.iter_modules(package.__path__)}
    return sorted(name for name in modules if '_' not in name and name != 'openai')
