"""What is said about corrections and repairs: to the log, and on the span of the request."""

from __future__ import annotations as _annotations

import inspect
import logging
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
from opentelemetry.trace import INVALID_SPAN_CONTEXT, NonRecordingSpan, NoOpTracer, NoOpTracerProvider, Span, use_span
from opentelemetry.util.types import AttributeValue
from pydantic_ai import _model_request_attempts
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.instrumented import InstrumentationSettings, InstrumentedModel
from streaming.streams import call, calls_chunk, chunk, parameters, plain, stream_answer, streamed
from support import Wire, completion
from typing_extensions import override

from pydantic_ai_compat.errors import CompatWarning, HistoryRepairWarning
from pydantic_ai_compat.text import Dialect, TextCall, find, write_calls

TWICE = '"{\\"a\\":1}"'
NAMES = ['name-decorated', 'arguments-twice']


class KeptSpan(NonRecordingSpan):
    """A span that keeps its attributes, as one of the OpenTelemetry SDK does."""

    def __init__(self) -> None:
        super().__init__(INVALID_SPAN_CONTEXT)
        self.attributes: dict[str, AttributeValue] = {}

    @override
    def is_recording(self) -> bool:
        return True

    @override
    def set_attribute(self, key: str, value: AttributeValue) -> None:
        self.attributes[key] = value


class KeptSpans(NoOpTracerProvider, NoOpTracer):
    """A provider whose one tracer keeps all spans."""

    def __init__(self) -> None:
        self.spans: list[KeptSpan] = []

    @override
    def get_tracer(self, *args: Any, **kwargs: Any) -> KeptSpans:
        return self

    @override
    def start_span(self, *args: Any, **kwargs: Any) -> Span:
        self.spans.append(KeptSpan())
        return self.spans[-1]

    @contextmanager
    def start_as_current_span(self, *args: Any, **kwargs: Any) -> Generator[Span]:  # pyright: ignore[reportIncompatibleMethodOverride]
        with use_span(self.start_span()) as span:
            yield span


def instrumented(wire: Wire) -> tuple[InstrumentedModel, KeptSpans]:
    spans = KeptSpans()
    return InstrumentedModel(wire.model(), InstrumentationSettings(tracer_provider=spans)), spans


def said_on(spans: KeptSpans) -> list[dict[str, AttributeValue]]:
    prefix = 'pydantic_ai_compat.'
    return [{key: value for key, value in span.attributes.items() if key.startswith(prefix)} for span in spans.spans]


def odd_call() -> dict[str, Any]:
    return {'id': 'c1', 'type': 'function', 'function': {'name': 'functions.f', 'arguments': TWICE}}


@pytest.mark.parametrize('is_streamed', [False, True])
async def test_corrections_are_logged_without_content_and_stand_on_the_span(
    is_streamed: bool, wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    """And of a well-formed answer nothing is said: its details are stock's."""
    model, spans = instrumented(wire)
    calls = [odd_call()]
    odd = stream_answer([chunk(tool_calls=[{'index': 0, **odd_call()}]), chunk('tool_calls')])
    fine = stream_answer([chunk(content='ok'), chunk('stop')])
    wire.answers += [fine, odd] if is_streamed else [completion(content='ok'), completion(tool_calls=calls)]
    request: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('hi')])]
    details: list[Any] = []
    with caplog.at_level(logging.DEBUG, 'pydantic_ai_compat'):
        for _ in range(2):
            if is_streamed:
                response = (await streamed(model, 'f')).response
            else:
                response = await model.request(request, None, parameters('f'))
            details.append((response.provider_details or {}).get('corrected'))
    assert details == [None, NAMES]
    assert said_on(spans) == [{}, {'pydantic_ai_compat.corrected': NAMES}]
    ours = [record.getMessage() for record in caplog.records if record.name == 'pydantic_ai_compat']
    assert ours == ['corrected in the answer of m: name-decorated, arguments-twice']


