"""`pydantic-ai-compat render`: the prompt that a model would get, in several forms side by side."""

from __future__ import annotations as _annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer
from rich.console import Console
from rich.text import Text

from .arguments import AsJson, HistoryFile, KeyVariable, TemplateSource
from .console import echo, fail, make_console, print_line, wrong_use
from .files import check_writable, write_file
from .template_source import check_server, read_conversation, read_key, read_template_or_prompts

if TYPE_CHECKING:
    from ..history import WireMessage
    from ..templates import ChatTemplate
    from ..templates.compare import Rendering
    from ..templates.list_forms import WireForm

__all__ = ('render',)

_STYLES = {
    'item': 'black on green',
    'escaped': 'black on yellow',
    'leaked': 'white on red',
    **dict.fromkeys(('mislabelled', 'not told apart'), 'white on magenta'),
}


def render(
    template: TemplateSource,
    history: HistoryFile,
    server: Annotated[
        str | None,
        typer.Option('--server', metavar='NAME', help='The server in front of the template; without it, none.'),
    ] = None,
    compare: Annotated[
        str,
        typer.Option(
            '--compare', metavar='FORMS', help='The forms of lists to compare: text_parts, messages, text, json.'
        ),
    ] = 'text_parts,messages,json',
    html: Annotated[
        Path | None, typer.Option('--html', metavar='FILE', help='Write the same as one self-contained page.')
    ] = None,
    tools: Annotated[
        Literal['native', 'text'], typer.Option('--tools', help='How tools reach the model; as text, in one form only.')
    ] = 'native',
    dialect: Annotated[
        str, typer.Option('--dialect', metavar='NAME', help='With --tools text, how calls are written.')
    ] = 'hermes',
    api_key_env: KeyVariable = None,
    as_json: AsJson = False,
) -> None:
    """Render a conversation with a chat template, once for each form that a tool's list can be sent in.

    What arrived of each list is marked green, what arrived escaped yellow, what stands under another call's label or is
    not told apart magenta, and list syntax that leaked red; items that are not in the prompt at all are listed under it.
    """
    forms = _forms(compare)
    if html is not None:
        check_writable(html)
    chat_template = read_template_or_prompts(template, read_key(api_key_env))
    check_server(server)
    from ..templates import ServerPrompts
    from ..templates.compare import compare_forms

    messages, declared = read_conversation(history)
    try:
        if isinstance(chat_template, ServerPrompts):
            if server is not None or tools == 'text':
                wrong_use(f'--server, --tools text: {template} shows its prompts itself; leave these options out')
        elif tools == 'text':
            _print_text_prompt(chat_template, messages, declared or (), server or 'vllm', dialect, as_json=as_json)
            return
        renderings = compare_forms(chat_template, messages, declared, forms=forms, server=server)
    except ValueError as error:
        fail(str(error))
    if html is not None:
        from .render_page import render_page

        page = render_page(chat_template.name, server, renderings)
        write_file(html, lambda path: path.write_text(page, encoding='utf-8', errors='backslashreplace'))
    if as_json:
        echo(json.dumps([dataclasses.asdict(rendering) for rendering in renderings], ensure_ascii=False, indent=2))
    else:
        console = make_console()
        for rendering in renderings:
            _print_rendering(console, rendering, renderings[0])
    if html is not None:
        print_line(make_console(stderr=True), f'written to {html}')
    if all(rendering.error for rendering in renderings):
        raise typer.Exit(1)


def _print_text_prompt(
    template: ChatTemplate,
    messages: Sequence[WireMessage],
    tools: Sequence[Mapping[str, Any]],
    server: str,
    dialect: str,
    *,
    as_json: bool,
) -> None:
    from ..templates.text_tools import find_text_delivery, text_prompt

    role = find_text_delivery(template, server, [dialect]).system_role
    prompt = text_prompt(template, messages, tools, server, dialects=[dialect], system_role=role)
    if as_json:
        echo(json.dumps({'prompt': prompt}, ensure_ascii=False, indent=2))
    else:
        make_console().print(Text(prompt), soft_wrap=True)


def _forms(names: str) -> list[WireForm]:
    forms = [name.strip() for name in names.split(',') if name.strip()]
    for form in forms:
        if form not in ('text_parts', 'messages', 'text', 'json'):
            wrong_use(f'--compare: {form!r} is none of text_parts, messages, text, json')
    return cast('list[WireForm]', list(dict.fromkeys(forms)))


def _print_rendering(console: Console, rendering: Rendering, first: Rendering) -> None:
    print_line(console, (f'== {rendering.form}', 'bold'))
    if rendering.error:
        print_line(console, (rendering.error, 'red'))
        return
    prompt = Text(rendering.prompt)
    start, end = rendering.differs
    if rendering.form != first.form and start < end:
        prompt.stylize('bold', start, end)
    for span in rendering.spans:
        prompt.stylize(_STYLES[span.kind], span.start, span.end)
    console.print(prompt, soft_wrap=True)
    for item in rendering.lost:
        print_line(console, ('lost: ', 'bold red'), (item, 'red'))
    print_line(console, f'({rendering.summary})')
