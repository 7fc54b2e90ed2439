"""The forms of a list, laid out for a terminal, as plain text for a pipe, or as JSON."""

from __future__ import annotations as _annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from pydantic_ai.models import Model
from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from ..demo.run import FORMS, ITEMS, FormResult, ItemFate
from ..demo.target import DemoTarget
from ..options.connection import shown_url
from .console import echo

__all__ = ('DemoView',)

_FATES: dict[ItemFate, str] = {'verbatim': 'as the tool returned them', 'escaped': 'inside JSON text', 'lost': 'lost'}
_NOT_CALLED = 'The model did not call the tool itself: a fixed exchange is shown, and the answer to it.'
_NOT_ITS_SYNTAX = "The scripted model cannot call a tool in this template's syntax: a fixed exchange is shown, and what it says to it."


class DemoView:
    """Prints results as they come; as JSON, all of them when it is closed.

    Args:
        console: Where to print. On a terminal each form is a panel, elsewhere indented text.
        target: Where the demo runs.
        model: The model that it runs on.
        as_json: Print one JSON document instead.
    """

    def __init__(self, console: Console, target: DemoTarget, model: Model, *, as_json: bool):
        self._console = console
        self._as_json = as_json
        self._results: list[FormResult] = []
        self._about = _about(target, model)
        self._note = _NOT_ITS_SYNTAX if target.fixed_exchange else _NOT_CALLED

    def add(self, result: FormResult) -> None:
        """Print one form."""
        if not self._results and not self._as_json:
            self._print_fields(self._about)
        self._results.append(result)
        if not self._as_json:
            self._print_form(result)

    def close(self) -> None:
        """Print what is printed at the end."""
        if self._as_json:
            document = {**self._about, 'items': ITEMS, 'forms': [_as_data(result) for result in self._results]}
            echo(json.dumps(document, ensure_ascii=False, indent=2))
        elif not any(result.called for result in self._results):
            self._console.print(f'\n{self._note}', style='dim', soft_wrap=True)

    def _print_fields(self, fields: dict[str, str]) -> None:
        for name, value in fields.items():
            self._console.print(Text.assemble((f'{name}: ', 'bold'), value), soft_wrap=True)

    def _print_form(self, result: FormResult) -> None:
        options = ', '.join(f'{name}: "{value}"' for name, value in FORMS[result.form].items())
        if self._console.is_terminal:
            grid = Table.grid(padding=(0, 2))
            grid.add_column(style='bold', no_wrap=True)
            grid.add_column(overflow='fold')
            for name, value in _rows(result):
                grid.add_row(name, value)
            title = Text.assemble((result.form, 'bold cyan'))
            self._console.print(Panel(Group(Text(options, style='dim'), grid), title=title, title_align='left'))
            return
        self._console.print(f'\n{result.form} ({options})', soft_wrap=True)
        for name, value in _rows(result):
            lines = value.plain.split('\n')
            text = f'  {name}: {lines[0]}' if len(lines) == 1 else '\n    '.join([f'  {name}:', *lines])
            self._console.print(text, soft_wrap=True)


def _about(target: DemoTarget, model: Model) -> dict[str, str]:
    about = {'endpoint': shown_url(model.base_url or ''), 'model': model.model_name}
    if target.embedded:
        about['server'] = 'llama.cpp, embedded, with a scripted model'
    if target.chat_template is not None:
        about['chat template'] = str(target.chat_template)
    if target.tools is not None:
        about['tools'] = target.tools
    return about


def _rows(result: FormResult) -> Iterator[tuple[str, Text]]:
    if result.wire:
        yield 'on the wire', _highlighted('\n'.join(json.dumps(message, ensure_ascii=False) for message in result.wire))
    if result.prompt is not None:
        yield 'in the prompt', _highlighted(result.prompt)
        yield 'items', _items_line(result)
    elif result.prompt_problem is not None:
        yield 'in the prompt', Text(result.prompt_problem, style='yellow')
    if result.answer is not None:
        yield 'answer', Text(result.answer or '(empty)')
    else:
        yield 'answer', Text(f'none: {result.problem}', style='red')


def _highlighted(text: str) -> Text:
    highlighted = Text(text)
    highlighted.highlight_words(ITEMS, style='green')
    return highlighted


def _items_line(result: FormResult) -> Text:
    line = ', '.join(
        f'{count} of {len(ITEMS)} {words}' for fate, words in _FATES.items() if (count := result.items(fate))
    )
    if (between := result.between_items) is not None:
        line = f'{line}, between them {json.dumps(between, ensure_ascii=False)}'
    return Text(line, style='red' if result.items('lost') else 'yellow' if result.items('escaped') else 'green')


def _as_data(result: FormResult) -> dict[str, Any]:
    items = None if result.prompt is None else {fate: result.items(fate) for fate in _FATES}
    return {
        **asdict(result),
        'options': dict(FORMS[result.form]),
        'items_in_prompt': items,
        'between_items': result.between_items,
    }
