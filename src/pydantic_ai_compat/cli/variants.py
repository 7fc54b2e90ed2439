"""`pydantic-ai-compat variants`: what the options of a file's variants became."""

from __future__ import annotations as _annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .arguments import AsJson
from .console import busy, echo, fail, make_console

if TYPE_CHECKING:
    from ..config.listing import ListedVariant

__all__ = ('variants',)


def variants(
    file: Annotated[Path, typer.Argument(metavar='FILE', help='The YAML file.')],
    as_json: AsJson = False,
) -> None:
    """List the model variants of a YAML file, with what each option became.

    Every variant is built, which imports its class and reads the environment variables that it names, and nothing is
    sent. Keys are masked. If a variant cannot be built, every error of the file is printed and the status is 1.
    """
    with busy('Loading the variants'):
        from ..config.listing import list_variant
        from ..config.variants import read_model_variants
        from ..errors import ConfigError

        listed: list[ListedVariant] = []
        try:
            configs, problems = read_model_variants(file)
        except ConfigError as error:
            configs, problems = {}, [str(error)]
        for name, config in configs.items():
            try:
                listed.append(list_variant(name, config))
            except ConfigError as error:
                problems.append(str(error))
    _print(make_console(), listed, problems, as_json)
    if problems:
        fail('\n'.join(problems))


def _print(console: Console, listed: list[ListedVariant], problems: list[str], as_json: bool) -> None:
    if as_json:
        document = {'variants': [asdict(variant) for variant in listed], 'errors': problems}
        echo(json.dumps(document, ensure_ascii=False, indent=2))
        return
    for variant in listed:
        console.print(Text.assemble((variant.name, 'bold cyan'), f'  {variant.model}'), soft_wrap=True)
        if console.is_terminal:
            console.print(_table(variant))
        else:
            for option in variant.options:
                console.print(f'  {option.name}: {_value_text(option.value)} ({option.type})', soft_wrap=True)
        for warning in variant.warnings:
            console.print(Text(f'  warning: {warning}', style='yellow'), soft_wrap=True)
        console.print()


def _table(variant: ListedVariant) -> Table:
    table = Table(box=None, padding=(0, 2), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow='fold', style='green')
    table.add_column(style='dim', no_wrap=True)
    for option in variant.options:
        table.add_row(option.name, _value_text(option.value), option.type)
    return table


def _value_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
