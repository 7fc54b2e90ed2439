"""One conversation in the forms that a tool's list can take, side by side, with what arrived, leaked or got lost."""

from __future__ import annotations as _annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, cast

from ..errors import ChatTemplateError
from .conversations import content_of
from .formats import ContentFormats, content_formats
from .list_forms import WireForm
from .servers import hand_over, server_named
from .template import ChatTemplate

__all__ = ('Rendering', 'Span', 'SpanKind', 'compare_forms', 'list_items')

SpanKind = Literal['item', 'escaped', 'leaked']
"""A part of a prompt: an item of a tool's list as it was, an item that was escaped, or list syntax that leaked."""


@dataclass(frozen=True)
class Span:
    """A part of a prompt, by its first character and the one after its last."""

    start: int
    end: int
    kind: SpanKind


@dataclass(frozen=True)
class Rendering:
    """The prompt that one form of a conversation gives."""

    form: WireForm
    prompt: str = ''
    error: str = ''
    """Why there is no prompt: the server's refusal or the template's own words."""

    spans: tuple[Span, ...] = ()
    """In order, none overlapping another."""

    lost: tuple[str, ...] = ()
    """Items that are not in the prompt."""

    differs: tuple[int, int] = (0, 0)
    """The part in which the prompt differs from that of the first form."""

    @property
    def summary(self) -> str:
        """In words, what the spans say: a pipe has no colours."""
        kinds = [span.kind for span in self.spans]
        counts = (
            (kinds.count('item'), 'intact'),
            (kinds.count('escaped'), 'escaped'),
            (len(self.lost), 'lost'),
            (kinds.count('leaked'), 'leaks of list syntax'),
        )
        told = [f'{count} {word}' for count, word in counts if count]
        return f'{", ".join(told) or "no list among the tool results"}; {len(self.prompt)} characters'


def compare_forms(
    template: ChatTemplate,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] | None = None,
    *,
    forms: Sequence[WireForm] = ('text_parts', 'messages', 'json'),
    server: str | None = None,
    **variables: Any,
) -> list[Rendering]:
    """Render a conversation once for each form.

    Args:
        template: The chat template.
        messages: The conversation as it is on the wire. Tool results that are a JSON list, a list of text parts, or
            several messages for one call take each form; the others stay as they are.
        tools: The tools' definitions.
        forms: The forms to compare; the first is what the others differ from.
        server: The server in front of the template; `None` hands it the messages with arguments as objects.
        variables: What the template reads beside.
    """
    renderer = _Renderer(template, tools, server, variables)
    renderings = [renderer.rendering(messages, form) for form in forms]
    first = next((rendering for rendering in renderings if not rendering.error), None)
    return [_with_difference(rendering, first) for rendering in renderings]


def list_items(messages: Sequence[Mapping[str, Any]]) -> list[tuple[list[dict[str, Any]], list[str] | None]]:
    """The conversation in steps: the messages of each, and the items if they are a tool's list."""
    steps: list[tuple[list[dict[str, Any]], list[str] | None]] = []
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
        return [item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in content]
    if isinstance(content, list):
        parts = cast('list[Any]', content)
        texts = [cast('Mapping[str, Any]', part).get('text') for part in parts if isinstance(part, Mapping)]
        return [str(text) for text in texts] if len(texts) == len(parts) and None not in texts else None
    return None


_START, _END = '\ue000', '\ue001'
"""Put around each item to find it again; letters of Unicode's private use area, which no template looks for."""

_MARK = re.compile(r'\ue000|\ue001|\\ue000|\\ue001')

_LEAK_BEFORE = re.compile(
    r"""[\[{(,\s]*(?:\\?['"](?:type|text|output)\\?['"]\s*:\s*(?:\\?['"]text\\?['"]\s*,\s*)?)+\\?['"]$"""
)
_LEAK_AFTER = re.compile(r"""^\\?['"]\s*(?:,\s*\\?['"]\w+\\?['"]\s*:\s*\\?['"][^'"]*\\?['"]\s*)*\}\s*\]?""")


class _Renderer:
    def __init__(
        self,
        template: ChatTemplate,
        tools: Sequence[Mapping[str, Any]] | None,
        server: str | None,
        variables: Mapping[str, Any],
    ):
        self._template = template
        self._tools = tools
        self._server = server_named(server) if server else None
        self._variables: dict[str, Any] = {**(self._server.variables if self._server else {}), **variables}
        if self._server and self._server.own_interpreter:
            caps, self._template = template.caps, template.for_llama_cpp()
            self._formats = content_formats(self._template, caps)
        else:
            self._formats = content_formats(template) if self._server else ContentFormats()

    def rendering(self, messages: Sequence[Mapping[str, Any]], form: WireForm) -> Rendering:
        steps = list_items(messages)
        items = [item for _, found in steps for item in found or ()]
        try:
            prompt = self._prompt(_in_form(steps, form, mark=False))
            marked = self._prompt(_in_form(steps, form, mark=True))
        except ChatTemplateError as error:
            return Rendering(form, error=str(error).removeprefix(f'{self._template.name}: '))
        spans, found = _marked_spans(marked, items)
        if _MARK.sub('', marked) != prompt:
            # The marks kept the template from trimming or testing a text: look for the texts themselves.
            spans, found = _searched_spans(prompt, items)
        lost = tuple(item for position, item in enumerate(items) if position not in found)
        return Rendering(form, prompt, spans=tuple(_with_leaks(prompt, spans)), lost=lost)

    def _prompt(self, messages: Sequence[Mapping[str, Any]]) -> str:
        if self._server is None:
            return self._template.render(_with_objects(messages), self._tools, True, **self._variables)
        handed = hand_over(messages, self._server.name, self._formats)
        if handed.refused:
            raise ChatTemplateError(handed.refused)
        return self._template.render_as_given(handed.messages, self._tools, True, **self._variables)


