"""What the options of a variant became, for people to check: typed, and without keys."""

from __future__ import annotations as _annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic_ai.models import Model

from ..model.history_hooks import HistoryOptions
from ..model.openai_compatible import OpenAICompatibleModel
from ..options.connection import shown_url
from ..options.profile import OpenAICompatibleModelProfile
from ..options.secrets import MASK, masked, without_secrets
from .import_config import ImportModelConfig

__all__ = ('MASK', 'ListedOption', 'ListedVariant', 'list_variant')

_LOOKS_SECRET = re.compile(r'key|token|secret|password|credential|auth|header|cookie', re.IGNORECASE)
_TYPE_NAMES: dict[type, str] = {
    bool: 'boolean',
    int: 'number',
    float: 'number',
    str: 'text',
    list: 'list',
    tuple: 'list',
    set: 'list',
    frozenset: 'list',
    dict: 'map',
    type(None): 'null',
}


@dataclass(frozen=True, kw_only=True)
class ListedOption:
    """One option of a variant.

    Attributes:
        name: The option; a setting is `settings.NAME`.
        value: What it became, as JSON data, with `***` for what is or may hold a key.
        type: What kind of value it is: `boolean`, `number`, `text`, `list`, `map`, `null` or the name of a class.
    """

    name: str
    value: Any
    type: str


@dataclass(frozen=True, kw_only=True)
class ListedVariant:
    """One variant of a file.

    Attributes:
        name: Its name in the file.
        model: The path that it imports.
        options: What its keywords became; for a class that is not ours, the keywords as they are written.
        warnings: What was said while its model was built, such as the use of a deprecated option.
        notes: Where what the variant sets wins over what is inferred, a sentence each: the rules of a history policy
            that do not hold.
    """

    name: str
    model: str
    options: tuple[ListedOption, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...] = ()


def list_variant(name: str, variant: ImportModelConfig) -> ListedVariant:
    """Build a variant's model and list what its options became.

    Raises:
        ConfigError: If the model cannot be built.
    """
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter('always')
        model = variant.get_model()
        options = _model_options(variant, model)
    return ListedVariant(
        name=name,
        model=variant.model,
        options=tuple(_listed(option, value) for option, value in options.items()),
        notes=_notes(variant, model),
        warnings=tuple(dict.fromkeys(str(warning.message) for warning in said)),
    )


def _model_options(variant: ImportModelConfig, model: Model) -> dict[str, object]:
    if not isinstance(model, OpenAICompatibleModel):
        return {name: _masked_by_name(name, value) for name, value in variant.kw_args.items()}
    client = model.client
    became: dict[str, object] = {
        'base_url': shown_url(model.base_url),
        'timeout': client.timeout,
        'max_retries': client.max_retries,
        'provider_name': model.system,
    }
    connection = {
        option: became.get(option, variant.kw_args[option])
        for option in ('base_url', 'provider', 'api_key', 'headers', 'timeout', 'max_retries', 'provider_name')
        if option in variant.kw_args
    }
    settings = {f'settings.{name}': value for name, value in without_secrets(model.settings or {}).items()}
    return {
        'model_name': model.model_name,
        **without_secrets(connection),
        **_profile_options(variant, model),
        **settings,
    }


def _profile_options(variant: ImportModelConfig, model: OpenAICompatibleModel) -> dict[str, object]:
    """The keys of the profile that the variant names, or that it makes differ from a variant without options."""
    profile = cast('Mapping[str, object]', model.profile)
    bare = cast('Mapping[str, object]', OpenAICompatibleModel(model.model_name, provider=model.provider).profile)
    differing = [key for key, value in profile.items() if key not in bare or bare[key] != value]
    return {key: profile[key] for key in (*_named_options(variant), *differing) if key in profile}


def _named_options(variant: ImportModelConfig) -> list[str]:
    block: object = variant.kw_args.get('profile')
    written = [*variant.kw_args, *(cast('dict[str, object]', block) if isinstance(block, dict) else ())]
    return ['openai_chat_tool_return_as_list' if name == 'tool_return_as_list' else name for name in written]


def _notes(variant: ImportModelConfig, model: Model) -> tuple[str, ...]:
    if not isinstance(model, OpenAICompatibleModel):
        return ()
    profile = cast(OpenAICompatibleModelProfile, model.profile)
    return HistoryOptions.from_profile(profile, model.base_url, _named_options(variant)).overruled


def _masked_by_name(name: str, value: object) -> object:
    """A value of a class that is not ours, masked if its name, or that of what it is in, looks like that of a key."""
    if _LOOKS_SECRET.search(name):
        return masked(value)
    if isinstance(value, dict):
        return {key: _masked_by_name(str(key), item) for key, item in cast('dict[object, object]', value).items()}
    if isinstance(value, list):
        return [_masked_by_name(name, item) for item in cast('list[object]', value)]
    return shown_url(value) if isinstance(value, str) and '://' in value else value


def _listed(name: str, value: object) -> ListedOption:
    kind = next((word for cls, word in _TYPE_NAMES.items() if type(value) is cls), type(value).__name__)
    return ListedOption(name=name, value=_as_data(value), type=kind)


def _as_data(value: object) -> object:
    """The value as JSON can hold it; what has no such form, such as a class, by its name."""
    match value:
        case dict():
            return {str(key): _as_data(item) for key, item in cast('dict[object, object]', value).items()}
        case list() | tuple():
            return [_as_data(item) for item in cast('list[object]', value)]
        case set() | frozenset():
            return sorted((_as_data(item) for item in cast('set[object]', value)), key=str)
        case bool() | int() | float() | str() | None:
            return value
        case type():
            return value.__qualname__
        case _:
            return type(value).__qualname__
