"""What is said about the corrections of an answer: in its details, to the log, on the span, and as a warning."""

from __future__ import annotations as _annotations

import logging
import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from opentelemetry.trace import Span, get_current_span
from pydantic_ai.messages import ModelResponsePart, TextPart, ToolCallPart
from pydantic_ai.models import ModelRequestParameters

from ..errors import CompatWarning, IgnoredFieldWarning
from .corrector import ChunkCorrector
from .ending import found_quirks
from .fields import Dropped, shown_dropped

__all__ = ('Report', 'declared_tool_names', 'note')

_CALL = 'call-in-text'
_BRACKETS = '<['
"""One of these is in each call that has a mark of its own, in whichever dialect; a test holds the tables to it."""

_LOGGER = logging.getLogger('pydantic_ai_compat')


def declared_tool_names(parameters: ModelRequestParameters) -> frozenset[str]:
    """The names of the tools that a request declares."""
    return frozenset(tool.name for tool in (*parameters.function_tools, *parameters.output_tools))


class Report:
    """Says what was corrected in the answer to one request.

    Args:
        model_name: The name of the model.
        told: The places of fields that a warning was given about; those of this answer are added.
    """

    def __init__(self, model_name: str = '', told: set[str] | None = None) -> None:
        self._model_name = model_name
        self._told = set[str]() if told is None else told
        # The span of the request is the current one while the request is made; a stream is read outside of it.
        self._span = get_current_span()

    def details(self, corrector: ChunkCorrector) -> dict[str, Any]:
        """Say what was corrected; call it once, at the end.

        Returns:
            What is added to `ModelResponse.provider_details`; nothing if nothing was corrected.
        """
        found = found_quirks(corrector)
        details: dict[str, Any] = {}
        if names := found.corrected:
            details['corrected'] = names
            counts = {name: found.counts[name] for name in names}
            note('corrected', f'in the answer of {self._model_name}', counts, self._span)
        if corrector.notes.dropped:
            details['dropped'] = {one.place: one.value for one in corrector.notes.dropped}
            self._warn(corrector.notes.dropped)
        if corrector.thoughts.details.entries:
            details['reasoning_details'] = corrector.thoughts.details.merged()
        return details

    def look_for_calls(
        self, parts: Sequence[ModelResponsePart], parameters: ModelRequestParameters, dialects: Collection[str]
    ) -> None:
        """Say, once for each model, that an answer without calls holds one in its text that an option would read.

        Args:
            parts: What pydantic-ai made of the answer.
            parameters: What the request declared.
            dialects: The dialects that are read; with any, nothing is said.
        """
        tools = declared_tool_names(parameters)
        if dialects or not tools or _CALL in self._told or any(isinstance(part, ToolCallPart) for part in parts):
            return
        text = ''.join(part.content for part in parts if isinstance(part, TextPart))
        if not any(bracket in text for bracket in _BRACKETS):
            return
        from ..text.find import fitting_dialect  # with the tables of all dialects, which most answers do without

        if (dialect := fitting_dialect(text, tools)) is not None:
            self._told.add(_CALL)
            warnings.warn(
                f'The answer of {self._model_name!r} holds a tool call in its text, which nobody reads: '
                f'`openai_chat_text_tool_calls`={dialect!r} would make it a call.',
                CompatWarning,
                stacklevel=2,
            )

    def _warn(self, dropped: Sequence[Dropped]) -> None:
        news = [one for one in dropped if one.place not in self._told]
        self._told.update(one.place for one in news)
        if news:
            warnings.warn(
                f'The server of {self._model_name!r} sends fields that do not fit their types: {shown_dropped(news)}. '
                "The answer is used without them; they are kept in `provider_details['dropped']`.",
                IgnoredFieldWarning,
                stacklevel=2,
            )


def note(what: str, where: str, counts: Mapping[str, int], span: Span | None = None) -> None:
    """Say to the log, with counts and without content, and on a span if it is recorded, what was put right.

    Args:
        what: `corrected` or `repaired`.
        where: Where it was, in words for the log.
        counts: How often each thing was put right, by its name.
        span: By default the current one.
    """
    _LOGGER.debug('%s %s: %s', what, where, _in_words(counts))
    span = get_current_span() if span is None else span
    if span.is_recording():
        span.set_attribute(f'pydantic_ai_compat.{what}', list(counts))


def _in_words(counts: Mapping[str, int]) -> str:
    return ', '.join(name if count == 1 else f'{name} ({count} times)' for name, count in counts.items())
