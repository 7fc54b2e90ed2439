"""One tool call while it arrives: its name, its id, and arguments that grow, come again, or come cumulatively."""

from __future__ import annotations as _annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Literal

from .arguments import (
    ArgumentScanner,
    ArgumentState,
    ReadArguments,
    begins_object,
    continues_json,
    decode_object,
    decode_twice,
    read_arguments,
)
from .outcome import ABORTED, CallOutcome

__all__ = ('Again', 'OpenCall')

_MOST_DOUBTS = 8
"""How many pieces of one call may wait until it is known whether they are cumulative; a bound on the work."""


@dataclass(slots=True, eq=False)
class Again:
    """Arguments that come after a call's own are whole: the same call sent again, or another one."""

    index: int | None
    id: str | None
    name: str
    extra: dict[str, Any]
    pieces: list[str] = field(default_factory=list[str])
    scanner: ArgumentScanner = field(default_factory=ArgumentScanner)

    head: str = ''
    """The first character that is no white space."""

    def feed(self, text: str) -> None:
        """Take the next piece."""
        self.head = self.head or text.lstrip()[:1]
        self.pieces.append(text)
        self.scanner.feed(text)

    @property
    def text(self) -> str:
        """What has come so far."""
        return ''.join(self.pieces)

    def verdict(self, call: OpenCall, *, at_end: bool = False) -> Literal['undecided', 'same', 'other', 'tail']:
        """Whether this is the call sent again, another call, or text that makes the call's own arguments wrong.

        Only a name says that another call begins. Without one, what is no copy is what it would be in a plain response,
        where it stands behind the arguments.

        Args:
            call: The call before it.
            at_end: Whether nothing more comes, so that a part of a copy counts as one.
        """
        if self.scanner.state is ArgumentState.OTHER or self.head not in '{"':
            return 'tail'
        if self.scanner.state is ArgumentState.CLOSED:
            call.examined += len(self.text) + call.length
            decoded = decode_twice(self.text)
            is_copy = decoded is not None and decoded == decode_object(call.raw_arguments)
        elif at_end:
            text = self.text.strip()
            copied = call.raw_arguments
            is_copy = bool(self.name) and (copied.startswith(text) or json.dumps(copied).startswith(text))
        else:
            return 'undecided'
        return 'same' if is_copy else 'other' if self.name else 'tail'


