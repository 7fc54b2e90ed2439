"""Which server an endpoint is, by what it says of its models."""

from __future__ import annotations as _annotations

from collections.abc import Mapping

from .reading import mappings_in
from .runner import Answer

__all__ = ('OWNERS', 'server_kind')

OWNERS: Mapping[str, tuple[str, str]] = {
    'vllm': ('vllm', 'https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/engine/protocol.py'),
    'sglang': (
        'sglang',
        'https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/entrypoints/openai/protocol.py',
    ),
    'llamacpp': ('llama.cpp', 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-context.cpp'),
    # The namespace of the model's name, which for the models of Ollama's own library is this.
    'library': ('ollama', 'https://github.com/ollama/ollama/blob/main/openai/openai.go'),
    'organization_owner': ('lm-studio', 'https://github.com/JetBrains/koog/issues/139'),
}
"""By the `owned_by` of the models in `GET /models`: the name of the server, and where that was seen."""


def server_kind(models: Answer | None, server: str) -> str:
    """The name of the server; empty if nothing tells it.

    Args:
        models: The answer to `GET /models`, if that was asked.
        server: What the endpoint says in its `server` header.
    """
    for entry in mappings_in(models.body.get('data')) if models else ():
        owner = entry.get('owned_by')
        if isinstance(owner, str) and owner in OWNERS:
            return OWNERS[owner][0]
        if isinstance(owner, str) and owner == entry.get('id'):
            # It names the model itself as the owner.
            # https://github.com/huggingface/text-generation-inference/blob/main/router/src/server.rs
            return 'tgi'
    return 'llama.cpp' if 'llama.cpp' in server else ''
