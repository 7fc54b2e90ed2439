"""Corrected chunks on their way into pydantic-ai's own mapping of a stream."""

from __future__ import annotations as _annotations

from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Collection
from typing import TYPE_CHECKING, Any, cast

from openai import APIError
from openai.types.chat import ChatCompletionChunk
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import FinishReason
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIStreamedResponse
from pydantic_ai.profiles import DEFAULT_THINKING_TAGS, ModelProfile
from pydantic_ai.usage import RequestUsage
from typing_extensions import override

from ..errors import StreamError
from ..text.events import TextEvent
from .corrector import ChunkCorrector, Corrected
from .ending import check_answer
from .report import Report, declared_tool_names
from .rewrite import bare_chunk
from .server_errors import in_server_words

if TYPE_CHECKING:
    from ..text.dialects.table import Dialect

__all__ = ('CorrectedStreamedResponse', 'make_corrector')


def make_corrector(
    profile: ModelProfile, parameters: ModelRequestParameters, *, streamed: bool = True
) -> ChunkCorrector:
    """The corrector for the answer to one request."""
    options = cast('dict[str, Any]', profile)
    tools = (*parameters.function_tools, *parameters.output_tools)
    return ChunkCorrector(
        declared_tool_names(parameters),
        optional_tool_names={tool.name for tool in tools if not tool.parameters_json_schema.get('required')},
        thinking_tags=options.get('thinking_tags', DEFAULT_THINKING_TAGS),
        thinking_starts_open=options.get('openai_chat_thinking_starts_open', False),
        thinking_field=options.get('openai_chat_thinking_field'),
        text_event_tag=options.get('openai_chat_text_event_tag'),
        text_events=options.get('openai_chat_text_events', 'report'),
        streamed=streamed,
        text_tool_calls=_dialects(options.get('openai_chat_text_tool_calls')),
        tools={tool.name: tool.parameters_json_schema for tool in tools},
        calls_in_thoughts=options.get('openai_chat_text_tool_calls_in_thoughts', False),
    )


def _dialects(names: Collection[str] | None) -> tuple[Dialect, ...]:
    if not names:
        return ()
    from ..text.dialects.registry import pick  # the tables of the dialects are for who names one

    return pick(names)


class CorrectedStreamedResponse(OpenAIStreamedResponse):
    """A streamed response whose chunks are corrected before pydantic-ai maps them.

    Parts, events and details stay pydantic-ai's own; with a well-formed stream they are the same one for one. It has no
    field of its own, so it is no dataclass.
    """

    _corrector: ChunkCorrector | None = None
    _report: Report | None = None

    def correct_with(self, corrector: ChunkCorrector, report: Report) -> None:
        """Say what corrects the chunks, and what tells of it; to be called before the first chunk is read."""
        corrector.usage.asked = bool((self._model_settings or {}).get('openai_continuous_usage_stats'))
        self._corrector = corrector
        self._report = report

    @override
    def _validate_response(self) -> AsyncIterable[ChatCompletionChunk]:
        if self._corrector is None or self._report is None:
            # Made by somebody else than our model, which has both before the body comes.
            self.correct_with(make_corrector(self._model_profile, self.model_request_parameters), Report())
            return self._validate_response()
        return _CorrectedChunks(super()._validate_response(), self, self._corrector, self._report)

    def name_model(self, model_name: str) -> None:
        """Give the name of the model where the first chunk has none that is a name."""
        if not isinstance(self._model_name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            self._model_name = model_name

    @override
    def _missing_finish_reason(self) -> FinishReason:
        return 'tool_call' if self._corrector and self._corrector.calls_came else super()._missing_finish_reason()

    @override
    def _add_usage(self, usage: RequestUsage, *, reported: bool, cumulative: bool = False) -> None:
        if reported and not cumulative and self._corrector is not None and self._corrector.usage.reports > 1:
            self.count_usage(self._corrector)
        else:
            super()._add_usage(usage, reported=reported, cumulative=cumulative)

    def count_usage(self, corrector: ChunkCorrector) -> None:
        """Count what the answer has used so far, in place of what was counted before."""
        if (total := corrector.usage.total) is not None:
            usage = self._map_usage(bare_chunk(0).model_copy(update={'usage': total}))
            super()._add_usage(usage, reported=True, cumulative=True)

    def report_event(self, event: TextEvent) -> None:
        """Take a name-only event."""
        details = self.provider_details or {}
        self.provider_details = {**details, 'text_events': [*details.get('text_events', ()), event.name]}

    def end(self, corrector: ChunkCorrector, report: Report) -> None:
        """Check the whole answer, and tell what was corrected in it.

        Raises:
            StreamError: If a call must not be run.
            IncompleteToolCall: If the answer ended inside a tool call because of a limit.
        """
        if self.cancelled:
            return
        if details := report.details(corrector):
            self.provider_details = {**(self.provider_details or {}), **details}
        check_answer(corrector)
        options = cast('dict[str, Any]', self._model_profile)
        dialects = options.get('openai_chat_text_tool_calls', ())
        report.look_for_calls(self.get().parts, self.model_request_parameters, dialects)
        if self.finish_reason == 'stop' and corrector.calls_came:
            # vLLM says so for a named tool, TGI and others always; the calls are there to be run.
            # https://github.com/openvinotoolkit/model_server/issues/3927
            self.finish_reason = 'tool_call'


class _CorrectedChunks(AsyncIterator[ChatCompletionChunk]):
    """An iterator and no generator, so that an abandoned stream leaves none for the event loop to finalize."""

    def __init__(
        self,
        source: AsyncIterable[ChatCompletionChunk],
        response: CorrectedStreamedResponse,
        corrector: ChunkCorrector,
        report: Report,
    ) -> None:
        self._source = aiter(source)
        self._response = response
        self._corrector = corrector
        self._report = report
        self._ready = deque[Corrected]()
        self._flushed = False

    @override
    async def __anext__(self) -> ChatCompletionChunk:
        try:
            while True:
                while self._ready:
                    item = self._ready.popleft()
                    if isinstance(item, TextEvent):
                        self._response.report_event(item)
                    else:
                        return item
                if self._flushed:
                    self._response.end(self._corrector, self._report)
                    break
                try:
                    chunk = await anext(self._source)
                except StopAsyncIteration:
                    self._flushed = True
                    self._ready.extend(self._corrector.flush())
                    continue
                corrected = self._corrector.feed(chunk)
                if len(corrected) == 1 and corrected[0] is chunk:
                    return chunk
                self._ready.extend(corrected)
        except (APIError, ModelAPIError) as error:
            # What came before the error was used, even if its chunk still waits.
            self._response.count_usage(self._corrector)
            if isinstance(error, StreamError):
                error.model_name = error.model_name or self._response.model_name
            worded = in_server_words(error) if isinstance(error, APIError) else error
            if worded is error:
                raise
            raise worded from error
        raise StopAsyncIteration
