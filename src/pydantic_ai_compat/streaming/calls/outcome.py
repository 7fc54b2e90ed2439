"""What became of a tool call at the end of an answer."""

from __future__ import annotations as _annotations

from typing import Any, NamedTuple

__all__ = ('ABORTED', 'CallOutcome')

ABORTED = frozenset(
    {'length', 'max_tokens', 'model_length', 'content_filter', 'abort', 'error', 'network_error', 'sensitive'}
)
"""Finish reasons that say the model did not get to the end: a call without any arguments may have lost them.

`abort` is SGLang's, `network_error` and `sensitive` are Z.AI's (<https://docs.bigmodel.cn>), `model_length` is Mistral's
(<https://docs.mistral.ai/api/>), `max_tokens` comes from gateways in front of Anthropic's API."""


class CallOutcome(NamedTuple):
    """What became of a call at the end of the stream."""

    raw_arguments: str
    """The arguments as they came."""

    arguments: dict[str, Any] | None
    """The arguments, parsed; `None` if they are no whole object."""

    cut: bool
    """Whether the stream ended inside them: what came is a proper beginning of an object, and no more."""

    @property
    def complete(self) -> bool:
        """Whether the call may be run."""
        return self.arguments is not None
