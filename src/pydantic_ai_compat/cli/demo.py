"""`pydantic-ai-compat demo`: what becomes of a list that a tool returned."""

from __future__ import annotations as _annotations

import asyncio
import dataclasses
import os
from contextlib import ExitStack, aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .arguments import AsJson, ModelName, existing_file
from .console import busy, fail, make_console
from .files import named_file

if TYPE_CHECKING:
    from ..config.variants import ImportModelConfig
    from ..demo.target import DemoTarget

__all__ = ('demo',)


def demo(
    chat_template: Annotated[
        Path | None,
        typer.Option(
            metavar='FILE',
            help='Jinja chat template for the embedded server, instead of its own; `-` is standard input.',
            callback=existing_file,
        ),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar='URL', help='Run on this endpoint, not on the embedded server.')
    ] = None,
    model: ModelName = None,
    api_key: Annotated[
        str | None,
        typer.Option(metavar='KEY', help="The key for --base-url; '${NAME}' takes it from the environment."),
    ] = None,
    variants: Annotated[
        Path | None,
        typer.Option(
            metavar='FILE',
            help='Run on a variant of this YAML file; `-` is standard input.',
            callback=existing_file,
        ),
    ] = None,
    variant: Annotated[str | None, typer.Option(metavar='NAME', help='The name of the variant in --variants.')] = None,
    tools: Annotated[
        Literal['native', 'text'] | None,
        typer.Option(
            '--tools',
            help='How tools reach the model; without it, what the variant says, and natively if it says nothing.',
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what becomes of a list that a tool returned.

    An agent, whose tool returns a list of two items, runs once for each form of the list: stock, text_parts, messages
    and text. For each the output shows the tool messages on the wire, what the model's prompt held of them, and the
    agent's answer. Without options it runs on an embedded llama.cpp server with a scripted model.
    """
    # pydantic-ai's note on observability, once a process on a terminal, would stand in the middle of the panels.
    os.environ.setdefault('PYDANTIC_AI_NO_BANNER', '1')
    with busy('Loading pydantic-ai'):
        from pydantic_ai.exceptions import UserError

        from ..demo.failures import EndpointError
        from ..demo.server import ServerStartError
        from ..demo.target import DemoTarget
        from ..probing.models import ModelChoiceError

    target = DemoTarget(
        chat_template=chat_template,
        base_url=base_url,
        model=model,
        api_key=api_key,
        variants=variants,
        variant=variant,
        tools=tools,
    )
    if (contradiction := target.contradiction()) is not None:
        raise typer.BadParameter(contradiction)
    try:
        with ExitStack() as stack:
            for option, name in {'chat_template': 'standard-input.jinja', 'variants': 'standard-input.yaml'}.items():
                if (file := getattr(target, option)) is not None:
                    path = stack.enter_context(named_file(file, lambda _, name=name: name))
                    target = dataclasses.replace(target, **{option: path})
            with busy('Starting llama.cpp' if target.embedded else 'Reading the variant'):
                config = stack.enter_context(target.open())
            asyncio.run(_show(target, config, as_json))
    except (EndpointError, ModelChoiceError, ServerStartError, UserError) as error:
        fail(str(error))


async def _show(target: DemoTarget, config: ImportModelConfig, as_json: bool) -> None:
    """Print each form as it is done; fail at once if stock has no answer, and at the end if another form has none."""
    from ..demo.run import run_demo
    from .demo_view import DemoView

    view = DemoView(make_console(), target, config.get_model(), as_json=as_json)
    failures: list[str] = []
    async with aclosing(run_demo(config, fixed_exchange=target.fixed_exchange, tools=target.tools)) as results:
        while True:
            with busy('Running the agent'):
                result = await anext(results, None)
            if result is None:
                break
            if result.problem is not None and not target.fixed_exchange:
                if result.form == 'stock':
                    fail(result.problem)
                failures.append(f'{result.form}: {result.problem}')
            view.add(result)
    view.close()
    if failures:
        fail('\n'.join(failures))
