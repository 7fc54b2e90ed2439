"""Arguments and flags that several subcommands take, each said once."""

from __future__ import annotations as _annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import fail
from .files import STANDARD_INPUT

__all__ = (
    'AsJson',
    'HistoryFile',
    'KeyVariable',
    'ModelName',
    'TemplateSource',
    'chosen_model',
    'existing_file',
)


def existing_file(file: Path | None) -> Path | None:
    """A file that can be read, or `-` for the standard input: the callback of every argument that names a file.

    Typer's own check for existence takes `-` for a file of that name, `allow_dash` or not (seen in 0.29.2); that a file
    may be read it checks before.
    """
    if file is not None and file != STANDARD_INPUT and not file.is_file():
        raise typer.BadParameter(f"file '{file}' does not exist.")
    return file


def chosen_model(name: str | None, base_url: str, api_key: str | None) -> str:
    """The model that was named, or the only one of the endpoint."""
    from ..probing import ModelChoiceError, ask_model

    try:
        return name or ask_model(base_url, api_key)
    except ModelChoiceError as error:
        fail(str(error))


AsJson = Annotated[bool, typer.Option('--json', help='Print one JSON document.')]
HistoryFile = Annotated[
    Path,
    typer.Argument(
        metavar='HISTORY',
        help='JSON: wire messages, a request body, or messages as pydantic-ai dumps them; `-` is standard input.',
        callback=existing_file,
    ),
]
KeyVariable = Annotated[
    str | None,
    typer.Option('--api-key-env', metavar='NAME', help='The environment variable that holds the key of the endpoint.'),
]
ModelName = Annotated[
    str | None,
    typer.Option('--model', metavar='NAME', help='The name of the model; without it, the one that the endpoint lists.'),
]
TemplateSource = Annotated[
    str,
    typer.Argument(
        metavar='TEMPLATE',
        help='A .jinja, tokenizer_config.json, chat_template.json or .gguf file, a model folder, the URL of a llama.cpp '
        'server (for render, of vLLM as well), or `-` for standard input.',
    ),
]
