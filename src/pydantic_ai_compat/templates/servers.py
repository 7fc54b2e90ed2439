"""What each server does with a conversation before the chat template sees it."""

from __future__ import annotations as _annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..lazy import TemplateFailure, errors
from .formats import ContentFormats
from .views import VIEWS, Refused, View

__all__ = ('SERVERS', 'SERVER_NAMES', 'HandedOver', 'Server', 'hand_over', 'server_named', 'server_view')


@dataclass(frozen=True)
class Server:
    """A server, or a proxy in front of one, and what is known about it."""

    name: str
    title: str
    source: str
    """Where the facts come from: source files by name and date, or a URL."""

    view: View
    own_interpreter: bool = False
    """Whether templates run in llama.cpp's interpreter and not in jinja2; see `ChatTemplate.for_llama_cpp`."""

    variables: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Variables that it gives to the template of its own accord."""


@dataclass(frozen=True)
class HandedOver:
    """A conversation as the template gets it."""

    messages: Sequence[Mapping[str, Any]]
    refused: str = ''
    """Why the server answers with an error instead; `messages` is then empty."""

    def accepted(self) -> Sequence[Mapping[str, Any]]:
        """The messages.

        Raises:
            TemplateFailure: The server answers with an error instead.
        """
        if self.refused:
            raise TemplateFailure(self.refused)
        return self.messages


SERVERS: Mapping[str, Server] = {
    server.name: server
    for server in (
        Server(
            'vllm',
            'vLLM 0.20 and newer',
            'vllm/renderers/chat_utils, be90fe16 (2026); run: vLLM 0.32; https://github.com/vllm-project/vllm/pull/39899',
            VIEWS['vllm'],
        ),
        Server(
            'vllm-0.19',
            'vLLM up to 0.19',
            'vllm/entrypoints/chat_utils.py of 0.9.2 to 0.19.1; https://github.com/vllm-project/vllm/issues/39614',
            VIEWS['vllm-0.19'],
        ),
        Server(
            'sglang',
            'SGLang 0.5',
            'sglang/srt/entrypoints/openai/serving_chat.py, 0.5.23; https://github.com/sgl-project/sglang/pull/22595',
            VIEWS['sglang'],
        ),
        Server(
            'llama.cpp',
            'llama.cpp server',
            'common/chat.cpp and common/jinja/caps.cpp, 571d0d5 (2026-07-18); run: b11549',
            VIEWS['llama.cpp'],
            own_interpreter=True,
            variables={'enable_thinking': True},
        ),
        Server(
            'ollama',
            'Ollama, /v1',
            'openai/openai.go, fb30760 (2026-08-21); its templates are Go, so a Jinja template tells only what goes in',
            VIEWS['ollama'],
        ),
        Server('tgi', 'Text Generation Inference', 'router/src/chat.rs, db931fc (2026-01-08)', VIEWS['tgi']),
        Server(
            'transformers',
            'transformers serve',
            'transformers 5.24, cli/serving/utils.py, get_processor_inputs_from_messages; run: 5.19',
            VIEWS['transformers'],
        ),
    )
}


_LITELLM = 'litellm'

SERVER_NAMES: tuple[str, ...] = (*SERVERS, _LITELLM)
"""The names of all servers; `litellm` is LiteLLM in front of vLLM, and `litellm+NAME` is LiteLLM in front of another."""


def server_named(name: str) -> Server:
    """The server of this name.

    Raises:
        OptionError: There is no such server.
    """
    proxy, _, behind = name.partition('+')
    if proxy == _LITELLM and (behind or 'vllm') in SERVERS:
        return _behind_litellm(SERVERS[behind or 'vllm'], name)
    if name in SERVERS:
        return SERVERS[name]
    raise errors.OptionError(
        f'`server`={name!r} does not fit: allowed are {", ".join(SERVER_NAMES)}, and `litellm+NAME` for LiteLLM '
        'in front of one of them.'
    )


def _behind_litellm(server: Server, name: str) -> Server:
    def view(messages: Sequence[Mapping[str, Any]], formats: ContentFormats) -> list[dict[str, Any]]:
        # It passes messages on as they are but for keys without a value (`cleanup_none_field_in_message`).
        present = [{key: value for key, value in message.items() if value is not None} for message in messages]
        return server.view(present, formats)

    source = f'LiteLLM 1.110, passed through for OpenAI-like providers; run: 1.108.7. Behind it: {server.source}'
    return dataclasses.replace(server, name=name, title=f'LiteLLM in front of {server.title}', source=source, view=view)


def hand_over(messages: Sequence[Mapping[str, Any]], server: str, formats: ContentFormats) -> HandedOver:
    """A conversation on the wire, as this server hands it to a template of these formats.

    `messages` are not changed. Roles, ids and fields that the server drops are dropped.
    """
    view = server_named(server).view
    try:
        return HandedOver(view(messages, formats))
    except Refused as refusal:
        return HandedOver((), str(refusal))


def server_view(content: object, server: str, formats: ContentFormats | None = None) -> HandedOver:
    """What becomes of the `content` of one tool message: the tool messages that the template gets for it.

    Args:
        content: What is on the wire: a string, a list of parts, or `None`.
        server: A name of `SERVERS`.
        formats: What the server found out about the template; without them, one that wants strings.
    """
    if formats is None:
        formats = ContentFormats()
    message = {'role': 'tool', 'tool_call_id': 'call_1', 'content': content}
    handed = hand_over([message], server, formats)
    return HandedOver([entry for entry in handed.messages if entry.get('role') == 'tool'], handed.refused)