async def test_repairs_of_the_history_are_logged_each_time_and_stand_on_the_span(
    wire: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    """The warning comes once for a conversation; the log and the span belong to one request."""
    model, spans = instrumented(wire)
    history: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('secret')], conversation_id='one'),
        ModelResponse(parts=[ToolCallPart('f', {}, 'c1')], conversation_id='one'),
        ModelRequest(parts=[UserPromptPart('and?')], conversation_id='one'),
    ]
    with caplog.at_level(logging.DEBUG, 'pydantic_ai_compat'), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter('always')
        for _ in range(2):
            await model.request(history, None, ModelRequestParameters())
    ours = [record.getMessage() for record in caplog.records if record.name == 'pydantic_ai_compat']
    assert [one.category for one in warned] == [HistoryRepairWarning]
    assert ours == ['repaired in the history that is sent: H01'] * 2
    assert said_on(spans) == [{'pydantic_ai_compat.repaired': ['H01']}] * 2


async def test_what_is_released_at_the_end_changes_no_name(wire: Wire) -> None:
    """A text that may begin a tag waits; the chunk that releases it brings no model's name or id of its own."""
    wire.answers.append(
        stream_answer(
            [
                {**chunk(content='a <thi'), 'model': 'first', 'id': 'i1'},
                {**chunk('stop'), 'model': 'last', 'id': 'i2'},
            ]
        )
    )
    wire.answers.append(stream_answer([chunk(content='a'), {**chunk('stop'), 'model': 'last', 'id': 'i2'}]))
    waited, plain = (await streamed(wire.model())).response, (await streamed(wire.model())).response
    assert (waited.model_name, waited.provider_response_id) == (plain.model_name, plain.provider_response_id)


@pytest.mark.parametrize('pieces', [[' ', '{"a":1}'], ['\n', ' ', '{"a"', ':1}'], [' {', '"a":1}']])
async def test_no_part_ends_before_its_last_delta(pieces: list[str], wire: Wire) -> None:
    """White space before the arguments, in pieces of its own."""
    first = call(0, 'c1', 'f', pieces[0])
    rest = [calls_chunk({'index': 0, 'function': {'arguments': piece}}) for piece in pieces[1:]]
    wire.answers.append(stream_answer([calls_chunk(first), *rest, chunk('tool_calls')]))
    result = await streamed(wire.model(), 'f')
    kinds = [event.event_kind for event in result.events if event.event_kind != 'final_result']
    assert (result.error, kinds[0], kinds[-1], kinds.count('part_end')) == (None, 'part_start', 'part_end', 1)
    [part] = result.response.parts
    assert isinstance(part, ToolCallPart) and part.args_as_dict() == {'a': 1}


def test_the_private_function_that_carries_usage_is_what_it_was() -> None:
    """`model/failed_usage.py` needs it, on the lowest and on the newest pydantic-ai."""
    assert list(inspect.signature(_model_request_attempts.carry_attempts).parameters) == ['error', 'attempts']


@pytest.mark.parametrize('dialect', find._MARKED, ids=lambda dialect: dialect.name)
async def test_a_call_that_nobody_reads_is_told_once_in_whichever_dialect(dialect: Dialect, wire: Wire) -> None:
    """A look for two brackets stands before that for the marks of all dialects."""
    text = f'Let me see. {write_calls([TextCall("t", "{}", "functions.t:0")], dialect)}'
    model = wire.model()
    wire.answers += [completion(content=text), completion(content=text)]
    with pytest.warns(CompatWarning, match="`openai_chat_text_tool_calls`='"):
        await plain(model, 't')
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        await plain(model, 't')


async def test_of_a_call_that_is_read_or_cannot_be_nothing_is_told(wire: Wire) -> None:
    text = '<tool_call>{"name": "t", "arguments": {}}</tool_call>'
    wire.answers += [completion(content=text), completion(content='[TOOL_CALLS]t'), completion(content='Nothing.')]
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        await plain(wire.model(openai_chat_text_tool_calls='hermes'), 't')
        await plain(wire.model(), 'u')
        await plain(wire.model(), 't')
