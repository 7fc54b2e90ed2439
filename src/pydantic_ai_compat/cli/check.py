"""`pydantic-ai-compat check`: the faults of a stored history, with the lines they sit in."""

from __future__ import annotations as _annotations

import dataclasses
import json
from typing import Annotated

import typer

from .arguments import AsJson, HistoryFile
from .console import echo, fail, make_console, print_line, wrong_use
from .files import read_file

__all__ = ('check',)


def check(
    file: HistoryFile,
    policy: Annotated[
        str, typer.Option('--policy', metavar='NAME', help='The policy to check against, such as deepseek or vllm+H24.')
    ] = 'standard',
    repair: Annotated[
        bool, typer.Option('--repair', help='Print the repaired history as JSON; the faults go to the error output.')
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check a stored history, and print its faults with the lines they sit in.

    The exit status is 1 if there are faults, and 0 if there are none or --repair is given.
    """
    from ..history.policies import get_policy
    from ..history.repair import repair_history
    from .history_file import read_history

    try:
        rules = get_policy(policy)
    except ValueError as error:
        wrong_use(str(error))
    try:
        history = read_history(read_file(file))
        result = repair_history(history.messages, rules)
    except ValueError as error:
        fail(f'{file}: {error}')
    repaired = history.with_messages(result.messages)
    if as_json:
        faults = [{**dataclasses.asdict(fault), 'line': history.line(fault.index)} for fault in result.faults]
        told = {'policy': policy, 'messages': len(history.messages), 'faults': faults}
        echo(json.dumps({**told, 'repaired': repaired} if repair else told, ensure_ascii=False, indent=2))
    else:
        console = make_console(stderr=repair)
        for fault in result.faults:
            place = (f'{file}:{history.line(fault.index)}: ', 'bold')
            print_line(console, place, (fault.rule, 'yellow'), f' messages[{fault.index}]: {fault.text}')
        count = len(result.faults)
        faults = f'{count} fault{"" if count == 1 else "s"}'
        print_line(console, f'{faults} in {len(history.messages)} messages under policy {policy}')
        if repair:
            echo(json.dumps(repaired, ensure_ascii=False, indent=2))
    if result.faults and not repair:
        raise typer.Exit(1)
