"""`pydantic-ai-compat record` and `replay`."""

from __future__ import annotations as _annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import CliRunner

from pydantic_ai_compat.cli.app import app
from pydantic_ai_compat.cli.record import timed
from pydantic_ai_compat.testing import Recording

RECORDINGS = Path(__file__).parents[1] / 'streaming/recordings'
KEY = 'sk-very/secret'


def run(*arguments: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], env={'COLUMNS': '200'})
    return result.exit_code, result.output


class Server(HTTPServer):
    """A server on loopback that echoes the key it was sent, as some do in their errors."""

    def __init__(self) -> None:
        super().__init__(('127.0.0.1', 0), Handler)
        self.bodies: list[dict[str, Any]] = []
        self.breaks_off = False


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = cast(Server, self.server)
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers['content-length'])))
        server.bodies.append(body)
        echo: dict[str, Any] = {'choices': [], 'echo': self.headers.get('authorization'), 'path': self.path}
        text = f'data: {json.dumps(echo)}\r\n\r\ndata: [DONE]\n\n' if body.get('stream') else json.dumps(echo)
        data = text.encode()
        self.send_response(200)
        self.send_header('content-length', str(len(data) + (10 if server.breaks_off else 0)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def record(server: Server, output: Path, *more: str | Path) -> tuple[int, str]:
    base_url = f'http://127.0.0.1:{server.server_port}/v1'
    return run('record', '--base-url', base_url, '--model', 'm', '--prompt', 'hi', '-o', output, *more)


def test_a_stream_is_recorded_with_its_request_and_times_and_without_the_key(server: Server, tmp_path: Path) -> None:
    """The key is nowhere in the file or the output, although the server sent it back."""
    path = tmp_path / 'a.sse'
    code, output = record(server, path, '--api-key', KEY)
    assert (code, KEY in output, KEY in path.read_text()) == (0, False, False)
    recording = Recording.load(path)
    request = {
        'model': 'm',
        'messages': [{'role': 'user', 'content': 'hi'}],
        'stream': True,
        'stream_options': {'include_usage': True},
    }
    assert (recording.request, recording.status, server.bodies) == (request, 200, [request])
    assert b'"echo": "Bearer ***", "path": "/v1/chat/completions"}\r\n\r\n' in recording.body
    assert [time is not None for time in recording.times()] == [True, True]
    assert f'{path}: HTTP 200' in output and 'pydantic-ai-compat replay' in output


def test_a_plain_answer_is_recorded_with_more_fields_of_the_request(server: Server, tmp_path: Path) -> None:
    """`--body` adds what the bug needs, such as tools."""
    (tmp_path / 'body.json').write_text(json.dumps({'tools': [], 'temperature': 0, 'user': KEY}))
    path = tmp_path / 'a.json'
    code, _ = record(server, path, '--api-key', KEY, '--body', tmp_path / 'body.json')
    assert (code, server.bodies[0]['temperature'], KEY in path.read_text()) == (0, 0, False)
    recording = Recording.load(path)
    assert recording.request is not None and recording.request['user'] == '***'
    assert json.loads(recording.body) == {'choices': [], 'echo': 'Bearer ***', 'path': '/v1/chat/completions'}


def test_an_answer_that_breaks_off_is_kept(server: Server, tmp_path: Path) -> None:
    """It is what a bug report is about."""
    server.breaks_off = True
    code, output = record(server, tmp_path / 'a.sse')
    assert (code, 'error: the answer breaks off' in output) == (1, True)
    assert b'[DONE]' in Recording.load(tmp_path / 'a.sse').body


def test_what_cannot_be_recorded_is_an_error_in_one_line(server: Server, tmp_path: Path) -> None:
    """The file's kind, the body's file, the server."""
    (tmp_path / 'list.json').write_text('[]')
    assert record(server, tmp_path / 'a.txt')[0] == 2
    assert 'ends in .sse for a stream' in record(server, tmp_path / 'a.txt')[1]
    assert 'does not exist' in record(server, tmp_path / 'a.sse', '--body', tmp_path / 'no.json')[1]
    assert 'wanted a JSON object' in record(server, tmp_path / 'a.sse', '--body', tmp_path / 'list.json')[1]
    arguments = (
        'record',
        '--base-url',
        'http://127.0.0.1:9/v1',
        '--model',
        'm',
        '--prompt',
        'p',
        '-o',
        tmp_path / 'a.sse',
    )
    code, output = run(*arguments)
    assert code == 1 and 'error: http://127.0.0.1:9/v1/chat/completions:' in output
    assert not (tmp_path / 'a.sse').exists()


def test_a_time_stands_before_each_event_and_never_inside_a_line() -> None:
    """However the bytes arrive."""
    body = b'data: a\ndata: b\r\n\r\n: c\nevent: x\ndata: d\n\ndata: e'
    for size in (1, 3, len(body)):
        pieces = [body[n : n + size] for n in range(0, len(body), size)]
        lines = b''.join(timed(iter(pieces), 0.0)).split(b'\n')
        assert b'\n'.join(line for line in lines if not line.startswith(b': +')) == body
        assert sum(line.startswith(b': +') for line in lines) == 1


def test_a_recording_is_shown_as_items_with_its_quirks(tmp_path: Path) -> None:
    """A table, then one line for each quirk; plain text in a pipe."""
    code, output = run('replay', RECORDINGS / 'llama-cpp-python-tools-named-stream.sse')
    lines = [line.split() for line in output.splitlines()]
    assert code == 0
    assert lines[0] == ['chunk', 'time', 'item', 'content']
    assert lines[1][:6] == ['end', 'provider_tool_call', 'get_time', '{', '"zone":', '"UTC"}']
    assert lines[2] == ['end', 'finish', 'tool_calls', '(the', 'server', 'says', "'tool_calls')"]
    assert output.splitlines()[3:] == [
        'quirk: id-repeated: the `id` comes with each delta',
        'quirk: name-repeated: the name comes in full more than once',
    ]
    assert '\x1b' not in output


def test_thoughts_events_usage_times_and_cut_calls_are_shown(tmp_path: Path) -> None:
    """Every kind of item has its own words."""
    (tmp_path / 'a.sse').write_text(
        ': request {"tools": [{"type": "function", "function": {"name": "f"}}, {"type": "x"}]}\n: status 200\n\n'
        ': +1.5s\ndata: {"choices": [{"index": 0, "delta": {"content": "a</think><ev>x</ev>b", "tool_calls": '
        '[{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{"}}]}}], "usage": {"total_tokens": 3}}\n\n'
    )
    options = ('--text-event-tag', 'ev', '--thinking-starts-open', '--tool', 'f')
    code, output = run('replay', tmp_path / 'a.sse', *options)
    rows = [' '.join(line.split()) for line in output.splitlines()]
    assert (code, rows[1:7]) == (
        0,
        [
            "1 +1.500s reasoning_delta 'a' in content",
            '1 +1.500s text_event x',
            "1 +1.500s message_delta 'b'",
            "end provider_tool_call f { id='c' index=0 (not complete: not run)",
            'end usage {"completion_tokens":0,"prompt_tokens":0,"total_tokens":3}',
            'end finish None (the server says nothing)',
        ],
    )
    assert 'quirk: arguments-cut' in output


def test_usage_and_calls_are_objects_in_json(tmp_path: Path) -> None:
    """With what the server said alone: no field that it left out."""
    call = {'id': 'c', 'type': 'function', 'function': {'name': 'f', 'arguments': '{}'}}
    usage = {'prompt_tokens': 2, 'completion_tokens': 1, 'total_tokens': 3}
    choice = {'index': 0, 'message': {'role': 'assistant', 'tool_calls': [call]}, 'finish_reason': 'tool_calls'}
    Recording(json.dumps({'choices': [choice], 'usage': usage}).encode(), streamed=False).save(tmp_path / 'a.json')
    code, output = run('replay', tmp_path / 'a.json', '--json')
    items = {item['kind']: item for item in json.loads(output)['items']}
    assert (code, items['usage']['token_usage']) == (0, usage)
    told = items['provider_tool_call']['tool_call']
    assert (told['name'], told['id'], told['raw_arguments']) == ('f', 'c', '{}')


def test_a_plain_answer_is_shown_the_same_way(tmp_path: Path) -> None:
    """Without the quirks of streams."""
    call = {'id': 'c', 'type': 'function', 'function': {'name': 'f', 'arguments': '{}'}}
    message = {'role': 'assistant', 'content': 'hello', 'tool_calls': [call]}
    body = {'choices': [{'index': 0, 'message': message, 'finish_reason': 'tool_calls'}]}
    Recording(json.dumps(body).encode(), streamed=False).save(tmp_path / 'a.json')
    code, output = run('replay', tmp_path / 'a.json')
    assert code == 0
    assert [' '.join(line.split()) for line in output.splitlines()[1:]] == [
        "1 message_delta 'hello'",
        "1 provider_tool_call f {} id='c' index=0",
        "end finish tool_calls (the server says 'tool_calls')",
        'no quirks',
    ]


def test_a_server_s_error_is_shown_after_what_came_before_it() -> None:
    """The items so far are not lost."""
    code, output = run('replay', RECORDINGS / 'llamacpp-random-midstream-error-GLM-4.6.sse')
    assert code == 1
    assert output.count('message_delta') == 34
    assert 'error: The server reported an error in chunk 36 of the stream: The model produced output' in output
    assert 'quirk: error-event' in output


def test_what_cannot_be_replayed_is_an_error_in_one_line(tmp_path: Path) -> None:
    """The file, and the option."""
    assert run('replay', tmp_path / 'no.sse')[0] == 2
    (tmp_path / 'a.txt').write_text('')
    assert 'a recording ends in `.sse`' in run('replay', tmp_path / 'a.txt')[1]
    code, output = run('replay', RECORDINGS / 'llamacpp-scripted-simple-stream.sse', '--text-event-tag', '<x>')
    assert (code, 'is not the name of a tag' in output) == (2, True)


@pytest.mark.parametrize('suffix', ['.sse', '.json'])
def test_an_answer_with_an_error_status_is_shown_with_it(suffix: str, tmp_path: Path) -> None:
    """An error object is what such an answer should hold, so it is no quirk."""
    body = json.dumps({'error': {'message': 'no such model'}}).encode()
    path = tmp_path / f'a{suffix}'
    Recording(body, streamed=suffix == '.sse', status=404).save(path)
    code, output = run('replay', path)
    assert (code, output.splitlines()[0], 'HTTP 200' in output, 'error-event' in output) == (
        1,
        'HTTP 404',
        False,
        False,
    )
    assert 'error: The server reported an error in chunk 1 of the stream: no such model' in output


@pytest.mark.parametrize('suffix', ['.sse', '.json'])
def test_a_page_is_shown_by_its_title(suffix: str, tmp_path: Path) -> None:
    """As the model shows it."""
    path = tmp_path / f'a{suffix}'
    Recording(b'<html><title>Console</title>203.0.113.7</html>', streamed=suffix == '.sse', status=502).save(path)
    code, output = run('replay', path)
    assert (code, '203.0.113.7' in output) == (1, False)
    assert "error: The server answered with a web page titled 'Console' in place of an answer." in output


def test_a_stream_is_replayed_as_the_model_reads_it(tmp_path: Path) -> None:
    """Keep-alives as data, no space after the colon, an error in words."""
    (tmp_path / 'a.sse').write_bytes(b'data: : PROCESSING\n\ndata:{"choices": []}\n\ndata:[DONE]\n\n')
    (tmp_path / 'b.sse').write_bytes(b'data: error: out of memory\n\n')
    assert 'no-done' not in run('replay', tmp_path / 'a.sse')[1]
    assert (
        'error: The server reported an error in chunk 1 of the stream: out of memory'
        in run('replay', tmp_path / 'b.sse')[1]
    )


def test_replay_reads_calls_in_the_text_and_names_the_dialect_that_would(tmp_path: Path) -> None:
    """Without the option the quirk says what would read it."""
    text = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    body = {'choices': [{'index': 0, 'message': {'role': 'assistant', 'content': text}, 'finish_reason': 'stop'}]}
    path = tmp_path / 'answer.json'
    path.write_text(json.dumps(body))
    _, out = run('replay', path, '--tool', 'f')
    assert 'call-in-text: a tool call is written in the text; --text-tool-calls hermes reads it' in ' '.join(
        out.split()
    )
    _, out = run('replay', path, '--tool', 'f', '--text-tool-calls', 'hermes', '--json')
    assert [item['kind'] for item in json.loads(out)['items']] == ['provider_tool_call', 'finish']
