"""`pydantic-ai-compat explain`: the rule behind a provider's error text."""

from __future__ import annotations as _annotations

import sys
from typing import Annotated

import typer
from rich.text import Text

from .console import fail, make_console

__all__ = ('explain',)


def explain(
    text: Annotated[str, typer.Argument(help='The error text, or anything that holds it; `-` reads standard input.')],
) -> None:
    """Say which rule a provider's error text is about, and which option helps."""
    from ..history import explain_error

    explanation = explain_error(sys.stdin.read() if text == '-' else text)
    if explanation is None:
        fail('no known rule has this text; the table in docs/history.md lists all that are known')
    console = make_console()
    rows = (
        ('rule', f'{explanation.rule.id} {explanation.rule.sentence}'),
        ('known from', explanation.known.host),
        ('set', explanation.fix),
        ('source', explanation.known.source),
    )
    for name, value in rows:
        console.print(Text.assemble((f'{name:<11}', 'bold'), value), soft_wrap=True)
