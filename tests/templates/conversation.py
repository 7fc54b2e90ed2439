"""The sample templates beside this file, and conversations to render with them."""

from __future__ import annotations as _annotations

import functools
import os
from pathlib import Path
from typing import Any

from pydantic_ai_compat.templates import Abilities, ChatTemplate, abilities

SAMPLES = {path.stem: path for path in sorted((Path(__file__).parent / 'samples').glob('*.jinja'))}

TOKENS = {'bos_token': '<s>', 'eos_token': '</s>'}

TOOLS: list[dict[str, Any]] = [
    {
        'type': 'function',
        'function': {
            'name': 'get_items',
            'description': 'Finds <items> & "more": Äpfel',
            'parameters': {'type': 'object', 'properties': {'query': {'type': 'string'}}, 'required': ['query']},
        },
    }
]

SYSTEM = {'role': 'system', 'content': 'Be brief.'}
USER = {'role': 'user', 'content': 'Which "fruit" <b>?'}


def sample(name: str, **options: Any) -> ChatTemplate:
    return ChatTemplate(SAMPLES[name].read_text('utf-8'), name=name, special_tokens=TOKENS, **options)


@functools.cache
def known(name: str) -> Abilities:
    """What is found about a sample, which is no matter of a server or a test."""
    return abilities(sample(name))


def turn(*contents: Any, arguments: Any = None, **assistant: Any) -> list[dict[str, Any]]:
    """A conversation up to the results of one call, each in a tool message."""
    arguments = {'query': 'fruit'} if arguments is None else arguments
    called = {'id': 'callAB123', 'type': 'function', 'function': {'name': 'get_items', 'arguments': arguments}}
    results = [{'role': 'tool', 'tool_call_id': 'callAB123', 'content': content} for content in contents]
    return [SYSTEM, USER, {'role': 'assistant', 'content': '', 'tool_calls': [called], **assistant}, *results]


def corpus_folder() -> Path | None:
    """The folder with published templates, which is no part of the repository: beside it, or named by a variable."""
    named = os.environ.get('CHAT_TEMPLATE_CORPUS')
    folder = Path(named) if named else Path(__file__).parents[3] / 'shared' / 'chat_templates'
    return folder if (folder / 'rendered.json').is_file() else None
