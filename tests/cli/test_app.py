from __future__ import annotations as _annotations

import importlib
import importlib.metadata
import io
import sys

import pytest
import typer
from typer.testing import CliRunner

from pydantic_ai_compat import cli
from pydantic_ai_compat.cli.app import app
from pydantic_ai_compat.cli.console import busy, fail, make_console, printable


def test_the_version_is_that_of_the_distribution():
    result = CliRunner().invoke(app, ['--version'])
    assert (result.exit_code, result.stdout) == (0, f'{importlib.metadata.version("pydantic-ai-compat")}\n')


def test_without_arguments_the_commands_are_listed():
    result = CliRunner().invoke(app, [])
    assert all(command.callback and command.callback.__name__ in result.output for command in app.registered_commands)


def test_the_module_runs_the_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(sys, 'argv', ['pydantic-ai-compat', '--version'])
    monkeypatch.delitem(sys.modules, 'pydantic_ai_compat.cli.__main__', raising=False)
    with pytest.raises(SystemExit) as caught:
        importlib.import_module('pydantic_ai_compat.cli.__main__')
    assert caught.value.code == 0
    assert capsys.readouterr().out == f'{importlib.metadata.version("pydantic-ai-compat")}\n'


@pytest.mark.parametrize(('encoding', 'shown'), [('utf-8', b'\\ud800 \xe6\x97\xa5'), ('ascii', b'\\ud800 \\u65e5')])
def test_what_an_encoding_lacks_is_spelled_out(encoding: str, shown: bytes, monkeypatch: pytest.MonkeyPatch):
    """A stored history may hold half of a surrogate pair, which no encoding has."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, 'stdout', io.TextIOWrapper(raw, encoding))
    monkeypatch.setattr(sys, 'stderr', io.StringIO())  # as a program that embeds the command may put in its place
    monkeypatch.setattr(sys, 'argv', ['pydantic-ai-compat', '--version'])
    with pytest.raises(SystemExit):
        cli.main()
    make_console().print('\ud800 \u65e5')
    sys.stdout.flush()
    assert raw.getvalue().endswith(shown + b'\n')


def test_without_its_extra_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, 'pydantic_ai_compat.cli.app')
    monkeypatch.setitem(sys.modules, 'typer', None)
    with pytest.raises(SystemExit) as caught:
        cli.main()
    assert caught.value.code == 'The command line needs `typer`: pip install "pydantic-ai-compat[cli]"'


def test_another_module_that_is_missing_is_not_mistaken_for_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, 'pydantic_ai_compat.cli.app', None)
    with pytest.raises(ModuleNotFoundError, match='pydantic_ai_compat.cli.app'):
        cli.main()


@pytest.mark.parametrize('terminal', [True, False])
def test_what_takes_a_while_is_said_on_a_terminal_only(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.delenv('FORCE_COLOR', raising=False)
    if terminal:
        monkeypatch.setenv('FORCE_COLOR', '1')
    with busy('Starting'):
        pass
    output, errors = capsys.readouterr()
    assert (output, 'Starting ...' in errors) == ('', terminal)


@pytest.mark.parametrize(
    'text, shown',
    [
        ('Grüße 你好 😀\n\tfin', 'Grüße 你好 😀\n\tfin'),
        ('\x1b[31mred\x07\r', '\\u001b[31mred\\u0007\\u000d'),
        ('\x9b1m\x00', '\\u009b1m\\u0000'),
    ],
)
def test_what_a_server_says_does_not_steer_the_terminal(text: str, shown: str, capsys: pytest.CaptureFixture[str]):
    assert printable(text) == shown
    with pytest.raises(typer.Exit):
        fail(text)
    assert '\x1b' not in capsys.readouterr().err


def test_text_is_printed_as_it_is_and_not_as_markup(capsys: pytest.CaptureFixture[str]):
    make_console().print('[bold]:smile: 1.5 [/]')
    assert capsys.readouterr().out == '[bold]:smile: 1.5 [/]\n'
