"""Field cases about configuration, each by the id of its report.

`cases/requests.jsonl` holds the inputs, what was asked for, and the address of each report. Where something else was
built than what was asked for, the check says why.
"""

from __future__ import annotations as _annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.exceptions import PydanticAIDeprecationWarning
from support import Wire

from pydantic_ai_compat import ImportModelConfig, OpenAICompatibleModel
from pydantic_ai_compat.errors import ConfigError, IgnoredOptionWarning, OptionError, UnknownOptionError

HOST = 'https://host.example/v1'

CASES = {
    case['id']: case
    for case in map(json.loads, (Path(__file__).parent.parent / 'cases/requests.jsonl').read_text('utf-8').splitlines())
    if case['id'][0] == 'D'
}


async def d01(wire: Wire, case: dict[str, Any]) -> None:
    keywords = case['input']['yaml']['kw_args']
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv('ZAI_KEY', 'sk-zai')
        path = 'pydantic_ai_compat.OpenAICompatibleModel'
        model = ImportModelConfig(type='import', model=path, kw_args=keywords).get_model()
    assert isinstance(model, OpenAICompatibleModel)
    assert (model.model_name, model.base_url, model.client.api_key) == ('glm-4.7', f'{HOST}/', 'sk-zai')


async def d02(wire: Wire, case: dict[str, Any]) -> None:
    assert wire.model(settings=case['input']['yaml']['model_settings']).settings == case['expected']


async def d03(wire: Wire, case: dict[str, Any]) -> None:
    with pytest.warns(PydanticAIDeprecationWarning):
        profile = wire.model(**case['input']['kw_args']).profile
    assert profile.get('openai_chat_tool_return_as_list') is False
    assert profile.get('supports_forced_tool_choice') is False


async def d04(wire: Wire, case: dict[str, Any]) -> None:
    for word in ('off', *case['input']['variants']):
        assert wire.model(tool_return_as_list=word).profile.get('openai_chat_tool_return_as_list') is False
    with pytest.raises(ValueError, match='tool_return_as_list'):
        wire.model(tool_return_as_list='nope')


async def d06(wire: Wire, case: dict[str, Any]) -> None:
    assert OpenAICompatibleModel('m', base_url=HOST, **case['input']['kw_args']).client.api_key == 'sk-a$HOME-b'


async def d07(wire: Wire, case: dict[str, Any]) -> None:
    with pytest.raises(UnknownOptionError, match="unknown option 'key_env', did you mean 'api_key'?"):
        OpenAICompatibleModel('m', base_url=HOST, **case['input']['kw_args'])


async def d09(wire: Wire, case: dict[str, Any]) -> None:
    # That a 404 names the address is in test_connection.py.
    used = [OpenAICompatibleModel('m', base_url=url).base_url.rstrip('/') for url in case['input']['base_urls']]
    assert used == ['http://h:11434', 'http://h:11434/v1', 'http://h:8080/v1', 'https://h/api/v1']


async def d11(wire: Wire, case: dict[str, Any]) -> None:
    model = OpenAICompatibleModel('m', base_url=HOST, **case['input']['kw_args'])
    with pytest.raises(OptionError) as caught:
        OpenAICompatibleModel('m', base_url=HOST, timeout='x', **case['input']['kw_args'])
    assert 'SECRET' not in repr(model) + str(model) + str(caught.value)


async def d12(wire: Wire, case: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="in Python's standard library"):
        ImportModelConfig.model_validate(case['input']['yaml']).get_model()


async def d13(wire: Wire, case: dict[str, Any]) -> None:
    with pytest.raises(UnknownOptionError, match="did you mean 'openai_supports_tool_choice_required'?"):
        wire.model(**case['input']['kw_args'])


async def d14(wire: Wire, case: dict[str, Any]) -> None:
    client = OpenAICompatibleModel('m', base_url=HOST, **case['input']['kw_args']).client
    assert (client.max_retries, client.timeout) == (0, 30.0)


async def d15(wire: Wire, case: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv('CF_ID', 'id-1')
        model = OpenAICompatibleModel('m', base_url=HOST, **case['input']['kw_args'])
    headers = model.client.default_headers
    assert (headers['X-Tenant'], headers['CF-Access-Client-Id']) == ('acme', 'id-1')
    assert 'id-1' not in repr(model)


async def d17(wire: Wire, case: dict[str, Any]) -> None:
    with pytest.warns(IgnoredOptionWarning, match='has no effect on chat completions'):
        wire.model(settings=case['input']['settings'])


CHECKS: dict[str, Callable[[Wire, dict[str, Any]], Awaitable[None]]] = {
    'D01': d01,
    'D02': d02,
    'D03': d03,
    'D04': d04,
    'D06': d06,
    'D07': d07,
    'D09': d09,
    'D11': d11,
    'D12': d12,
    'D13': d13,
    'D14': d14,
    'D15': d15,
    'D17': d17,
}


def test_every_case_has_a_check() -> None:
    assert CHECKS.keys() == CASES.keys()


@pytest.mark.parametrize('case_id', sorted(CASES))
async def test_a_field_case_comes_out_as_asked(wire: Wire, case_id: str) -> None:
    await CHECKS[case_id](wire, CASES[case_id])
