"""The reading of one plain response: the corrector before pydantic-ai's own mapping, and what is left to do after it."""

from __future__ import annotations as _annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.chat_completion import Choice
from pydantic import ValidationError
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.profiles import DEFAULT_THINKING_TAGS, ModelProfile

from ..errors import StreamError
from ..text.events import TextEvent
from .completion import CompletionBuilder, completion_chunk
from .corrector import ChunkCorrector, Corrected
from .ending import check_answer
from .fields import MOST_ROUNDS, Place, fill, holds_nothing
from .plain_text_parts import TextParts, with_text_parts
from .regular_completion import calls_fit, is_regular_completion
from .report import Report
from .response import make_corrector
from .server_errors import server_error
from .tags import reasoning_fields

__all__ = ('PlainReading',)

_NEEDED = (('message', 'content'), ('message', 'tool_calls'))

_EMPTY = '(empty)'
"""Stands in for an empty finish reason."""


class PlainReading:
    """Reads one plain response.

    Args:
        profile: The profile of the model.
        parameters: Those of the request, for the tools that it declares.
        model_name: The name of the model, for errors.
        provider_name: The name under which thoughts are stored.
    """

    def __init__(
        self, profile: ModelProfile, parameters: ModelRequestParameters, *, model_name: str, provider_name: str
    ) -> None:
        self._profile = profile
        self._parameters = parameters
        self._model_name = model_name
        self._provider_name = provider_name
        self._parts: list[TextPart | ThinkingPart | ToolCallPart] | None = None
        self._events: list[str] = []
        self._is_regular = False
        self.completion: ChatCompletion | None = None
        """What pydantic-ai is given."""

    @cached_property
    def _corrector(self) -> ChunkCorrector:
        return make_corrector(self._profile, self._parameters, streamed=False)

    def _option(self, name: str, default: Any = None) -> Any:
        return cast('dict[str, Any]', self._profile).get(name, default)

    @cached_property
    def _tags(self) -> tuple[str, str]:
        return self._option('thinking_tags', DEFAULT_THINKING_TAGS)

    def map(
        self,
        response: ChatCompletion | Sequence[ChatCompletionChunk],
        process: Callable[[ChatCompletion], ModelResponse],
        report: Report,
    ) -> ModelResponse:
        """Read the response, let pydantic-ai map it, and complete what came of it.

        Args:
            response: The response of the SDK, which has validated nothing in it, or the chunks of a stream that was not
                asked for.
            process: pydantic-ai's own mapping.
            report: Says what was corrected.

        Raises:
            ModelAPIError: If the body is an error object, with the server's message.
            StreamError: If there is no answer in it, or a tool call that must not be run.
            IncompleteToolCall: If the answer ended inside a tool call because of a limit.
            UnexpectedModelBehavior: If pydantic-ai cannot read what the answer is made of.
        """
        try:
            completion = self.read(response) if isinstance(response, ChatCompletion) else self.read_chunks(response)
        except StreamError as error:
            error.model_name = self._model_name
            raise
        for _ in range(MOST_ROUNDS):
            try:
                return self.finish(process(_with_finish_reason(completion)), report)
            except UnexpectedModelBehavior as error:
                completion = self.mend(error)
        return self.finish(process(_with_finish_reason(completion)), report)

    def with_usage(self) -> ChatCompletion:
        """A completion with the usage of the answer and nothing else."""
        return CompletionBuilder(()).build((), usage=self._corrector.usage.total)

    def read(self, response: ChatCompletion) -> ChatCompletion:
        """Correct the response of the SDK, which has validated nothing in it.

        Raises:
            ModelAPIError: If the body is an error object, with the server's message.
            StreamError: If there is no answer in it, or a tool call that must not be run.
            IncompleteToolCall: If the answer ended inside a tool call because of a limit.
        """
        if is_regular_completion(response, self._profile, self._parameters):
            self._is_regular = True
            self.completion = response
            return response
        return self._read(response)

    def _read(self, response: ChatCompletion) -> ChatCompletion:
        if error := (response.model_extra or {}).get('error'):
            raise server_error(error, self._model_name)
        if _is_custom_call(response):
            return response  # pydantic-ai has an error of its own for it
        chunk = completion_chunk(response)
        corrected = self._correct([chunk])
        content = chunk.choices[0].delta.content or ''
        untouched = len(corrected) == 1 and corrected[0] is chunk and self._tags[0] not in content
        calls = response.choices[0].message.tool_calls
        self.completion = response if untouched and calls_fit(calls) else self._build(corrected)
        return self.completion

    def read_chunks(self, chunks: Iterable[ChatCompletionChunk]) -> ChatCompletion:
        """Likewise for an answer that came as a stream although none was asked for."""
        self.completion = self._build(self._correct(chunks))
        return self.completion

    def mend(self, error: UnexpectedModelBehavior) -> ChatCompletion:
        """The response without what pydantic-ai's validation refused in it.

        Args:
            error: The error that pydantic-ai raised.

        Raises:
            UnexpectedModelBehavior: The same error, if it is about what the answer is made of, or no validation's.
        """
        cause = error.__cause__
        if not isinstance(cause, ValidationError) or self.completion is None:
            raise error
        if self._is_regular:
            self._is_regular = False
            self._read(self.completion)
        data = self.completion.model_dump(warnings=False)
        try:
            dropped = fill(ChatCompletion, data, cause, _is_needed)
        except ValidationError:
            raise error from cause
        self._corrector.notes.drop(dropped)
        self.completion = ChatCompletion.construct(**data)
        return self.completion

    def finish(self, response: ModelResponse, report: Report) -> ModelResponse:
        """Complete what pydantic-ai made of it: the parts of the text, the finish reason and the details."""
        if self._is_regular:
            return response
        details = {**(response.provider_details or {}), **report.details(self._corrector)}
        if self._events:
            details['text_events'] = self._events
        finish_reason = response.finish_reason
        if details.get('finish_reason') == _EMPTY:
            details['finish_reason'] = ''
            finish_reason = 'stop' if self._corrector.calls_came else None
        changes: dict[str, Any] = {'provider_details': details or None, 'finish_reason': finish_reason}
        if self._parts is not None and 'refusal' not in details:
            changes['parts'] = with_text_parts(response.parts, self._parts)
        if finish_reason == 'stop' and self._corrector.calls_came:
            # vLLM says so for a named tool, TGI and others always; the calls are there to be run.
            # https://github.com/openvinotoolkit/model_server/issues/3927
            changes['finish_reason'] = 'tool_call'
        return replace(response, model_name=response.model_name or self._model_name, **changes)

    def _correct(self, chunks: Iterable[ChatCompletionChunk]) -> list[Corrected]:
        corrected = [one for chunk in chunks for one in self._corrector.feed(chunk)]
        corrected += self._corrector.flush()
        check_answer(self._corrector)
        return corrected

    def _build(self, corrected: Sequence[Corrected]) -> ChatCompletion:
        """The completion for pydantic-ai, and the parts of the text, which it would find by other rules."""
        builder = CompletionBuilder(reasoning_fields(self._option('openai_chat_thinking_field')))
        parts = TextParts(self._tags, self._provider_name)
        native = {call.slot for call in self._corrector.calls.calls}
        for one in corrected:
            if isinstance(one, TextEvent):
                self._events.append(one.name)
                continue
            known = set(builder.calls)
            builder.add(one)
            for choice in one.choices or ():
                parts.add_text(getattr(choice.delta, 'content', None))
            for index in builder.calls.keys() - known - native:
                parts.add_call(builder.calls[index])
        self._parts = parts.parts()
        calls = [index for index in builder.calls if index in native]
        return builder.build(calls, usage=self._corrector.usage.total)


