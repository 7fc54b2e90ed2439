"""Model settings from YAML or text to the types that pydantic-ai's settings say."""

from __future__ import annotations as _annotations

import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import cast

from pydantic_ai.models.openai import OpenAIChatModelSettings, OpenAIResponsesModelSettings
from pydantic_ai.settings import ModelSettings

from ..errors import IgnoredOptionWarning, OptionError
from .conversion import convert_known, key_annotations
from .request_values import read_headers, read_timeout
from .variables import read_json_text

__all__ = ('build_settings', 'read_mapping', 'warn_ignored_settings')


def build_settings(settings: Mapping[str, object] | ModelSettings | str | None) -> ModelSettings | None:
    """Convert model settings, such as a `settings:` block from YAML, to their types.

    Args:
        settings: The settings, or a JSON object as text. `extra_body` carries what a server alone knows; variables in
            the values of `extra_headers` are expanded, as a placeholder is never sent as a header.

    Raises:
        OptionError: If a value does not fit; it names the setting, the value and what is allowed.
        UnknownOptionError: If a setting belongs to nobody; it names the nearest known one.
    """
    values = read_mapping('settings', settings)
    if values is None:
        return None
    # The keys of the Responses API are known too, so that one gets the warning that says why it has no effect.
    untimed = {name: value for name, value in values.items() if name != 'timeout'}
    converted = convert_known(untimed, OpenAIResponsesModelSettings)
    if converted.get('extra_headers') is not None:
        converted['extra_headers'] = read_headers(converted['extra_headers'], option='settings.extra_headers')
    if (timeout := read_timeout(values.get('timeout'), option='settings.timeout')) is not None:
        converted['timeout'] = timeout
    return cast(ModelSettings, converted)


def warn_ignored_settings(settings: ModelSettings | None, warned: set[str]) -> None:
    """Warn once about each setting that only OpenAI's Responses API reads.

    Args:
        settings: The settings of a model or of one request.
        warned: The settings already warned about; added to.
    """
    if not settings:
        return
    ignored = (settings.keys() & _responses_only()) - warned
    for setting in sorted(ignored):
        warned.add(setting)
        warnings.warn(
            f'The setting `{setting}` has no effect on chat completions: only the Responses API reads it.',
            IgnoredOptionWarning,
            stacklevel=4,
        )


def _responses_only() -> frozenset[str]:
    return frozenset(key_annotations(OpenAIResponsesModelSettings)) - frozenset(
        key_annotations(OpenAIChatModelSettings)
    )


def read_mapping(option: str, value: object) -> Mapping[str, object] | None:
    """A mapping or nothing as it is, or read from JSON text: a loader that knows only strings can give nothing else.

    Raises:
        OptionError: If the value is neither a mapping nor a JSON object; the value itself stays out of the message.
    """
    if isinstance(value, str):
        with suppress(ValueError, RecursionError):  # what cannot be read stays text, and is no mapping
            value = read_json_text(value)
    if value is not None and not isinstance(value, Mapping):
        raise OptionError(f'`{option}` does not fit: allowed is a map, or a JSON object as text.')
    return cast('Mapping[str, object] | None', value)
