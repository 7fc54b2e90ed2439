"""`inspect`, `render` and `probe` as a person runs them."""

from __future__ import annotations as _annotations

import itertools
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from cli.endpoints import endpoint, good
from templates.conversation import SAMPLES, TOOLS, turn
from typer.testing import CliRunner, Result

from pydantic_ai_compat import OpenAICompatibleModel, load_model_variants
from pydantic_ai_compat.cli import probe as probe_module, template_source
from pydantic_ai_compat.cli.app import app
from pydantic_ai_compat.cli.variant_yaml import variant_yaml

ITEMS = ['alpha "one"', 'beta <two>']
HISTORY = turn(json.dumps(ITEMS), arguments='{"query": "fruit"}')


def run(*arguments: object, text: str | None = None, **environment: str) -> Result:
    runner = CliRunner(env={'COLUMNS': '200', **environment})
    return runner.invoke(app, [str(argument) for argument in arguments], input=text)


def loaded(output: str, tmp_path: Path) -> OpenAICompatibleModel:
    """The model that the YAML block at the end of an output makes."""
    path = tmp_path / 'models.yaml'
    path.write_text(output[output.index('model_variants:') :], 'utf-8')
    (variant,) = load_model_variants(path).values()
    model = variant.get_model()
    assert isinstance(model, OpenAICompatibleModel)
    return model


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / 'history.json'
    path.write_text(json.dumps({'messages': HISTORY, 'tools': TOOLS}), 'utf-8')
    return path


def test_inspect_shows_abilities_and_what_follows() -> None:
    result = run('inspect', SAMPLES['counted'], '--server', 'sglang')
    assert result.exit_code == 0
    rows = [re.split(r' {2,}', line) for line in result.output.splitlines()]
    assert ["a tool's list as text_parts", 'repr'] in rows
    assert ["a tool's list as text", "joined '\\n'"] in rows
    assert ['several systems', 'dropped'] in rows
    assert ['tool call ids', 'invented'] in rows
    assert ['tool names beside results', 'shown'] in rows
    assert ['calls are written in', 'an unknown dialect'] in rows
    assert ['messages *', 'separate'] in [row[:2] for row in rows]
    assert 'openai_chat_supports_multiple_system_messages' in result.output
    assert 'null (default)' in result.output


def test_the_yaml_block_of_inspect_makes_a_model_with_these_options(tmp_path: Path) -> None:
    result = run(
        *('inspect', SAMPLES['thinking'], '--server', 'vllm', '--model', 'glm: "5"', '--base-url', 'http://s:8000/v1')
    )
    model = loaded(result.output, tmp_path)
    assert (model.model_name, model.base_url) == ('glm: "5"', 'http://s:8000/v1/')
    profile = model.profile
    assert profile.get('openai_chat_tool_return_as_list') is True
    assert profile.get('openai_chat_tool_return_list_format') == 'messages'
    assert profile.get('openai_chat_thinking_field') == 'reasoning_content'
    assert tuple(profile.get('thinking_tags', ())) == ('<seed:think>', '</seed:think>')


def test_inspect_says_when_a_template_knows_no_tools_or_changes_lists() -> None:
    without = run('inspect', SAMPLES['no_tools']).output
    assert 'not rendered' in without
    assert 'not at all' in without
    assert 'system: system role not supported (at message 0' in without
    assert 'llama.cpp only: it changes lists' in run('inspect', SAMPLES['appending']).output


def test_inspect_refuses_what_it_cannot_use(tmp_path: Path) -> None:
    missing = run('inspect', tmp_path / 'no.jinja')
    assert (missing.exit_code, missing.output.strip()) == (
        1,
        f'error: {tmp_path / "no.jinja"} cannot be read: No such file or directory.',
    )
    unknown = run('inspect', SAMPLES['chatml'], '--server', 'x')
    assert (unknown.exit_code, "`server`='x' does not fit" in unknown.output) == (2, True)
    unset = run('inspect', 'http://s/v1', '--api-key-env', 'NO_SUCH_KEY')
    assert (unset.exit_code, unset.output.strip()) == (2, 'error: the environment variable NO_SUCH_KEY is not set')


