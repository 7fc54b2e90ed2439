"""What rendering a chat template costs against jinja2 alone, and what finding its abilities costs.

    python -m benchmarks.templates [FOLDER WITH .jinja FILES]

Without a folder, the sample templates of the tests. Times are CPU time, the best of five; the ratios are what counts.
"""

from __future__ import annotations as _annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from pydantic_ai_compat.errors import ChatTemplateError
from pydantic_ai_compat.templates import ChatTemplate, abilities
from pydantic_ai_compat.templates.conversations import TOOLS, call
from pydantic_ai_compat.templates.sandbox import GenerationTag

SAMPLES = Path(__file__).parent.parent / 'tests' / 'templates' / 'samples'
TOKENS = {'bos_token': '<s>', 'eos_token': '</s>'}
VALUES: dict[str, Any] = {'tools': TOOLS, 'documents': None, 'add_generation_prompt': True, **TOKENS}


def conversation(turns: int) -> list[dict[str, Any]]:
    """Four messages a turn: a call, its result, an answer and a question."""
    turn: list[dict[str, Any]] = [
        {'role': 'assistant', 'content': '', 'tool_calls': [call({'query': 'fruit', 'limit': 3})]},
        {'role': 'tool', 'tool_call_id': 'callQid01', 'name': 'get_items', 'content': 'some result text ' * 20},
        {'role': 'assistant', 'content': 'an answer ' * 20},
        {'role': 'user', 'content': 'a question ' * 10},
    ]
    return [{'role': 'system', 'content': 'Be brief.'}, {'role': 'user', 'content': 'Hello.'}, *turn * turns]


def plain_environment() -> jinja2.Environment:
    """jinja2's sandbox with what transformers adds, and no bounds."""

    def to_json(value: Any, ensure_ascii: bool = False, indent: int | None = None, **more: Any) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **more)

    def raise_exception(message: str) -> None:
        raise jinja2.TemplateError(message)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, loopcontrols]
    )
    environment.filters['tojson'] = to_json
    names: Any = environment.globals
    names.update(raise_exception=raise_exception, strftime_now=time.strftime)
    return environment


def best(run: Callable[[], object]) -> float:
    """Milliseconds of CPU time, the best of five."""
    times: list[float] = []
    for _ in range(5):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times) * 1000


def main() -> None:
    """Print a line for each template and the mean of the ratios."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    messages, environment = conversation(50), plain_environment()
    ratios: list[float] = []
    longest = 0.0
    print(f'{"template":40} {"jinja2 ms":>10} {"ours ms":>10} {"ratio":>6} {"abilities ms":>13}')
    for path in sorted(folder.glob('*.jinja')):
        source = path.read_bytes().decode()
        start = time.process_time()
        template = ChatTemplate(source, special_tokens=TOKENS)
        abilities(template)
        found = (time.process_time() - start) * 1000
        longest = max(longest, found)
        try:
            template.render(messages, TOOLS)
        except ChatTemplateError:
            print(f'{path.stem:40} {"refuses the conversation":>28} {found:13.0f}')
            continue
        plain = environment.from_string(source)
        theirs = best(lambda plain=plain: plain.render(messages=messages, **VALUES))
        ours = best(lambda template=template: template.render(messages, TOOLS))
        ratios.append(ours / theirs)
        print(f'{path.stem:40} {theirs:10.2f} {ours:10.2f} {ratios[-1]:6.2f} {found:13.0f}')
    over = sum(ratio > 1.2 for ratio in ratios)
    print(
        f'{len(ratios)} templates: mean ratio {sum(ratios) / len(ratios):.2f}, {over} above 1.2; abilities at most {longest:.0f} ms'
    )


if __name__ == '__main__':
    main()
