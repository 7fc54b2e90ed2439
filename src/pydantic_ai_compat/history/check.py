"""The check of a history: one pass over the messages, one handler per role."""

from __future__ import annotations as _annotations

from collections.abc import Sequence
from typing import Any

from .calls import CallCheck
from .names import NameMap
from .order import OrderCheck
from .policies import HistoryPolicy, get_policy
from .rule import HistoryFault
from .wire import WireMessage, content_form, has_parts, holds_nothing, is_text_only, not_a_message

__all__ = ('check_history', 'describe_faults')


def check_history(
    messages: Sequence[WireMessage], policy: str | HistoryPolicy = 'standard', *, names: NameMap | None = None
) -> list[HistoryFault]:
    """The places where a list of wire messages breaks a rule of a policy.

    Args:
        messages: The messages of a Chat Completions request, as the JSON objects that are sent. They are not changed.
        policy: A policy, or the name or expression of one, such as `'deepseek'` or `'vllm+H24'`.
        names: The names of the tools that the request declares, of which no other function may have one (H10).

    Returns:
        The faults in the order of the messages; an empty list for a history that holds every rule.

    Raises:
        HistoryError: If the messages are no list, or an element is not a message.
        OptionError: If there is no such policy.
    """
    if not isinstance(messages, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance] - a generator is read once
        from ..errors import HistoryError  # here, because it brings pydantic-ai along

        raise HistoryError(f'A history is a list of messages, found {type(messages).__name__}.')
    return _HistoryCheck(get_policy(policy), names or NameMap()).run(messages)


def describe_faults(faults: Sequence[HistoryFault], limit: int = 10) -> str:
    """The faults as lines, with a word on how many more there are beyond `limit`."""
    lines = [f'  {fault}' for fault in faults[:limit]]
    if len(faults) > limit:
        lines.append(f'  and {len(faults) - limit} more')
    return '\n'.join(lines)


class _HistoryCheck:
    """One pass over a history; the switches of the policy are read once, here."""

    def __init__(self, policy: HistoryPolicy, names: NameMap) -> None:
        rules = policy.rules
        self._faults: list[HistoryFault] = []
        self._calls = CallCheck(policy, self._faults, names)
        order = OrderCheck(policy, self._faults)
        self._order = order if order.needed else None
        self._rules = rules
        self._empty = 'H14' in rules
        self._form = frozenset(policy.call_content) if 'H15' in rules else None
        self._one_kind = 'H16' in rules
        self._content = 'H17' in rules
        self._tool_string = 'H18' in rules
        self._text_string = 'H19' in rules
        self._no_tool_role = 'H27' in rules
        self._keys = policy.message_keys if 'H28' in rules else None
        self._no_reasoning = 'H32' in rules
        self._reasoning = bool(rules & {'H29', 'H30', 'H31'})
        self._reasoning_seen = False
        self._fine_keys: set[tuple[str, ...]] = set()  # a history has few kinds of messages, each looked at once
        self._each = bool(self._keys or self._no_reasoning or 'H33' in rules)

    def run(self, messages: Sequence[WireMessage]) -> list[HistoryFault]:
        handlers = {'assistant': self._assistant, 'tool': self._tool}
        other, order, each = self._other, self._order, self._each
        for index, message in enumerate(messages):
            try:
                role = message['role']
                handler = handlers.get(role, other)
            except (KeyError, TypeError):
                raise not_a_message(message, index) from None
            handler(index, message)
            if order is not None:
                order.message(index, role, message)
            if each:
                self._any_role(index, role, message)
        self._calls.end_of_turn()
        if order is not None:
            order.end(len(messages))
        return sorted(self._faults, key=_position) if self._faults else []

    def _fault(self, rule: str, index: int, text: str) -> None:
        self._faults.append(HistoryFault(rule, index, None, text))

    def _other(self, index: int, message: WireMessage) -> None:
        role = message['role']
        if not isinstance(role, str):
            raise not_a_message(message, index)
        self._calls.between(index)
        content = message.get('content')
        if not isinstance(content, str):
            self._not_a_string(index, role, content)

    def _tool(self, index: int, message: WireMessage) -> None:
        self._calls.result(index, message.get('tool_call_id'))
        content = message.get('content')
        if not isinstance(content, str):
            self._not_a_string(index, 'tool', content)
        if self._no_tool_role:
            self._fault('H27', index, 'a result has the role `tool`')

    def _assistant(self, index: int, message: WireMessage) -> None:
        calls = message.get('tool_calls')
        content = message.get('content')
        if calls or self._calls.turn_open or 'tool_calls' in message:
            self._calls.turn(index, calls, has_key='tool_calls' in message)
        if calls:
            if self._no_tool_role:
                self._fault('H27', index, 'the turn holds tool calls')
            if self._form is not None or self._one_kind:
                self._turn_with_calls(index, message)
        elif self._empty and not (content and isinstance(content, str)) and holds_nothing(message):
            self._fault('H14', index, 'the assistant message holds neither text nor calls')
        if self._reasoning:
            self._reasoning_of(index, message, bool(calls))
        if content is not None and not isinstance(content, str):
            self._not_a_string(index, 'assistant', content)

    def _turn_with_calls(self, index: int, message: WireMessage) -> None:
        form = content_form(message)
        if self._one_kind and form in ('text', 'empty parts'):
            self._fault('H16', index, 'the assistant message holds content parts or text beside its calls')
        elif form != 'text' and self._form is not None and form not in self._form:
            allowed = ' or '.join(sorted(self._form))
            self._fault('H15', index, f'`content` beside the calls is {form}, the host takes {allowed}')

    def _not_a_string(self, index: int, role: str, content: Any) -> None:
        if not content or not has_parts(content):
            if self._content:
                found = 'missing' if content is None else 'empty' if content == [] else type(content).__name__
                self._fault('H17', index, f'`content` of the {role} message is {found}, not a string or content parts')
        elif role == 'tool':
            if self._tool_string:
                self._fault('H18', index, '`content` of the result is a list of parts')
        elif self._text_string and is_text_only(content):
            self._fault('H19', index, f'`content` of the {role} message is a list of text parts')

    def _reasoning_of(self, index: int, message: WireMessage, has_calls: bool) -> None:
        reasoning = message.get('reasoning_content')
        if reasoning is None:
            if has_calls and 'H30' in self._rules:
                self._fault('H30', index, 'the turn with calls carries no `reasoning_content`')
            elif has_calls and self._reasoning_seen and 'H29' in self._rules:
                self._fault('H29', index, 'an earlier turn carries `reasoning_content`, this one with calls does not')
            return
        self._reasoning_seen = True
        if has_calls and 'H31' in self._rules and not reasoning:
            self._fault('H31', index, '`reasoning_content` of the turn with calls is empty')

    def _any_role(self, index: int, role: str, message: WireMessage) -> None:
        if role == 'developer' and 'H33' in self._rules:
            self._fault('H33', index, 'the role is `developer`')
        keys = tuple(message)
        if keys in self._fine_keys:
            return
        faults = len(self._faults)
        if self._no_reasoning and 'reasoning_content' in message:
            self._fault('H32', index, 'the message carries `reasoning_content`')
        if self._keys is not None and not self._keys.issuperset(message):
            unknown = sorted(set(message) - self._keys - ({'reasoning_content'} if self._no_reasoning else set()))
            if unknown:
                self._fault('H28', index, f'the host does not know the key {unknown[0]!r}')
        if len(self._faults) == faults:
            self._fine_keys.add(keys)


def _position(fault: HistoryFault) -> tuple[int, str]:
    return fault.index, fault.rule
