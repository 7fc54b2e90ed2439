"""One conversation in the forms that a tool's list can take, side by side, with what arrived, leaked or got lost."""

from __future__ import annotations as _annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from ..lazy import TemplateFailure
from .formats import ContentFormats, content_formats
from .labels import Place, Turn, belonging
from .list_forms import WireForm
from .servers import hand_over, server_named
from .steps import Step, in_form, list_items
from .template import ChatTemplate
from .wire_turns import ServerPrompts

__all__ = ('Rendering', 'Span', 'SpanKind', 'compare_forms', 'list_items')

SpanKind = Literal['item', 'escaped', 'mislabelled', 'not told apart', 'leaked']
"""A part of a prompt: an item of a tool's list as it was, an item that was escaped, one that stands under another call's
label or of which nothing tells whose it is, or list syntax that leaked."""


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
            (kinds.count('mislabelled'), "under another call's label"),
            (kinds.count('not told apart'), 'not told apart'),
            (len(self.lost), 'lost'),
            (kinds.count('leaked'), 'leaks of list syntax'),
        )
        told = [f'{count} {word}' for count, word in counts if count]
        return f'{", ".join(told) or "no list among the tool results"}; {len(self.prompt)} characters'


def compare_forms(
    template: ChatTemplate | ServerPrompts,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]] | None = None,
    *,
    forms: Sequence[WireForm] = ('text_parts', 'messages', 'json'),
    server: str | None = None,
    **variables: Any,
) -> list[Rendering]:
    """Render a conversation once for each form.

    Args:
        template: The chat template, or the prompts that a server shows, which then get the messages as they are.
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


_MARK = re.compile(r'\ue000|\ue001|\\ue000|\\ue001')

_LEAK_BEFORE = re.compile(
    r"""[\[{(,\s]*(?:\\?['"](?:type|text|output)\\?['"]\s*:\s*(?:\\?['"]text\\?['"]\s*,\s*)?)+\\?['"]$"""
)
_LEAK_AFTER = re.compile(r"""^\\?['"]\s*(?:,\s*\\?['"]\w+\\?['"]\s*:\s*\\?['"][^'"]*\\?['"]\s*)*\}\s*\]?""")


class _Renderer:
    def __init__(
        self,
        template: ChatTemplate | ServerPrompts,
        tools: Sequence[Mapping[str, Any]] | None,
        server: str | None,
        variables: Mapping[str, Any],
    ):
        self._template: ChatTemplate | ServerPrompts = template
        self._tools = tools
        self._server = server_named(server) if server else None
        self._variables: dict[str, Any] = {**(self._server.variables if self._server else {}), **variables}
        self._formats = ContentFormats()
        if self._server is None or isinstance(template, ServerPrompts):
            return
        if self._server.own_interpreter:
            caps, self._template = template.caps, template.for_llama_cpp()
            self._formats = content_formats(self._template, caps)
        else:
            self._formats = content_formats(template)

    def rendering(self, messages: Sequence[Mapping[str, Any]], form: WireForm) -> Rendering:
        steps = list_items(messages)
        items = [item for _, found in steps for item in found or ()]
        try:
            prompt, tool_messages = self._prompt(steps, form, mark=False)
            spans, found = self._spans(prompt, steps, form, items)
        except TemplateFailure as error:
            return Rendering(form, error=str(error).removeprefix(f'{self._template.name}: '))
        turns = _turns(prompt, steps, found)
        singles: Sequence[Turn | None] = [None] * len(turns)
        if tool_messages > sum(group[0].get('role') == 'tool' for group, _ in steps):
            singles = self._single_turns(steps, items) or turns
        kinds = _belonging(turns, singles)
        spans = [Span(span.start, span.end, kinds.get(span.start, span.kind)) for span in spans]
        lost = tuple(item for position, item in enumerate(items) if position not in found)
        return Rendering(form, prompt, spans=tuple(_with_leaks(prompt, spans)), lost=lost)

    def _single_turns(self, steps: Sequence[Step], items: Sequence[str]) -> list[Turn]:
        """The turns with one tool message for each call, or none if the template does not render them."""
        try:
            prompt, _ = self._prompt(steps, 'text', mark=False)
            _, found = self._spans(prompt, steps, 'text', items)
        except TemplateFailure:
            return []
        return _turns(prompt, steps, found)

    def _spans(
        self, prompt: str, steps: Sequence[Step], form: WireForm, items: Sequence[str]
    ) -> tuple[list[Span], dict[int, Span]]:
        marked, _ = self._prompt(steps, form, mark=True)
        if _MARK.sub('', marked) == prompt:
            return _marked_spans(marked, items)
        # The marks kept the template from trimming or testing a text: look for the texts themselves.
        return _searched_spans(prompt, items)

    def _prompt(self, steps: Sequence[Step], form: WireForm, *, mark: bool) -> tuple[str, int]:
        """The prompt, and the number of its tool messages."""
        handed = self._handed(in_form(steps, form, mark=mark))
        return self._rendered(handed), sum(message.get('role') == 'tool' for message in handed)

    def _handed(self, messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        if isinstance(self._template, ServerPrompts):
            return messages
        if self._server is None:
            return _with_objects(messages)
        return hand_over(messages, self._server.name, self._formats).accepted()

    def _rendered(self, handed: Sequence[Mapping[str, Any]]) -> str:
        if isinstance(self._template, ServerPrompts):
            return self._template.show(handed, self._tools)
        render = self._template.render if self._server is None else self._template.render_as_given
        return render(handed, self._tools, True, **self._variables)


def _belonging(turns: Sequence[Turn], singles: Sequence[Turn | None]) -> dict[int, SpanKind]:
    """By where they begin, the items that stand under another label, or of which nothing tells whose they are."""
    kinds: dict[int, SpanKind] = {}
    for turn, single in zip(turns, singles, strict=True):
        for places, words in zip(turn.calls, belonging(turn, single), strict=True):
            kinds.update({place[0]: word for place, word in zip(places, words, strict=True) if word != 'kept'})
    return kinds


def _turns(prompt: str, steps: Sequence[Step], found: Mapping[int, Span]) -> list[Turn]:
    """The results of each turn in the prompt: lists by their items, and what stands between them as one."""
    turns: list[Turn] = []
    number = end = 0
    for is_tool, results in itertools.groupby(steps, key=lambda step: step[0][0].get('role') == 'tool'):
        calls: list[list[Place]] = []
        for group, items in results if is_tool else ():
            if items is None:
                # A result that is no list stands between the lists of other calls.
                text = str(group[0].get('content') or '')
                start = prompt.find(text, end) if text else -1
                calls.append([(start, start + len(text))] if start >= 0 else [])
            else:
                spans = [found[place] for place in range(number, number + len(items)) if place in found]
                number += len(items)
                calls.append([(span.start, span.end) for span in spans])
            end = max([end, *(place[1] for place in calls[-1])])
        turns += [Turn(prompt, calls)] if is_tool else []
    return turns


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


def _marked_spans(marked: str, items: Sequence[str]) -> tuple[list[Span], dict[int, Span]]:
    """The spans between pairs of marks, in the prompt without marks, and which items they hold."""
    spans: list[Span] = []
    found: dict[int, Span] = {}
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
            span = Span(start, position, 'item' if text in items else 'escaped')
            spans.append(span)
            if number is not None:
                found[number] = span
                remaining = [entry for entry in remaining if entry[0] != number]
            start = None
    return spans, found


def _searched_spans(prompt: str, items: Sequence[str]) -> tuple[list[Span], dict[int, Span]]:
    """The spans of the items' texts, looked for from the end: results stand after what was asked."""
    spans: list[Span] = []
    found: dict[int, Span] = {}
    end = len(prompt)
    for number in reversed(range(len(items))):
        for spelling in _spellings(items[number].strip()):
            start = prompt.rfind(spelling, 0, end) if spelling else -1
            if start >= 0:
                kind: SpanKind = 'item' if spelling == items[number].strip() else 'escaped'
                found[number] = Span(start, start + len(spelling), kind)
                spans.append(found[number])
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
    return replace(rendering, differs=(start, len(one) - tail))
