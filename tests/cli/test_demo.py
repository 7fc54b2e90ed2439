from __future__ import annotations as _annotations

import json
import os
from pathlib import Path
from typing import Any

import httpx
import pytest
from support import completion, tool_call
from typer.testing import CliRunner

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.cli.app import app
from pydantic_ai_compat.cli.console import make_console
from pydantic_ai_compat.cli.demo_view import DemoView
from pydantic_ai_compat.demo.run import FORMS, ITEMS, FormResult
from pydantic_ai_compat.demo.target import DemoTarget

MON, TUE = ITEMS
URL = 'http://host:1/v1'
ENDPOINT = ['demo', '--base-url', URL, '--model', 'm', '--api-key', '${DEMO_KEY}']


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('DEMO_KEY', 'sk-local')
    monkeypatch.setenv('COLUMNS', '120')
    monkeypatch.delenv('FORCE_COLOR', raising=False)
    monkeypatch.setitem(os.environ, 'PYDANTIC_AI_NO_BANNER', '1')


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


def serve(router: Any, *, refuse: str | None = None, call: bool = True, prompt: str | None = None) -> None:
    """An endpoint whose model calls the tool, and which refuses one way of sending its result."""

    def chat(request: httpx.Request) -> httpx.Response:
        messages = json.loads(request.content)['messages']
        results = [message for message in messages if message['role'] == 'tool']
        if refuse == 'all' or (refuse == 'messages' and len(results) > 1):
            return httpx.Response(400, json={'error': {'message': 'refused, by sk-local'}})
        if results or not call:
            return httpx.Response(200, json=completion(content='Sunny, then rain.'))
        return httpx.Response(200, json=completion(tool_calls=[tool_call('get_weather', 'c1', city='Paris', days=2)]))

    router.post(f'{URL}/chat/completions').mock(side_effect=chat)
    if refuse != 'all':
        told = {'status_code': 404} if prompt is None else {'json': {'prompt': prompt}}
        router.post('http://host:1/apply-template').respond(**told)
        if prompt is None:
            router.post('http://host:1/tokenize').respond(404)


def test_a_pipe_gets_plain_text_with_a_block_for_each_form(httpx2_mock: Any):
    serve(httpx2_mock)
    status, output, errors = run(*ENDPOINT)
    problem = (
        'in the prompt: This server does not tell its prompt '
        '(http://host:1/apply-template: HTTP 404, which is not JSON; '
        'http://host:1/tokenize: HTTP 404, which is not JSON).\n'
    )
    assert (status, errors) == (0, '')
    assert output.startswith(
        'endpoint: http://host:1/v1\n'
        'model: m\n'
        '\n'
        'stock (tool_return_as_list: "false")\n'
        '  on the wire: {"role": "tool", "tool_call_id": "c1", '
        '"content": "[\\"Mon: \\\\\\"sunny\\\\\\", 18 °C\\",\\"Tue: \\\\\\"rain\\\\\\", 11 °C\\"]"}\n'
        f'  {problem}'
        '  answer: Sunny, then rain.\n'
        '\n'
        'text_parts (tool_return_as_list: "true", openai_chat_tool_return_list_format: "text_parts")\n'
    )
    assert (
        'messages (tool_return_as_list: "true", openai_chat_tool_return_list_format: "messages")\n'
        '  on the wire:\n'
        '    {"role": "tool", "tool_call_id": "c1", "content": "Mon: \\"sunny\\", 18 °C"}\n'
        '    {"role": "tool", "tool_call_id": "c1", "content": "Tue: \\"rain\\", 11 °C"}\n'
        f'  {problem}'
    ) in output
    assert '\x1b' not in output


@pytest.mark.parametrize(
    'prompt, line',
    [
        (f'<a>{MON}</a><a>{TUE}</a>', '2 of 2 as the tool returned them, between them "</a><a>"'),
        (json.dumps([MON, TUE], ensure_ascii=False), '2 of 2 inside JSON text'),
        (f'<a>{MON}</a>', '1 of 2 as the tool returned them, 1 of 2 lost'),
        ('<a></a>', '2 of 2 lost'),
    ],
)
@pytest.mark.untraced
def test_the_items_are_looked_for_in_the_prompt(httpx2_mock: Any, prompt: str, line: str):
    """Each form asks for two prompts; of the first is shown what the second does not begin or end with."""
    serve(httpx2_mock, prompt='')
    httpx2_mock.post('http://host:1/apply-template').mock(
        side_effect=[httpx.Response(200, json={'prompt': text}) for text in [prompt, ''] * 4]
    )
    status, output, _ = run(*ENDPOINT)
    assert status == 0
    assert output.count(f'  items: {line}\n') == 4


