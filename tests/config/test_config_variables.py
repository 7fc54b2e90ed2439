from __future__ import annotations as _annotations

import pytest
import respx
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
