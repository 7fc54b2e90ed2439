"""Mistral's own library accepts what is repaired under `mistral`."""

from __future__ import annotations as _annotations

from typing import Any

import pytest
from generated import generated
from history.strategies import broken_histories
from history.strict_hosts import refusal_of_mistral, validate_with
from history.wire import assistant, calls, result, system, user
from hypothesis import given
from mistral_common.protocol.instruct.validator import (
    MistralRequestValidatorV3,
    MistralRequestValidatorV5,
    MistralRequestValidatorV13,
)

from pydantic_ai_compat.history import repair_history


@generated(400)
@given(broken_histories())
def test_every_repaired_history_is_accepted(messages: list[dict[str, Any]]) -> None:
    assert refusal_of_mistral([dict(message) for message in repair_history(messages, 'mistral').messages]) is None


@generated()
@given(broken_histories())
def test_every_repaired_history_is_accepted_by_older_and_newer_versions(messages: list[dict[str, Any]]) -> None:
    """Version 3 is that of Nemo and wants text and calls apart, which H16 adds."""
    repaired: Any = repair_history(messages, 'mistral').messages
    apart: Any = repair_history(messages, 'mistral+H16').messages
    for validator, wire in (
        (MistralRequestValidatorV5, repaired),
        (MistralRequestValidatorV13, repaired),
        (MistralRequestValidatorV3, apart),
    ):
        validate_with(validator, wire)


@pytest.mark.parametrize(
    'broken',
    [
        [user(), calls('AbCdEf123')],
        [user(), calls('call_1'), result('call_1')],
        [user(), result('AbCdEf123')],
        [user(), assistant(), system(), user()],
        [calls('AbCdEf123'), result('AbCdEf123')],
        [user(), assistant()],
        [],
    ],
)
def test_the_validator_refuses_what_is_not_repaired(broken: list[dict[str, Any]]) -> None:
    """Else the tests above would prove nothing."""
    assert refusal_of_mistral(broken) is not None
