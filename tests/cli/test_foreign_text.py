"""Nothing that others wrote steers the terminal: one test over every command, with every control character there is."""

from __future__ import annotations as _annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import respx
from generated import generated
from hypothesis import given, strategies as st
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from support import completion
from templates.conversation import SAMPLES, turn
from typer.testing import CliRunner

from pydantic_ai_compat.cli.app import app
from pydantic_ai_compat.cli.console import echo, fail, make_console, printable

CONTROLS = [
    chr(code)
    for code in range(0x3000)
    if unicodedata.category(chr(code)) in ('Cc', 'Zl', 'Zp')
    or unicodedata.bidirectional(chr(code)) in ('LRE', 'RLE', 'LRO', 'RLO', 'PDF', 'LRI', 'RLI', 'FSI', 'PDI')
    or code in (0x061C, 0x200E, 0x200F)
]
"""What turns the direction of text around is from the table of UAX #9: <https://www.unicode.org/reports/tr9/#Table_4>."""

HOSTILE = f'<{"".join(CONTROLS)}\x1b]0;owned\x07\x1b[31m\x9b2J\u202eevil>'
FILE_NAME = 'evil\x1b]0;owned\x07\x9b2J\u202e'
URL = 'http://s/v1'
SGR = re.compile(r'\x1b\[[\d;]*m')


def in_quotes(text: str) -> str:
    """The text as JSON and as YAML, which forbids a DEL that JSON leaves as it is."""
    return json.dumps(text).replace('\x7f', '\\u007f')


def steering(output: str, *, terminal: bool = False) -> set[str]:
    """The control characters of an output, but for the tab, the line break, and colours on a terminal."""
    return set(SGR.sub('', output) if terminal else output) & set(CONTROLS) - {'\n', '\t'}


def variants(folder: Path) -> list[Any]:
    (folder / 'models.yaml').write_text(
        f"""\
{in_quotes(HOSTILE)}: 1
model_variants:
  {in_quotes(HOSTILE)}:
    model: pydantic_ai.models.test.TestModel
    kw_args: {{custom_output_text: {in_quotes(HOSTILE)}}}
  ours:
    model: pydantic_ai_compat.OpenAICompatibleModel
    kw_args: {{model_name: {in_quotes(HOSTILE)}, base_url: "{URL}", openai_chat_empty_tool_return: {in_quotes(HOSTILE)}}}
  bad: {{model: pydantic_ai_compat.OpenAICompatibleModel, kw_args: {{model_name: m, {in_quotes(HOSTILE)}: 1}}}}
  value: {{model: pydantic_ai_compat.OpenAICompatibleModel, kw_args: {{model_name: m, timeout: {in_quotes(HOSTILE)}}}}}
  field: {{{in_quotes(HOSTILE)}: x}}
""",
        'utf-8',
    )
    return [folder / 'models.yaml']


def conversation(folder: Path) -> Path:
    messages = turn([{'type': 'text', 'text': HOSTILE}], 'b', arguments='{"query": "x"}', content=HOSTILE)
    messages.append({'role': HOSTILE, 'tool_call_id': HOSTILE, 'content': HOSTILE})
    (folder / FILE_NAME).write_text(json.dumps(messages), 'utf-8')
    return folder / FILE_NAME


def check(folder: Path) -> list[Any]:
    return [conversation(folder), '--policy', 'openai']


def template(folder: Path) -> Path:
    text = SAMPLES['first_part'].read_text('utf-8')
    path = folder / f'{FILE_NAME}.jinja'
    path.write_text(HOSTILE.replace('\r', '') + text, 'utf-8', newline='')
    return path


def inspect(folder: Path) -> list[Any]:
    return [template(folder)]


def render(folder: Path) -> list[Any]:
    (folder / 'turn.json').write_text(json.dumps(turn(json.dumps([HOSTILE, 'b']))), 'utf-8')
    return [template(folder), folder / 'turn.json', '--compare', 'text_parts,messages,text,json']


def replay(folder: Path) -> list[Any]:
    call = {'index': 0, 'id': HOSTILE, 'function': {'name': HOSTILE, 'arguments': HOSTILE}}
    deltas = [{'content': HOSTILE}, {'reasoning_content': HOSTILE}, {'tool_calls': [call]}, {'tool_calls': HOSTILE}]
    events = [f'data: {json.dumps({"choices": [{"index": 0, "delta": delta}]})}\n\n' for delta in deltas]
    (folder / 'stream.sse').write_text(''.join(events), 'utf-8')
    return [folder / 'stream.sse']


def record(folder: Path) -> list[Any]:
    return ['--base-url', URL, '--model', HOSTILE, '--prompt', HOSTILE, '--output', folder / 'out.sse']


def probe(folder: Path) -> list[Any]:
    return ['--base-url', URL, '--model', HOSTILE.replace('\x00', ''), '--yes']


def demo(folder: Path) -> list[Any]:
    return ['--base-url', URL, '--model', HOSTILE, '--api-key', 'k']


