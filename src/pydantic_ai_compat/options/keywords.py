"""The keywords of the model: which there are, and which of them are options of the profile."""

from __future__ import annotations as _annotations

from collections.abc import Iterable, Mapping

from pydantic_ai.exceptions import UserError
from pydantic_ai.models.openai import OpenAIChatModelSettings

from ..errors import OptionError, UnknownOptionError, shown
from .conversion import convert, key_annotations, nearest_name
from .profile import OpenAICompatibleModelProfile
from .variables import expand_variables

__all__ = ('profile_options', 'read_model_name')

_CONSTRUCTOR_OPTIONS = (
    'model_name',
    'base_url',
    'api_key',
    'provider',
    'tool_return_as_list',
    'headers',
    'timeout',
    'max_retries',
    'provider_name',
    'chat_template',
    'chat_template_server',
    'profile',
    'settings',
)


def read_model_name(model_name: object) -> str:
    """The name of a model with variables expanded.

    Raises:
        OptionError: If it is no text, as an unquoted `4.7` in YAML, or a variable is not set.
    """
    if not isinstance(model_name, str) or not model_name:
        raise OptionError(f'`model_name`={shown(model_name)} does not fit: allowed is the name of a model, as text.')
    return expand_variables(model_name, option='model_name')


def profile_options(options: Mapping[str, object], tool_return_as_list: bool | str | None) -> dict[str, object]:
    """The keywords that are profile options, with the short spelling of `openai_chat_tool_return_as_list` among them.

    Args:
        options: The keywords that the constructor does not name.
        tool_return_as_list: The value of the short spelling.

    Raises:
        UnknownOptionError: If a keyword is no option; it names the nearest, or the block that takes it.
        OptionError: If the value of the short spelling does not fit.
        UserError: If the two spellings contradict each other.
    """
    keys = key_annotations(OpenAICompatibleModelProfile)
    names = (*_CONSTRUCTOR_OPTIONS, *(key for key in keys if key.startswith('openai_')))
    for name in options:
        if name not in names:
            raise UnknownOptionError(_unknown_option(name, names))
    short = convert('tool_return_as_list', tool_return_as_list, bool | None)
    if short is None:
        return dict(options)
    long = options.get('openai_chat_tool_return_as_list')
    if long is not None and convert('openai_chat_tool_return_as_list', long, bool) != short:
        raise UserError(
            f'`tool_return_as_list`={shown(tool_return_as_list)} and `openai_chat_tool_return_as_list`={shown(long)} '
            'contradict each other: leave one of them out.'
        )
    return {**options, 'openai_chat_tool_return_as_list': short}


def _unknown_option(name: str, names: Iterable[str]) -> str:
    for block, typed_dict in (('profile', OpenAICompatibleModelProfile), ('settings', OpenAIChatModelSettings)):
        if name in key_annotations(typed_dict):
            return f'unknown option {shown(name)}: it goes under `{block}`'
    return f'unknown option {shown(name)}{nearest_name(name, names)}'
