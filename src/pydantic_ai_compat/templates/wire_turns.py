"""A tool turn as it is on the wire, tried in each form that a list can be sent in."""

from __future__ import annotations as _annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..lazy import TemplateFailure
from .conversations import NEEDLES, PARALLEL_NAMES, PARALLEL_NEEDLES, TOOLS, Setting, calls_turn, content_of
from .deliveries import Delivery, Needle, find_turn_delivery, worst_delivery
from .list_forms import WIRE_FORMS, ListForms, WireForm

__all__ = ('ServerPrompts', 'shown_list_forms', 'try_list_forms', 'wire_turn')

Show = Callable[[Sequence[Mapping[str, Any]]], tuple[str, int]]
"""The prompt of a conversation, and how many tool messages the template got for it; raises `ChatTemplateError`."""


@dataclass(frozen=True)
class ServerPrompts:
    """The prompts that a running server shows, in the place of its chat template."""

    name: str
    """What errors call it."""

    show: Callable[[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]] | None], str]
    """The prompt of messages and tools on the wire; raises `ChatTemplateError` where the server refuses them."""


def wire_turn(
    results: Sequence[Sequence[Any]],
    fields: Mapping[str, Any],
    names: Sequence[str] = ('get_items',),
    *,
    system: bool = True,
    **more: Any,
) -> list[dict[str, Any]]:
    """A conversation up to a tool turn as it is on the wire: arguments as a string, and no names beside results.

    Args:
        results: For each call, the contents of the tool messages with its result.
        fields: The content of the message with the calls, or none.
        names: For each call, the name of its tool.
        system: Whether it begins with a system message.
        more: More fields of the message with the calls.
    """
    messages = calls_turn(Setting(arguments='string', system=system), results, names, **more)
    turn = next(message for message in messages if message['role'] == 'assistant')
    del turn['content']
    turn |= fields
    for message in messages:
        message.pop('name', None)
    return messages


def try_list_forms(show: Show, name: str, fields: Mapping[str, Any], *, system: bool) -> ListForms:
    """What becomes of a list in each form, of one call alone and of two in one turn.

    Args:
        show: Renders a conversation.
        name: What the words of errors begin with, which is left out.
        fields: As for `wire_turn`.
        system: As for `wire_turn`.
    """

    @cache
    def shown(form: WireForm, calls: tuple[tuple[Needle, ...], ...], names: tuple[str, ...]) -> tuple[str, int]:
        results = [content_of([needle.text for needle in needles], form) for needles in calls]
        return show(wire_turn(results, fields, names, system=system))

    def delivery(form: WireForm, calls: tuple[tuple[Needle, ...], ...], names: tuple[str, ...]) -> Delivery:
        try:
            prompt, count = shown(form, calls, names)
        except TemplateFailure as error:
            return Delivery('raises', error=str(error).removeprefix(f'{name}: '))
        single: str | None = None
        if count > len(calls):
            single = ''
            with suppress(TemplateFailure):
                single = shown('text', calls, names)[0]
        return find_turn_delivery(prompt, calls, single=single)

    return ListForms(
        alone={form: delivery(form, (NEEDLES,), ('get_items',)) for form in WIRE_FORMS},
        parallel={
            form: worst_delivery([delivery(form, PARALLEL_NEEDLES, names) for names in PARALLEL_NAMES])
            for form in WIRE_FORMS
        },
    )


def shown_list_forms(prompts: ServerPrompts) -> ListForms:
    """The same by the prompts that a server shows: twelve of them, of a few messages each."""

    def show(messages: Sequence[Mapping[str, Any]]) -> tuple[str, int]:
        # What the server hands to its template does not show: it is taken to pass on what it got.
        return prompts.show(messages, TOOLS), sum(message['role'] == 'tool' for message in messages)

    return try_list_forms(show, prompts.name, {'content': None}, system=True)
