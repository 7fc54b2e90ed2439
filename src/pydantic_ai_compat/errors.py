"""The errors and warnings of this package.

    UserError (pydantic_ai)            a mistake in use, raised before anything is sent
    ├── OptionError                    also ValueError: an option's value does not fit
    ├── UnknownOptionError             also TypeError: no option has this name
    ├── ConfigError                    also ValueError: a file with model variants cannot be used
    ├── ChatTemplateError              also ValueError: a chat template cannot be read, or fails to render
    └── HistoryError                   also ValueError: a tool-call history breaks a rule of its policy
    ModelAPIError (pydantic_ai)
    └── StreamError                    also UnexpectedModelBehavior: an answer cannot be put together safely
    UserWarning
    └── CompatWarning                  something was repaired or ignored, said once
        ├── HistoryRepairWarning       a history was repaired on the request's copy
        ├── IgnoredFieldWarning        a field of a server's answer does not fit its type and was put aside
        └── IgnoredOptionWarning       an option has no effect, or is known to lose data, here

No message holds an API key: an error about a secret option names the option and leaves the value out.
"""

from __future__ import annotations as _annotations

from typing import Any

from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior, UserError

__all__ = (
    'ChatTemplateError',
    'CompatWarning',
    'ConfigError',
    'HistoryError',
    'HistoryRepairWarning',
    'IgnoredFieldWarning',
    'IgnoredOptionWarning',
    'OptionError',
    'StreamError',
    'UnknownOptionError',
)


class OptionError(UserError, ValueError):
    """An option's value does not fit; the message names the option, the value and what is allowed."""


class UnknownOptionError(UserError, TypeError):
    """No option has this name; the message names the nearest one that exists."""


class ConfigError(UserError, ValueError):
    """A file with model variants cannot be used; the message names the file, the variant and the field."""


class ChatTemplateError(UserError, ValueError):
    """A chat template cannot be read or fails to render; the message has the template's own words.

    Attributes:
        position: The index of the message that was being rendered, where it is known.
    """

    position: int | None = None


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
