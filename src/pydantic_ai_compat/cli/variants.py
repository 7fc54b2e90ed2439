"""`pydantic-ai-compat variants`: what the options of a file's variants became."""

from __future__ import annotations as _annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from .arguments import AsJson, existing_file
from .console import Rows, busy, echo, fail, make_console, print_line
from .files import STANDARD_INPUT, read_file

if TYPE_CHECKING:
    from ..config.listing import ListedVariant

__all__ = ('variants',)


def variants(
    file: Annotated[
        Path,
        typer.Argument(
            metavar='FILE',
            help='The YAML file; `-` is standard input.',
            callback=existing_file,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """List the model variants of a YAML file, with what each option became.

    Every variant is built, which imports its class and reads the environment variables that it names, and nothing is
    sent. Keys are masked. Variants of other loaders of the file are named. If one of ours cannot be built, every error of
    the file is printed and the status is 1.
    """
    with busy('Loading the variants'):
        from ..config.listing import list_variant
        from ..config.variants import load_model_variants
        from ..errors import ConfigError

        listed: list[ListedVariant] = []
        problems: list[str] = []
        foreign: dict[str, str] = {}
        try:
            configs = load_model_variants(_source(file))
            foreign = configs.foreign
            problems += (problem for lines in configs.problems.values() for problem in lines)
            for name, config in configs.items():
                try:
                    listed.append(list_variant(name, config))
                except ConfigError as error:
                    problems.append(str(error))
        except ConfigError as error:
            problems.append(str(error))
    _print(make_console(), listed, foreign, problems, as_json)
    if problems:
        fail('\n'.join(problems))


def _source(file: Path) -> str | Path:
    if file != STANDARD_INPUT:
        return file
    try:
        # A text is YAML and no path by its line break.
        return f'{read_file(file).decode()}\n'
    except UnicodeDecodeError as error:
        fail(f'{file}: not UTF-8 text (byte {error.start})')


def _print(
    console: Console, listed: list[ListedVariant], foreign: dict[str, str], problems: list[str], as_json: bool
) -> None:
    if as_json:
        document = {'variants': [asdict(variant) for variant in listed], 'foreign': foreign, 'errors': problems}
        echo(json.dumps(document, ensure_ascii=False, indent=2))
        return
    for variant in listed:
        print_line(console, (variant.name, 'bold cyan'), f'  {variant.model}')
        if console.is_terminal:
            rows = Rows(('option', 'type', 'value'))
            for option in variant.options:
                rows.add(option.name, option.type, _value_text(option.value))
            rows.print(console)
        else:
            for option in variant.options:
                print_line(console, f'  {option.name}: {_value_text(option.value)} ({option.type})')
        for note in variant.notes:
            print_line(console, (f'  note: {note}', 'cyan'))
        for warning in variant.warnings:
            print_line(console, (f'  warning: {warning}', 'yellow'))
        console.print()
    for name, kind in foreign.items():
        print_line(console, (name, 'bold'), f'  type: {kind}, which another loader of the file reads')


def _value_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
