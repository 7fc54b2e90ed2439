"""Arguments and flags that several subcommands take, each said once."""

from __future__ import annotations as _annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ('AsJson', 'HistoryFile', 'KeyVariable', 'TemplateSource')

AsJson = Annotated[bool, typer.Option('--json', help='Print one JSON document.')]
HistoryFile = Annotated[
    Path,
    typer.Argument(
        metavar='HISTORY',
        help='JSON: wire messages, a request body, or messages as pydantic-ai dumps them; `-` is standard input.',
        exists=True,
        dir_okay=False,
        readable=True,
        allow_dash=True,
    ),
]
KeyVariable = Annotated[
    str | None,
    typer.Option('--api-key-env', metavar='NAME', help='The environment variable that holds the key of the endpoint.'),
]
TemplateSource = Annotated[
    str,
    typer.Argument(
        metavar='TEMPLATE',
        help='A .jinja, tokenizer_config.json, chat_template.json or .gguf file, a model folder, the URL of a llama.cpp '
        'server, or `-` for standard input.',
    ),
]
