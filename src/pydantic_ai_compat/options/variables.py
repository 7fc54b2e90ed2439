"""Environment variables in option values: `${VAR}` and `${VAR:-default}`, with `$${` for a literal `${`."""

from __future__ import annotations as _annotations

import json
import os
import re
from contextlib import suppress
from typing import Any, cast

from ..errors import OptionError

__all__ = ('ExpandedText', 'expand_variables', 'read_json_text')

_REFERENCE = re.compile(r'(?P<literal>\$\$\{)|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^${}]*))?\}|\$\{')


class ExpandedText(str):
    """Text whose variables are expanded already, so that a value that holds `${` itself is not expanded again."""


def expand_variables(text: str, *, option: str) -> str:
    """Expand `${VAR}` and `${VAR:-default}` from the environment; a lone `$` stays as it is.

    In a JSON text, where references can only stand inside strings, the value of a variable is written as JSON wants it,
    so that a quote in it ends no string.

    Args:
        text: The value as written. An `ExpandedText` comes back unchanged.
        option: Where the value stands, for the message.

    Returns:
        The text with every reference replaced. As in a shell, the default serves for an unset and for an empty
        variable.

    Raises:
        OptionError: If a variable without a default is unset, or a `${` does not open a reference. The message names
            the variable and the option and leaves the rest of the value out, which may be a key.
    """
    if '${' not in text or isinstance(text, ExpandedText):
        return text
    in_json = _is_json(text)

    def value_of(match: re.Match[str]) -> str:
        if match['literal']:
            return '${'
        name, default = match['name'], match['default']
        if name is None:
            raise OptionError(
                f'`{option}` holds a `${{` that does not open a reference: '
                'write `${VAR}`, `${VAR:-default}`, or `$${` for a literal `${`.'
            )
        value = os.environ.get(name)
        if value is None and default is None:
            raise OptionError(
                f'`{option}` refers to the environment variable {name}, which is not set: '
                f'set it, or give a default with `${{{name}:-default}}`.'
            )
        if not value:
            return default or ''
        return json.dumps(value, ensure_ascii=False)[1:-1] if in_json else value

    return _REFERENCE.sub(value_of, text)


def _is_json(text: str) -> bool:
    """Whether a text is a JSON object or list already, before its references are replaced."""
    if text.lstrip().startswith(('{', '[')):
        with suppress(ValueError, RecursionError):
            json.loads(text)
            return True
    return False


def read_json_text(text: str) -> object:
    """The data of a JSON text; that of an `ExpandedText` holds no text whose variables are expanded once more.

    Raises:
        ValueError: If the text is not JSON.
        RecursionError: If it is nested too deeply.
    """
    data = cast(object, json.loads(text))
    return _as_expanded(data) if isinstance(text, ExpandedText) else data


def _as_expanded(data: Any) -> object:
    match data:
        case str():
            return ExpandedText(data)
        case list():
            return [_as_expanded(item) for item in cast('list[object]', data)]
        case dict():
            return {key: _as_expanded(item) for key, item in cast('dict[str, object]', data).items()}
        case _:
            return data
