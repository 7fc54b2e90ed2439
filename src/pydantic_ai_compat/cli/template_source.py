"""The chat template and the history that a subcommand was given by name."""

from __future__ import annotations as _annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .console import fail

if TYPE_CHECKING:
    from ..templates import ChatTemplate

__all__ = ('read_conversation', 'read_key', 'read_template')


def read_key(variable: str | None) -> str | None:
    """The key in an environment variable; it is named on the command line, so that the key itself never stands there."""
    if variable is None:
        return None
    key = os.environ.get(variable)
    if not key:
        fail(f'the environment variable {variable} is not set')
    return key


def read_template(source: str, api_key: str | None = None) -> ChatTemplate:
    """The template in a file or folder, or of the server at an address."""
    from pydantic_ai.exceptions import UserError

    try:
        from ..templates import ChatTemplate
    except ModuleNotFoundError as error:
        fail(str(error))
    try:
        if source.startswith(('http://', 'https://')):
            return ChatTemplate.from_server(source, api_key=api_key)
        return ChatTemplate.from_file(source)
    except UserError as error:
        fail(str(error))


def read_conversation(path: Path) -> tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]] | None]:
    """The wire messages and the tools in a file: a list of messages, or a request body."""
    try:
        content: object = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        fail(f'{path} is no JSON: {error}')
    tools: object = None
    if isinstance(content, dict):
        body = cast('dict[str, object]', content)
        content, tools = body.get('messages'), body.get('tools')
    if not isinstance(content, list) or not all(isinstance(message, dict) for message in cast('list[object]', content)):
        fail(f'{path}: expected a list of messages, or a request body with `messages`')
    return cast('Sequence[Mapping[str, Any]]', content), cast('Sequence[Mapping[str, Any]] | None', tools)
