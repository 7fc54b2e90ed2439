"""The chat template and the history that a subcommand was given by name."""

from __future__ import annotations as _annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from .console import fail

if TYPE_CHECKING:
    from ..history import WireMessage
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


def read_conversation(path: Path) -> tuple[Sequence[WireMessage], Sequence[Mapping[str, Any]] | None]:
    """The wire messages in a file, and the tools if it is a request body."""
    from pydantic_ai.exceptions import UserError

    from .history_file import read_history

    try:
        history = read_history(path.read_bytes())
    except UserError as error:
        fail(f'{path}: {error}')
    tools: object = (history.body or {}).get('tools')
    return history.messages, cast('Sequence[Mapping[str, Any]]', tools) if isinstance(tools, list) else None