COMMANDS: dict[str, Callable[[Path], list[Any]]] = {
    'check': check,
    'demo': demo,
    'explain': lambda folder: [f'{HOSTILE} messages with role "tool" must be a response to a preceding message'],
    'inspect': inspect,
    'probe': probe,
    'record': record,
    'render': render,
    'replay': replay,
    'schema': lambda folder: [],
    'variants': variants,
}


def test_no_command_is_left_out() -> None:
    names = {command.callback.__name__ for command in app.registered_commands if command.callback}
    assert names == set(COMMANDS)


def hostile_server(request: httpx.Request) -> httpx.Response:
    if request.method == 'GET':
        return httpx.Response(200, json={'data': [{'id': HOSTILE, 'owned_by': HOSTILE}]})
    body = json.loads(request.content)
    if 'tools' in body:
        return httpx.Response(400, json={'error': {'message': HOSTILE, 'type': HOSTILE}})
    if body.get('stream'):
        return httpx.Response(200, text=f'data: {json.dumps({"error": {"message": HOSTILE}})}\n\n')
    return httpx.Response(200, json=completion(content=HOSTILE))


@pytest.fixture(autouse=True)
def server() -> Iterator[None]:
    with respx.mock(using='httpcore2', assert_all_called=False) as router:
        router.route(host='s').mock(side_effect=hostile_server)
        yield


@pytest.mark.parametrize('terminal', [False, True], ids=['pipe', 'terminal'])
@pytest.mark.parametrize('command', COMMANDS)
def test_a_command_prints_no_control_character_of_others(
    command: str, terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A title set, a screen cleared, text turned around: <https://nvd.nist.gov/vuln/detail/CVE-2021-42574>."""
    monkeypatch.setenv('COLUMNS', '100')
    monkeypatch.setenv('PYDANTIC_AI_NO_BANNER', '1')
    monkeypatch.delenv('FORCE_COLOR', raising=False)
    if terminal:
        monkeypatch.setenv('FORCE_COLOR', '1')
    arguments = [str(argument) for argument in COMMANDS[command](tmp_path)]
    result = CliRunner().invoke(app, [command, *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert steering(result.stdout, terminal=terminal) == set()
    if not terminal:  # where a spinner turns
        assert steering(result.stderr) == set()
    if command not in ('explain', 'record', 'schema'):
        assert 'evil' in result.output


@pytest.mark.parametrize('command', ['inspect', 'probe', 'render', 'variants'])
def test_json_keeps_what_was_said_without_the_characters_themselves(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON leaves DEL, C1 and the marks of direction as they are: <https://www.rfc-editor.org/rfc/rfc8259#section-7>."""
    arguments = [str(argument) for argument in COMMANDS[command](tmp_path)]
    result = CliRunner().invoke(app, [command, *arguments, '--json'])
    assert steering(result.output) == set()
    json.loads(result.stdout)


@generated()
@given(st.text(st.sampled_from([*CONTROLS, 'a', ' ', '\n', '好', '\x1b'])), st.integers(20, 80))
def test_no_layout_lets_a_control_character_through(text: str, width: int) -> None:
    table = Table('a', text, title=text)
    table.add_row(text, Text(text, 'bold'))
    console = make_console()
    console.width = width
    with console.capture() as captured:
        console.print(text, Text.assemble((text, 'red'), text), Panel(Group(text, table), title=text))
        console.rule(text)
        console.rule(Text(text))
    assert steering(captured.get()) == set()


@generated()
@given(st.text(st.sampled_from([*CONTROLS, 'a', '好', '"', '\\'])))
def test_what_is_spelled_out_reads_back_as_json(text: str) -> None:
    spelled = printable(json.dumps({'a': text}, ensure_ascii=False, indent=1))
    assert (steering(spelled), json.loads(spelled)) == (set(), {'a': text})


def test_marks_stay_on_the_text_that_they_mark() -> None:
    text = Text('a\x1bb\x9bc')
    text.stylize('bold', 2, 5)
    console = make_console()
    (line,) = console.render_lines(text, pad=False)
    assert [(segment.text, str(segment.style)) for segment in line if segment.text] == [
        ('a\\u001b', 'none'),
        ('b\\u009bc', 'bold'),
    ]


def test_only_the_console_prints() -> None:
    """One way to print: a command that used another would print what it was given."""
    folder = Path(__file__).parents[2] / 'src/pydantic_ai_compat/cli'
    others = [path for path in folder.glob('*.py') if path.name != 'console.py']
    for path in others:
        found = re.findall(
            r'typer\.echo|(?<![.\w])print\(|Console\(|sys\.std(?:out|err)\.write|secho', path.read_text()
        )
        assert found == [], path.name


def test_an_error_and_an_echo_are_printed_so_too(capsys: pytest.CaptureFixture[str]) -> None:
    echo(HOSTILE)
    with pytest.raises(BaseException, match='1'):
        fail(HOSTILE)
    output = capsys.readouterr()
    assert steering(output.out + output.err) == set()
