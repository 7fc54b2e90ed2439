"""The small conversations that a template's abilities are found with."""

from __future__ import annotations as _annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic_core import to_json

from .deliveries import Needle

__all__ = (
    'ARGUMENTS',
    'FORMS',
    'NEEDLES',
    'PARALLEL_NAMES',
    'PARALLEL_NEEDLES',
    'TOOLS',
    'ContentForm',
    'Setting',
    'call',
    'calls_turn',
    'content_of',
    'json_text',
    'tool_turn',
)

ContentForm = Literal['json', 'text', 'text_parts', 'strings', 'outputs', 'parts_with_output', 'messages']
"""What a list that a tool returned is on the wire or in front of the template:

* `json`: one string, the list as JSON, which is what pydantic-ai sends;
* `text`: one string, an item a line;
* `text_parts`: `[{'type': 'text', 'text': item}, ...]`;
* `strings`: the list itself;
* `outputs`: `[{'output': item}, ...]`, which GLM's templates look for;
* `parts_with_output`: text parts with the item under `output` as well;
* `messages`: one tool message for each item, all under the call's id.
"""

FORMS: tuple[ContentForm, ...] = ('json', 'text', 'text_parts', 'strings', 'outputs', 'parts_with_output', 'messages')

NEEDLES = (Needle(1), Needle(2))

PARALLEL_NEEDLES = ((Needle(1), Needle(2)), (Needle(3), Needle(4), Needle(5)))
"""What two calls in one turn return: lists of different lengths, so that a template which counts miscounts."""

PARALLEL_NAMES = (('get_items', 'show_times'), ('get_items', 'get_items'))
"""The tools of the two calls: two tools, and one tool called twice, whose name then tells nothing."""

ARGUMENTS: Mapping[str, Any] = {'query': 'Qargzq', 'limit': 3}

TOOLS: Sequence[Mapping[str, Any]] = [
    {
        'type': 'function',
        'function': {
            'name': 'get_items',
            'description': 'Find items.',
            'parameters': {
                'type': 'object',
                'properties': {
                    'query': {'type': 'string', 'description': 'What to look for.'},
                    'limit': {'type': 'integer', 'description': 'How many.'},
                },
                'required': ['query', 'limit'],
            },
        },
    }
]


def json_text(value: Any) -> str:
    """A value as the JSON text that pydantic-ai sends of it."""
    try:
        return to_json(value, inf_nan_mode='null').decode()
    except ValueError:  # Half a surrogate pair, of which pydantic-ai makes no JSON.
        return json.dumps(value, ensure_ascii=False, separators=(',', ':'))


def content_of(items: Sequence[str], form: ContentForm) -> list[Any]:
    """The contents of the tool messages that hold these items: one, or one for each item with `messages`."""
    contents: Mapping[ContentForm, list[Any]] = {
        'json': [json_text(list(items))],
        'text': ['\n'.join(items)],
        'text_parts': [[{'type': 'text', 'text': item} for item in items]],
        'strings': [list(items)],
        'outputs': [[{'output': item} for item in items]],
        'parts_with_output': [[{'type': 'text', 'text': item, 'output': item} for item in items]],
        'messages': list(items),
    }
    return contents[form]


@dataclass(frozen=True)
class Setting:
    """What a template wants of a conversation before it renders a tool turn at all."""

    arguments: Literal['object', 'string'] = 'object'
    content: str | None = ''
    """The assistant's text beside its tool calls."""

    system: bool = True
    """Whether the conversation may begin with a system message."""

    flat_tools: bool = False
    """Whether tools are given as their functions, without `{'type': 'function', ...}` around each."""

    variables: tuple[tuple[str, str], ...] = ()
    """Variables that the template cannot do without."""

    @property
    def tools(self) -> Sequence[Mapping[str, Any]]:
        """The tools in the shape that the template reads."""
        return [tool['function'] for tool in TOOLS] if self.flat_tools else TOOLS

    @property
    def opening(self) -> list[dict[str, Any]]:
        """A system message, where the template takes one, and a user's."""
        system = [{'role': 'system', 'content': 'Be brief.'}] if self.system else []
        return [*system, {'role': 'user', 'content': 'List the items.'}]

    def arguments_of(self, arguments: Mapping[str, Any]) -> Any:
        """Arguments in the shape that the template reads."""
        return json.dumps(arguments) if self.arguments == 'string' else dict(arguments)


def call(arguments: Any, call_id: str = 'callQid01', name: str = 'get_items') -> dict[str, Any]:
    """A tool call; nine letters and digits in its id, because Mistral's templates refuse any other."""
    return {'id': call_id, 'type': 'function', 'function': {'name': name, 'arguments': arguments}}


def tool_turn(setting: Setting, contents: Sequence[Any], **assistant: Any) -> list[dict[str, Any]]:
    """A conversation up to a tool's results, each of `contents` in a message of its own."""
    return calls_turn(setting, [contents], ['get_items'], **assistant)


def calls_turn(
    setting: Setting, results: Sequence[Sequence[Any]], names: Sequence[str], **assistant: Any
) -> list[dict[str, Any]]:
    """A conversation up to the results of several calls in one turn, in the order of the calls.

    Args:
        setting: What the template wants.
        results: For each call, the contents of the tool messages with its result.
        names: For each call, the name of its tool.
        assistant: Fields of the message with the calls.
    """
    ids = [f'callQid{number:02}' for number in range(1, len(names) + 1)]
    calls = [call(setting.arguments_of(ARGUMENTS), call_id, name) for call_id, name in zip(ids, names, strict=True)]
    messages = [
        {'role': 'tool', 'tool_call_id': call_id, 'name': name, 'content': content}
        for call_id, name, contents in zip(ids, names, results, strict=True)
        for content in contents
    ]
    turn: dict[str, Any] = {'role': 'assistant', 'content': setting.content, 'tool_calls': calls, **assistant}
    return [*setting.opening, turn, *messages]
