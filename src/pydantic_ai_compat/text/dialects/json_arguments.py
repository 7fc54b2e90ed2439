"""The arguments of a call in JSON, as the object that goes on."""

from __future__ import annotations as _annotations

from collections.abc import Callable

from .literals import as_json, read_json, read_literal
from .payload import follow, follow_string, skip_broken
from .source import NoCall, Reading, Source

__all__ = ('ARGUMENTS_KEYS', 'read_arguments', 'read_string')

ARGUMENTS_KEYS = ('arguments', 'parameters', 'args', 'input')
"""The keys under which arguments stand."""


def read_arguments(
    source: Source,
    give: Callable[[str], None],
    *,
    python: bool = False,
    close: tuple[str, ...] = (),
    item_keys: tuple[str, ...] = (),
) -> Reading[None]:
    """Read the arguments: an object, a string that holds one, or null.

    Args:
        source: The text, at their beginning.
        give: Takes the arguments as JSON, in pieces.
        python: Whether they are a Python dict.
        close: The mark that ends a broken call.
        item_keys: The keys with which the next item can begin, which ends a broken call as well.
    """
    opening = yield from source.peek()
    if opening == '{' and not python:
        ending = yield from follow(source, give, mark='"')
        if ending == 'broken':
            yield from skip_broken(source, give, close, item_keys)
        return
    pieces: list[str] = []
    if opening in ('{', '"', "'"):
        quotes = '' if python or opening == "'" else '"'
        if opening == '{':
            ending = yield from follow(source, pieces.append)
        else:
            ending = '' if (yield from follow_string(source, pieces.append, opening, quotes)) else 'cut'
    else:
        ending = yield from follow(source, pieces.append, ends=',}')
    text = ''.join(pieces)
    give(text if ending else _as_object(text.strip(), python=python or opening == "'"))


def _as_object(text: str, *, python: bool) -> str:
    """The JSON object that the text of arguments means; the text itself if it means none."""
    try:
        value = read_literal(text) if python else read_json(text)
        if isinstance(value, str):
            text = value.strip() or '{}'
            value = read_json(text)
    except ValueError:
        return text
    if value is None:
        return '{}'
    return as_json(value) if python else text


def read_string(source: Source) -> Reading[str]:
    """Read a string in quotation marks.

    Raises:
        NoCall: None stands here, or it does not end.
    """
    quote = yield from source.peek()
    if quote not in ('"', "'") or not quote:
        raise NoCall
    pieces: list[str] = []
    if not (yield from follow_string(source, pieces.append, quote, '"' if quote == '"' else '')):
        raise NoCall
    return read_literal(''.join(pieces))
