"""Tool calls that were written in the text, among those that the provider sent as such."""

from __future__ import annotations as _annotations

from collections.abc import Iterable, Sequence

from ..text.segments import Segment
from .calls.arguments import decode_object
from .calls.assembler import CallAssembler
from .calls.deltas import CallDelta
from .calls.open_call import OpenCall

__all__ = ('TextCalls', 'deltas_of')


class TextCalls:
    """Gives the calls in a text as deltas, once each.

    Some servers leave a call in the text and send it as a call as well: the latter is the one that is run, since its id
    is the provider's, unless the former has gone on by then. Which one it is can be told when both are whole, so what
    comes second waits as long.
    <https://github.com/openclaw/openclaw/issues/138198>

    Args:
        calls: Where calls get their index, and where those of the provider are.
    """

    def __init__(self, calls: CallAssembler) -> None:
        self._calls = calls
        self._open: list[Segment] = []
        self._call: OpenCall | None = None
        self._waiting: list[tuple[list[Segment], int]] = []
        self.came = False
        """Whether one came."""
        self._doubted: dict[int, tuple[OpenCall, list[CallDelta]]] = {}

    def take(self, segment: Segment, chunk: int) -> list[CallDelta]:
        """Take a segment of a call.

        Args:
            segment: The segment, of the kind `call`, `arguments`, `id` or `end`.
            chunk: The number of its chunk, counted from 1.

        Returns:
            What goes on, in order.
        """
        self.came = True
        if segment.kind == 'call' and self._rivals(segment.names[0], native=True):
            self._open = [segment]
            return []
        if self._open:
            self._open.append(segment)
            if segment.kind != 'end':
                return []
            self._waiting.append((self._open, chunk))
            self._open = []
            return self._settle(at_end=False)
        return self._go_on(segment, chunk)

    def pass_native(self, deltas: Sequence[CallDelta]) -> list[CallDelta]:
        """Take what goes on of the provider's calls.

        Returns:
            What does go on: a call that may be one of the text waits.
        """
        out: list[CallDelta] = []
        for delta in deltas:
            call = delta.call
            if call.slot not in self._doubted:
                if not delta.name or not self._rivals(call.name, native=False):
                    out.append(delta)
                    continue
                self._doubted[call.slot] = (call, [])
                call.in_doubt = True
            self._doubted[call.slot][1].append(delta)
        return out + self._settle(at_end=False)

    def finish(self) -> list[CallDelta]:
        """Decide about what waits, for nothing more comes."""
        return self._settle(at_end=True)

    def _rivals(self, name: str, *, native: bool) -> list[OpenCall]:
        """The calls of a name of the one kind or the other."""
        return [call for call in self._calls.calls if call.name == name and (call.dialect is None) is native]

    def _settle(self, *, at_end: bool) -> list[CallDelta]:
        out: list[CallDelta] = []
        waiting, self._waiting = self._waiting, []
        for segments, chunk in waiting:
            rivals = self._rivals(segments[0].names[0], native=True)
            if not at_end and not all(rival.closed for rival in rivals):
                self._waiting.append((segments, chunk))
                continue
            arguments = decode_object(''.join(segment.text for segment in segments if segment.kind == 'arguments'))
            if arguments is None or not any(_object(rival) in (arguments, {}) for rival in rivals):
                for segment in segments:
                    out += self._go_on(segment, chunk)
        for slot, (call, deltas) in list(self._doubted.items()):
            if not at_end and not call.closed:
                continue
            del self._doubted[slot]
            call.in_doubt = False
            arguments = _object(call)
            twins = [_object(rival) for rival in self._rivals(call.name, native=False)]
            if arguments is not None and (arguments in twins or arguments == {}):
                self._calls.drop(call)
            else:
                out += deltas
        return out

    def _go_on(self, segment: Segment, chunk: int) -> list[CallDelta]:
        if segment.kind == 'call':
            begun = self._calls.begin_in_text(segment.names[0], segment.text or None, segment.names[1], chunk)
            self._call = begun.call
            return [begun]
        call = self._call
        assert call is not None, 'a call begins with its name'
        if segment.kind == 'arguments':
            call.append(segment.text)
            return [CallDelta(call, None, '', segment.text, {})]
        if segment.kind == 'id':
            told = self._calls.adopt_in_text(call, segment.text)
            return [] if told is None else [told]
        return []


def _object(call: OpenCall) -> object:
    return decode_object(call.raw_arguments or '{}')


def deltas_of(segments: Iterable[Segment], calls: TextCalls, chunk: int) -> list[CallDelta]:
    """What goes on of the calls among segments."""
    return [
        delta
        for segment in segments
        if segment.kind in ('call', 'arguments', 'id', 'end')
        for delta in calls.take(segment, chunk)
    ]
