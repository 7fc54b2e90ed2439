from __future__ import annotations as _annotations

import pytest
import respx
from generated import generated
from hypothesis import given, strategies as st
from pydantic_ai import Agent
from support import completion

from pydantic_ai_compat import ImportModelConfig, OpenAICompatibleModel


def variant(**keywords: object) -> ImportModelConfig:
    path = 'pydantic_ai_compat.OpenAICompatibleModel'
    return ImportModelConfig(model=path, kw_args={'model_name': 'm', 'base_url': 'http://h', **keywords})


def test_a_value_that_holds_a_reference_is_not_expanded_again_by_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('KEY', 'sk-${HOME}')
    model = variant(api_key='${KEY}').get_model()
    assert isinstance(model, OpenAICompatibleModel)
    assert model.client.api_key == 'sk-${HOME}'


async def test_a_header_that_holds_a_reference_is_not_expanded_again_by_the_model(
    httpx2_mock: respx.Router, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('KEY', 'sk-${HOME}')
    route = httpx2_mock.post('http://h/chat/completions').respond(json=completion(content='done'))
    config = variant(headers={'X-A': '${KEY}'}, settings={'extra_headers': {'X-B': '$${KEY}'}})
    await Agent(config.get_model()).run('q')
    sent = route.calls.last.request.headers
    assert (sent['x-a'], sent['x-b']) == ('sk-${HOME}', '${KEY}')


def held_in_json_text(value: str) -> object:
    """The settings of JSON text whose strings refer to a variable."""
    text = '{"extra_body": {"a": "${HELD}", "b": ["$${HELD} ${HELD}", "${NOT_SET:-x}"]}}'
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('HELD', value)
        model = variant(settings=text).get_model()
    assert isinstance(model, OpenAICompatibleModel)
    return model.settings


@pytest.mark.parametrize('value', ['a', '", "c": "', '\\u0024{HOME}', 'a\nb'])
def test_a_variable_in_json_text_ends_no_string(value: str) -> None:
    """A quote in it ends no string, and so adds no key; as in a map, and as where the model reads JSON text itself."""
    assert held_in_json_text(value) == {'extra_body': {'a': value, 'b': ['${HELD} ' + value, 'x']}}


@generated(60)
@given(st.text(st.characters(exclude_categories=['Cs'], exclude_characters='\0'), min_size=1))
def test_a_variable_in_json_text_is_what_it_holds(value: str) -> None:
    """Whatever that is, control characters included."""
    assert held_in_json_text(value) == {'extra_body': {'a': value, 'b': ['${HELD} ' + value, 'x']}}


def test_a_variable_that_holds_json_is_read_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of a string, or as the whole text."""
    monkeypatch.setenv('HELD', '{"a": "b\\"c"}')
    for text in ('{"extra_body": ${HELD}}', {'extra_body': '${HELD}'}):
        model = variant(settings=text).get_model()
        assert isinstance(model, OpenAICompatibleModel)
        assert (model.settings or {}).get('extra_body') == {'a': 'b"c'}


def test_a_list_that_two_keywords_share_is_expanded_once_and_reaches_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """YAML's aliases share it: <https://yaml.org/spec/1.2.2/#3222-anchors-and-aliases>"""
    monkeypatch.setenv('WORD', '${HOME}')
    shared = {'X-A': '${WORD}'}
    model = variant(headers=shared, settings={'extra_headers': shared}).get_model()
    assert isinstance(model, OpenAICompatibleModel)
    assert (model.settings or {}).get('extra_headers') == {'X-A': '${HOME}'}
    assert model.client.default_headers['X-A'] == '${HOME}'
    assert shared == {'X-A': '${WORD}'}
