"""How often pydantic-ai's refusals of a plain response are mended, and which of them are not."""

from __future__ import annotations as _annotations

import pytest
from openai.types.chat import ChatCompletion
from pydantic import ValidationError
from pydantic_ai import UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.profiles import ModelProfile
from support import completion

from pydantic_ai_compat.streaming.fields import MOST_ROUNDS
from pydantic_ai_compat.streaming.plain_response import PlainReading
from pydantic_ai_compat.streaming.report import Report


def reading() -> PlainReading:
    return PlainReading(ModelProfile(), ModelRequestParameters(), model_name='m', provider_name='p')


def response() -> ChatCompletion:
    return ChatCompletion.construct(**completion(content='a'))


def refusal(**fields: object) -> UnexpectedModelBehavior:
    """The error that pydantic-ai raises for a response with these fields."""
    error = UnexpectedModelBehavior('Invalid response')
    try:
        ChatCompletion.model_validate({**completion(content='a'), **fields})
    except ValidationError as cause:
        error.__cause__ = cause
    return error


def test_mending_ends_where_pydantic_ai_refuses_each_response() -> None:
    """The last refusal comes through as pydantic-ai raised it."""
    errors: list[UnexpectedModelBehavior] = []

    def process(completion: ChatCompletion) -> ModelResponse:
        errors.append(refusal(created='x'))
        raise errors[-1]

    with pytest.raises(UnexpectedModelBehavior) as raised:
        reading().map(response(), process, Report())
    assert raised.value is errors[-1]
    assert len(errors) == MOST_ROUNDS + 1


@pytest.mark.parametrize(
    'error',
    [UnexpectedModelBehavior('another'), refusal(choices='x'), refusal(choices=[{'message': {'content': 5}}])],
    ids=['no validation', 'no choices', 'no text'],
)
def test_a_refusal_of_what_the_answer_is_made_of_comes_through(error: UnexpectedModelBehavior) -> None:
    """Nothing can stand for it."""
    ours = reading()
    before = ours.read(response())
    with pytest.raises(UnexpectedModelBehavior) as raised:
        ours.mend(error)
    assert raised.value is error
    assert ours.completion is before


def test_nothing_is_mended_before_a_response_was_read() -> None:
    """A refusal of a response that was passed on as it came, such as one with a custom call."""
    error = refusal(created='x')
    with pytest.raises(UnexpectedModelBehavior) as raised:
        reading().mend(error)
    assert raised.value is error
