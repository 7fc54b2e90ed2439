"""Headers and time limits are read the same way in the constructor's arguments and in `settings`."""

from __future__ import annotations as _annotations

from typing import Any

import httpx
import httpx2
import pytest
from generated import generated
from hypothesis import given, strategies as st
from pydantic_ai import Agent
from support import Wire

from pydantic_ai_compat import OpenAICompatibleModel, load_model_variants
from pydantic_ai_compat.errors import OptionError

HOST = 'http://localhost:8000/v1'


def refused(**options: Any) -> str | None:
    """What is said about the options without their names, if they are refused."""
    try:
        OpenAICompatibleModel('m', base_url=HOST, **options)
    except OptionError as error:
        return str(error).replace('settings.', '').replace('extra_headers', 'headers')
    return None


TIMEOUTS = [
    '-1',
    '0',
    'nan',
    'inf',
    '1e400',
    '-inf',
    'soon',
    '5',
    '0.1',
    'null',
    -1,
    0,
    float('nan'),
    float('inf'),
    7,
    True,
]


@pytest.mark.parametrize('timeout', [*TIMEOUTS, httpx2.Timeout(-1), httpx2.Timeout(5, read=0), httpx2.Timeout(5)])
def test_a_timeout_is_checked_alike(timeout: Any) -> None:
    assert refused(timeout=timeout) == refused(settings={'timeout': timeout})


@pytest.mark.parametrize('timeout', ['-1', 'nan', 'inf', -1, float('nan'), float('inf'), httpx2.Timeout(-1), True])
def test_a_timeout_that_no_clock_has_is_refused(timeout: Any) -> None:
    assert 'timeout' in (refused(settings={'timeout': timeout}) or '')


@generated()
@given(st.dictionaries(st.text(max_size=6), st.text(max_size=12), max_size=3))
def test_headers_are_checked_alike(headers: dict[str, str]) -> None:
    """Line breaks, control characters and other alphabets among them."""
    assert refused(headers=headers) == refused(settings={'extra_headers': headers})


@pytest.mark.parametrize('value', ['a\nX-Other: b', 'a\r', 'é', '\x00', '\ud800'])
def test_a_header_that_cannot_be_sent_is_refused_without_its_value(value: str) -> None:
    with pytest.raises(OptionError) as caught:
        OpenAICompatibleModel('m', base_url=HOST, settings={'extra_headers': {'X-Key': value}})
    assert str(caught.value) == (
        '`settings.extra_headers.X-Key` does not fit: allowed is ASCII text on one line, as a header carries it.'
    )


@pytest.mark.parametrize('setting', ['temperature', 'top_p', 'presence_penalty'])
def test_a_number_that_json_has_no_word_for_is_refused(setting: str) -> None:
    with pytest.raises(OptionError, match=f'`{setting}`=nan does not fit: allowed is a number'):
        OpenAICompatibleModel('m', base_url=HOST, settings={setting: float('nan')})


BLOCKS = {
    'headers as a map': 'headers: {X-Key: "%s"}',
    'headers as text': 'headers: \'{"X-Key": "%s"}\'',
    'settings as a map': 'settings: {extra_headers: {X-Key: "%s"}}',
    'settings as text': 'settings: \'{"extra_headers": {"X-Key": "%s"}}\'',
    'one setting as text': 'settings: {extra_headers: \'{"X-Key": "%s"}\'}',
}


@pytest.mark.parametrize('block', BLOCKS)
@pytest.mark.parametrize(
    ('written', 'sent'),
    [
        ('${TOK}', 'abc${HOME}def'),
        ('$${X}', '${X}'),
        ('Bearer ${TOK}/$${TOK}', 'Bearer abc${HOME}def/${TOK}'),
        ('$HOME', '$HOME'),
        ('${SPELLED}', '\\u0024{HOME}'),
    ],
)
@pytest.mark.untraced
async def test_variables_in_yaml_are_expanded_once(
    block: str, written: str, sent: str, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that holds `${HOME}` sent the home folder, where JSON text was expanded by the loader and by the model."""
    monkeypatch.setenv('HOME', '/home/someone')
    monkeypatch.setenv('TOK', 'abc${HOME}def')
    monkeypatch.setenv('SPELLED', '\\u0024{HOME}')
    text = f"""
model_variants:
  m:
    model: pydantic_ai_compat.OpenAICompatibleModel
    kw_args: {{model_name: m, base_url: "http://wire/v1", {BLOCKS[block] % written}}}
"""
    model = load_model_variants(text)['m'].get_model()
    assert isinstance(model, OpenAICompatibleModel)
    monkeypatch.setattr(model.client, '_client', wire.client)
    await Agent(model).run('q')
    assert wire.requests[0].headers['x-key'] == sent


@generated()
@given(st.text(st.sampled_from('ab${}\\u0024"'), max_size=12))
def test_what_a_variable_holds_is_text_and_no_reference(value: str) -> None:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv('TOK', value)
        text = 'model_variants: {m: {model: pydantic_ai_compat.OpenAICompatibleModel, kw_args: {model_name: m, base_url: "http://h/v1", headers: {A: "x${TOK}"}}}}'
        model = load_model_variants('{' + text + '}')['m'].get_model()
        assert isinstance(model, OpenAICompatibleModel)
        assert model.client.default_headers['A'] == f'x{value}'


@pytest.mark.parametrize('name', ['connect', 'read', 'write', 'pool'])
def test_limits_in_the_form_of_httpx_are_taken_and_checked_like_those_of_httpx2(name: str) -> None:
    """`ModelSettings` are annotated with the `Timeout` of httpx."""
    assert refused(settings={'timeout': httpx.Timeout(5)}) is None
    words = refused(settings={'timeout': httpx.Timeout(5, **{name: 0})})
    assert words is not None and words.endswith('does not fit: allowed is a number of seconds above 0.')
