"""`pydantic-ai-compat inspect`: what a chat template can do, and the options that fit it."""

from __future__ import annotations as _annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from .arguments import AsJson, KeyVariable, TemplateSource
from .console import Rows, echo, make_console, print_line
from .template_source import check_server, is_address, read_key, read_template
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
        str | None,
        typer.Option(
            '--server', metavar='NAME', help='The server in front of the template: vllm, or llama.cpp for a URL.'
        ),
    ] = None,
    model: Annotated[str, typer.Option('--model', metavar='NAME', help='The model name for the YAML block.')] = 'MODEL',
    base_url: Annotated[
        str | None,
        typer.Option(
            '--base-url', metavar='URL', help='The endpoint for the YAML block; without it, the server that was asked.'
        ),
    ] = None,
    api_key_env: KeyVariable = None,
    as_json: AsJson = False,
) -> None:
    """Show what a chat template can do, and recommend the options that fit it behind a server."""
    key = read_key(api_key_env)
    chat_template = read_template(template, key)
    check_server(server)
    from ..templates import abilities, recommend

    asked = is_address(template)
    found = abilities(chat_template)
    recommendation = recommend(chat_template, server or ('llama.cpp' if asked else 'vllm'), found=found)
    if as_json:
        told = {'abilities': dataclasses.asdict(found), 'recommendation': _recommendation_json(recommendation)}
        echo(json.dumps(told, ensure_ascii=False, indent=2))
        return
    console = make_console()
    _abilities_rows(chat_template.name, found).print(console)
    for about, words in found.errors.items():
        print_line(console, (f'{about}: ', 'red'), words)
    console.print()
    _deliveries_rows(recommendation).print(console)
    console.print()
    _choices_rows(recommendation).print(console)
    console.print()
    if recommendation.options.get('openai_chat_tools') == 'text':
        from ..templates.text_tools import find_text_delivery

        console.rule(Text('the prompt with tools as text', 'bold'), align='left')
        console.print(Text(find_text_delivery(chat_template, recommendation.server).prompt), soft_wrap=True)
        console.print()
    url = base_url or (template if asked else 'http://localhost:8000/v1')
    # The block itself, unfolded and without colour, to be pasted.
    echo(
        variant_yaml(recommendation.options, model_name=model, base_url=url, key_variable=api_key_env),
        nl=False,
    )


def _recommendation_json(recommendation: Recommendation) -> dict[str, Any]:
    """As the dataclass has it, with `options` ready to use."""
    fields = dataclasses.asdict(recommendation)
    # The keys of this one are values of options, `True` among them, which JSON has no keys for.
    del fields['losses']
    return {**fields, 'options': recommendation.options}


def _coloured(word: str, details: str = '') -> Text:
    return Text.assemble((word, _COLOURS.get(word, '')), f' {details}' if details else '')


def _abilities_rows(name: str, found: Abilities) -> Rows:
    rows = Rows(('part of the conversation', 'what becomes of it'), title=name)
    if found.setting is None:
        rows.add('tool turn', Text('not rendered', 'red'))
    for whose, deliveries in (("a tool's list", found.tool_returns), ("two calls' lists", found.parallel_returns)):
        for form, delivery in deliveries.items():
            details = repr(delivery.separator) if delivery.arrival == 'joined' else delivery.error
            rows.add(f'{whose} as {form}', _coloured(delivery.arrival, details))
    for kind, outcome in found.arguments.items():
        rows.add(f'arguments as {kind}', _coloured(outcome))
    for kind, outcome in found.call_content.items():
        rows.add(f'content of a turn of calls: {kind}', _coloured(outcome))
    rows.add('parallel calls', _coloured(found.parallel_calls))
    rows.add('tool call ids', found.tool_call_ids)
    rows.add('tool names beside results', 'shown' if found.tool_names else 'absent')
    for role, outcome in found.roles.items():
        rows.add(role, _coloured(outcome))
    for turn, outcome in found.thinking.items():
        rows.add(f'thinking, {turn}', _coloured(outcome))
    rows.add('thinking tags', ' '.join(found.thinking_tags) if found.thinking_tags else 'none found')
    rows.add('calls are written in', found.dialect or ('an unknown dialect' if found.call_text else 'not at all'))
    rows.add('a call', Text(found.call_text.strip()))
    rows.add('the prompt ends in', Text(repr(found.generation_prompt)))
    if found.changes_lists:
        rows.add('renders on', 'llama.cpp only: it changes lists, which transformers refuses')
    return rows


def _deliveries_rows(recommendation: Recommendation) -> Rows:
    columns = ('a list sent as', 'arrives', 'of two calls at once', 'in the prompt')
    rows = Rows(columns, title=f'behind {recommendation.server}')
    for form, delivery in recommendation.deliveries.items():
        name = Text(f'{form} *' if form == recommendation.form else form, 'bold' if form == recommendation.form else '')
        parallel = _coloured(recommendation.parallel[form].arrival)
        rows.add(name, _coloured(delivery.arrival), parallel, Text(delivery.error or delivery.excerpt.strip()))
    return rows


def _choices_rows(recommendation: Recommendation) -> Rows:
    rows = Rows(('option', 'value', 'reason'), title='recommended')
    for choice in recommendation.choices:
        value = f'{choice.value} (default)' if choice.is_default else str(choice.value)
        rows.add(choice.option, Text(value), Text(choice.reason))
    return rows
