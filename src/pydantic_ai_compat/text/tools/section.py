"""The section of the system prompt that describes the tools, and how a call is written."""

from __future__ import annotations as _annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ..dialects.table import Dialect, Family, TextCall
from ..dialects.write import write_calls

__all__ = ('ToolsPrompt', 'check_prompt', 'describe_tools', 'tool_name')

ToolsPrompt = str | Callable[[Sequence[Mapping[str, Any]], str], str]
"""A text of one's own around the tools: with `{tools}` and `{example}` in it, or made by a function.

The function is given the tools, in the form of the API and ordered by name, and the example of a call.
"""

_PLACEHOLDERS = ('{tools}', '{example}')

_PROMPT = """\
# Tools

These tools can be called. Each line is one of them: its name, what it does, and the JSON schema of its arguments.

<tools>
{tools}
</tools>

{example}

Stop after the last call: what the tools return comes in the next user turn. Never write that yourself. Where no tool is \
needed, answer without a call."""

_EXAMPLE = 'A call has exactly this form, with the name and the arguments of the tool:'
_SEVERAL = 'Several calls are written one after the other.'
_TOGETHER = 'Several calls stand together:'
_VALUES: Mapping[Family, str] = {
    'json': '',
    'named': '',
    'tagged': 'A text stands there as it is, every other value as JSON.',
    'python': 'Each argument is given by name, its value as a Python literal.',
}
"""By the family of a dialect, what is to be said about values."""


def check_prompt(prompt: str) -> str | None:
    """Which of the placeholders a text of one's own lacks; `None` if it has both."""
    return next((placeholder for placeholder in _PLACEHOLDERS if placeholder not in prompt), None)


def describe_tools(tools: Sequence[Mapping[str, Any]], dialect: Dialect, prompt: ToolsPrompt | None = None) -> str:
    """The section that describes the tools, the same for the same tools in any order.

    Args:
        tools: The tools in the form of the API, `{'type': 'function', 'function': {...}}`.
        dialect: How a call is written.
        prompt: A text of one's own.
    """
    ordered = sorted(tools, key=tool_name)
    example = _example(dialect)
    if callable(prompt):
        return prompt(ordered, example)
    values = {'{tools}': '\n'.join(map(_tool_line, ordered)), '{example}': example}
    if prompt is None:
        prompt = _PROMPT
        values['{example}'] = _explained_example(dialect)
    return _filled(prompt, values)


def tool_name(tool: Mapping[str, Any]) -> str:
    """The name of a tool in the form of the API."""
    return tool['function']['name']


def _filled(prompt: str, values: Mapping[str, str]) -> str:
    """The text with the values in their places; braces in either are left as they are."""
    for placeholder in reversed(_PLACEHOLDERS):
        prompt = prompt.replace(placeholder, values[placeholder])
    return prompt


def _tool_line(tool: Mapping[str, Any]) -> str:
    """One tool as one line of JSON, whose keys are always in the same order."""
    function = tool['function']
    fields = [f'"{key}": {_SORTED.encode(function[key])}' for key in _TOOL_KEYS if function.get(key)]
    return f'{{{", ".join(fields)}}}'


_TOOL_KEYS = ('name', 'description', 'parameters')
_SORTED = json.JSONEncoder(ensure_ascii=False, sort_keys=True)


@cache
def _example(dialect: Dialect) -> str:
    """A call as the dialect writes it, of a tool that there is not."""
    return write_calls([_call('tool_name')], dialect)


@cache
def _explained_example(dialect: Dialect) -> str:
    example = _example(dialect)
    first, second = _call('tool_name'), _call('other_tool')
    several = write_calls([first, second], dialect)
    # Where the calls of an answer share marks, or something stands between them, two are no two examples in a row.
    apart = not several.removeprefix(example).removesuffix(write_calls([second], dialect)).strip()
    lines = [_EXAMPLE, '', example, '', _VALUES[dialect.family], *([_SEVERAL] if apart else [_TOGETHER, '', several])]
    return '\n'.join(line for number, line in enumerate(lines) if line or not number or lines[number - 1])


def _call(name: str) -> TextCall:
    return TextCall(name, json.dumps({'argument': 'value'}))
