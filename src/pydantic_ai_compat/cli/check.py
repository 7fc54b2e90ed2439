"""`pydantic-ai-compat check`: the faults of a stored history, with the lines they sit in."""

from __future__ import annotations as _annotations

import json
from typing import Annotated

import typer
from rich.text import Text

from .arguments import HistoryFile
from .console import echo, fail, make_console

__all__ = ('check',)


def check(
    file: HistoryFile,
    policy: Annotated[
        str, typer.Option('--policy', help='The policy to check against, such as deepseek or vllm+H24.')
    ] = 'standard',
    repair: Annotated[
        bool, typer.Option('--repair', help='Print the repaired history as JSON; the faults go to the error output.')
    ] = False,
) -> None:
    """Check a stored history, and print its faults with the lines they sit in.

    The exit status is 1 if there are faults, and 0 if there are none or `--repair` is given.
    """
    from pydantic_ai.exceptions import UserError

    from ..history import repair_history
    from .history_file import read_history

    try:
        history = read_history(file.read_bytes())
        result = repair_history(history.messages, policy)
    except UserError as error:
        fail(f'{file}: {error}')
    console = make_console(stderr=repair)
    for fault in result.faults:
        line = history.line(fault.index)
        console.print(
            Text.assemble(
                (f'{file}:{line}: ', 'bold'),
                (fault.rule, 'yellow'),
                f' messages[{fault.index}]: {fault.text}',
            ),
            soft_wrap=True,
        )
    count = len(result.faults)
    summary = f'{count} fault{"" if count == 1 else "s"} in {len(history.messages)} messages under policy {policy}'
    console.print(summary, soft_wrap=True)
    if repair:
        echo(json.dumps(history.with_messages(result.messages), ensure_ascii=False, indent=2))
    elif count:
        raise typer.Exit(1)
