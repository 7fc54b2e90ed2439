"""The keywords of the model's constructor that are profile options."""

from __future__ import annotations as _annotations

from collections.abc import Iterable, Mapping

from pydantic_ai.exceptions import UserError
from pydantic_ai.models.openai import OpenAIChatModelSettings

from .conversion import convert, key_annotations, nearest_name
from .errors import UnknownOptionError
from .profile import OpenAICompatibleModelProfile

__all__ = ('profile_options',)

_CONSTRUCTOR_OPTIONS = (
    'model_name',
    'base_url',
    'api_key',
    'provider',
    'tool_return_as_list',
    'headers',
    'timeout',
    'max_retries',
    'chat_template',
    'chat_template_server',
    'profile',
    'settings',
)


def profile_options(options: Mapping[str, object], tool_return_as_list: bool | str | None) -> dict[str, object]:
    """The keywords that are profile options, with the short spelling of `openai_chat_tool_return_as_list` among them."""
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
            f'`tool_return_as_list`={tool_return_as_list!r} and `openai_chat_tool_return_as_list`={long!r} '
            'contradict each other: leave one of them out.'
        )
    return {**options, 'openai_chat_tool_return_as_list': short}


def _unknown_option(name: str, names: Iterable[str]) -> str:
    for block, typed_dict in (('profile', OpenAICompatibleModelProfile), ('settings', OpenAIChatModelSettings)):
        if name in key_annotations(typed_dict):
            return f'unknown option {name!r}: it goes under `{block}`'
    return f'unknown option {name!r}{nearest_name(name, names)}'