def _is_needed(place: Place) -> bool:
    """Whether a place holds what the answer is made of: choices, content and calls."""
    if not place or place[0] != 'choices':
        return False
    return len(place) < 3 or place[2:] == ('message',) or place[2:4] in _NEEDED


def _with_finish_reason(completion: ChatCompletion) -> ChatCompletion:
    """The completion with a word for an empty finish reason, which pydantic-ai's validation refuses."""
    choice = _first(completion)
    if not isinstance(choice, Choice) or cast('object', choice.finish_reason) != '':
        return completion
    choices = [choice.model_copy(update={'finish_reason': _EMPTY}), *completion.choices[1:]]
    return completion.model_copy(update={'choices': choices})


def _first(response: ChatCompletion) -> object:
    choices = cast('object', response.choices)
    return cast('list[object]', choices)[0] if isinstance(choices, list) and choices else None


def _calls_of(response: ChatCompletion) -> list[object]:
    entries = getattr(getattr(_first(response), 'message', None), 'tool_calls', None)
    return cast('list[object]', entries) if isinstance(entries, list) else []


def _is_custom_call(response: ChatCompletion) -> bool:
    return any(
        not holds_nothing(getattr(call, 'custom', None)) and holds_nothing(getattr(call, 'function', None))
        for call in _calls_of(response)
    )
