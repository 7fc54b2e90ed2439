"""Marks of tool calls that are special tokens: a server takes them out of the text unless it is told not to."""

from __future__ import annotations as _annotations

import re
from collections.abc import Collection, Mapping
from typing import cast

from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from ..options.profile import OpenAICompatibleModelProfile

__all__ = ('takes_special_tokens', 'with_special_tokens')

_SERVERS = frozenset(('vllm', 'vllm-0.19', 'sglang'))
"""The servers with the parameter `skip_special_tokens`, as policies, `chat_template_server` and providers name them.

<https://docs.vllm.ai/en/latest/serving/openai_compatible_server/>, <https://docs.sglang.ai/basic_usage/sampling_params>
"""


def takes_special_tokens(profile: OpenAICompatibleModelProfile, names: Collection[str | None]) -> bool:
    """Whether the server is known to be one that takes `skip_special_tokens`; others may refuse a request with it.

    Args:
        profile: The profile, whose history policy may name the server.
        names: Other names that the server goes by.
    """
    policy = re.split(r'[+-]H', profile.get('openai_chat_history_policy', ''), maxsplit=1)[0]
    return not _SERVERS.isdisjoint((policy, *names))


def with_special_tokens(
    settings: ModelSettings | None, profile: OpenAICompatibleModelProfile, parameters: ModelRequestParameters
) -> ModelSettings | None:
    """Settings that let special tokens through, where calls are read from the text by marks that are such tokens.

    What the user set in `extra_body` stays.
    """
    names = profile.get('openai_chat_text_tool_calls')
    if not names or not (parameters.function_tools or parameters.output_tools):
        return settings
    from ..text.dialects.registry import pick

    if not any(table.special for dialect in pick(names) for table in dialect.tables):
        return settings
    body = (settings or {}).get('extra_body')
    if body is not None and (not isinstance(body, Mapping) or 'skip_special_tokens' in body):
        return settings
    given = cast('Mapping[str, object]', body or {})
    return cast(ModelSettings, {**(settings or {}), 'extra_body': {**given, 'skip_special_tokens': False}})
