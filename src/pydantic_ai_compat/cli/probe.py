"""`pydantic-ai-compat probe`: what a live endpoint does, and the `model_variants` entry for it."""

from __future__ import annotations as _annotations

import dataclasses
import json
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from .arguments import AsJson, KeyVariable, ModelName, chosen_model
from .console import Rows, echo, make_console, print_line, wrong_use
from .template_source import check_server, read_key, read_prompts, read_template
from .variant_yaml import variant_yaml

if TYPE_CHECKING:
    from ..probing import Answer, Limits, Probe, Report
    from ..templates.list_forms import WireForm

__all__ = ('probe',)

_TO_BE_ASKED = 'the one that GET /models lists'
_COLOURS = {'works': 'green', 'differs': 'yellow', 'refused': 'red', 'unknown': 'dim'}


def probe(
    base_url: Annotated[
        str, typer.Option('--base-url', metavar='URL', help='The endpoint, such as http://localhost:8000/v1.')
    ],
    model: ModelName = None,
    api_key_env: KeyVariable = None,
    only: Annotated[
        str, typer.Option('--only', metavar='NAMES', help='Names of probes to send, with commas; all without it.')
    ] = '',
    max_seconds: Annotated[
        float, typer.Option('--max-seconds', metavar='SECONDS', min=1, help='The whole run ends after this.')
    ] = 120,
    max_tokens: Annotated[
        int, typer.Option('--max-tokens', metavar='TOKENS', min=0, help='The whole run costs no more than this.')
    ] = 12_000,
    template: Annotated[
        str | None,
        typer.Option(
            '--template',
            metavar='FILE',
            help='The chat template behind it: a file, `-` for standard input, or `server` to ask llama.cpp for it.',
        ),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            '--server', metavar='NAME', help='The server, for --template; without it, what the endpoint says.'
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option('--dry-run', help='Print what would be sent, and send nothing.')] = False,
    yes: Annotated[bool, typer.Option('--yes', '-y', help='Send without asking.')] = False,
    as_json: AsJson = False,
) -> None:
    """Send a handful of small requests to an endpoint, report what it does, and write the options for it.

    Says first what it will send and what that can cost, and asks before it sends anything.
    """
    from ..probing import Limits, build_report, plan

    key = read_key(api_key_env)
    try:
        probes = plan([name.strip() for name in only.split(',') if name.strip()])
    except ValueError as error:
        wrong_use(str(error))
    if template is not None:
        check_server(server)
    limits = Limits(seconds=max_seconds, tokens=max_tokens)
    console = make_console(stderr=True)
    # What becomes of lists is asked for with the lists.
    shows_prompts = template is None and any(entry.name == 'list result' for entry in probes)
    _print_plan(console, probes, base_url, limits, asks_template=template == 'server', shows_prompts=shows_prompts)
    if dry_run:
        echo(json.dumps([_request(entry, base_url, model or _TO_BE_ASKED) for entry in probes], indent=2))
        return
    if not yes:
        _confirm()
    deadline = time.monotonic() + max_seconds
    model = chosen_model(model, base_url, key)
    answers = _send(console, probes, base_url, model, key, limits)
    report = build_report(answers, model)
    options = report.options
    if report.kind in _POLICIES:
        options = {'openai_chat_history_policy': _POLICIES[report.kind], **options}
    if template is not None:
        options = _with_template(report, options, template, server or _server_of(report), base_url, key)
    elif shows_prompts and report.kind in _SHOW_PROMPTS:
        options = _with_prompts(console, report, options, base_url, key, model, deadline)
    if as_json:
        told = {**dataclasses.asdict(report), 'options': options}
        echo(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        _findings_rows(report).print(make_console())
        echo(variant_yaml(options, model_name=model, base_url=base_url, key_variable=api_key_env), nl=False)
    if not any(answer.status for answer in answers):
        raise typer.Exit(1)


def _request(entry: Probe, base_url: str, model: str) -> dict[str, Any]:
    if entry.body is None:
        return {'name': entry.name, 'method': 'GET', 'url': f'{base_url.rstrip("/")}/models'}
    url = f'{base_url.rstrip("/")}/chat/completions'
    return {'name': entry.name, 'method': 'POST', 'url': url, 'body': {'model': model, **entry.body}}


def _print_plan(
    console: Console,
    probes: Sequence[Probe],
    base_url: str,
    limits: Limits,
    *,
    asks_template: bool,
    shows_prompts: bool,
) -> None:
    tokens = min(sum(entry.token_limit for entry in probes), limits.tokens)
    count = len(probes) + asks_template
    print_line(console, f'{count} requests to {base_url}, at most {tokens} tokens and {limits.seconds:g} seconds:')
    for entry in probes:
        print_line(console, f'  {entry.name}: ', (entry.question, 'dim'))
    if asks_template:
        print_line(console, '  template: ', ('What is the chat template? (GET /props)', 'dim'))
    if shows_prompts:
        told = 'What becomes of lists in the prompt? (of vLLM and llama.cpp, 13 prompts, of which nothing is generated)'
        print_line(console, '  prompts: ', (told, 'dim'))


def _at_a_terminal() -> bool:
    return sys.stdin.isatty()


def _confirm() -> None:
    if not _at_a_terminal():
        wrong_use('nothing was sent: pass --yes to send, or --dry-run to see the requests')
    typer.confirm('Send them?', abort=True, err=True)


def _send(
    console: Console, probes: Sequence[Probe], base_url: str, model: str, key: str | None, limits: Limits
) -> list[Answer]:
    import httpx2

    from ..probing import run_probes

    headers = {'Authorization': f'Bearer {key}'} if key else {}
    columns = (TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn())
    answers: list[Answer] = []
    progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    with httpx2.Client(headers=headers) as client, progress:
        task = progress.add_task('probing', total=len(probes))
        for answer in run_probes(probes, base_url=base_url, model=model, limits=limits, client=client):
            answers.append(answer)
            progress.update(task, advance=1, description=answer.probe.name)
    return answers


def _findings_rows(report: Report) -> Rows:
    rows = Rows(('probe', 'verdict', 'found'), title=f'server: {report.server}' if report.server else '')
    for finding in report.findings:
        rows.add(finding.name, Text(finding.verdict, _COLOURS[finding.verdict]), finding.text)
    return rows


_POLICIES = {'vllm': 'vllm', 'sglang': 'sglang', 'llama.cpp': 'llamacpp', 'ollama': 'ollama', 'tgi': 'tgi'}
"""The history policy for a server by its name."""


def _server_of(report: Report) -> str:
    # LM Studio runs llama.cpp.
    return {'': 'vllm', 'lm-studio': 'llama.cpp'}.get(report.kind, report.kind)


_SHOW_PROMPTS = ('vllm', 'llama.cpp')

_LIST_OPTIONS = ('openai_chat_tool_return_as_list', 'openai_chat_tool_return_list_format')


def _with_template(
    report: Report, options: Mapping[str, Any], template: str, server: str, base_url: str, key: str | None
) -> dict[str, Any]:
    """The options with those that a template recommends: how lists arrive in it is known better than by a probe."""
    chat_template = read_template(base_url if template == 'server' else template, key)
    from ..templates import recommend

    recommended = recommend(chat_template, server, without=_refused_forms(report)).options
    return {**recommended, **_without_lists(options)}


def _with_prompts(
    console: Console,
    report: Report,
    options: Mapping[str, Any],
    base_url: str,
    key: str | None,
    model: str,
    deadline: float,
) -> dict[str, Any]:
    """The options with the form of lists that arrives best in the prompts that the server shows, if it shows them."""
    try:
        from ..templates import shown_list_forms
    except ModuleNotFoundError as error:
        print_line(console, f'What becomes of lists in the prompt is not looked at: {error}')
        return dict(options)
    try:
        prompts = read_prompts(base_url, key, model, lambda: deadline - time.monotonic())
        if prompts is None:
            return dict(options)
        forms = shown_list_forms(prompts)
    except TimeoutError:
        print_line(console, 'What becomes of lists in the prompt is not known: the time of --max-seconds is over')
        return dict(options)
    choices = forms.choices(forms.best(_refused_forms(report)))
    return {
        **{choice.option: choice.value for choice in choices if not choice.is_default},
        **_without_lists(options),
    }


_FORM_OF_PROBE: Mapping[str, WireForm] = {'list result': 'text_parts', 'repeated result': 'messages'}


def _refused_forms(report: Report) -> tuple[WireForm, ...]:
    """The forms of a list that the server answered with an error, whatever its template would make of them."""
    refused = [finding.name for finding in report.findings if finding.verdict == 'refused']
    return tuple(form for name, form in _FORM_OF_PROBE.items() if name in refused)


def _without_lists(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in _LIST_OPTIONS}