@dataclass(slots=True, eq=False)
class OpenCall:
    """One tool call while it arrives."""

    index: int | None
    """The provider's index, if it sent one."""

    slot: int
    """The index of the call in the corrected chunks, of its own for each call."""

    id: str | None
    chunk: int
    """The chunk in which the call began, counted from 1: the stream position that errors name."""

    name: str = ''
    pieces: list[str] = field(default_factory=list[str])
    length: int = 0
    head: str = ''
    """The first character of the arguments: only a piece that begins with it can be cumulative."""

    scanner: ArgumentScanner = field(default_factory=ArgumentScanner)
    examined: int = 0
    """Characters looked at beside those that the scanner counts."""

    plain: bool = False
    """Whether the deltas of this call go on as they are."""

    released: bool = False
    """Whether the call has been passed on; before, everything is kept."""

    shares_id: bool = False
    """Whether a call before it has the same id."""

    announced: bool = False
    """Whether all that is known of the call is an id on an index that another call had: it may come to nothing."""

    placeholder: bool = False
    """Whether the arguments came as an empty object, which some servers send before the real ones."""

    cumulative: bool = False
    """Whether each piece holds all that came before it."""

    doubt: list[str] = field(default_factory=list[str])
    """Pieces that are either cumulative or go on with an object that begins in the same way."""

    again: Again | None = None
    """What came after the arguments were whole."""

    in_doubt: bool = False
    """Whether it may be a call that was written in the text, which has gone on already."""

    dialect: str | None = None
    """The dialect of a call that was written in the text; `None` for one that the provider sent as such."""

    extra: dict[str, Any] = field(default_factory=dict[str, Any])
    """Fields of the deltas that are kept back, such as Gemini's thought signature."""

    withheld: bool = False
    """Whether the arguments begin with no object, so that what they mean is known at their end only."""

    escaped: bool = False
    """Whether raw control characters had to be escaped in what goes on."""

    null_arguments: bool = False
    """Whether the call began without a string of arguments."""

    optional_names: Collection[str] = ()
    """The tools that need no arguments."""

    known: tuple[tuple[int, str], ReadArguments] | None = None
    """What `read` found, and for how much of the arguments and for which name."""

    @property
    def closed(self) -> bool:
        """Whether the arguments are whole."""
        return self.scanner.state is ArgumentState.CLOSED and not self.doubt

    @property
    def may_be_plain(self) -> bool:
        """Whether nothing is known that the receiver has to be spared."""
        return (
            self.released
            and self.slot == self.index
            and not (self.shares_id or self.doubt or self.cumulative or self.withheld)
        )

    @property
    def raw_arguments(self) -> str:
        """The arguments as they came."""
        if len(self.pieces) > 1:
            self.pieces = [''.join(self.pieces)]
        return self.pieces[0] if self.pieces else ''

    @property
    def passed_arguments(self) -> str:
        """The arguments so far in the form in which they go on."""
        if self.withheld:
            return ''
        return ArgumentScanner().feed_escaped(self.raw_arguments) if self.escaped else self.raw_arguments

    def append(self, text: str) -> str:
        """Take text that certainly goes on with the arguments.

        Returns:
            What goes on to the receiver: the same object, unless it has to be corrected or waits for the end.
        """
        if not text:
            return text
        if not self.length:
            self.head = text[0]
        begins = self.scanner.state is ArgumentState.EMPTY
        self.pieces.append(text)
        self.length += len(text)
        passed = self.scanner.feed_escaped(text)
        if begins and self.scanner.state is not ArgumentState.EMPTY and text.lstrip()[0] != '{':
            self.withheld = True
            self.plain = False
        if passed is not text:
            self.escaped = True
        return '' if self.withheld else passed

    def grow(self, text: str) -> list[str]:
        """Take a piece of arguments that are not whole yet.

        Returns:
            What goes on to the receiver, piece by piece; nothing while it is in doubt.
        """
        if self.doubt:
            if text:
                self.doubt.append(text)
            return self._go_on() if len(self.doubt) > _MOST_DOUBTS else []
        if not self._repeats(text):
            return [self.append(text)]
        if self.cumulative:
            return [self._take_cumulative(text)]
        if not self._can_go_on(self.raw_arguments, text):
            # Where neither reading is JSON, the text stays what it is.
            return [self._take_cumulative(text) if self._can_go_on(text) else self.append(text)]
        self.doubt.append(text)
        self.plain = False
        return []

    def decide(self, text: str) -> list[str]:
        """End the doubt if the next piece of the arguments, which `grow` takes then, leaves one reading only.

        Returns:
            What goes on to the receiver, piece by piece.
        """
        if not self.doubt or not text:
            return []
        last = self.doubt[-1]
        repeats = text.startswith(last)
        whole = self._state_of(self.raw_arguments, *self.doubt) is ArgumentState.CLOSED
        goes_on = (whole and not repeats) or self._can_go_on(self.raw_arguments, *self.doubt, text)
        if not goes_on:
            return [self._take_cumulative(last)]
        return [] if repeats else self._go_on()

    def settle(self) -> list[str]:
        """End the doubt, for nothing more comes: the reading that gives whole arguments holds.

        Returns:
            What goes on to the receiver, piece by piece.
        """
        if not self.doubt:
            return []
        goes_on = self._state_of(self.raw_arguments, *self.doubt) is ArgumentState.CLOSED
        whole = not goes_on and self._state_of(self.doubt[-1]) is ArgumentState.CLOSED
        return [self._take_cumulative(self.doubt[-1])] if whole else self._go_on()

    def _repeats(self, text: str) -> bool:
        if self.scanner.state is ArgumentState.EMPTY or len(text) < self.length or text[0] != self.head:
            return False
        self.examined += len(text)
        return text.startswith(self.raw_arguments)

    def _state_of(self, *pieces: str) -> ArgumentState:
        scanner = ArgumentScanner()
        for piece in pieces:
            scanner.feed(piece)
        self.examined += scanner.examined
        return scanner.state

    def _can_go_on(self, *pieces: str) -> bool:
        text = ''.join(pieces)
        self.examined += len(text)
        return continues_json(text)

    def _take_cumulative(self, text: str) -> str:
        added = text[self.length :]
        self.doubt.clear()
        self.cumulative = True
        self.plain = False
        return self.append(added)

    def _go_on(self) -> list[str]:
        pieces = list(self.doubt)
        self.doubt.clear()
        return [self.append(piece) for piece in pieces]

    def read(self) -> ReadArguments:
        """What the arguments mean, if nothing more comes to them."""
        key = (self.length, self.name)
        if self.known is None or self.known[0] != key:
            known = read_arguments(self.raw_arguments, may_be_nothing=self.name in self.optional_names)
            self.known = (key, known)
        return self.known[1]

    def outcome(self, finish_reason: str | None) -> CallOutcome:
        """What became of the call.

        Args:
            finish_reason: The provider's word; without one, a call that has no arguments at all counts as cut.
        """
        raw = self.raw_arguments
        state = self.scanner.state
        if state is ArgumentState.EMPTY:
            if self.placeholder:
                return CallOutcome('{}', {}, cut=False)
            finished = bool(finish_reason) and finish_reason not in ABORTED
            return CallOutcome(raw, {} if finished else None, cut=not finished)
        return CallOutcome(raw, self.read().value, cut=state is ArgumentState.OPEN and begins_object(raw))