def test_inspect_asks_a_server_with_the_key_in_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    from pydantic_ai_compat.templates import ChatTemplate

    asked: list[tuple[str, str | None]] = []

    def from_server(base_url: str, *, api_key: str | None = None) -> ChatTemplate:
        asked.append((base_url, api_key))
        return ChatTemplate(SAMPLES['chatml'].read_text('utf-8'))

    monkeypatch.setattr(ChatTemplate, 'from_server', from_server)
    result = run('inspect', 'http://s/v1', '--api-key-env', 'SOME_KEY', SOME_KEY='sk-secret')
    assert (asked, result.exit_code, 'sk-secret' in result.output) == ([('http://s/v1', 'sk-secret')], 0, False)
    assert 'behind llama.cpp' in result.stdout
    assert 'base_url: "http://s/v1"\n      api_key: ${SOME_KEY}\n' in result.stdout


@pytest.mark.parametrize(
    'answer', [httpx2.Response(404), httpx2.Response(200, json={}), httpx2.Response(200, text='ok')]
)
def test_inspect_says_how_to_get_the_template_of_a_server_that_does_not_tell_it(
    answer: httpx2.Response, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint(monkeypatch, lambda request: answer)
    result = run('inspect', 'http://s/v1')
    assert result.exit_code == 1
    assert result.stderr.startswith('error: http://s/props ')
    assert 'hf download MODEL chat_template.jinja' in result.stderr
    assert 'pydantic-ai-compat inspect DIR --server NAME --base-url http://s/v1' in result.stderr


def test_inspect_says_no_more_than_that_a_server_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError('refused')

    endpoint(monkeypatch, refuse)
    assert run('inspect', 'http://s/v1').stderr == 'error: http://s/props cannot be read: refused\n'


def test_without_jinja2_the_commands_say_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    real = builtins.__import__

    def refuse(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if level and name == 'templates' and 'ChatTemplate' in (fromlist or ()):
            raise ModuleNotFoundError('Chat templates need `jinja2`', name='jinja2')
        return real(name, globals, locals, fromlist, level)

    monkeypatch.setattr(builtins, '__import__', refuse)
    with pytest.raises(BaseException, match='1'):
        template_source.read_template('x.jinja')


def test_render_shows_the_forms_side_by_side_with_what_is_lost(history: Path) -> None:
    result = run('render', SAMPLES['first_part'], history, '--compare', 'text_parts, messages')
    assert result.exit_code == 0
    first, second = result.output.split('== messages', 1)
    assert 'lost: beta <two>' in first
    assert '(1 intact, 1 lost; ' in first
    assert '<|tool|>alpha "one"<|tool|>beta <two>' in second
    assert '(2 intact; ' in second


def test_render_marks_in_colour_on_a_terminal(history: Path) -> None:
    result = run('render', SAMPLES['glm_like'], history, FORCE_COLOR='1', TERM='xterm-256color')
    assert '\x1b[37;41m' in result.output
    assert '\x1b[30;42m' in result.output
    plain = run('render', SAMPLES['glm_like'], history, NO_COLOR='1')
    assert '\x1b[' not in plain.output


def test_render_puts_a_server_in_front(history: Path) -> None:
    result = run('render', SAMPLES['glm_like'], history, '--server', 'sglang', '--compare', 'text_parts')
    assert '<tool_response>alpha "one" beta <two></tool_response>' in result.output


def test_render_reads_a_list_of_messages_and_what_pydantic_ai_stores(tmp_path: Path) -> None:
    from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelRequest, UserPromptPart

    wire = tmp_path / 'wire.json'
    wire.write_text(json.dumps(HISTORY), 'utf-8')
    stored = tmp_path / 'stored.json'
    stored.write_bytes(ModelMessagesTypeAdapter.dump_json([ModelRequest(parts=[UserPromptPart('Hello.')])]))
    assert 'alpha "one"' in run('render', SAMPLES['chatml'], wire).output
    assert '<|im_start|>user\nHello.<|im_end|>' in run('render', SAMPLES['chatml'], stored, '--compare', 'json').output


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['--compare', 'x'], "--compare: 'x' is none of text_parts, messages, text, json"),
        (['--server', 'x'], "`server`='x' does not fit"),
    ],
)
def test_render_refuses_what_it_cannot_use(arguments: list[str], words: str, history: Path) -> None:
    result = run('render', SAMPLES['chatml'], history, *arguments)
    assert (result.exit_code, words in result.output) == (2, True)


