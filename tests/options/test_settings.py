from __future__ import annotations as _annotations

import warnings
from collections.abc import Mapping

import pytest
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIResponsesModelSettings
from pydantic_ai.settings import ModelSettings
from support import Wire

from pydantic_ai_compat.errors import IgnoredOptionWarning, OptionError, UnknownOptionError
from pydantic_ai_compat.options.settings import build_settings

RESPONSES_ONLY = OpenAIResponsesModelSettings(openai_reasoning_summary='detailed')


@pytest.mark.parametrize(
    'settings',
    [
        {'temperature': '0.2', 'max_tokens': '5', 'stop_sequences': 'a, b', 'extra_body': '{"top_k": 1}'},
        {'temperature': 0.2, 'max_tokens': 5, 'stop_sequences': ['a', 'b'], 'extra_body': {'top_k': 1}},
        '{"temperature": "0.2", "max_tokens": 5, "stop_sequences": "a,b", "extra_body": {"top_k": 1}}',
    ],
)
async def test_settings_reach_the_body_typed(wire: Wire, settings: Mapping[str, object] | str) -> None:
    await Agent(wire.model(settings=settings)).run('q')
    assert wire.bodies[0] | {'messages': [], 'model': 'm'} == {
        'messages': [],
        'model': 'm',
        'stream': False,
        'temperature': 0.2,
        'max_completion_tokens': 5,
        'stop': ['a', 'b'],
        'top_k': 1,
    }


async def test_extra_headers_are_sent(wire: Wire) -> None:
    await Agent(wire.model(settings={'extra_headers': {'X-Tenant': 'acme'}})).run('q')
    assert wire.requests[0].headers['X-Tenant'] == 'acme'


def test_no_settings_stay_no_settings() -> None:
    assert build_settings(None) is None


@pytest.mark.parametrize('settings', ['not JSON', '[1]', '[' * 100_000, 5])
def test_settings_that_are_no_map_are_refused_without_their_text(settings: str) -> None:
    with pytest.raises(OptionError) as caught:
        build_settings(settings)
    assert str(caught.value) == '`settings` does not fit: allowed is a map, or a JSON object as text.'


def test_a_setting_that_does_not_fit_or_does_not_exist_is_an_error() -> None:
    with pytest.raises(OptionError, match="`temperature`='hot' does not fit: allowed is a number"):
        build_settings({'temperature': 'hot'})
    with pytest.raises(UnknownOptionError, match="'temprature', did you mean 'temperature'?"):
        build_settings({'temprature': 1})


def test_a_setting_of_the_responses_api_warns_when_the_model_is_built(wire: Wire) -> None:
    """<https://github.com/pydantic/pydantic-ai/issues/3496>"""
    with pytest.warns(IgnoredOptionWarning, match='`openai_reasoning_summary` has no effect on chat completions'):
        wire.model(settings=RESPONSES_ONLY)


async def test_a_setting_of_the_responses_api_in_a_run_warns_once(wire: Wire) -> None:
    agent = Agent(wire.model())
    with pytest.warns(IgnoredOptionWarning):
        await agent.run('q', model_settings=RESPONSES_ONLY)
    with warnings.catch_warnings(record=True) as caught:
        await agent.run('q', model_settings=RESPONSES_ONLY)
        await agent.run('q', model_settings=ModelSettings(temperature=1))
    assert caught == []
