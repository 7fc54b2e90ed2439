"""The forms in which a list can be sent, ranked by what a template makes of them, and the options for the best."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .deliveries import KEPT, Delivery

__all__ = ('WIRE_FORMS', 'Choice', 'ListForms', 'WireForm')

WireForm = Literal['text_parts', 'messages', 'text', 'json']
"""The forms in which a list can be sent; `json` is pydantic-ai's own, the others are `openai_chat_tool_return_list_format`."""

WIRE_FORMS: tuple[WireForm, ...] = ('text_parts', 'messages', 'text', 'json')

_AS_LIST = 'openai_chat_tool_return_as_list'
_FORMAT = 'openai_chat_tool_return_list_format'
_PARALLEL = 'openai_chat_parallel_list_messages'


@dataclass(frozen=True)
class Choice:
    """One option, the value that fits, and why."""

    option: str
    value: Any
    reason: str
    is_default: bool = False
    """Whether the option has this value anyway."""


@dataclass(frozen=True)
class ListForms:
    """What became of a list in each form: of one call alone, and of two calls in one turn."""

    alone: Mapping[WireForm, Delivery]
    parallel: Mapping[WireForm, Delivery]

    @property
    def renders_parallel(self) -> bool:
        """Whether the template takes several calls in one turn at all; where it does not, none are made."""
        return any(delivery.arrival != 'raises' for delivery in self.parallel.values())

    @property
    def messages_in_parallel(self) -> bool:
        """Whether each item can go out as a message of its own also where a turn has several calls."""
        return self.parallel['messages'].arrival in KEPT

    def parallel_delivery(self, form: WireForm) -> Delivery:
        """How lists of two calls in one turn arrive with the options for this form."""
        # One message for each call is what goes out where messages for each item would hide whose they are.
        return self.parallel['text' if form == 'messages' and not self.messages_in_parallel else form]

    def best(self, without: Collection[WireForm]) -> WireForm:
        """Separate before joined, a line end before other marks between, whole but escaped before pydantic-ai's."""
        forms: list[WireForm] = [form for form in WIRE_FORMS if form not in without]
        return max(forms, key=lambda form: (self._rank(form), -WIRE_FORMS.index(form)))

    def _rank(self, form: WireForm) -> int:
        if form == 'json':
            return 1
        if self.renders_parallel and self.parallel_delivery(form).arrival not in KEPT:
            return 0
        delivery = self.alone[form]
        if delivery.arrival == 'joined':
            # A string is refused nowhere, so it goes before parts that arrive no better.
            return 6 if form == 'text' else 5 if '\n' in delivery.separator else 4
        if delivery.arrival == 'escaped':
            return 3 if delivery.separate else 2
        return 7 if delivery.arrival == 'separate' else 0

    def losses(self) -> dict[str, dict[Any, str]]:
        """By option and value, what the template is known to lose with it."""
        lost: dict[Any, str] = {
            form: _problem(form, delivery) for form, delivery in self.alone.items() if delivery.arrival not in KEPT
        }
        losses = {_FORMAT: lost}
        if self.renders_parallel and not self.messages_in_parallel:
            losses[_PARALLEL] = {True: _parallel_problem(self.parallel['messages'])}
        return losses

    def choices(self, form: WireForm) -> list[Choice]:
        """The options for this form, each with its reason."""
        problems = [_problem(other, self.alone[other]) for other in WIRE_FORMS[:3] if other != form]
        if form == 'json':
            reason = '; '.join(['no form of a list arrives better than one string of JSON', *filter(None, problems)])
            return [Choice(_AS_LIST, False, reason, is_default=True)]
        said = {
            'separate': 'each item arrives between marks of its own',
            'joined': 'all items arrive, one after the other',
            'escaped': 'all items arrive, escaped as the template escapes every result',
        }[self.alone[form].arrival]
        choices = [
            Choice(_AS_LIST, True, said),
            Choice(_FORMAT, form, '; '.join([said, *filter(None, problems)])),
        ]
        if form == 'messages' and self.renders_parallel:
            kept = self.messages_in_parallel
            reason = 'the template labels each item with its call' if kept else _parallel_problem(self.parallel[form])
            choices.append(Choice(_PARALLEL, kept, reason, is_default=not kept))
        return choices


def _parallel_problem(delivery: Delivery) -> str:
    return f'where a turn has several calls, {_problem("messages", delivery)}'


def _problem(form: WireForm, delivery: Delivery) -> str:
    told = {
        'joined': f'as `{form}` they are joined by {delivery.separator!r}',
        'escaped': f'as `{form}` they are escaped',
        'json': f'as `{form}` the list is written as JSON',
        'mislabelled': f"as `{form}` they stand under another call's label",
        'not told apart': f'as `{form}` nothing tells whose they are',
        'repr': f'as `{form}` the list is written as Python shows it',
        'partial': f'as `{form}` some are lost',
        'repeated': f'as `{form}` some are repeated',
        'dropped': f'as `{form}` they are lost',
        'garbled': f'as `{form}` they are taken apart',
        'raises': f'as `{form}`: {delivery.error}',
    }
    return told.get(delivery.arrival, '')
