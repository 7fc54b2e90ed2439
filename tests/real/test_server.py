from __future__ import annotations as _annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pydantic_ai_compat.demo import llama_child, server as server_module
from pydantic_ai_compat.demo.scripted_model import SCRIPTS, build_scripted_model, simulate
from pydantic_ai_compat.demo.server import LlamaCppServer, ServerStartError
from pydantic_ai_compat.probing.prompt import PromptError

USER = {'role': 'user', 'content': 'Weather in Paris?'}
CALL = {
    'role': 'assistant',
    'content': None,
    'tool_calls': [
        {'id': 'c1', 'type': 'function', 'function': {'name': 'get_weather', 'arguments': '{"city": "Paris"}'}}
    ],
}
TOOL = {
    'type': 'function',
    'function': {
        'name': 'get_weather',
        'parameters': {'type': 'object', 'properties': {'city': {'type': 'string'}, 'days': {'type': 'integer'}}},
    },
}


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that servers are started in from now on."""
    started: list[subprocess.Popen[bytes]] = []
    popen: type[subprocess.Popen[bytes]] = subprocess.Popen

    def start(*args: Any, **kwargs: Any) -> subprocess.Popen[bytes]:
        process = popen(*args, **kwargs)
        started.append(process)
        return process

    monkeypatch.setattr(subprocess, 'Popen', start)
    return started


def complete(server: LlamaCppServer, body: dict[str, Any]) -> dict[str, Any]:
    response = httpx2.post(f'{server.base_url}/chat/completions', json=body, timeout=60)
    assert response.status_code == 200, response.text
    return response.json()['choices'][0]


@pytest.mark.parametrize('script', SCRIPTS, ids=lambda script: str(script.trigger))
def test_the_server_answers_as_the_numpy_simulation_of_the_model_does(llama_server: LlamaCppServer, script: Any):
    """Two implementations of one transformer: llama.cpp's kernels and tokenizer, and ours."""
    messages = [{'role': 'user', 'content': f'Weather {script.trigger or ""} in Paris?'}]
    choice = complete(llama_server, {'messages': messages})
    simulated = simulate(build_scripted_model(), llama_server.apply_template(messages))
    assert (choice['message']['content'], choice['finish_reason']) == (simulated, 'stop')
    assert simulated == script.text


def test_a_call_is_parsed_by_the_server_when_the_tool_is_declared(llama_server: LlamaCppServer):
    """The default script is a Hermes tool call, which llama.cpp's parser finds by our chat template."""
    choice = complete(llama_server, {'messages': [USER], 'tools': [TOOL]})
    (call,) = choice['message']['tool_calls']
    assert (choice['finish_reason'], call['function']['name'], json.loads(call['function']['arguments'])) == (
        'tool_calls',
        'get_weather',
        {'city': 'Paris', 'days': 2},
    )


def test_an_answer_without_a_temperature_is_the_same_each_time(llama_server: LlamaCppServer):
    body = {'messages': [{'role': 'user', 'content': '#badjson'}], 'tools': [TOOL]}
    first, second = (complete(llama_server, body)['message']['tool_calls'][0]['function'] for _ in range(2))
    assert first == second


def test_the_prompt_holds_each_tool_message_as_a_block_of_its_own(llama_server: LlamaCppServer):
    results = [{'role': 'tool', 'tool_call_id': 'c1', 'content': text} for text in ('alpha', 'beta')]
    assert llama_server.apply_template([USER, CALL, *results]) == (
        '<|im_start|>user\nWeather in Paris?<|im_end|>\n'
        '<|im_start|>assistant\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
        '<|im_end|>\n'
        '<|im_start|>user\n<tool_response>\nalpha\n</tool_response>\n<tool_response>\nbeta\n</tool_response><|im_end|>\n'
        '<|im_start|>assistant\n'
    )


def test_the_prompt_joins_text_parts_with_a_newline(llama_server: LlamaCppServer):
    """llama.cpp does so for a template that does not read parts: 46 of 71 real templates."""
    parts = [{'type': 'text', 'text': 'alpha'}, {'type': 'text', 'text': 'beta'}]
    prompt = llama_server.apply_template([USER, CALL, {'role': 'tool', 'tool_call_id': 'c1', 'content': parts}])
    assert '\n<tool_response>\nalpha\nbeta\n</tool_response><|im_end|>' in prompt


def test_the_prompt_lists_the_tools_after_the_system_message(llama_server: LlamaCppServer):
    prompt = llama_server.apply_template([{'role': 'system', 'content': 'Be brief.'}, USER], [TOOL])
    assert prompt.startswith('<|im_start|>system\nBe brief.\n\nFunctions you can call')
    assert '"name": "get_weather"' in prompt
    assert prompt.count('Be brief.') == 1


def test_another_chat_template_is_used_as_text_or_from_a_file(
    start_llama_server: Callable[..., LlamaCppServer], tmp_path: Path
):
    text = '{% for message in messages %}[{{ message.role }}] {{ message.content }}\n{% endfor %}'
    file = tmp_path / 'template.jinja'
    file.write_text(text, encoding='utf-8')
    prompts = [
        start_llama_server(chat_template=template).apply_template([{'role': 'user', 'content': 'Grüße'}])
        for template in (text, file)
    ]
    assert prompts == ['[user] Grüße\n'] * 2