def test_json_is_one_document_with_everything_that_is_shown(httpx2_mock: Any):
    serve(httpx2_mock)
    status, output, errors = run(*ENDPOINT, '--json')
    document = json.loads(output)
    assert (status, errors) == (0, '')
    assert (document['endpoint'], document['model'], document['items']) == (URL, 'm', [MON, TUE])
    assert [form['form'] for form in document['forms']] == list(FORMS)
    assert document['forms'][3] == {
        'form': 'text',
        'called': True,
        'refused': False,
        'wire': [{'role': 'tool', 'tool_call_id': 'c1', 'content': f'{MON}\n{TUE}'}],
        'prompt': None,
        'prompt_problem': 'This server does not tell its prompt '
        '(http://host:1/apply-template: HTTP 404, which is not JSON; '
        'http://host:1/tokenize: HTTP 404, which is not JSON).',
        'answer': 'Sunny, then rain.',
        'problem': None,
        'options': {'tool_return_as_list': 'true', 'openai_chat_tool_return_list_format': 'text'},
        'items_in_prompt': None,
        'between_items': None,
    }


def test_json_counts_what_became_of_the_items(httpx2_mock: Any):
    serve(httpx2_mock, prompt=f'{MON} {TUE}')
    _, output, _ = run(*ENDPOINT, '--json')
    assert json.loads(output)['forms'][0]['items_in_prompt'] == {'verbatim': 0, 'escaped': 0, 'lost': 2}


