"""Each command at three widths of a terminal, in a pipe, and used wrongly.

A terminal loses nothing that a pipe shows: what is compared are the characters of both, however they are folded.
"""

from __future__ import annotations as _annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from cli.endpoints import agent_endpoint, endpoint, good
from generated import generated
from hypothesis import given, strategies as st
from rich.cells import cell_len
from support import GLM_VARIANT, completion, tool_call
from support_sse import chunk, events
from templates.conversation import SAMPLES, TOOLS, turn
from typer.testing import CliRunner, Result

from pydantic_ai_compat.cli.app import app
from pydantic_ai_compat.cli.console import Rows, make_console

WIDTHS = (45, 60, 80, 200)
LAID_OUT = '│╭╮╰╯─┃━┏┓┗┛┡┩└┘├┤ '
FIRST_HEADINGS = 'option part of the conversation a list sent as option probe chunk ():():():():():():():()' + 9 * ':'
"""What a list does without: the heading of the first column, and the colon and brackets around an option in a pipe.
A panel has no colons behind the names of its lines."""
RECORDINGS = Path(__file__).parents[1] / 'streaming/recordings'
HISTORY = turn(json.dumps(['alpha "one"', 'beta <two>']), arguments='{"query": "fruit"}')
COMMANDS: dict[str, list[str]] = {
    'variants': ['models.yaml'],
    'check': ['history.json', '--policy', 'mistral'],
    'explain': ['No user query found in messages.'],
    'inspect': [str(SAMPLES['strict'])],
    'inspect a server': ['http://s/v1'],
    'probe': ['--base-url', 'http://s/v1', '--model', 'm', '--yes'],
    'record': ['--base-url', 'http://s/v1', '--model', 'm', '--prompt', 'hi', '-o', 'new.sse'],
    'render': [str(SAMPLES['first_part']), 'history.json'],
    'replay': [str(RECORDINGS / 'llamacpp-random-midstream-error-GLM-4.6.sse')],
    'schema': [],
    'demo': ['--base-url', 'http://s/v1', '--model', 'm', '--api-key', 'sk-local'],
}
REGISTERED = {cast(Any, command.callback).__name__: command for command in app.registered_commands}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv('FORCE_COLOR', raising=False)
    monkeypatch.setenv('ZAI_API_KEY', 'sk-local')
    (tmp_path / 'models.yaml').write_text(GLM_VARIANT, 'utf-8')
    (tmp_path / 'history.json').write_text(json.dumps({'messages': HISTORY, 'tools': TOOLS}), 'utf-8')
    endpoint(monkeypatch, answer)
    agent_endpoint(monkeypatch, answer_the_agent)
    return tmp_path


def answer(request: httpx2.Request) -> httpx2.Response:
    if request.url.path == '/apply-template':
        shown = ' '.join(str(message.get('content')) for message in json.loads(request.content)['messages'])
        return httpx2.Response(200, json={'prompt': f'<|begin|>{shown}<|end|>'})
    if request.method == 'POST' and json.loads(request.content).get('stream'):
        return httpx2.Response(200, content=events(chunk(content='hi'), chunk('stop')))
    return good(request)


def answer_the_agent(request: httpx2.Request) -> httpx2.Response:
    if any(message['role'] == 'tool' for message in json.loads(request.content)['messages']):
        return httpx2.Response(200, json=completion(content='Sunny in Paris, and then rain for the rest of the week.'))
    call = tool_call('get_weather', 'c1', city='Paris', days=2)
    return httpx2.Response(200, json=completion(tool_calls=[call]))


def run(command: str, *arguments: str, terminal: int | None = None, text: str | bytes | None = None) -> Result:
    environment = {'TERM': 'xterm-256color', 'COLUMNS': str(terminal or 80), 'NO_COLOR': '1'}
    if terminal:
        environment['FORCE_COLOR'] = '1'
    return CliRunner(env=environment).invoke(app, [command.split()[0], *arguments], input=text)


def letters(text: str) -> Counter[str]:
    return Counter(character for character in ''.join(text.split()) if character not in LAID_OUT)


def test_every_command_that_help_lists_is_tried() -> None:
    assert {name.split()[0] for name in COMMANDS} == set(WRONG_USE) == set(REGISTERED)
    listed = run('--help').stdout.partition('Commands:')[2]
    assert all(f'\n  {name} ' in listed for name in REGISTERED)


@pytest.mark.parametrize('command', COMMANDS)
def test_a_terminal_of_any_width_shows_all_that_a_pipe_shows_without_boxes_colour_or_width(command: str) -> None:
    narrow, wide = (CliRunner(env={'COLUMNS': columns}) for columns in ('45', '200'))
    piped, again = (one.invoke(app, [command.split()[0], *COMMANDS[command]]) for one in (narrow, wide))
    assert piped.output == again.output
    assert piped.stdout
    assert not set(LAID_OUT.strip()) & set(piped.output)
    assert '\x1b' not in piped.output
    for width in WIDTHS:
        shown = run(command, *COMMANDS[command], terminal=width)
        assert piped.exit_code == shown.exit_code, width
        lost = letters(piped.stdout) - letters(shown.stdout + FIRST_HEADINGS)
        assert lost == Counter(), (width, shown.stdout)


