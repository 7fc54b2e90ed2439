"""The errors and warnings of this package.

    UserError (pydantic_ai)            a mistake in use, raised before anything is sent
    ├── OptionError                    also ValueError: an option's value does not fit
    ├── UnknownOptionError             also TypeError: no option has this name
    ├── ConfigError                    also ValueError: a file with model variants cannot be used
    │   └── NoVariantError             also KeyError: a file has no variant of this name that can be used
    ├── ChatTemplateError              also ValueError: a chat template cannot be read, or fails to render
    └── HistoryError                   also ValueError: a tool-call history breaks a rule of its policy
    ModelAPIError (pydantic_ai)
    └── StreamError                    also UnexpectedModelBehavior: an answer cannot be put together safely
    UserWarning
    └── CompatWarning                  something was repaired or ignored, said once
        ├── HistoryRepairWarning       a history was repaired on the request's copy
        ├── IgnoredFieldWarning        a field of a server's answer does not fit its type and was put aside
        └── IgnoredOptionWarning       an option has no effect, or is known to lose data, here

No message holds an API key: an error about a secret option names the option and leaves the value out. None shows more
than 200 characters of a value.
"""

from __future__ import annotations as _annotations

from collections.abc import Iterator
from typing import Any, cast

from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior, UserError
from typing_extensions import override

from .lazy import TemplateFailure

__all__ = (
    'ChatTemplateError',
    'CompatWarning',
    'ConfigError',
    'HistoryError',
    'HistoryRepairWarning',
    'IgnoredFieldWarning',
    'IgnoredOptionWarning',
    'NoVariantError',
    'OptionError',
    'StreamError',
    'UnknownOptionError',
)

_SHOWN_LENGTH = 200


class OptionError(UserError, ValueError):
    """An option's value does not fit; the message names the option, the value and what is allowed."""


class UnknownOptionError(UserError, TypeError):
    """No option has this name; the message names the nearest one that exists."""


class ConfigError(UserError, ValueError):
    """A file with model variants cannot be used; the message names the file, the variant and the field."""


class NoVariantError(ConfigError, KeyError):
    """A file has no variant of this name that can be used; the message says whose it is, or what is wrong with it."""

    @override
    def __str__(self) -> str:
        return self.message  # a `KeyError` shows the repr of its argument


class ChatTemplateError(UserError, TemplateFailure):
    """A chat template cannot be read or fails to render; the message has the template's own words.

    Attributes:
        position: The index of the message that was being rendered, where it is known.
    """


class HistoryError(UserError, ValueError):
    """A tool-call history breaks a rule of its policy; the message names the rules and the positions."""


class StreamError(ModelAPIError, UnexpectedModelBehavior):
    """A server's stream or response cannot be put together safely; the message says how far it came.

    It is a `ModelAPIError`, so that `FallbackModel` asks the next model, and an `UnexpectedModelBehavior`, which is what
    pydantic-ai raises for a response that it cannot read.

    Attributes:
        model_name: The name of the model; empty where a stream is read without one.
    """

    body: Any
    """What the server sent, if it is an error object."""

    def __init__(self, message: str, *, model_name: str = '', body: object | None = None) -> None:
        """Initialize the error.

        Args:
            message: What is wrong, and how far the answer came.
            model_name: The name of the model, if it is known.
            body: What the server sent, if it is an error object.
        """
        super().__init__(model_name, message)
        self.body = body

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message,), {**self.__getstate__(), 'model_name': self.model_name}


class CompatWarning(UserWarning):
    """Something was repaired or ignored; said once, with the option that changes it."""


class HistoryRepairWarning(CompatWarning):
    """A tool-call history was repaired on the request's copy; the stored history is untouched."""


class IgnoredFieldWarning(CompatWarning):
    """A field of a server's answer does not fit its type; it was put aside, and the answer was used."""


class IgnoredOptionWarning(CompatWarning):
    """An option has no effect here, or is known to lose data here."""


def cut(text: str) -> str:
    """The first 200 characters of a text, with `…` where more followed."""
    return text if len(text) <= _SHOWN_LENGTH else f'{text[:_SHOWN_LENGTH]}…'


def shown(value: object) -> str:
    """The first 200 characters of a value's repr, at the cost of those, whatever the value's size.

    Aliases in YAML make values of a few lists that are, written out, larger than any memory; a list may hold itself.
    """
    pieces: list[str] = []
    length = 0
    for piece in _repr_pieces(value):
        pieces.append(piece)
        length += len(piece)
        if length > _SHOWN_LENGTH:
            break
    return cut(''.join(pieces))


def _repr_pieces(value: object) -> Iterator[str]:
    """A repr in pieces, each made when it is asked for."""
    match value:
        case str() | bytes():
            yield repr(value[: _SHOWN_LENGTH + 1])
        case dict():
            pairs = cast('dict[Any, Any]', value).items()
            yield '{'
            for number, (key, item) in enumerate(pairs):
                yield ', ' if number else ''
                yield from _repr_pieces(key)
                yield ': '
                yield from _repr_pieces(item)
            yield '}'
        case list() | tuple():
            items = cast('list[Any] | tuple[Any, ...]', value)
            yield '[' if isinstance(value, list) else '('
            for number, item in enumerate(items):
                yield ', ' if number else ''
                yield from _repr_pieces(item)
            yield ']' if isinstance(value, list) else ',)' if len(items) == 1 else ')'
        case _:
            yield _plain_repr(value)


def _plain_repr(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - any class may fail to show itself
        # A whole number does if it is longer than Python writes.
        # https://docs.python.org/3/library/stdtypes.html#int-max-str-digits
        return f'<{type(value).__name__}>'