def test_a_terminal_gets_a_panel_for_each_form(httpx2_mock: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv('FORCE_COLOR', '1')
    serve(httpx2_mock)
    status, output, _ = run(*ENDPOINT)
    assert status == 0
    assert output.count('╭─ ') == output.count('╰─') == 4
    assert '\x1b[' in output


def test_a_model_that_does_not_call_the_tool_is_said_to(httpx2_mock: Any):
    serve(httpx2_mock, call=False)
    status, output, _ = run(*ENDPOINT)
    assert status == 0
    assert output.endswith('The model did not call the tool itself: a fixed exchange is shown, and the answer to it.\n')


def test_a_server_that_refuses_stock_is_one_line(httpx2_mock: Any):
    serve(httpx2_mock, refuse='all')
    assert run(*ENDPOINT) == (1, '', 'error: http://host:1/v1/chat/completions: HTTP 400: refused, by ***\n')


def test_the_way_in_which_tools_reach_the_model_is_shown_if_it_was_chosen(capsys: pytest.CaptureFixture[str]):
    model = OpenAICompatibleModel('m', base_url=URL)
    view = DemoView(make_console(), DemoTarget(base_url=URL, tools='text'), model, as_json=True)
    view.close()
    document = json.loads(capsys.readouterr().out)
    assert document == {'endpoint': URL, 'model': 'm', 'tools': 'text', 'items': list(ITEMS), 'forms': []}


def test_a_server_that_refuses_one_form_is_shown_with_the_others(httpx2_mock: Any):
    serve(httpx2_mock, refuse='messages')
    status, output, errors = run(*ENDPOINT)
    problem = 'http://host:1/v1/chat/completions: HTTP 400: refused, by ***'
    assert (status, errors) == (1, f'error: messages: {problem}\n')
    assert f'  answer: none: {problem}\n' in output
    assert output.count('  answer: Sunny, then rain.\n') == 3


def test_a_server_that_is_not_there_is_one_line():
    status, output, errors = run('demo', '--base-url', 'http://127.0.0.1:1/v1', '--model', 'm')
    assert (status, output) == (1, '')
    assert errors == (
        'error: http://127.0.0.1:1/v1/chat/completions: the request failed: All connection attempts failed\n'
    )


@pytest.mark.parametrize(
    'response, reason, tried',
    [
        (
            {'text': '<html>'},
            'the agent gave no answer: The server answered with HTTP 200 from http://host:1/v1/chat',
            True,
        ),
        ({'json': {}}, 'the agent gave no answer: ', True),
        ({'json': {'error': {'message': 'inside\n200'}}}, 'the request failed: inside 200', False),
        ({'status_code': 400, 'json': {'error': '\x1b[2J'}}, 'HTTP 400: \\u001b[2J', False),
    ],
    ids=['a page', 'another object', 'an error with status 200', 'control characters'],
)
def test_a_server_that_answers_something_else_is_one_line(
    httpx2_mock: Any, response: dict[str, Any], reason: str, tried: bool
):
    """A model that gives no answer is tried with the fixed exchange; a request that failed is not repeated."""
    httpx2_mock.post(f'{URL}/chat/completions').respond(**response)
    if tried:
        httpx2_mock.post('http://host:1/apply-template').respond(404)
        httpx2_mock.post('http://host:1/tokenize').respond(404)
    status, output, errors = run(*ENDPOINT)
    assert (status, output, errors.count('\n')) == (1, '', 1)
    assert errors.startswith(f'error: http://host:1/v1/chat/completions: {reason}')


def test_a_key_that_is_not_set_is_one_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv('DEMO_KEY')
    status, output, errors = run(*ENDPOINT)
    assert (status, output, errors.count('\n')) == (1, '', 1)
    assert 'DEMO_KEY' in errors


def test_a_variant_of_a_file_is_run(httpx2_mock: Any, tmp_path: Path):
    file = tmp_path / 'models.yaml'
    file.write_text(
        'model_variants:\n'
        '  mine:\n'
        '    model: pydantic_ai_compat.OpenAICompatibleModel\n'
        f'    kw_args: {{model_name: m, base_url: "{URL}"}}\n',
        encoding='utf-8',
    )
    serve(httpx2_mock)
    status, output, _ = run('demo', '--variants', str(file), '--variant', 'mine')
    assert (status, output.partition('\n\n')[0]) == (0, 'endpoint: http://host:1/v1\nmodel: m')
    status, output, errors = run('demo', '--variants', str(file), '--variant', 'yours')
    assert (status, output, errors) == (1, '', f"error: {file}: has no variant 'yours'\n")


@pytest.mark.parametrize('tools', ['native', 'text'])
def test_tools_reach_the_model_as_the_option_says(httpx2_mock: Any, tools: str):
    """As text there are no tools in the body, the call is read from the answer, and results are in the user turn."""
    call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 2}}\n</tool_call>'
    bodies: list[dict[str, Any]] = []

    def chat(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        bodies.append(body)
        if len(bodies) % 2 == 0:
            return httpx.Response(200, json=completion(content='Sunny, then rain.'))
        if 'tools' in body:
            return httpx.Response(
                200, json=completion(tool_calls=[tool_call('get_weather', 'c1', city='Paris', days=2)])
            )
        return httpx.Response(200, json=completion(content=call))

    httpx2_mock.post(f'{URL}/chat/completions').mock(side_effect=chat)
    httpx2_mock.post('http://host:1/apply-template').respond(json={'prompt': ''})
    status, output, errors = run(*ENDPOINT, '--tools', tools, '--json')
    document = json.loads(output)
    assert (status, errors, document['tools']) == (0, '', tools)
    assert [(form['called'], form['answer']) for form in document['forms']] == [(True, 'Sunny, then rain.')] * 4
    assert [('tools' in body, 'tool_choice' in body) for body in bodies] == [(tools == 'native',) * 2] * 8
    framed = '<tool_response>\n{}\n</tool_response>'.format
    assert [form['wire'] for form in document['forms']][2] == (
        [{'role': 'user', 'content': f'{framed(MON)}\n{framed(TUE)}'}]
        if tools == 'text'
        else [{'role': 'tool', 'tool_call_id': 'c1', 'content': item} for item in ITEMS]
    )


def test_another_way_for_tools_is_a_usage_error():
    status, output, errors = run('demo', '--tools', 'json')
    assert (status, output) == (2, '')
    assert "'json' is not one of 'native', 'text'" in ' '.join(errors.replace('│', ' ').split())


def test_arguments_that_exclude_each_other_are_a_usage_error():
    status, output, errors = run('demo', '--model', 'm')
    assert (status, output) == (2, '')
    assert '--model goes with --base-url.' in errors


def test_a_form_without_a_call_and_without_an_answer_says_why(capsys: pytest.CaptureFixture[str]):
    """As the scripted model has it under a template whose parser refuses what it says: not a failure of the demo."""
    target = DemoTarget(chat_template=Path('t.jinja'))
    view = DemoView(make_console(), target, OpenAICompatibleModel('scripted', base_url=URL), as_json=False)
    view.add(FormResult(form='stock', refused=True, problem='HTTP 500: no such format'))
    view.close()
    assert capsys.readouterr().out == (
        'endpoint: http://host:1/v1\n'
        'model: scripted\n'
        'server: llama.cpp, embedded, with a scripted model\n'
        'chat template: t.jinja\n'
        '\n'
        'stock (tool_return_as_list: "false")\n'
        '  answer: none: HTTP 500: no such format\n'
        '\n'
        "The scripted model cannot call a tool in this template's syntax: "
        'a fixed exchange is shown, and what it says to it.\n'
    )


def test_an_address_with_several_models_needs_a_name(httpx2_mock: Any):
    httpx2_mock.get(f'{URL}/models').respond(json={'data': [{'id': 'a'}, {'id': 'b'}]})
    assert run('demo', '--base-url', URL) == (
        1,
        '',
        'error: http://host:1/v1/models lists 2 models; choose one with --model: a, b.\n',
    )