def test_render_refuses_a_file_that_is_no_template(tmp_path: Path, history: Path) -> None:
    path = tmp_path / 'bad.jinja'
    path.write_text('{% if %}', 'utf-8')
    result = run('render', path, history)
    assert (result.exit_code, result.stdout) == (1, '')
    assert 'error: ' in result.stderr
    assert 'bad.jinja' in result.stderr


def test_render_refuses_a_file_that_is_no_history(tmp_path: Path) -> None:
    path = tmp_path / 'h.json'
    path.write_text('{')
    result = run('render', SAMPLES['chatml'], path)
    assert (result.exit_code, f'error: {path}: this is not JSON' in result.output) == (1, True)


def test_render_fails_when_no_form_can_be_rendered(tmp_path: Path, history: Path) -> None:
    result = run('render', SAMPLES['no_tools'], history)
    assert result.exit_code == 1
    assert result.output.count('system role not supported (at message 0') == 3


class Page(HTMLParser):
    """The text of a page, the marks in it, and whatever it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: list[tuple[str, str]] = []
        self.loads: list[str] = []
        self.text = ''
        self._kind = ''

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self._kind = values.get('class') or '' if tag in ('mark', 'span') else ''
        if tag in ('script', 'link', 'img', 'iframe') or 'src' in values or 'href' in values:
            self.loads.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self._kind = ''

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._kind:
            self.marks.append((self._kind, data))


def test_the_page_shows_the_same_and_loads_nothing(history: Path, tmp_path: Path) -> None:
    path = tmp_path / 'page.html'
    result = run('render', SAMPLES['glm_like'], history, '--html', path, '--server', 'vllm')
    assert result.stderr == f'written to {path}\n'
    page = Page()
    source = path.read_text('utf-8')
    page.feed(source)
    assert page.loads == []
    assert page.marks[:5] == [
        ('item', 'item'),
        ('escaped', 'item'),
        ('mislabelled', 'item'),
        ('leaked', 'syntax'),
        ('differs', 'underlined'),
    ]
    assert page.marks[5:7] == [('item', 'alpha "one"'), ('item', 'beta <two>')]
    assert 'behind vllm' in page.text
    assert '<tool_response>alpha "one"</tool_response><tool_response>beta <two></tool_response>' in page.text
    assert 'prefers-color-scheme: dark' in source
    assert 'name="viewport"' in source


def test_the_page_escapes_everything_and_shows_what_went_wrong(tmp_path: Path) -> None:
    hostile = tmp_path / '<b>.jinja'
    hostile.write_text(
        "{% for m in messages %}{% if m.content is not string %}{{ raise_exception('<script>x</script>') }}{% endif %}"
        '{{ m.content | replace("beta <two>", "") }}{% endfor %}<script>y</script>'
    )
    history = tmp_path / 'h.json'
    history.write_text(json.dumps(HISTORY[:2] + HISTORY[3:]), 'utf-8')
    path = tmp_path / 'page.html'
    run('render', hostile, history, '--html', path, '--compare', 'text_parts,messages')
    source = path.read_text('utf-8')
    assert '<script>' not in source
    page = Page()
    page.feed(source)
    assert page.loads == []
    assert '<script>x</script> (at message 2' in page.text
    assert 'lost: beta <two>' in page.text
    assert 'with no server in front' in page.text


PROBE = ('probe', '--base-url', 'http://s/v1', '--model', 'm')


def test_probe_says_what_it_will_send_and_sends_nothing_on_a_dry_run(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = endpoint(monkeypatch, good)
    result = run(*PROBE, '--dry-run', '--only', 'models,chat', '--template', 'server')
    assert (result.exit_code, asked) == (0, [])
    plan = result.stderr.splitlines()
    assert re.fullmatch(r'3 requests to http://s/v1, at most \d+ tokens and 120 seconds:', plan[0])
    assert plan[1:] == [
        '  models: Is the model listed?',
        '  chat: Does it answer, with a finish reason and usage?',
        '  template: What is the chat template? (GET /props)',
    ]
    models, chat = json.loads(result.stdout)
    assert models == {'name': 'models', 'method': 'GET', 'url': 'http://s/v1/models'}
    assert (chat['url'], chat['body']['model'], chat['body']['max_tokens']) == ('http://s/v1/chat/completions', 'm', 16)


def test_probe_sends_nothing_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = endpoint(monkeypatch, good)
    result = run(*PROBE)
    assert (result.exit_code, asked) == (2, [])
    assert 'nothing was sent: pass --yes to send, or --dry-run to see the requests' in result.stderr


@pytest.mark.parametrize(('answer', 'sent'), [('y\n', 1), ('n\n', 0)])
def test_probe_asks_at_a_terminal(answer: str, sent: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = endpoint(monkeypatch, good)
    monkeypatch.setattr(probe_module, '_at_a_terminal', lambda: True)
    result = run(*PROBE, '--only', 'chat', text=answer)
    assert (len(asked), result.exit_code) == (sent, 1 - sent)


def test_probe_reports_and_writes_the_entry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = endpoint(monkeypatch, good)
    monkeypatch.setenv('SOME_KEY', 'sk-secret')
    result = run(*PROBE, '--yes', '--only', 'models,two systems', '--api-key-env', 'SOME_KEY', '--template', 'server')
    assert result.exit_code == 0
    assert [str(request.url) for request in asked] == [
        'http://s/v1/models',
        'http://s/v1/chat/completions',
        'http://s/props',
    ]
    assert {request.headers['authorization'] for request in asked} == {'Bearer sk-secret'}
    assert 'sk-secret' not in result.output
    assert 'server: llama.cpp' in result.stdout
    assert '400: one system message' in result.stdout
    assert 'api_key: ${SOME_KEY}' in result.stdout
    model = loaded(result.stdout, tmp_path)
    assert model.client.api_key == 'sk-secret'
    assert model.profile.get('openai_chat_supports_multiple_system_messages') is False
    # From the template, behind what the endpoint says that it is.
    assert model.profile.get('openai_chat_tool_return_list_format') == 'text_parts'


def test_probe_takes_a_template_from_a_file_behind_a_named_server(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint(monkeypatch, lambda request: httpx2.Response(200, json={'data': []}))
    result = run(*PROBE, '-y', '--only', 'models', '--template', SAMPLES['blocks'], '--server', 'sglang')
    assert 'openai_chat_tool_return_list_format: "messages"' in result.stdout
    default = run(*PROBE, '-y', '--only', 'models', '--template', SAMPLES['blocks'])
    assert 'openai_chat_tool_return_list_format: "messages"' in default.stdout
    unknown = run(*PROBE, '-y', '--only', 'models', '--template', SAMPLES['blocks'], '--server', 'x')
    assert (unknown.exit_code, "`server`='x' does not fit" in unknown.stderr) == (2, True)


def test_probe_keeps_to_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = endpoint(monkeypatch, good)
    result = run(*PROBE, '-y', '--only', 'chat', '--max-tokens', '10')
    assert (asked, result.exit_code) == ([], 1)
    assert 'not sent: it could go beyond 10 tokens' in result.stdout
    unknown = run(*PROBE, '--only', 'x')
    assert (unknown.exit_code, "`only`='x' does not fit" in unknown.stderr) == (2, True)


def test_a_variant_writes_every_value_as_text() -> None:
    """Loaders of such files know `kw_args: dict[str, str]` only."""
    text = variant_yaml({'openai_chat_a': None, 'openai_chat_b': 'x: "y"', 'c': [1]}, model_name='m', base_url='u')
    assert text.splitlines()[-3:] == [
        '      openai_chat_a: "null"',
        '      openai_chat_b: "x: \\"y\\""',
        '      profile: "{\\"c\\": [1]}"',
    ]


def test_each_command_gives_one_json_document(history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inspected = json.loads(run('inspect', SAMPLES['counted'], '--json').stdout)
    assert inspected['abilities']['tool_returns']['text_parts']['arrival'] == 'repr'
    assert inspected['recommendation']['options'] == {
        'openai_chat_tool_return_as_list': True,
        'openai_chat_tool_return_list_format': 'messages',
        'openai_chat_supports_multiple_system_messages': False,
    }
    rendered = json.loads(run('render', SAMPLES['first_part'], history, '--json', '--compare', 'text_parts').stdout)
    assert [(entry['form'], entry['lost']) for entry in rendered] == [('text_parts', ['beta <two>'])]
    endpoint(monkeypatch, good)
    probed = json.loads(run(*PROBE, '-y', '--only', 'two systems', '--json').stdout)
    assert probed == {
        'kind': '',
        'findings': [
            {
                'name': 'two systems',
                'verdict': 'refused',
                'text': '400: one system message',
                'options': {'openai_chat_supports_multiple_system_messages': False},
            }
        ],
        'server': '',
        'options': {'openai_chat_supports_multiple_system_messages': False},
    }


@pytest.mark.parametrize(
    ('owner', 'policy', 'form'),
    [('vllm', 'vllm', 'messages'), ('organization_owner', None, 'text_parts'), ('somebody', None, 'messages')],
)
def test_the_entry_names_the_policy_and_the_list_form_of_a_server_that_is_known(
    owner: str, policy: str | None, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By `owned_by` in `GET /models`; LM Studio runs llama.cpp, which shows the template parts as parts."""
    endpoint(monkeypatch, lambda request: httpx2.Response(200, json={'data': [{'id': 'm', 'owned_by': owner}]}))
    result = run(*PROBE, '-y', '--only', 'models', '--template', SAMPLES['blocks'])
    assert f'openai_chat_tool_return_list_format: "{form}"' in result.stdout
    assert ('openai_chat_history_policy' in result.stdout) == (policy is not None)
    if policy is not None:
        assert f'openai_chat_history_policy: "{policy}"' in result.stdout


