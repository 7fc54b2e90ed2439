"""The demo on endpoints that answer from a table, as servers of other people do."""

from __future__ import annotations as _annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from support import completion, tool_call

from pydantic_ai_compat import ImportModelConfig, load_model_variants
from pydantic_ai_compat.demo.failures import EndpointError
from pydantic_ai_compat.demo.run import FORMS, ITEMS, FormResult, endpoint_variant, run_demo
from pydantic_ai_compat.demo.target import DemoTarget
from pydantic_ai_compat.errors import ConfigError

URL = 'http://host:1/v1'
MON, TUE = ITEMS
JSON_TEXT = '["Mon: \\"sunny\\", 18 °C","Tue: \\"rain\\", 11 °C"]'
NOT_TOLD = (
    'This server does not tell its prompt (http://host:1/apply-template: HTTP 404: Not Found; '
    'http://host:1/tokenize: HTTP 404: Not Found).'
)

Answer = Callable[[dict[str, Any]], httpx.Response]


def always(status: int, content: dict[str, Any]) -> Answer:
    return lambda body: httpx.Response(status, json=content)


def call_then_answer(body: dict[str, Any]) -> httpx.Response:
    if body['messages'][-1]['role'] == 'tool':
        return httpx.Response(200, json=completion(content='Sunny, then rain.'))
    call = tool_call('get_weather', 'c1', city='Paris', days=2)
    return httpx.Response(200, json=completion(tool_calls=[call]))


not_found = always(404, {'error': {'message': 'Not Found'}})


@pytest.fixture
def serve(httpx2_mock: Any) -> Callable[..., Any]:
    def serve(chat: Answer = call_then_answer, prompt: Answer | None = not_found) -> Any:
        def respond(answer: Answer) -> Callable[[httpx.Request], httpx.Response]:
            return lambda request: answer(json.loads(request.content))

        if prompt is not None:
            httpx2_mock.post('http://host:1/apply-template').mock(side_effect=respond(prompt))
            if prompt is not_found:
                httpx2_mock.post('http://host:1/tokenize').mock(side_effect=respond(not_found))
        return httpx2_mock.post(f'{URL}/chat/completions').mock(side_effect=respond(chat))

    return serve


async def collect(variant: ImportModelConfig | None = None, **options: Any) -> list[FormResult]:
    return [result async for result in run_demo(variant or endpoint_variant(URL, 'm', 'sk-local'), **options)]


def wire(content: Any, call_id: str = 'c1') -> dict[str, Any]:
    return {'role': 'tool', 'tool_call_id': call_id, 'content': content}


PARTS = [{'type': 'text', 'text': MON}, {'type': 'text', 'text': TUE}]
WIRES: dict[str, tuple[dict[str, Any], ...]] = {
    'stock': (wire(JSON_TEXT),),
    'text_parts': (wire(PARTS),),
    'messages': (wire(MON), wire(TUE)),
    'text': (wire(f'{MON}\n{TUE}'),),
}


async def test_each_form_shows_the_tool_messages_that_were_sent_and_the_answer(serve: Callable[..., Any]):
    serve()
    assert await collect() == [
        FormResult(form=form, called=True, wire=WIRES[form], answer='Sunny, then rain.', prompt_problem=NOT_TOLD)
        for form in FORMS
    ]


async def test_a_server_is_asked_for_its_prompt_once_if_it_does_not_tell(serve: Callable[..., Any], httpx2_mock: Any):
    serve()
    await collect()
    assert [call.request.url.path for call in httpx2_mock.calls].count('/apply-template') == 1


async def test_the_key_goes_to_the_endpoint_and_its_prompt_route(serve: Callable[..., Any], httpx2_mock: Any):
    serve()
    await collect()
    assert {call.request.headers['authorization'] for call in httpx2_mock.calls} == {'Bearer sk-local'}


def glm(body: dict[str, Any]) -> httpx.Response:
    """A template that writes the items of a content, and knows nothing of text parts."""
    turns = ''.join(
        f'<|{message["role"]}|>'
        + (message.get('content') or '' if isinstance(message.get('content'), str | None) else '<item></item>' * 2)
        for message in body['messages']
    )
    return httpx.Response(200, json={'prompt': f'{turns}<|assistant|>'})


