"""What an answer holds, read without trust: any key may be missing or of another type."""

from __future__ import annotations as _annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..text import AUTO, DIALECTS, read_text
from .runner import Answer

__all__ = (
    'Call',
    'calls_in',
    'content_of',
    'dialect_in',
    'finish_reason_of',
    'mappings_in',
    'prompt_tokens_of',
    'reasoning_field_of',
    'thoughts_of',
    'usage_of',
)

_THOUGHT_FIELDS = ('reasoning_content', 'reasoning')


@dataclass(frozen=True)
class Call:
    """A tool call, put together from its deltas."""

    name: str
    arguments: str
    call_id: str
    names: int
    """In how many deltas the name stood; more than one and a naive client doubles it."""

    object_arguments: bool
    """Whether the arguments came as an object where a string belongs."""

    @property
    def complete(self) -> bool:
        """Whether the arguments are a JSON object."""
        try:
            return isinstance(json.loads(self.arguments), dict)
        except ValueError:
            return False


def mappings_in(value: object) -> list[Mapping[str, Any]]:
    """The mappings among the items of what should be a list of them."""
    items = cast('list[object]', value) if isinstance(value, list) else []
    return [cast('Mapping[str, Any]', item) for item in items if isinstance(item, Mapping)]


def _messages(answer: Answer) -> Iterator[Mapping[str, Any]]:
    """The message of an answer, or the deltas of a stream."""
    for source in (answer.body, *answer.chunks):
        for choice in mappings_in(source.get('choices'))[:1]:
            message = choice.get('message') or choice.get('delta')
            if isinstance(message, Mapping):
                yield cast('Mapping[str, Any]', message)


def content_of(answer: Answer) -> str:
    """The text of an answer."""
    texts = [message.get('content') for message in _messages(answer)]
    return ''.join(text for text in texts if isinstance(text, str))


def reasoning_field_of(answer: Answer) -> str | None:
    """The field in which thoughts came, if some did."""
    for message in _messages(answer):
        for name in _THOUGHT_FIELDS:
            if message.get(name):
                return name
    return None


def thoughts_of(answer: Answer) -> str:
    """The thoughts of an answer, in whichever field they came."""
    texts = [next(filter(None, map(message.get, _THOUGHT_FIELDS)), '') for message in _messages(answer)]
    return ''.join(text for text in texts if isinstance(text, str))


def dialect_in(text: str, tools: Sequence[Mapping[str, Any]], *, in_thoughts: bool = False) -> str | None:
    """The dialect in which a text calls one of the tools: of several that read it, the one that leaves the least text.

    The dialects that are safe together come first, so that with equal rests one of them is named.
    """
    readings: list[tuple[int, str]] = []
    for name in dict.fromkeys((*AUTO, *DIALECTS)):
        reading = read_text(text, tools, name, calls_in_thoughts=in_thoughts)
        if any(call.complete for call in reading.calls):
            readings.append((len(reading.text + reading.thoughts), name))
    return min(readings, key=lambda reading: reading[0])[1] if readings else None


def finish_reason_of(answer: Answer) -> str | None:
    """The last finish reason."""
    reasons = [
        choice.get('finish_reason')
        for source in (answer.body, *answer.chunks)
        for choice in mappings_in(source.get('choices'))
    ]
    return next((reason for reason in reversed(reasons) if isinstance(reason, str)), None)


def prompt_tokens_of(answer: Answer) -> int | None:
    """The tokens that the prompt had, where they were counted."""
    usage = answer.body.get('usage')
    count = cast('Mapping[str, Any]', usage).get('prompt_tokens') if isinstance(usage, Mapping) else None
    return count if isinstance(count, int) else None


def usage_of(answer: Answer) -> bool:
    """Whether tokens were counted."""
    return any(isinstance(source.get('usage'), Mapping) for source in (answer.body, *answer.chunks))


def calls_in(answer: Answer) -> list[Call]:
    """The tool calls: by index, and a new one where an index comes with another id."""
    entries: list[dict[str, Any]] = []
    for message in _messages(answer):
        for delta in mappings_in(message.get('tool_calls')):
            function = cast('Mapping[str, Any]', delta.get('function') or {})
            index = delta.get('index', len(entries))
            call_id = delta.get('id') or ''
            entry = next((entry for entry in reversed(entries) if entry['index'] == index), None)
            if entry is None or (call_id and entry['id'] and call_id != entry['id']):
                entry = {'index': index, 'id': '', 'name': '', 'arguments': '', 'names': 0, 'objects': False}
                entries.append(entry)
            _add(entry, call_id, function)
    return [Call(entry['name'], entry['arguments'], entry['id'], entry['names'], entry['objects']) for entry in entries]


def _add(entry: dict[str, Any], call_id: object, function: Mapping[str, Any]) -> None:
    entry['id'] = entry['id'] or str(call_id or '')
    if function.get('name'):
        entry['name'] = entry['name'] or str(function['name'])
        entry['names'] += 1
    arguments = function.get('arguments')
    if isinstance(arguments, str):
        entry['arguments'] += arguments
    elif arguments is not None:
        entry['arguments'], entry['objects'] = json.dumps(arguments), True
