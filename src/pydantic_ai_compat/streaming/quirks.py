"""The ways in which a stream differs from what the API's own server sends, found by looking at its chunks."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, cast

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDelta, ChoiceDeltaToolCall

from ..text.scanner import TextScanner
from .calls.assembler import CallAssembler

__all__ = ('QUIRKS', 'QuirkFinder')

QUIRKS: Mapping[str, str] = MappingProxyType(
    {
        'no-done': 'the stream ends without `[DONE]`',
        'no-finish-reason': 'no chunk has a finish reason',
        'finish-reason-repeated': 'several chunks have a finish reason',
        'stop-with-calls': 'the finish reason is `stop` although calls came',
        'unknown-finish-reason': 'the finish reason is a word that the API does not have',
        'error-event': 'an error object came with HTTP 200',
        'choices-missing': '`choices` is null or missing',
        'delta-missing': 'a choice has no `delta`',
        'other-choice': 'chunks belong to choices other than the first',
        'content-parts': '`content` is a list of parts',
        'thinking-in-text': 'thoughts come in the text between tags',
        'tag-cut': 'a thinking tag is cut over chunks, or glued to text',
        'closing-tag-alone': 'a closing thinking tag comes without an opening one',
        'function-call': 'the deprecated `function_call` is used',
        'no-tool-calls': '`tool_calls` is an empty list',
        'index-missing': 'a call has no `index`',
        'index-shared': 'several calls have the same `index`',
        'index-moves': 'the `index` of a call changes while its id stays',
        'id-missing': 'a call begins without an `id`',
        'id-late': 'the `id` comes after the call has begun',
        'id-empty': 'the `id` is an empty string',
        'id-number': 'the `id` is a number',
        'id-repeated': 'the `id` comes with each delta',
        'id-changes': 'the `id` changes within a call',
        'name-repeated': 'the name comes in full more than once',
        'name-in-pieces': 'the name comes in pieces',
        'name-late': 'the name comes after the call has begun',
        'name-never': 'a call never gets a name',
        'arguments-object': '`arguments` is an object and no string',
        'arguments-null': 'a call has no arguments at all: they are null or missing',
        'arguments-empty': 'a call has an empty string for arguments',
        'arguments-cumulative': 'each piece of the arguments holds all that came before',
        'arguments-again': 'the arguments come again after they were whole',
        'arguments-cut': 'the stream ends inside the arguments of a call',
        'arguments-invalid': 'the arguments are closed but no JSON object',
        'whole-call': 'a call comes whole in one delta',
        'fragments-together': 'one chunk holds several deltas of the same call',
    }
)
"""Each quirk, by the name under which `docs/streams.md` says who has it and what is done about it."""

_FINISH_REASONS = frozenset({'stop', 'length', 'tool_calls', 'content_filter', 'function_call'})


class QuirkFinder:
    """Looks for quirks in one stream.

    Args:
        tool_names: The tools that the request declared, if they are known.
        thinking_tags: The tags around thoughts in the text.
    """

    def __init__(
        self, tool_names: Collection[str] = (), *, thinking_tags: tuple[str, str] = ('<think>', '</think>')
    ) -> None:
        self._found: set[str] = set()
        self._calls = CallAssembler(tool_names)
        self._tags = thinking_tags
        self._scanner = TextScanner(thinking_tags)
        self._finish_reasons: list[str] = []
        self._chunks = 0
        self._nulls: set[int] = set()

    def feed(self, chunk: Mapping[str, Any]) -> None:
        """Look at the next chunk, as decoded JSON."""
        self._chunks += 1
        if chunk.get('error'):
            self._found.add('error-event')
            return
        choices: object = chunk.get('choices')
        if choices is None:
            self._found.add('choices-missing')
        for choice in ChatCompletionChunk.construct(**chunk).choices or ():
            if isinstance(choice, Choice):  # pyright: ignore[reportUnnecessaryIsInstance]
                self._look_at_choice(choice)

    def finish(self, *, done: bool) -> list[str]:
        """End the stream.

        Args:
            done: Whether it ended in `[DONE]`.

        Returns:
            The names of the quirks, in the order of `QUIRKS`.
        """
        self._calls.finish()
        finish_reason = self._finish_reasons[-1] if self._finish_reasons else None
        checks = {
            'no-done': not done,
            'no-finish-reason': finish_reason is None and 'error-event' not in self._found,
            'finish-reason-repeated': len(self._finish_reasons) > 1,
            'stop-with-calls': finish_reason == 'stop' and bool(self._calls.calls),
            'unknown-finish-reason': finish_reason is not None and finish_reason not in _FINISH_REASONS,
        }
        self._found |= {name for name, holds in checks.items() if holds}
        for call in self._calls.calls:
            outcome = call.outcome(finish_reason)
            if not call.name:
                self._found.add('name-never')
            if outcome.cut:
                self._found.add('arguments-cut')
            elif outcome.arguments is None:
                self._found.add('arguments-invalid')
            elif not outcome.raw_arguments.strip():
                self._found.add('arguments-null' if call.slot in self._nulls else 'arguments-empty')
        return [name for name in QUIRKS if name in self._found]

    def _look_at_choice(self, choice: Choice) -> None:
        if choice.index:
            self._found.add('other-choice')
            return
        if choice.finish_reason:
            self._finish_reasons.append(choice.finish_reason)
        delta = cast('object', choice.delta)
        if not isinstance(delta, ChoiceDelta):
            self._found.add('delta-missing')
            return
        self._look_at_content(delta.content)
        if delta.tool_calls == []:
            self._found.add('no-tool-calls')
        if delta.function_call is not None and not delta.tool_calls:
            self._found.add('function-call')
            self._look_at_call(ChoiceDeltaToolCall.construct(function=delta.function_call), set(), legacy=True)
        seen: set[int] = set()
        for entry in delta.tool_calls or ():
            if isinstance(entry, ChoiceDeltaToolCall):  # pyright: ignore[reportUnnecessaryIsInstance]
                self._look_at_call(entry, seen)

    def _look_at_content(self, content: object) -> None:
        if isinstance(content, list):
            self._found.add('content-parts')
        if not isinstance(content, str) or not content:
            return
        waited = bool(self._scanner.pending)
        segments = self._scanner.feed(content)
        tags = [segment for segment in segments if segment.kind in ('open', 'close')]
        if tags:
            self._found.add('thinking-in-text')
            if waited or len(segments) > 1 or self._scanner.pending:
                self._found.add('tag-cut')
        elif any(segment.kind == 'text' and self._tags[1] in segment.text for segment in segments):
            self._found.add('closing-tag-alone')

    def _look_at_call(self, entry: ChoiceDeltaToolCall, seen: set[int], *, legacy: bool = False) -> None:
        before = len(self._calls.calls)
        known = {call.slot: (call.name, call.closed, call.id) for call in self._calls.calls}
        self._calls.add(entry, self._chunks)
        call = self._calls.last
        assert call is not None, 'a delta has been added'
        function = entry.function
        name, arguments = (None, None) if function is None else (function.name, cast('object', function.arguments))
        id = cast('object', entry.id)
        new = len(self._calls.calls) > before
        old_name, was_closed, old_id = known.get(call.slot, ('', False, None))
        checks = {
            'index-missing': entry.index is None and not legacy,  # pyright: ignore[reportUnnecessaryComparison]
            'index-shared': new and call.index is not None and call.slot != call.index,
            'index-moves': not new and entry.index not in (None, call.index),
            'id-missing': new and id is None and not legacy,
            'id-late': not new and old_id is None and bool(id),
            'id-empty': id == '',
            'id-number': id is not None and not isinstance(id, str),
            'id-repeated': not new and id is not None and old_id == str(id),
            'id-changes': not new and bool(id) and old_id is not None and old_id != str(id),
            'name-repeated': not new and bool(name) and name == old_name,
            'name-in-pieces': not new and bool(name) and bool(old_name) and name != old_name,
            'name-late': not new and bool(name) and not old_name,
            'arguments-object': arguments is not None and not isinstance(arguments, str),
            'arguments-cumulative': call.cumulative,
            'arguments-again': was_closed and isinstance(arguments, str) and arguments.lstrip().startswith(('{', '"')),
            'whole-call': new and bool(name) and call.closed,
            'fragments-together': not new and call.slot in seen,
        }
        self._found |= {quirk for quirk, holds in checks.items() if holds}
        if arguments is None and new:
            self._nulls.add(call.slot)
        seen.add(call.slot)