async def test_the_tool_turn_is_cut_out_of_the_prompt_and_the_items_are_looked_for(serve: Callable[..., Any]):
    serve(prompt=glm)
    results = {result.form: result for result in await collect()}
    assert {form: result.prompt for form, result in results.items()} == {
        'stock': f'<|tool|>{JSON_TEXT}',
        'text_parts': '<|tool|><item></item><item></item>',
        'messages': f'<|tool|>{MON}<|tool|>{TUE}',
        'text': f'<|tool|>{MON}\n{TUE}',
    }
    fates = ('verbatim', 'escaped', 'lost')
    assert {form: [result.items(fate) for fate in fates] for form, result in results.items()} == {
        'stock': [0, 2, 0],
        'text_parts': [0, 0, 2],
        'messages': [2, 0, 0],
        'text': [2, 0, 0],
    }
    assert {form: result.between_items for form, result in results.items()} == {
        'stock': None,
        'text_parts': None,
        'messages': '<|tool|>',
        'text': '\n',
    }


async def test_a_template_that_takes_no_user_turn_there_shows_what_follows_the_question(serve: Callable[..., Any]):
    def strict(body: dict[str, Any]) -> httpx.Response:
        if body['messages'][-1]['role'] == 'user':
            return httpx.Response(500, json={'error': {'message': 'roles must alternate'}})
        return httpx.Response(200, json={'prompt': f'[TOOLS]...[INST]{body["messages"][0]["content"]}[/INST]the rest'})

    serve(prompt=strict)
    assert {result.prompt for result in await collect()} == {'[/INST]the rest'}


async def test_a_template_that_refuses_one_form_is_asked_again_for_the_next(serve: Callable[..., Any]):
    def strict(body: dict[str, Any]) -> httpx.Response:
        if isinstance(body['messages'][-1]['content'], list):
            return httpx.Response(400, json={'error': {'message': 'content must be a string'}})
        return glm(body)

    serve(prompt=strict)
    results = await collect()
    assert [(result.prompt is None, result.prompt_problem) for result in results] == [
        (False, None),
        (True, 'http://host:1/apply-template: HTTP 400: content must be a string'),
        (False, None),
        (False, None),
    ]


async def test_a_model_that_does_not_call_the_tool_gets_a_fixed_exchange(serve: Callable[..., Any]):
    route = serve(always(200, completion(content='I have no tools.')))
    results = await collect()
    assert [(result.called, result.answer) for result in results] == [(False, 'I have no tools.')] * 4
    assert results[2].wire == (wire(MON, 'weather01'), wire(TUE, 'weather01'))
    roles = [[message['role'] for message in json.loads(call.request.content)['messages']] for call in route.calls]
    assert roles[:2] == [['user'], ['user', 'assistant', 'tool']]


async def test_a_fixed_exchange_asks_for_its_answer_only(serve: Callable[..., Any]):
    route = serve()
    results = await collect(fixed_exchange=True)
    assert [(result.called, result.answer) for result in results] == [(False, 'Sunny, then rain.')] * 4
    assert len(route.calls) == 4


async def test_a_form_that_the_server_refuses_tells_so_and_the_next_is_tried(serve: Callable[..., Any]):
    """DeepSeek and others pair each call with one result."""

    def pairing(body: dict[str, Any]) -> httpx.Response:
        if [message['role'] for message in body['messages']].count('tool') > 1:
            return httpx.Response(400, json={'error': {'message': 'Duplicate value for tool_call_id, key sk-local'}})
        return call_then_answer(body)

    serve(pairing)
    results = await collect()
    assert [result.refused for result in results] == [False, False, True, False]
    assert (results[2].wire, results[2].answer, results[2].problem) == (
        WIRES['messages'],
        None,
        'http://host:1/v1/chat/completions: HTTP 400: Duplicate value for tool_call_id, key ***',
    )


async def test_a_server_that_refuses_the_question_is_not_asked_for_more(serve: Callable[..., Any]):
    route = serve(always(500, {'error': {'message': 'overloaded'}}), prompt=None)
    results = await collect()
    assert results == [
        FormResult(form=form, refused=True, problem='http://host:1/v1/chat/completions: HTTP 500: overloaded')
        for form in FORMS
    ]
    assert len(route.calls) == 4, 'one request for each form, none of them tried again'


async def test_a_model_that_never_answers_is_stopped(serve: Callable[..., Any]):
    route = serve(always(200, completion(tool_calls=[tool_call('get_weather', 'c1', city='Paris', days=2)])))
    result = (await collect())[0]
    assert (result.called, result.answer) == (True, None)
    assert 'the agent gave no answer: ' in (result.problem or '')
    assert len(route.calls) == 16


async def test_a_server_that_is_not_there_ends_the_demo():
    with socket.socket() as bound:  # not listening: whoever connects is refused
        bound.bind(('127.0.0.1', 0))
        url = f'http://127.0.0.1:{bound.getsockname()[1]}/v1'
        with pytest.raises(EndpointError) as caught:
            await collect(endpoint_variant(url, 'm'))
    assert str(caught.value) == f'{url}/chat/completions: the request failed: All connection attempts failed'


