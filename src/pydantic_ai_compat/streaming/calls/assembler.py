"""Which delta belongs to which tool call, whatever a server does with index, id, name and arguments.

The id decides first, then the index, then the order. Where that leaves two readings, the reports behind the field cases
decide: a new id on a used index is a new call if it comes with a name or the arguments before it are whole, else the
first id stays; whole arguments sent again under the same id are a re-send if they decode to the same object, else a
second call.
"""

from __future__ import annotations as _annotations

from collections.abc import Collection
from typing import Any, cast

from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall

from ..fields import holds_nothing
from ..quirks import QuirkRecord
from .arguments import ArgumentState
from .deltas import CallDelta, GivenDelta, is_unchanged, other_fields
from .naming import can_be_one_name, joined_name, starts_another_call
from .noting import note_delta
from .open_call import Again, OpenCall

__all__ = ('CallAssembler',)


class CallAssembler:
    """Puts the tool calls of one message together.

    Args:
        tool_names: The tools that the request declares; they settle how the pieces of a name come together.
        optional_names: Those of them that need no arguments.
        quirks: Where what the deltas have of their own is noted.
    """

    def __init__(
        self,
        tool_names: Collection[str] = (),
        optional_names: Collection[str] = (),
        quirks: QuirkRecord | None = None,
    ) -> None:
        self.calls: list[OpenCall] = []
        """The calls in the provider's order."""
        self.quirks = QuirkRecord() if quirks is None else quirks
        """What the deltas had of their own."""
        self._tool_names = tool_names
        self._optional_names = optional_names
        self._by_id: dict[str, OpenCall] = {}
        self._by_index: dict[int, OpenCall] = {}
        self._slots: set[int] = set()
        self._highest_slot = -1
        self._used_ids: set[str] = set()
        self.last: OpenCall | None = None
        """The call that the last delta belonged to."""
        self._waiting: list[OpenCall] = []

    @property
    def characters_examined(self) -> int:
        """Characters of arguments looked at so far: a constant number of times those that came."""
        return sum(call.scanner.examined + call.examined for call in self.calls)

    def add(self, delta: ChoiceDeltaToolCall, chunk: int, *, legacy: bool = False) -> list[CallDelta] | None:
        """Take one delta.

        Args:
            delta: The delta; nothing in it is trusted to have the type it should have.
            chunk: The number of its chunk, counted from 1.
            legacy: Whether it was the deprecated `function_call`, which has neither an id nor an index.

        Returns:
            `None` if the delta can go on as it is, else what goes on in its place, in order.
        """
        index = delta.index
        if type(index) is int and (call := self._by_index.get(index)) is not None and call.plain:
            function = delta.function
            text = None if function is None else function.arguments
            if (
                type(text) is str
                and call.slot == index
                and not function.name  # pyright: ignore[reportOptionalMemberAccess]
                and (not delta.id or delta.id == call.id)
                and (not text or text[0] != call.head)
                and (call.scanner.state is not ArgumentState.CLOSED or text.isspace() or not text)
            ):
                self.last = call
                if delta.id is not None:
                    self.quirks.add('id-repeated' if delta.id else 'id-empty')
                passed = call.append(text)
                return None if passed is text else [CallDelta(call, None, '', passed or None, {})]
        return self._add_any(delta, chunk, legacy=legacy)

    def begin_in_text(self, name: str, id: str | None, dialect: str, chunk: int) -> CallDelta:
        """Begin a call that was written in the text; its arguments are appended to it.

        Args:
            name: The name of the tool.
            id: The id, if the text holds one.
            dialect: The dialect that it is written in.
            chunk: The number of the chunk that it began in, counted from 1.
        """
        call = OpenCall(index=None, slot=self.reserve_slot(), id=id, chunk=chunk, name=name, dialect=dialect)
        self.calls.append(call)
        return self._release(call)

    def adopt_in_text(self, call: OpenCall, id: str) -> CallDelta | None:
        """Take the id of such a call that stood behind the name; what goes on of it."""
        told = None if id in self._used_ids else self._adopt(call, id)
        return CallDelta(call, told, '', None, {}) if told else None

    def drop(self, call: OpenCall) -> None:
        """Forget a call that says again what another does."""
        self.calls = [other for other in self.calls if other is not call]

    def reserve_slot(self) -> int:
        """An index for a call that does not come from the provider."""
        return self._take_slot(self._highest_slot + 1)

    def _take_slot(self, slot: int) -> int:
        self._slots.add(slot)
        self._highest_slot = max(self._highest_slot, slot)
        return slot

    def finish(self) -> list[CallDelta]:
        """Settle what is still in doubt, for nothing more comes.

        Returns:
            What goes on to the receiver, in order.
        """
        out: list[CallDelta] = []
        for call in list(self.calls):
            out += self._pass_on(call, call.settle())
            if (again := call.again) is not None:
                out += self._judge(call, again, at_end=True)
        self.calls = [call for call in self.calls if call.name or call.length or not call.announced]
        out += [self._release(call) for call in self._waiting if call.name]
        self._waiting.clear()
        placeholders = [call for call in self.calls if call.released and call.placeholder and not call.length]
        out += [CallDelta(call, None, '', '{}', {}) for call in placeholders]
        return out + [CallDelta(call, None, '', call.read().text, {}) for call in self.calls if call.withheld]

    def _add_any(self, delta: ChoiceDeltaToolCall, chunk: int, *, legacy: bool) -> list[CallDelta] | None:
        given = GivenDelta.read(delta, chunk, self._tool_names)
        extra = other_fields(delta)
        call = self._find(given)
        if call is None and given.is_empty and holds_nothing(extra):
            self.quirks.add('empty-objects')
            return []
        known = len(self.calls)
        before = None if call is None else (call.id, call.name, call.closed)
        if call is None:
            out = self._begin(given, extra)
        else:
            out = self._pass_on(call, call.decide(given.arguments))
            out += (self._go_on_closed if call.closed else self._go_on)(call, given, extra)
        note_delta(self.quirks, delta, cast(OpenCall, self.last), before if len(self.calls) == known else None, legacy)
        return None if not given.unwrapped and is_unchanged(delta, cast(OpenCall, self.last), out) else out

    def _find(self, given: GivenDelta) -> OpenCall | None:
        """The call that a delta goes on with; `None` if it begins a new one."""
        by_index = None if given.index is None else self._by_index.get(given.index)
        if given.id is None or (by_index is not None and by_index.id == given.id):
            call = by_index or self._find_last(given)
        elif (call := self._by_id.get(given.id)) is None:
            call = by_index or self._find_last(given)
            if call is not None and call.id and (given.name or call.closed):
                return None
        if call is not None and call.name and given.name not in ('', call.name) and self._is_another(call, given):
            return None
        return call

    def _find_last(self, given: GivenDelta) -> OpenCall | None:
        """The call before, for a delta whose index says nothing."""
        if given.index is not None and (given.id or given.name or self.last is None or self.last.index is not None):
            return None
        return self.last

    def _is_another(self, call: OpenCall, given: GivenDelta) -> bool:
        """Whether a name unlike that of the call can only be another call's."""
        if call.closed or starts_another_call(call.name, given.name, self._tool_names):
            return True
        if can_be_one_name(call.name, given.name, self._tool_names):
            return False
        if given.index is None:
            # Without an index, and without an id, arguments that have begun end the name.
            return given.id is None and call.scanner.state is ArgumentState.OPEN
        return given.index != call.index

    def _begin(self, given: GivenDelta, extra: dict[str, Any]) -> list[CallDelta]:
        taken = given.index is None or given.index in self._slots
        slot = self.reserve_slot() if taken else self._take_slot(cast(int, given.index))
        call = OpenCall(index=given.index, slot=slot, id=given.id, chunk=given.chunk, name=given.name, extra=extra)
        call.optional_names = self._optional_names
        used = given.index is None or given.index in self._by_index
        call.announced = bool(self.calls) and used and not given.name and given.blank
        call.placeholder = given.placeholder
        call.append(given.arguments)
        self.calls.append(call)
        self._waiting.append(call)
        if given.index is not None:
            self._by_index[given.index] = call
        self._register(call, given)
        return self._release_named()

    def _register(self, call: OpenCall, given: GivenDelta) -> None:
        self.last = call
        if given.id is not None:
            self._by_id[given.id] = call
        if given.index is not None:
            self._by_index.setdefault(given.index, call)

    def _release_named(self) -> list[CallDelta]:
        """Pass on the calls that have a name by now, in the provider's order."""
        out: list[CallDelta] = []
        for call in self._waiting:
            if call.name:
                out.append(self._release(call))
            elif call.length or not call.announced:
                break
        if out:
            self._waiting = [call for call in self._waiting if not call.released]
        return out

    def _release(self, call: OpenCall) -> CallDelta:
        call.released = True
        # pydantic-ai refuses two calls with one id, so the second goes on without: it is given a new one there.
        # https://github.com/pydantic/pydantic-ai/blob/v2.68.0/pydantic_ai_slim/pydantic_ai/_tool_execution.py
        call.shares_id = call.id in self._used_ids
        if call.id is not None:
            self._used_ids.add(call.id)
        call.plain = call.may_be_plain
        extra, call.extra = call.extra, {}
        return CallDelta(call, None if call.shares_id else call.id, call.name, call.passed_arguments or None, extra)

    def _adopt(self, call: OpenCall, id: str | None) -> str | None:
        """Take an id that comes late; returns it if the receiver has to be told."""
        if call.id is not None or id is None:
            return None
        call.id = id
        if call.released:
            self._used_ids.add(id)
        return id

    def _go_on(self, call: OpenCall, given: GivenDelta, extra: dict[str, Any]) -> list[CallDelta]:
        adopted = self._adopt(call, given.id)
        call.index = given.index if call.index is None else call.index
        self._register(call, given)
        added = joined_name(call.name, given.name, self._tool_names)[len(call.name) :] if given.name else ''
        call.name += added
        call.placeholder = call.placeholder or given.placeholder
        call.extra.update(extra)
        pieces = call.grow(given.arguments)
        return self._pass_on(call, pieces, id=adopted, name=added) if call.released else self._release_named()

    def _go_on_closed(self, call: OpenCall, given: GivenDelta, extra: dict[str, Any]) -> list[CallDelta]:
        self._register(call, given)
        again = call.again
        late = given.name if not call.name else ''
        call.name += late
        if given.blank and given.name == late and (again is None or not again.pieces):
            adopted = self._adopt(call, given.id)
            passed = call.append(given.arguments)
            call.extra.update(extra)
            return self._pass_on(call, [passed], id=adopted) if call.released else self._release_named()
        if again is None:
            again = call.again = Again(given.index, given.id, given.name, extra)
            call.plain = False
        again.name = again.name or given.name
        again.feed(given.arguments)
        return [*self._release_named(), *self._judge(call, again, chunk=given.chunk)]

    def _judge(
        self, call: OpenCall, again: Again, *, chunk: int | None = None, at_end: bool = False
    ) -> list[CallDelta]:
        """Decide about text after whole arguments, as soon as that can be done."""
        verdict = again.verdict(call, at_end=at_end)
        if verdict == 'undecided':
            return []
        call.again = None
        call.plain = call.may_be_plain
        if verdict == 'tail':
            return self._pass_on(call, [call.append(again.text)])
        # Two equal calls side by side in one chunk, without ids, are two calls: nobody re-sends within a chunk.
        beside = call.id is None and again.id is None and chunk == call.chunk and len(again.pieces) == 1
        if verdict == 'same' and not (beside and again.name):
            return self._pass_on(call, [], id=self._adopt(call, again.id))
        index = call.index if again.index is None else again.index
        if index is not None:
            self._by_index.pop(index, None)
        given = GivenDelta(index, again.id or call.id, again.name, again.text, False, chunk or call.chunk)
        return self._begin(given, again.extra)

    def _pass_on(self, call: OpenCall, pieces: list[str], *, id: str | None = None, name: str = '') -> list[CallDelta]:
        pieces = [piece for piece in pieces if piece]
        if not call.released or not (pieces or id or name or call.extra):
            return []
        extra, call.extra = call.extra, {}
        first, rest = (pieces[0], pieces[1:]) if pieces else (None, [])
        return [CallDelta(call, id, name, first, extra), *(CallDelta(call, None, '', piece, {}) for piece in rest)]
