"""The chat template and the history that a subcommand was given by name."""

from __future__ import annotations as _annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from .console import fail, wrong_use
from .files import named_file, read_file

if TYPE_CHECKING:
    from ..history import WireMessage
    from ..templates import ChatTemplate, ServerPrompts

__all__ = (
    'check_server',
    'is_address',
    'read_conversation',
    'read_key',
    'read_prompts',
    'read_template',
    'read_template_or_prompts',
    'template_file_name',
)

_TIMEOUT = 30.0
"""Seconds that a prompt may take; a template is rendered in milliseconds."""

_ELSEWHERE = """\
Only llama.cpp's server tells its chat template. Elsewhere it is the file that the server was started with
(--chat-template), or that of the model: hf download MODEL chat_template.jinja tokenizer_config.json --local-dir DIR
Then: pydantic-ai-compat inspect DIR --server NAME --base-url {url}"""


def read_key(variable: str | None) -> str | None:
    """The key in an environment variable; it is named on the command line, so that the key itself never stands there."""
    if variable is None:
        return None
    key = os.environ.get(variable)
    if not key:
        wrong_use(f'the environment variable {variable} is not set')
    return key


def check_server(name: str | None) -> None:
    """Refuse the name of a server that is not known, before anything is paid for."""
    from ..templates import server_named

    try:
        if name is not None:
            server_named(name)
    except ValueError as error:
        wrong_use(str(error))


def is_address(source: str) -> bool:
    """Whether a template is asked of a server, and not read from a file."""
    return source.startswith(('http://', 'https://'))


def template_file_name(data: bytes) -> str:
    """What to call a template that comes from the standard input, so that its kind is known."""
    kind = 'gguf' if data.startswith(b'GGUF') else 'json' if _is_json_object(data) else 'jinja'
    return f'standard-input.{kind}'


def _is_json_object(data: bytes) -> bool:
    """Whether this begins as a JSON object does; a template in Jinja begins with a text, `{{` or `{%`."""
    return data.lstrip().startswith(b'{') and data.lstrip()[1:].lstrip()[:1] in (b'"', b'}')


def read_template(source: str, api_key: str | None = None) -> ChatTemplate:
    """The template in a file or folder, on the standard input, or of the server at an address."""
    try:
        return _template_in(source, api_key)
    except ValueError as error:
        _fail(source, error)


def read_template_or_prompts(source: str, api_key: str | None) -> ChatTemplate | ServerPrompts:
    """The template as `read_template` finds it, or else the prompts that the server at this address shows."""
    try:
        return _template_in(source, api_key)
    except ValueError as error:
        if _answers_otherwise(source, error) and (prompts := read_prompts(source, api_key)):
            return prompts
        _fail(source, error)


def _template_in(source: str, api_key: str | None) -> ChatTemplate:
    try:
        from ..templates import ChatTemplate
    except ModuleNotFoundError as error:
        fail(str(error))
    if is_address(source):
        return ChatTemplate.from_server(source, api_key=api_key)
    with named_file(Path(source), template_file_name) as path:
        return ChatTemplate.from_file(path)


def _fail(source: str, error: ValueError) -> NoReturn:
    fail(f'{error}\n{_ELSEWHERE.format(url=source)}' if _answers_otherwise(source, error) else str(error))


def read_prompts(
    base_url: str, api_key: str | None, model: str | None = None, seconds_left: Callable[[], float] | None = None
) -> ServerPrompts | None:
    """The prompts that the server at an address shows, or `None` if it shows none; one small prompt is asked for.

    Args:
        base_url: The address of the server.
        api_key: The key of the server, if it wants one.
        model: The name of the model there.
        seconds_left: How long all of them may still take; a prompt that would come later raises `TimeoutError`.
    """
    from ..errors import ChatTemplateError
    from ..probing import PromptError, PromptNotToldError, render_prompt
    from ..templates import ServerPrompts

    def show(messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None) -> str:
        left = seconds_left() if seconds_left else _TIMEOUT
        if left <= 0:
            raise TimeoutError
        try:
            return render_prompt(base_url, messages, tools, api_key=api_key, model=model, timeout=min(left, _TIMEOUT))
        except PromptError as error:
            raise ChatTemplateError(str(error)) from error

    try:
        show([{'role': 'user', 'content': 'hi'}], None)
    except ChatTemplateError as error:
        if isinstance(error.__cause__, PromptNotToldError):
            return None
    return ServerPrompts(base_url, show)


def _answers_otherwise(source: str, error: ValueError) -> bool:
    """Whether there is a server at the address, which answers as llama.cpp's does not."""
    import httpx2

    unreached = (httpx2.TransportError, httpx2.InvalidURL)
    return is_address(source) and not isinstance(error.__cause__, unreached)


def read_conversation(path: Path) -> tuple[Sequence[WireMessage], Sequence[Mapping[str, Any]] | None]:
    """The wire messages in a file, and the tools if it is a request body."""
    from .history_file import read_history
    from .wire_shape import check_shape

    try:
        history = read_history(read_file(path))
        tools: object = (history.body or {}).get('tools')
        check_shape(history.messages, tools)
    except ValueError as error:
        fail(f'{path}: {error}')
    return history.messages, cast('Sequence[Mapping[str, Any]] | None', tools)