async def test_other_options_and_headers_of_a_variant_hold(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch):
    """The demo replaces the form of a list in any spelling, the HTTP client, and the number of attempts."""
    monkeypatch.setenv('TEAM', 'blue')
    variant = load_model_variants(
        'model_variants:\n'
        '  mine:\n'
        '    type: import\n'
        '    model: pydantic_ai_compat.OpenAICompatibleModel\n'
        '    kw_args:\n'
        '      model_name: m\n'
        f'      base_url: {URL}\n'
        '      headers: {x-team: "${TEAM}"}\n'
        '      max_retries: "5"\n'
        '      openai_chat_tool_return_as_list: "true"\n'
        '      openai_chat_tool_return_list_format: text\n'
        '      settings: {temperature: 0.5}\n'
    )['mine']
    route = serve()
    results = await collect(variant)
    assert {result.form: result.wire for result in results} == WIRES
    for call in route.calls:
        assert call.request.headers['x-team'] == 'blue'
        assert json.loads(call.request.content)['temperature'] == 0.5


async def test_a_variant_of_another_class_is_an_error():
    variant = ImportModelConfig(model='pydantic_ai.models.test.TestModel').located('models.yaml: model_variants.test')
    with pytest.raises(ConfigError, match='TestModel.* only an `OpenAICompatibleModel` has these options'):
        await collect(variant)


def test_an_endpoint_is_a_variant_read_from_yaml():
    """A name or a key with quotes, colons and line breaks is text like any other."""
    variant = endpoint_variant(URL, 'a: "b"\n#', '${KEY:-x}')
    assert variant.kw_args == {'model_name': 'a: "b"\n#', 'base_url': URL, 'api_key': '${KEY:-x}'}


@pytest.mark.parametrize(
    'given, contradiction',
    [
        ({}, None),
        ({'chat_template': Path('t')}, None),
        ({'base_url': URL, 'model': 'm', 'api_key': 'k'}, None),
        ({'variants': Path('f'), 'variant': 'v'}, None),
        ({'base_url': URL, 'model': 'm', 'variants': Path('f'), 'variant': 'v'}, '--base-url and --variants exclude'),
        ({'chat_template': Path('t'), 'base_url': URL, 'model': 'm'}, '--chat-template and --base-url exclude'),
        ({'base_url': URL}, None),
        ({'model': 'm'}, '--model goes with --base-url.'),
        ({'api_key': 'k'}, '--api-key goes with --base-url.'),
        ({'variant': 'v'}, '--variants and --variant go together.'),
        ({'variants': Path('f')}, '--variants and --variant go together.'),
    ],
)
def test_a_target_knows_what_does_not_go_together(given: dict[str, Any], contradiction: str | None):
    assert (DemoTarget(**given).contradiction() or 'None').startswith(contradiction or 'None')


def test_a_target_is_a_variant_of_a_file_or_an_address(tmp_path: Path):
    file = tmp_path / 'models.yaml'
    file.write_text(
        'model_variants:\n  glm:\n    model: pydantic_ai_compat.OpenAICompatibleModel\n    kw_args: {model_name: m}\n',
        encoding='utf-8',
    )
    with DemoTarget(variants=file, variant='glm').open() as config:
        assert config.kw_args == {'model_name': 'm'}
    with DemoTarget(base_url=URL, model='m').open() as config:
        assert config.kw_args == {'model_name': 'm', 'base_url': URL}
    with (
        pytest.raises(ConfigError, match=r"models\.yaml: has no variant 'gml', did you mean 'glm'\?"),
        DemoTarget(variants=file, variant='gml').open(),
    ):
        pass


def test_only_the_embedded_server_with_another_template_needs_the_fixed_exchange():
    assert not DemoTarget().fixed_exchange
    assert DemoTarget(chat_template=Path('t')).fixed_exchange
    assert not DemoTarget(base_url=URL, model='m').fixed_exchange
    assert 'sk-local' not in repr(DemoTarget(base_url=URL, model='m', api_key='sk-local'))


def test_the_one_model_of_an_address_needs_no_name(httpx2_mock: Any, monkeypatch: pytest.MonkeyPatch):
    """The key is asked of the environment as it is for the runs."""
    monkeypatch.setenv('DEMO_KEY', 'sk-local')
    route = httpx2_mock.get(f'{URL}/models').respond(json={'data': [{'id': 'served'}]})
    for key, sent in (('${DEMO_KEY}', 'Bearer sk-local'), (None, None)):
        with DemoTarget(base_url=URL, api_key=key).open() as config:
            assert config.kw_args['model_name'] == 'served'
        assert route.calls.last.request.headers.get('authorization') == sent