def test_probe_asks_for_the_model_where_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the confirmation only: before it nothing is sent."""
    asked = endpoint(monkeypatch, good)
    command = PROBE[:3]
    assert json.loads(run(*command, '--dry-run', '--only', 'chat').stdout)[0]['body']['model'] == (
        'the one that GET /models lists'
    )
    assert asked == []
    result = run(*command, '-y', '--only', 'chat')
    assert [request.url.path for request in asked] == ['/v1/models', '/v1/chat/completions']
    assert json.loads(asked[1].content)['model'] == 'm'
    assert 'model_name: "m"' in result.stdout
    endpoint(monkeypatch, lambda request: httpx2.Response(200, json={'data': [{'id': 'a'}, {'id': 'b'}]}))
    several = run(*command, '-y', '--only', 'chat')
    assert (several.exit_code, several.stderr.splitlines()[-1]) == (
        1,
        'error: http://s/v1/models lists 2 models; choose one with --model: a, b.',
    )


def vllm(request: httpx2.Request) -> httpx2.Response:
    """vLLM 0.32 with a template of ours: each letter is a token, and it hands the template what vLLM hands it."""
    from pydantic_ai_compat.errors import ChatTemplateError
    from pydantic_ai_compat.templates import ChatTemplate, content_formats, hand_over

    if request.method == 'GET' and request.url.path == '/v1/models':
        return httpx2.Response(200, json={'data': [{'id': 'm', 'owned_by': 'vllm'}]})
    body = json.loads(request.content or '{}')
    if request.url.path == '/detokenize':
        return httpx2.Response(200, json={'prompt': ''.join(map(chr, body['tokens']))})
    if request.url.path == '/v1/chat/completions':
        return good(request)
    if request.url.path != '/tokenize':
        return httpx2.Response(404, json={'detail': 'Not Found'})
    template = ChatTemplate(SAMPLES['blocks'].read_text('utf-8'))
    handed = hand_over(body['messages'], 'vllm', content_formats(template))
    try:
        prompt = template.render_as_given(handed.messages, body.get('tools'))
    except ChatTemplateError as error:
        return httpx2.Response(400, json={'error': {'message': str(error)}})
    return httpx2.Response(200, json={'count': len(prompt), 'tokens': list(map(ord, prompt))})


def test_render_shows_the_prompts_that_vllm_makes(history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By `/tokenize` and `/detokenize`, and the same as from the template behind vLLM."""
    endpoint(monkeypatch, vllm)
    shown = run('render', 'http://s/v1', history, '--json', '--compare', 'text_parts,messages,json')
    of_file = run(
        'render', SAMPLES['blocks'], history, '--json', '--compare', 'text_parts,messages,json', '--server', 'vllm'
    )
    assert json.loads(shown.stdout) == json.loads(of_file.stdout)
    for more in (('--server', 'vllm'), ('--tools', 'text')):
        refused = run('render', 'http://s/v1', history, *more)
        assert (refused.exit_code, refused.stderr.strip()) == (
            2,
            'error: --server, --tools text: http://s/v1 shows its prompts itself; leave these options out',
        )