@generated()
@given(
    st.lists(st.tuples(*[st.text('ab 好\n', max_size=60)] * 3), min_size=1, max_size=4),
    st.integers(20, 120),
)
def test_no_table_loses_a_letter_or_goes_beyond_the_terminal(rows: list[tuple[str, str, str]], width: int) -> None:
    holds_every_letter(rows, width)


def test_an_empty_cell_of_a_list_has_no_line() -> None:
    assert 'two' not in holds_every_letter([('name', '', 'x' * 60)], 20)


def holds_every_letter(rows: list[tuple[str, str, str]], width: int) -> str:
    """The table as a terminal of a width shows it."""
    table = Rows(('one', 'two', 'three'), title='title')
    for row in rows:
        table.add(*row)
    console = make_console()
    console._force_terminal = True
    console.width = width
    with console.capture() as captured:
        table.print(console)
    text = captured.get()
    assert letters(''.join(map(''.join, rows))) - letters(text) == Counter()
    assert all(cell_len(line) <= width for line in text.splitlines())
    return text


WITHOUT_JSON = {'schema'}
"""What prints one JSON document without being asked to."""


@pytest.mark.parametrize('command', sorted(REGISTERED.keys() - WITHOUT_JSON))
def test_json_is_one_document_and_nothing_else_is_on_the_output(command: str) -> None:
    told = run(command, *COMMANDS[command], '--json')
    assert json.loads(told.stdout)
    assert told.exit_code == run(command, *COMMANDS[command]).exit_code


WRONG_USE = {
    'variants': ['no.yaml'],
    'check': ['history.json', '--policy', 'nobody'],
    'explain': [],
    'inspect': [str(SAMPLES['strict']), '--server', 'nobody'],
    'probe': ['--base-url', 'http://s/v1'],
    'record': ['--base-url', 'u', '--model', 'm', '--prompt', 'p', '-o', 'no/such/folder/x.sse'],
    'render': [str(SAMPLES['strict']), 'no.json'],
    'replay': ['no.sse'],
    'schema': ['more'],
    'demo': ['--model', 'm'],
}
SOMETHING_WRONG = {
    'variants': ['history.json'],
    'check': ['models.yaml'],
    'explain': ['no such luck'],
    'inspect': ['no.jinja'],
    'render': [str(SAMPLES['strict']), 'models.yaml'],
    'replay': ['models.yaml'],
}


@pytest.mark.parametrize(
    ('command', 'arguments', 'status'),
    [
        *((name, given, 2) for name, given in WRONG_USE.items()),
        *((name, given, 1) for name, given in SOMETHING_WRONG.items()),
    ],
)
def test_an_error_goes_to_the_error_output_with_a_status_of_its_kind(
    command: str, arguments: list[str], status: int
) -> None:
    result = run(command, *arguments)
    assert (result.exit_code, result.stdout) == (status, '')
    assert 'rror: ' in result.stderr
    assert 'Traceback' not in result.stderr


def may_only_be_read(_: object, mode: int) -> bool:
    return mode != os.W_OK


