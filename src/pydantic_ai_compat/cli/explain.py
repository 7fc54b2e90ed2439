"""`pydantic-ai-compat explain`: the rule behind a provider's error text."""

from __future__ import annotations as _annotations

import json
import sys
from typing import Annotated

import typer

from .arguments import AsJson
from .console import echo, fail, make_console, print_line

__all__ = ('explain',)


def explain(
    text: Annotated[
        str,
        typer.Argument(metavar='TEXT', help='The error text, or anything that holds it; `-` reads standard input.'),
    ],
    as_json: AsJson = False,
) -> None:
    """Say which rule a provider's error text is about, and which option helps.

    The exit status is 1 if no known rule has this text.
    """
    from ..history.explain import explain_error

    explanation = explain_error(sys.stdin.read() if text == '-' else text)
    if explanation is None:
        if as_json:
            echo('null')
        fail('no known rule has this text; the table in docs/history.md lists all that are known')
    told = {
        'rule': explanation.rule.id,
        'sentence': explanation.rule.sentence,
        'known_from': explanation.known.host,
        'set': explanation.fix,
        'source': explanation.known.source,
    }
    if as_json:
        echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    console = make_console()
    print_line(console, ('rule       ', 'bold'), f'{told["rule"]} {told["sentence"]}')
    print_line(console, ('known from ', 'bold'), told['known_from'])
    print_line(console, ('set        ', 'bold'), told['set'])
    print_line(console, ('source     ', 'bold'), told['source'])