def test_a_server_that_refuses_a_form_says_so_in_the_rendering(history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def respond(request: httpx2.Request) -> httpx2.Response:
        if b'"tool"' in request.content:
            return httpx2.Response(400, json={'error': {'message': 'no tools here'}})
        return vllm(request)

    endpoint(monkeypatch, respond)
    result = run('render', 'http://s/v1', history, '--compare', 'text')
    # It shows prompts, but that one it refuses, at the first route that is asked.
    assert (result.exit_code, 'HTTP 400: no tools here' in result.stdout) == (1, True)


def test_a_server_that_fails_at_the_first_prompt_is_asked_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one that does not show its prompt at all is left alone."""

    def respond(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == '/tokenize':
            return httpx2.Response(400, json={'error': {'message': 'busy'}})
        return vllm(request)

    asked = endpoint(monkeypatch, respond)
    assert 'openai_chat_tool_return_list_format' not in run(*PROBE, '-y', '--only', 'models,list result').stdout
    assert [request.url.path for request in asked].count('/tokenize') > 1


@pytest.mark.parametrize('shows', [True, False])
def test_the_entry_names_the_form_of_lists_by_the_prompts_of_the_server(
    shows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def respond(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == '/tokenize' and not shows:
            return httpx2.Response(404, json={'detail': 'Not Found'})
        return vllm(request)

    asked = endpoint(monkeypatch, respond)
    result = run(*PROBE, '-y', '--only', 'models,list result')
    assert '  prompts: What becomes of lists in the prompt?' in result.stderr
    form = 'openai_chat_tool_return_list_format: "messages"'
    assert (form in result.stdout, 'openai_chat_history_policy: "vllm"' in result.stdout) == (shows, True)
    count = 13 if shows else 1
    assert [request.url.path for request in asked].count('/tokenize') == count
    # Without the question about lists, nothing about prompts is asked.
    del asked[:]
    assert 'prompts:' not in run(*PROBE, '-y', '--only', 'models').stderr
    assert [request.url.path for request in asked] == ['/v1/models']


def test_a_form_that_the_server_refuses_is_not_recommended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of parts is refused by the server, although its template would show it."""

    def respond(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == '/v1/chat/completions':
            return httpx2.Response(400, json={'error': 'content must be a string'})
        return vllm(request)

    endpoint(monkeypatch, respond)
    for more in ((), ('--template', SAMPLES['chatml'])):
        stdout = run(*PROBE, '-y', '--only', 'models,list result', *more).stdout
        assert 'list_format: "text_parts"' not in stdout
        assert 'openai_chat_tool_return_as_list: "true"' in stdout


def test_messages_that_the_server_refuses_are_not_recommended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second result for one call is refused by the server, although its template would show it best."""

    def respond(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == '/v1/chat/completions' and request.content.count(b'"tool"') > 1:
            return httpx2.Response(400, json={'error': 'one result for one call'})
        return vllm(request)

    endpoint(monkeypatch, respond)
    only = 'models,string result,list result,repeated result'
    for more in ((), ('--template', SAMPLES['blocks'])):
        stdout = run(*PROBE, '-y', '--only', only, *more).stdout
        assert 'one result for one call' in stdout
        assert 'openai_chat_tool_return_as_list: "true"' in stdout
        assert 'list_format: "messages"' not in stdout


def test_prompts_are_asked_for_within_the_seconds_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is ahead by a second with each look at it, and the run may take six."""
    ticks = itertools.count()
    monkeypatch.setattr(probe_module, 'time', SimpleNamespace(monotonic=lambda: next(ticks)))
    asked = endpoint(monkeypatch, vllm)
    result = run(*PROBE, '-y', '--only', 'models,list result', '--max-seconds', '6')
    assert [request.url.path for request in asked].count('/tokenize') == 5
    assert 'the time of --max-seconds is over' in result.stderr
    assert (result.exit_code, 'list_format' in result.stdout) == (0, False)


def test_without_jinja2_a_probe_says_that_it_does_not_look_at_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = httpx2.Response(200, json={'data': [{'id': 'm', 'owned_by': 'vllm'}]})
    endpoint(monkeypatch, lambda request: listed if request.method == 'GET' else good(request))
    monkeypatch.setitem(sys.modules, 'pydantic_ai_compat.templates', None)
    result = run(*PROBE, '-y', '--only', 'models,list result')
    assert 'What becomes of lists in the prompt is not looked at: ' in result.stderr
    assert (result.exit_code, 'list_format' in result.stdout) == (0, False)


def test_render_shows_the_prompt_with_tools_as_text(history: Path, tmp_path: Path) -> None:
    """A template that raises at a tool role and knows no system role gets them in its first user turn."""
    template = tmp_path / 'chat_template.jinja'
    template.write_text(
        "{% for m in messages %}{% if m['role'] not in ('user', 'assistant') %}{{ raise_exception('no role') }}{% endif %}"
        "[{{ m['role'] }}]{{ m['content'] }}{% endfor %}",
        'utf-8',
    )
    result = run('render', template, history, '--tools', 'text')
    assert result.exit_code == 0
    assert result.output.startswith('[user]# Tools\n')
    assert '<tool_call>\n{"name": "get_items", "arguments": {"query": "fruit"' in result.output
    assert json.dumps(ITEMS) in result.output
    written = run('render', template, history, '--tools', 'text', '--dialect', 'qwen3_coder', '--json')
    assert '<function=get_items>' in json.loads(written.output)['prompt']
    assert run('render', template, history, '--tools', 'text', '--dialect', 'nosuch').exit_code == 1
    shown = run('inspect', template).output
    assert 'the prompt with tools as text' in shown
    assert 'openai_chat_tools: "text"' in shown or 'openai_chat_tools: text' in shown