def test_a_conversation_that_the_template_refuses_is_an_error_with_the_reason(
    start_llama_server: Callable[..., LlamaCppServer],
):
    template = (
        "{% for message in messages %}{% if message.content == 'bad' %}{{ raise_exception('refused here') }}{% endif %}"
        '{{ message.content }}\n{% endfor %}'
    )
    server = start_llama_server(chat_template=template)
    with pytest.raises(PromptError, match='refused here'):
        server.apply_template([{'role': 'user', 'content': 'bad'}])


def test_a_key_is_asked_for_and_sent_along_for_the_prompt(start_llama_server: Callable[..., LlamaCppServer]):
    server = start_llama_server(api_key='sk-local')
    assert httpx2.post(f'{server.base_url}/chat/completions', json={'messages': [USER]}).status_code == 401
    assert server.apply_template([USER]).startswith('<|im_start|>user\n')
    assert 'sk-local' not in repr(server)


def test_a_prompt_longer_than_the_context_is_refused_by_the_server(start_llama_server: Callable[..., LlamaCppServer]):
    server = start_llama_server(context_size=256)
    response = httpx2.post(
        f'{server.base_url}/chat/completions', json={'messages': [{'role': 'user', 'content': 'x' * 1000}]}
    )
    assert (response.status_code, response.json()['error']['type']) == (400, 'exceed_context_size_error')


def test_the_process_is_gone_after_the_block(processes: list[subprocess.Popen[bytes]]):
    with LlamaCppServer() as server:
        assert repr(server) == f'LlamaCppServer({server.base_url.removesuffix("/v1")})'
        (process,) = processes
        assert process.poll() is None
    assert process.returncode == 0
    assert repr(server) == 'LlamaCppServer(not running)'
    with pytest.raises(RuntimeError, match='inside its `with` block only'):
        _ = server.base_url


def test_a_stuck_process_is_killed(processes: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server_module, '_STOP_SECONDS', 0.1)
    with LlamaCppServer():
        (process,) = processes
        process.send_signal(signal.SIGSTOP)
    assert process.returncode == -signal.SIGKILL


@pytest.mark.untraced
def test_the_process_ends_when_its_parent_is_killed():
    """The server reads its standard input to the end, which comes with the death of the process that holds it."""
    code = (
        'import os, signal, subprocess\n'
        'from pydantic_ai_compat.demo.server import LlamaCppServer\n'
        'with LlamaCppServer() as server:\n'
        '    print(server.base_url, flush=True)\n'
        '    os.kill(os.getpid(), signal.SIGKILL)\n'
    )
    parent = subprocess.run([sys.executable, '-c', code], stdout=subprocess.PIPE, text=True, check=False)
    assert parent.returncode == -signal.SIGKILL
    host, port = parent.stdout.strip().removeprefix('http://').removesuffix('/v1').split(':')
    with suppress(ConnectionError), socket.create_connection((host, int(port)), timeout=10) as connection:
        assert connection.recv(1) == b'', 'the end of the process closes what it had accepted'


def test_a_server_that_does_not_start_says_what_it_printed(tmp_path: Path):
    with pytest.raises(ServerStartError) as caught, LlamaCppServer(model_path=tmp_path / 'no.gguf'):
        pass
    message = str(caught.value)
    assert message.startswith('llama.cpp exited with status 1; it printed last:\n')
    assert f"failed to load model '{tmp_path / 'no.gguf'}'" in message
    assert 'Traceback' not in message


def test_a_broken_chat_template_is_an_error_with_the_parsers_words():
    with pytest.raises(ServerStartError, match='Parser Error'), LlamaCppServer(chat_template='{{ broken'):
        pass


def test_a_chat_template_that_cannot_be_read_is_an_error_before_anything_is_started(
    processes: list[subprocess.Popen[bytes]], tmp_path: Path
):
    file = tmp_path / 'template.jinja'
    with pytest.raises(ServerStartError) as caught, LlamaCppServer(chat_template=file):
        pass
    assert str(caught.value) == f'{file}: cannot be read: No such file or directory.'
    file.write_bytes(b'{{ messages }}\xff')
    with pytest.raises(ServerStartError) as caught, LlamaCppServer(chat_template=file):
        pass
    assert str(caught.value) == f'{file}: not UTF-8 text (byte 14).'
    assert processes == []


def test_a_server_that_is_not_up_in_time_is_killed(
    processes: list[subprocess.Popen[bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    child = tmp_path / 'child.py'
    child.write_text('import sys\nsys.stdin.buffer.read()\n', encoding='utf-8')
    monkeypatch.setattr(llama_child, '__file__', str(child))
    with pytest.raises(ServerStartError) as caught, LlamaCppServer(start_timeout=0.2):
        pass
    assert str(caught.value) == 'llama.cpp was not up after 0.2 s'
    assert processes[0].returncode == -signal.SIGKILL


def test_a_process_that_dies_at_once_is_an_error_and_its_key_is_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A chat template larger than the pipe's buffer: the write itself meets the closed end."""
    child = tmp_path / 'child.py'
    child.write_text('import sys\nsys.exit("no kernel for sk-local")\n', encoding='utf-8')
    monkeypatch.setattr(llama_child, '__file__', str(child))
    with (
        pytest.raises(ServerStartError) as caught,
        LlamaCppServer(chat_template='x' * 1_000_000, api_key='sk-local'),
    ):
        pass
    assert str(caught.value) == 'llama.cpp exited with status 1; it printed last:\n  no kernel for ***'


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server_module, '_NEEDED', ('xllamacpp', 'no_such_package'))
    with pytest.raises(ServerStartError) as caught, LlamaCppServer():
        pass
    assert str(caught.value) == ('The embedded server needs no_such_package: pip install "pydantic-ai-compat[demo]"')
