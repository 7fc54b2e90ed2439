from __future__ import annotations as _annotations

from typing import Any

import pytest
from pydantic_ai import Agent
from support import Wire

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.errors import OptionError

HOST = 'http://localhost:8000/v1'


@pytest.mark.parametrize('secret', ['SECRET\nX-Other: b', 'SECRET\u00e9', 'SECRET\ud800', 'SECRET\x00'])
@pytest.mark.parametrize('option', ['api_key', 'headers.X-Key'])
def test_what_no_header_can_carry_is_refused_before_anything_is_sent(option: str, secret: str) -> None:
    """httpx encodes a header's text as ASCII, and h11 refuses control characters, both at the first request."""
    with pytest.raises(OptionError) as caught:
        if option == 'api_key':
            OpenAICompatibleModel('m', base_url=HOST, api_key=secret)
        else:
            OpenAICompatibleModel('m', base_url=HOST, headers={'X-Key': secret})
    assert str(caught.value) == (f'`{option}` does not fit: allowed is ASCII text on one line, as a header carries it.')


def test_a_key_read_from_a_file_loses_its_line_break(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('KEY', 'k-1\n')
    assert OpenAICompatibleModel('m', base_url=HOST, api_key='${KEY}').client.api_key == 'k-1'


async def test_no_placeholder_is_sent_as_a_models_name_or_as_a_header(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loaders that know only strings hand over `${VAR}` as it is written."""
    monkeypatch.setenv('NAME', 'm-1')
    monkeypatch.setenv('TENANT', 'acme')
    settings = {'extra_headers': {'X-Tenant': '${TENANT}', 'X-Literal': '$${TENANT}'}}
    model = OpenAICompatibleModel('${NAME}', provider=wire.model().provider, settings=settings)
    await Agent(model).run('q')
    sent = wire.requests[0].headers
    assert (wire.bodies[0]['model'], sent['x-tenant'], sent['x-literal']) == ('m-1', 'acme', '${TENANT}')


@pytest.mark.parametrize(
    ('option', 'named'), [('model_name', 'model_name'), ('settings', 'settings.extra_headers.X-Tenant')]
)
def test_an_unset_variable_is_named_with_the_option_that_holds_it(option: str, named: str) -> None:
    given: dict[str, Any] = {'model_name': '${NOT_SET}', 'settings': {'extra_headers': {'X-Tenant': '${NOT_SET}'}}}
    with pytest.raises(OptionError, match=f'^`{named}` refers to the environment variable NOT_SET, which is not set'):
        OpenAICompatibleModel(**dict[str, Any](model_name='m', base_url=HOST) | {option: given[option]})


@pytest.mark.parametrize('option', ['profile', 'settings', 'headers', 'timeout', 'max_retries', 'tool_return_as_list'])
def test_the_text_null_stands_for_no_value(option: str) -> None:
    options: dict[str, Any] = {option: 'null'}
    model, bare = OpenAICompatibleModel('m', base_url=HOST, **options), OpenAICompatibleModel('m', base_url=HOST)
    assert (model.profile, model.settings, model.client.timeout) == (bare.profile, bare.settings, bare.client.timeout)


@pytest.mark.parametrize(
    ('option', 'message'),
    [
        ({'max_retries': '-1'}, '`max_retries`=-1 does not fit: allowed is 0 or a larger whole number.'),
        ({'max_retries': 'many'}, "`max_retries`='many' does not fit: allowed is a whole number or null."),
        ({'timeout': 'soon'}, "`timeout`='soon' does not fit: allowed is a number or Timeout or null."),
        ({'timeout': '-1'}, '`timeout`=-1.0 does not fit: allowed is a number of seconds above 0.'),
        ({'headers': 'x'}, '`headers` does not fit: allowed is a map, or a JSON object as text.'),
        ({'headers': {'X': ['SECRET']}}, '`headers` does not fit: allowed is a map of names to text.'),
        ({'headers': {'X y': 'b'}}, "`headers`: 'X y' is not the name of a header."),
        ({'base_url': 1}, '`base_url`=1 does not fit: allowed is text.'),
        ({'api_key': 12345}, '`api_key` does not fit: allowed is text.'),
        ({'timeout': True}, '`timeout`=True does not fit: allowed is a number or Timeout or null.'),
        ({'max_retries': True}, '`max_retries`=True does not fit: allowed is a whole number or null.'),
        ({'model_name': ''}, "`model_name`='' does not fit: allowed is the name of a model, as text."),
        ({'model_name': 4.7}, '`model_name`=4.7 does not fit: allowed is the name of a model, as text.'),
    ],
)
def test_a_connection_value_that_does_not_fit_is_an_error(option: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        OpenAICompatibleModel(**dict[str, Any](model_name='m', base_url=HOST) | option)
    assert str(caught.value) == message
