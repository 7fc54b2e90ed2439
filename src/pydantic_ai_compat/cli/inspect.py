"""`pydantic-ai-compat inspect`: what a chat template can do, and the options that fit it."""

from __future__ import annotations as _annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from .arguments import AsJson, KeyVariable, TemplateSource
from .console import echo, fail, make_console
from .template_source import read_key, read_template
from .variant_yaml import variant_yaml

if TYPE_CHECKING:
    from ..templates import Abilities, Recommendation

__all__ = ('inspect',)

_COLOURS = {
    'kept': 'green',
    'separate': 'green',
    'joined': 'green',
    'escaped': 'yellow',
    'json': 'yellow',
    'encoded twice': 'yellow',
    'dropped': 'red',
    'leaked': 'red',
    'raises': 'red',
    'repr': 'red',
    'partial': 'red',
    'repeated': 'red',
    'garbled': 'red',
    'mislabelled': 'red',
    'not told apart': 'red',
}


def inspect(
    template: TemplateSource,
    server: Annotated[
        str, typer.Option('--server', metavar='NAME', help='The server in front of the template.')
    ] = 'vllm',
    model: Annotated[str, typer.Option('--model', metavar='NAME', help='The model name for the YAML block.')] = 'MODEL',
    base_url: Annotated[
        str, typer.Option('--base-url', metavar='URL', help='The endpoint for the YAML block.')
    ] = 'http://localhost:8000/v1',
    api_key_env: KeyVariable = None,
    as_json: AsJson = False,
) -> None:
    """Show what a chat template can do, and recommend the options that fit it behind a server."""
    from pydantic_ai.exceptions import UserError

    chat_template = read_template(template, read_key(api_key_env))
    from ..templates import abilities, recommend

    found = abilities(chat_template)
    try:
        recommendation = recommend(chat_template, server, found=found)
    except UserError as error:
        fail(str(error))
    if as_json:
        told = {'abilities': dataclasses.asdict(found), 'recommendation': _recommendation_json(recommendation)}
        echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    console = make_console()
    console.print(_abilities_table(chat_template.name, found))
    _print_errors(console, found)
    console.print(_deliveries_table(recommendation))
    console.print(_choices_table(recommendation))
    console.print()
    # The block itself, unfolded and without colour, to be pasted.
    echo(variant_yaml(recommendation.options, model_name=model, base_url=base_url), nl=False)


def _recommendation_json(recommendation: Recommendation) -> dict[str, Any]:
    """As the dataclass has it, with `options` ready to use."""
    fields = dataclasses.asdict(recommendation)
    # The keys of this one are values of options, `True` among them, which JSON has no keys for.
    del fields['losses']
    return {**fields, 'options': recommendation.options}


def _coloured(word: str, details: str = '') -> Text:
    return Text.assemble((word, _COLOURS.get(word, '')), f' {details}' if details else '')


def _abilities_table(name: str, found: Abilities) -> Table:
    table = Table('part of the conversation', 'what becomes of it', title=name, title_justify='left')
    if found.setting is None:
        table.add_row('tool turn', Text('not rendered', 'red'))
    for whose, deliveries in (("a tool's list", found.tool_returns), ("two calls' lists", found.parallel_returns)):
        for form, delivery in deliveries.items():
            details = repr(delivery.separator) if delivery.arrival == 'joined' else delivery.error
            table.add_row(f'{whose} as {form}', _coloured(delivery.arrival, details))
    for kind, outcome in found.arguments.items():
        table.add_row(f'arguments as {kind}', _coloured(outcome))
    for kind, outcome in found.call_content.items():
        table.add_row(f'content of a turn of calls: {kind}', _coloured(outcome))
    table.add_row('parallel calls', _coloured(found.parallel_calls))
    table.add_row('tool call ids', found.tool_call_ids)
    table.add_row('tool names beside results', 'shown' if found.tool_names else 'absent')
    for role, outcome in found.roles.items():
        table.add_row(role, _coloured(outcome))
    for turn, outcome in found.thinking.items():
        table.add_row(f'thinking, {turn}', _coloured(outcome))
    table.add_row('thinking tags', ' '.join(found.thinking_tags) if found.thinking_tags else 'none found')
    table.add_row('calls are written in', found.dialect or ('an unknown dialect' if found.call_text else 'not at all'))
    table.add_row('a call', Text(found.call_text.strip()))
    table.add_row('the prompt ends in', Text(repr(found.generation_prompt)))
    if found.changes_lists:
        table.add_row('renders on', 'llama.cpp only: it changes lists, which transformers refuses')
    return table


def _print_errors(console: Console, found: Abilities) -> None:
    for about, words in found.errors.items():
        console.print(Text.assemble((f'{about}: ', 'red'), words), soft_wrap=True)


def _deliveries_table(recommendation: Recommendation) -> Table:
    columns = ('a list sent as', 'arrives', 'of two calls at once', 'in the prompt')
    table = Table(*columns, title=f'behind {recommendation.server}', title_justify='left')
    for form, delivery in recommendation.deliveries.items():
        name = Text(f'{form} *' if form == recommendation.form else form, 'bold' if form == recommendation.form else '')
        parallel = _coloured(recommendation.parallel[form].arrival)
        table.add_row(name, _coloured(delivery.arrival), parallel, Text(delivery.error or delivery.excerpt.strip()))
    return table


def _choices_table(recommendation: Recommendation) -> Table:
    option = Column('option', no_wrap=True)
    table = Table(option, 'value', 'reason', title='recommended', title_justify='left')
    for choice in recommendation.choices:
        value = f'{choice.value} (default)' if choice.is_default else str(choice.value)
        table.add_row(choice.option, Text(value), Text(choice.reason))
    return table
