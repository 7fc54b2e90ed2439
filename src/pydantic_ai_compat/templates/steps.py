"""A conversation on the wire in steps, with the lists among its tool results in any form."""

from __future__ import annotations as _annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from .conversations import content_of, json_text
from .list_forms import WireForm

__all__ = ('MARK_END', 'MARK_START', 'Step', 'in_form', 'list_items')

Step: TypeAlias = 'tuple[list[dict[str, Any]], list[str] | None]'
"""The messages of a step, and the items if they are a tool's list."""

MARK_START, MARK_END = '\ue000', '\ue001'
"""Put around each item to find it again; letters of Unicode's private use area, which no template looks for."""


def list_items(messages: Sequence[Mapping[str, Any]]) -> list[Step]:
    """The conversation in steps: the messages of each, and the items if they are a tool's list."""
    steps: list[Step] = []
    for message in messages:
        copied = dict(message)
        before = steps[-1][0][-1] if steps else {}
        if copied.get('role') == 'tool' and before.get('role') == 'tool' and _same_call(before, copied):
            steps[-1][0].append(copied)
        else:
            steps.append(([copied], None))
    return [(group, _items(group)) for group, _ in steps]


def _same_call(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    return left.get('tool_call_id') is not None and left.get('tool_call_id') == right.get('tool_call_id')


def _items(group: Sequence[Mapping[str, Any]]) -> list[str] | None:
    if group[0].get('role') != 'tool':
        return None
    contents = [message.get('content') for message in group]
    if len(contents) > 1:
        return [content if isinstance(content, str) else json.dumps(content) for content in contents]
    (content,) = contents
    if isinstance(content, str) and content.lstrip().startswith('['):
        try:
            content = json.loads(content)
        except (ValueError, RecursionError):
            return None
        return [item if isinstance(item, str) else json_text(item) for item in content]
    if isinstance(content, list):
        parts = cast('list[Any]', content)
        texts = [cast('Mapping[str, Any]', part).get('text') for part in parts if isinstance(part, Mapping)]
        return [str(text) for text in texts] if len(texts) == len(parts) and None not in texts else None
    return None


def in_form(steps: Sequence[Step], form: WireForm, *, mark: bool) -> list[dict[str, Any]]:
    """The conversation with each list in this form, its items between marks if `mark`."""
    messages: list[dict[str, Any]] = []
    for group, items in steps:
        if items is None:
            messages += group
        elif form == 'json':
            messages.append({**group[0], 'content': _json_content(group, items, mark=mark)})
        else:
            texts = [_marked(item) for item in items] if mark else items
            messages += [{**group[0], 'content': content} for content in content_of(texts, form)]
    return messages


def _marked(text: str) -> str:
    return f'{MARK_START}{text}{MARK_END}'


def _json_content(group: Sequence[Mapping[str, Any]], items: Sequence[str], *, mark: bool) -> str:
    """The list as the JSON text that pydantic-ai sends: what stands in the history, if that is the text already."""
    content = group[0].get('content')
    values: list[Any] = list(items)
    if len(group) == 1 and isinstance(content, str):
        if not mark:
            return content
        values = json.loads(content)
    if not mark:
        return json_text(values)
    texts = [json_text(_marked(value)) if isinstance(value, str) else _marked(json_text(value)) for value in values]
    return f'[{",".join(texts)}]'
