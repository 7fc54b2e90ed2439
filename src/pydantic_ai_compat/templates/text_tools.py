"""What a chat template makes of a conversation whose tools are text, and when that is what fits it."""

from __future__ import annotations as _annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..lazy import TemplateFailure
from ..text.tools import tools_as_text
from .conversations import TOOLS
from .formats import content_formats
from .servers import hand_over, server_named
from .template import ChatTemplate

__all__ = ('TextDelivery', 'find_text_delivery', 'text_prompt')

_RESULTS = ('["Qfirst \\"1\\"", 1]', 'Qsecond <b>&', 'Qthird')
_NEEDLES = ('# Tools', 'Quserq', 'Qbeforeq', 'Qargq', *_RESULTS[:2], 'Qagainq', _RESULTS[2])
"""What has to be in the prompt, in this order; results in the characters that JSON and XML escape."""


@dataclass(frozen=True)
class TextDelivery:
    """How a conversation with tools as text arrives in the prompt."""

    system_role: str
    """The role of the system message that it was rendered with: `'user'` where the template knows no other."""

    prompt: str = ''
    """The prompt."""

    error: str = ''
    """Why there is none."""

    lost: tuple[str, ...] = ()
    """What is not in the prompt once and in order."""

    @property
    def intact(self) -> bool:
        """Whether everything arrives as it was sent, once, each result behind its call."""
        return not self.error and not self.lost


def text_prompt(
    template: ChatTemplate,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]],
    server: str = 'vllm',
    *,
    dialects: Sequence[str] = ('hermes',),
    system_role: str = 'system',
) -> str:
    """The prompt of a conversation whose tools are text.

    Args:
        template: The chat template.
        messages: The messages of a request with native tools.
        tools: Its tools, in the form of the API.
        server: A name of `SERVERS`.
        dialects: The dialects of calls, the one to write first.
        system_role: The role of the system message.

    Raises:
        TemplateFailure: The template refuses the conversation.
        OptionError: There is no such server, or no such dialect.
    """
    behind = server_named(server)
    used = template.for_llama_cpp() if behind.own_interpreter else template
    if system_role == 'user':
        # As the option `openai_system_prompt_role` sends them, for a template that knows no other role.
        messages = [{**one, 'role': 'user'} if one['role'] in ('system', 'developer') else one for one in messages]
    written = tools_as_text(messages, tools, dialects=dialects, system_role=system_role)
    handed = hand_over(written, behind.name, content_formats(used, template.caps))
    return used.try_rendering(handed.accepted(), None, True, **behind.variables)


def find_text_delivery(
    template: ChatTemplate, server: str = 'vllm', dialects: Sequence[str] = ('hermes',)
) -> TextDelivery:
    """Render a conversation with parallel calls, a second step and text between, and look for all that is in it.

    Args:
        template: The chat template.
        server: A name of `SERVERS`.
        dialects: The dialects of calls, the one to write first.

    Raises:
        OptionError: There is no such server, or no such dialect.
    """
    delivery = TextDelivery('system', error='not rendered')
    for role in ('system', 'user'):
        try:
            prompt = text_prompt(template, _conversation(role), TOOLS, server, dialects=dialects, system_role=role)
        except TemplateFailure as error:
            delivery = TextDelivery(role, error=str(error).removeprefix(f'{template.name}: '))
            continue
        places = [prompt.find(needle) for needle in _NEEDLES]
        lost = [
            needle
            for needle, place, before in zip(_NEEDLES, places, [-1, *places], strict=False)
            if prompt.count(needle) != 1 or (place < before and needle != 'Quserq')
        ]
        delivery = TextDelivery(role, prompt, lost=tuple(lost))
        if delivery.intact:
            break
    return delivery


def _conversation(system_role: str) -> list[dict[str, Any]]:
    return [
        {'role': system_role, 'content': 'Be brief.'},
        {'role': 'user', 'content': 'Quserq'},
        {'role': 'assistant', 'content': 'Qbeforeq', 'tool_calls': [_call('c1', 'Qargq'), _call('c2', 'x')]},
        {'role': 'tool', 'tool_call_id': 'c1', 'content': _RESULTS[0]},
        {'role': 'tool', 'tool_call_id': 'c2', 'content': _RESULTS[1]},
        {'role': 'assistant', 'content': None, 'tool_calls': [_call('c3', 'Qagainq')]},
        {'role': 'tool', 'tool_call_id': 'c3', 'content': _RESULTS[2]},
    ]


def _call(call_id: str, query: str) -> dict[str, Any]:
    arguments = json.dumps({'query': query, 'limit': 3})
    return {'id': call_id, 'type': 'function', 'function': {'name': 'get_items', 'arguments': arguments}}