@pytest.mark.parametrize('kind', ['a folder', 'no folder', 'not allowed'])
@pytest.mark.parametrize('command', ['record', 'render'])
def test_a_path_that_cannot_be_written_is_refused_before_anything_is_asked(
    command: str, kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = endpoint(monkeypatch, answer)
    (folder / 'there.sse').mkdir()
    path = {'a folder': 'there.sse', 'no folder': 'no/page.sse', 'not allowed': 'page.sse'}[kind]
    if kind == 'not allowed':
        monkeypatch.setattr('os.access', may_only_be_read)
    arguments = {
        'record': ['--base-url', 'http://s/v1', '--model', 'm', '--prompt', 'hi', '-o', path],
        'render': ['http://s/v1', 'models.yaml', '--html', path],
    }
    result = run(command, *arguments[command])
    assert (result.exit_code, result.stdout, asked) == (2, '', [])
    assert f'{path} cannot be written: ' in result.stderr


def test_a_disk_that_is_full_is_an_error_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr(Path, 'write_bytes', full)
    result = run('record', *COMMANDS['record'])
    assert (result.exit_code, result.stdout) == (1, '')
    assert result.stderr == 'error: new.sse cannot be written: No space left on device\n'


FROM_STANDARD_INPUT = {
    'variants': (['-'], 'models.yaml'),
    'check': (['-', '--policy', 'mistral'], 'history.json'),
    'explain': (['-'], None),
    'inspect': (['-'], str(SAMPLES['strict'])),
    'render': ([str(SAMPLES['first_part']), '-'], 'history.json'),
    'replay': (['-'], str(RECORDINGS / 'llamacpp-random-midstream-error-GLM-4.6.sse')),
}


@pytest.mark.parametrize('command', FROM_STANDARD_INPUT)
def test_a_dash_reads_the_standard_input(command: str) -> None:
    arguments, file = FROM_STANDARD_INPUT[command]
    text = COMMANDS[command][0].encode() if file is None else Path(file).read_bytes()
    piped, named = run(command, *arguments, text=text), run(command, *COMMANDS[command])
    assert piped.exit_code == named.exit_code
    shown = piped.stdout.replace('standard-input.jinja', 'strict.jinja').replace('-:', 'history.json:')
    assert shown == named.stdout


def test_a_template_from_the_standard_input_is_of_the_kind_that_it_begins_as() -> None:
    config = json.dumps({'chat_template': SAMPLES['strict'].read_text('utf-8')})
    shown = run('inspect', '-', text=config).stdout
    assert shown.replace('standard-input.json', 'strict.jinja') == run('inspect', str(SAMPLES['strict'])).stdout
    assert 'standard-input.gguf' in run('inspect', '-', text=b'GGUF').stderr


def test_a_plain_answer_a_body_and_bytes_that_are_no_text_come_from_the_standard_input() -> None:
    assert 'message_delta' in run('replay', '-', text='{"choices": [{"message": {"content": "hi"}}]}').stdout
    recorded = run('record', *COMMANDS['record'], '--body', '-', text='{"temperature": 0}')
    assert recorded.exit_code == 0
    assert '"temperature": 0' in Path('new.sse').read_text('utf-8')
    assert run('variants', '-', text=b'\xff').stderr == 'error: -: not UTF-8 text (byte 0).\n'.replace(').', ')')


def test_a_file_that_cannot_be_read_after_all_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> bytes:
        raise OSError(5, 'Input/output error')

    monkeypatch.setattr(Path, 'read_bytes', gone)
    assert run('check', 'history.json').stderr == 'error: history.json cannot be read: Input/output error\n'


def test_a_refused_request_is_recorded_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint(monkeypatch, lambda request: httpx2.Response(429, json={'error': 'slow down'}))
    result = run('record', *COMMANDS['record'], '--json')
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert json.loads(result.stdout) == {
        'file': 'new.sse',
        'status': 429,
        'bytes': 21,
        'error': 'the server refused the request: HTTP 429',
    }
    assert (result.exit_code, result.stderr) == (1, 'error: the server refused the request: HTTP 429\n')
    assert ': status 429' in Path('new.sse').read_text('utf-8')


def test_every_help_has_an_example_and_shows_flags_as_flags() -> None:
    for name in REGISTERED:
        shown = run(name, '--help').stdout
        assert f'pydantic-ai-compat {name}' in shown.partition('Example:')[2]
        assert '<bool>' not in shown


def test_without_arguments_the_first_steps_are_shown() -> None:
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 0
    for words in ('Where to begin:', 'pydantic-ai-compat demo', '--install-completion', 'Exit status: 0 fine'):
        assert words in result.stdout


def test_a_file_that_may_not_be_read_is_wrong_use(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> bool:
        return False

    monkeypatch.setattr('os.access', never)
    result = run('check', 'history.json')
    assert (result.exit_code, "'history.json' is not readable." in result.stderr) == (2, True)


def test_an_unknown_error_text_is_null_as_json() -> None:
    result = run('explain', 'no such luck', '--json')
    assert (result.exit_code, result.stdout) == (1, 'null\n')


def test_variants_of_another_loader_are_named(folder: Path) -> None:
    (folder / 'models.yaml').write_text(GLM_VARIANT + '  other: {type: fallback, models: [a, b]}\n', 'utf-8')
    result = run('variants', 'models.yaml')
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (
        0,
        'other  type: fallback, which another loader of the file reads',
    )


def test_a_body_that_is_no_json_is_refused_before_anything_is_sent(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = endpoint(monkeypatch, answer)
    (folder / 'body.json').write_text('{', 'utf-8')
    result = run('record', *COMMANDS['record'], '--body', 'body.json')
    assert (result.exit_code, asked) == (1, [])
    assert result.stderr.startswith('error: body.json: ')


@pytest.mark.parametrize('messages', ['[5]', '[{"role": 5}]', '[{"content": "x"}]'])
@pytest.mark.parametrize('command', ['check', 'render'])
def test_a_history_with_no_messages_in_it_is_refused(command: str, messages: str) -> None:
    result = run(command, *{'check': ['-'], 'render': [str(SAMPLES['chatml']), '-']}[command], text=messages)
    assert (result.exit_code, 'messages[0] is not a message' in result.stderr) == (1, True)
