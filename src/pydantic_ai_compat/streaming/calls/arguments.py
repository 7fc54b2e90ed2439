"""The arguments of a tool call as they grow: whole, cut or broken, looking at each character once."""

from __future__ import annotations as _annotations

import json
import re
from enum import Enum
from typing import Any, NamedTuple, cast

__all__ = (
    'ArgumentScanner',
    'ArgumentState',
    'ReadArguments',
    'argument_text',
    'begins_object',
    'continues_json',
    'decode_object',
    'decode_twice',
    'read_arguments',
)

_OUTSIDE_STRING = re.compile(r'["{}\[\]]')
_CONTROLS = re.compile(r'([\x00-\x1f]+)')
_LENIENT = json.JSONDecoder(strict=False)
"""Models write line breaks into strings; that alone does not make text the beginning of something else."""


class ArgumentState(Enum):
    """How far the text of the arguments has come."""

    EMPTY = 'empty'
    """Nothing but white space so far."""

    OPEN = 'open'
    """Inside an object, an array or a string."""

    CLOSED = 'closed'
    """The bracket that opened the text is closed, and only white space followed."""

    OTHER = 'other'
    """No object: a bare word or number, or text after the closing bracket."""


class ArgumentScanner:
    """Follows brackets and strings through text that arrives in pieces.

    It tells whether the text is whole, not whether it is valid JSON: that is for the parser that reads it once, at the
    end. Reading a piece costs its own length, so any cutting of the same text costs the same.
    """

    __slots__ = ('_depth', '_escaped', '_in_string', 'examined', 'state')

    def __init__(self) -> None:
        self.state = ArgumentState.EMPTY
        self.examined = 0
        """Characters looked at so far."""
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def feed(self, text: str) -> None:
        """Read the next piece of the text."""
        self.examined += len(text)
        if self.state is not ArgumentState.OPEN:
            if not text or text.isspace():
                return
            if self.state is ArgumentState.EMPTY:
                opening = text.lstrip()[0]
                self.state = ArgumentState.OPEN if opening in '{["' else ArgumentState.OTHER
            else:
                self.state = ArgumentState.OTHER
            if self.state is ArgumentState.OTHER:
                return
        self._follow(text)

    def feed_escaped(self, text: str) -> str:
        """Read the next piece of the text.

        Returns:
            The piece with raw control characters inside strings escaped, as JSON wants it; the same object without any.
        """
        if text.isprintable():
            self.feed(text)
            return text
        runs = _CONTROLS.split(text)
        escaped: list[str] = []
        for run in filter(None, runs):
            in_string = self._in_string and not self._escaped
            escaped.append(json.dumps(run)[1:-1] if run < ' ' and in_string else run)
            self.feed(run)
        passed = ''.join(escaped)
        return text if passed == text else passed

    def _follow(self, text: str) -> None:
        position, end = 0, len(text)
        if self._escaped:
            self._escaped = False
            position = 1
        while position < end:
            if self._in_string:
                position = self._end_of_string(text, position)
            else:
                found = _OUTSIDE_STRING.search(text, position)
                if found is None:
                    return
                position = found.end()
                bracket = found[0]
                if bracket == '"':
                    self._in_string = True
                else:
                    self._depth += 1 if bracket in '{[' else -1
            if self._depth == 0 and not self._in_string:
                rest = text[position:]
                self.state = ArgumentState.OTHER if rest and not rest.isspace() else ArgumentState.CLOSED
                return

    def _end_of_string(self, text: str, position: int) -> int:
        """Read on inside a string; returns where to go on."""
        quote = text.find('"', position)
        while position < len(text):
            backslash = text.find('\\', position, len(text) if quote < 0 else quote)
            if backslash < 0:
                self._in_string = quote < 0
                return len(text) if quote < 0 else quote + 1
            position = backslash + 2
            if 0 <= quote < position:
                quote = text.find('"', position)
        self._escaped = position > len(text)
        return position


def argument_text(arguments: object) -> str:
    """The arguments as text: a string as it came, anything else as compact JSON, `None` as nothing."""
    if isinstance(arguments, str):
        return arguments
    return '' if arguments is None else json.dumps(arguments, ensure_ascii=False, separators=(',', ':'))


def decode_object(text: str) -> dict[str, Any] | None:
    """The JSON object that the text is; `None` if it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast('dict[str, Any]', value) if isinstance(value, dict) else None


def decode_twice(text: str) -> dict[str, Any] | None:
    """The JSON object that the text is, or that the JSON string in it holds; `None` if it is neither.

    Encoded twice: the summary chunk of <https://github.com/BerriAI/litellm/issues/20480>.
    """
    if not text.lstrip().startswith('"'):
        return decode_object(text)
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return decode_object(value)


class ReadArguments(NamedTuple):
    """What the text of whole arguments means."""

    value: dict[str, Any] | None
    """The one object that the text can mean; `None` if it means none."""

    text: str
    """That object as JSON: the text itself, byte for byte, if it is the object already, or means none."""

    quirk: str | None = None
    """The name of the quirk that the text has; see `streaming.quirks`."""


def read_arguments(text: str, *, may_be_nothing: bool) -> ReadArguments:
    """Read the text of arguments that no more comes to.

    Args:
        text: The text, with more in it than white space.
        may_be_nothing: Whether the tool needs no arguments, so that `null` and the like can only mean none.
    """
    if (value := decode_object(text)) is not None:
        return ReadArguments(value, text)
    # Groq: https://github.com/langchain-ai/langchain/pull/33896
    if text.strip() == 'None':
        return ReadArguments({}, '{}', 'arguments-nothing') if may_be_nothing else ReadArguments(None, text)
    try:
        loaded: object = _LENIENT.decode(text)
    except (ValueError, RecursionError):
        return ReadArguments(None, text)
    if isinstance(loaded, dict):
        # https://github.com/MoonshotAI/kimi-cli/issues/1378
        return ReadArguments(cast('dict[str, Any]', loaded), ArgumentScanner().feed_escaped(text), 'arguments-control')
    if isinstance(loaded, str) and loaded.strip():
        inner = read_arguments(loaded, may_be_nothing=may_be_nothing)
        return (
            ReadArguments(None, text) if inner.value is None else inner._replace(quirk=inner.quirk or 'arguments-twice')
        )
    if may_be_nothing and (loaded is None or loaded in ([], '')):
        return ReadArguments({}, '{}', 'arguments-nothing')
    return ReadArguments(None, text)


def begins_object(text: str) -> bool:
    """Whether the text is a proper beginning of a JSON object, or of a string that holds one."""
    return text.lstrip()[:1] in ('{', '"') and continues_json(text)


def continues_json(text: str) -> bool:
    """Whether the text can be the beginning of valid JSON, or is valid JSON."""
    try:
        _LENIENT.decode(text)
    except json.JSONDecodeError as error:
        # The decoder says where it could not go on: at the end of the text, or in what the end of it cuts.
        rest = text[error.pos :].rstrip()
        return (
            not rest
            or error.msg.startswith('Unterminated string')
            or (error.msg.startswith('Invalid \\u') and len(rest) < len(r'\u0000'))
            or any(word.startswith(rest) for word in ('true', 'false', 'null', '-', '.', 'e+', 'e-', 'E+', 'E-'))
        )
    except RecursionError:
        return True
    return True