def _in_form(
    steps: Sequence[tuple[list[dict[str, Any]], list[str] | None]], form: WireForm, *, mark: bool
) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for group, items in steps:
        if items is None:
            messages += group
            continue
        texts = [f'{_START}{item}{_END}' for item in items] if mark else items
        messages += [{**group[0], 'content': content} for content in content_of(texts, form)]
    return messages


def _with_objects(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The messages with the arguments of calls as objects, which is how templates want them by far the most often."""
    converted: list[dict[str, Any]] = []
    for message in messages:
        calls: list[Any] = []
        for call in cast('list[dict[str, Any]]', message.get('tool_calls') or []):
            function = dict(cast('Mapping[str, Any]', call.get('function') or {}))
            # What is an object already, or no JSON, stays as it is.
            with suppress(KeyError, TypeError, ValueError):
                function['arguments'] = json.loads(function['arguments'])
            calls.append({**call, 'function': function})
        converted.append({**message, 'tool_calls': calls} if calls else dict(message))
    return converted


def _marked_spans(marked: str, items: Sequence[str]) -> tuple[list[Span], set[int]]:
    """The spans between pairs of marks, in the prompt without marks, and which items they hold."""
    spans: list[Span] = []
    found: set[int] = set()
    removed, start, begin = 0, None, 0
    remaining = list(enumerate(items))
    for mark in _MARK.finditer(marked):
        opens = mark.group().endswith(('\ue000', 'ue000'))
        position = mark.start() - removed
        removed += len(mark.group())
        if opens:
            start, begin = position, mark.end()
        elif start is not None:
            text = marked[begin : mark.start()]
            number = next((number for number, item in remaining if text in _spellings(item)), None)
            if number is not None:
                found.add(number)
                remaining = [entry for entry in remaining if entry[0] != number]
            kind: SpanKind = 'item' if text in items else 'escaped'
            spans.append(Span(start, position, kind))
            start = None
    return spans, found


def _searched_spans(prompt: str, items: Sequence[str]) -> tuple[list[Span], set[int]]:
    """The spans of the items' texts, looked for from the end: results stand after what was asked."""
    spans: list[Span] = []
    found: set[int] = set()
    end = len(prompt)
    for number in reversed(range(len(items))):
        for spelling in _spellings(items[number].strip()):
            start = prompt.rfind(spelling, 0, end) if spelling else -1
            if start >= 0:
                kind: SpanKind = 'item' if spelling == items[number].strip() else 'escaped'
                spans.append(Span(start, start + len(spelling), kind))
                found.add(number)
                end = start
                break
    return spans[::-1], found


def _spellings(item: str) -> tuple[str, ...]:
    return item, json.dumps(item, ensure_ascii=False)[1:-1], json.dumps(item)[1:-1], repr(item)[1:-1]


def _with_leaks(prompt: str, spans: Sequence[Span]) -> list[Span]:
    """The spans, and beside them what leaked: keys and brackets of the list that the items were in."""
    full: list[Span] = []
    end = 0
    for number, span in enumerate(spans):
        before = prompt[max(end, span.start - 60) : span.start]
        if leak := _LEAK_BEFORE.search(before):
            full.append(Span(span.start - len(before) + leak.start(), span.start, 'leaked'))
        full.append(span)
        end = span.end
        limit = spans[number + 1].start if number + 1 < len(spans) else span.end + 60
        if leak := _LEAK_AFTER.match(prompt[span.end : limit]):
            end = span.end + leak.end()
            full.append(Span(span.end, end, 'leaked'))
    return full


def _with_difference(rendering: Rendering, first: Rendering | None) -> Rendering:
    if first is None or rendering.error or rendering.form == first.form:
        return rendering
    one, other = rendering.prompt, first.prompt
    limit = min(len(one), len(other))
    start = next((index for index in range(limit) if one[index] != other[index]), limit)
    tail = next((index for index in range(limit - start) if one[-1 - index] != other[-1 - index]), limit - start)
    return Rendering(
        rendering.form,
        one,
        spans=rendering.spans,
        lost=rendering.lost,
        differs=(start, len(one) - tail),
    )
