"""The layer of the model that reads answers, plain and streamed."""

from __future__ import annotations as _annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, partial
from typing import Any

from openai import AsyncStream
from openai.types import chat
from openai.types.chat.chat_completion_chunk import Choice
from pydantic_ai.exceptions import IncompleteToolCall, ModelAPIError
from pydantic_ai.messages import ModelResponse, ModelResponseStreamEvent
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIStreamedResponse
from typing_extensions import override

from ..errors import StreamError
from ..streaming.bodies.decoder import BodyDecoder
from ..streaming.bodies.pages import Origin
from ..streaming.plain import is_answer, read_response, undecoded_body
from ..streaming.plain_response import PlainReading
from ..streaming.report import Report
from ..streaming.response import CorrectedStreamedResponse, make_corrector
from ..streaming.server_errors import add_server_words
from ..transport import LeanStreamedResponse, read_events_with
from .error_hints import origin_of
from .failed_usage import carry_usage
from .profile_model import ProfileModel
from .sendable_text import is_unsendable_text, with_sendable_text
from .tool_names import StreamedNames, parameters_with_wire_names

__all__ = ('AnswersModel', 'declares')

_declared: ContextVar[ModelRequestParameters | None] = ContextVar('_declared', default=None)
"""The tools of the request whose plain answer is read: pydantic-ai does not hand them to `_process_response`."""


@contextmanager
def declares(parameters: ModelRequestParameters) -> Generator[None]:
    """Let the plain answer to a request that is made inside be read with the tools that the request declares."""
    token = _declared.set(parameters)
    try:
        yield
    finally:
        _declared.reset(token)


class AnswersModel(ProfileModel):
    """A chat model that reads each answer by the rules of `streaming`, unless a subclass has a reading of its own."""

    @cached_property
    def _told_fields(self) -> set[str]:
        """The places of fields that a warning was given about."""
        return set()

    @override
    def _process_response(self, response: chat.ChatCompletion | str, **options: Any) -> ModelResponse:
        if not self._reads_answers:
            return super()._process_response(response, **options)
        parameters = _declared.get() or ModelRequestParameters()
        reading = PlainReading(self.profile, parameters, model_name=self.model_name, provider_name=self.system)
        process = partial(super()._process_response, **options)
        report = Report(self.model_name, self._told_fields)
        try:
            whole = response if is_answer(response) else read_response(response, self._origin)
            mapped = reading.map(whole, process, report)
        except (StreamError, IncompleteToolCall) as error:
            carry_usage(error, self._map_usage(reading.with_usage()), self.model_name, self.system)
            raise
        report.look_for_calls(mapped.parts, parameters, self._resolved_profile.get('openai_chat_text_tool_calls', ()))
        return mapped

    @property
    def _reads_answers(self) -> bool:
        """Whether answers are read here: a subclass with a stream of its own has a reading of its own."""
        return issubclass(self._streamed_response_cls, CorrectedStreamedResponse)

    @property
    def _origin(self) -> Origin:
        """Where a plain answer comes from: the SDK gives its body alone, and raises for any other status."""
        return Origin(200, f'{self.base_url.rstrip("/")}/chat/completions')

    @override
    async def _completions_create(self, messages: Any, stream: Any, *args: Any, **options: Any) -> Any:
        create: Any = super()._completions_create
        try:
            return await create(messages, stream, *args, **options)
        except (ModelAPIError, RecursionError, ValueError) as error:
            given = (messages, args)
            if is_unsendable_text(error) and (sendable := with_sendable_text(given)) is not given:
                return await create(sendable[0], stream, *sendable[1], **options)
            if stream or not self._reads_answers or (body := undecoded_body(error)) is None:
                raise
            return body

    @property
    @override
    def _streamed_response_cls(self) -> type[OpenAIStreamedResponse]:
        return _StreamedResponse

    @override
    async def _process_streamed_response(
        self,
        response: AsyncStream[chat.ChatCompletionChunk],
        model_request_parameters: ModelRequestParameters,
        *args: Any,
        **options: Any,
    ) -> OpenAIStreamedResponse:
        read_events_with(response, BodyDecoder(origin_of(response)))
        # What reads the answer is made while the server still thinks, not between the first byte and its event.
        names = self._changed_names(model_request_parameters)
        on_wire = parameters_with_wire_names(model_request_parameters, names) if names else model_request_parameters
        corrector = make_corrector(self.profile, on_wire)
        report = Report(self.model_name, self._told_fields)
        try:
            streamed = await super()._process_streamed_response(response, model_request_parameters, *args, **options)
        except ModelAPIError as error:
            add_server_words(error)
            raise
        if isinstance(streamed, CorrectedStreamedResponse):
            streamed.name_model(self.model_name)
            streamed.correct_with(corrector, report)
        if isinstance(streamed, _StreamedResponse):
            streamed.names = StreamedNames(names, on_wire) if names else None
        return streamed


class _StreamedResponse(CorrectedStreamedResponse, LeanStreamedResponse):
    """A stream whose chunks come from the lean transport and are corrected before pydantic-ai maps them."""

    names: StreamedNames | None = None
    """Gives the calls the tools' own names, if one of these went out under another."""

    @override
    def _map_tool_call_delta(self, choice: Choice) -> Iterable[ModelResponseStreamEvent]:
        return super()._map_tool_call_delta(choice if self.names is None else self.names.read(choice))
