from __future__ import annotations as _annotations

import io
import json
import os
import runpy
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from pydantic_ai_compat.demo import llama_child

SETTINGS = {
    'model_path': '/models/scripted.gguf',
    'model_name': 'scripted',
    'context_size': 512,
    'chat_template': None,
    'api_key': None,
}


class Parameters(SimpleNamespace):
    def __init__(self):
        super().__init__(
            model=SimpleNamespace(),
            sampling=SimpleNamespace(),
            cpuparams=SimpleNamespace(),
            cpuparams_batch=SimpleNamespace(),
        )


class FakeLlamaCpp:
    """The two names of `xllamacpp` that the child uses; `tests/real` runs it against the real wheel."""

    CommonParams = Parameters

    def __init__(self, error: str | None = None):
        self.error = error
        self.served: list[Parameters] = []

    def Server(self, parameters: Parameters) -> SimpleNamespace:
        if self.error is not None:
            raise RuntimeError(self.error)
        self.served.append(parameters)
        return SimpleNamespace(listening_address='http://127.0.0.1:4711')


class Stream:
    def __init__(self, content: bytes = b''):
        self.buffer = io.BytesIO(content)


def settings_line(**changes: Any) -> bytes:
    return json.dumps({**SETTINGS, **changes}).encode() + b'\n'


def test_the_script_serves_on_loopback_and_a_free_port_and_says_where(monkeypatch: pytest.MonkeyPatch):
    """Port 0 lets the system choose, so no other process can take the port between the choice and its use."""
    llama_cpp, output = FakeLlamaCpp(), Stream()
    monkeypatch.setitem(sys.modules, 'xllamacpp', llama_cpp)
    monkeypatch.setattr(sys, 'stdin', Stream(settings_line()))
    monkeypatch.setattr(sys, 'stdout', output)
    monkeypatch.setattr(os, '_exit', sys.exit)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(llama_child.__file__, run_name='__main__')
    assert ended.value.code == 0
    assert json.loads(output.buffer.getvalue()) == {'url': 'http://127.0.0.1:4711'}
    (parameters,) = llama_cpp.served
    assert vars(parameters) == {
        'model': SimpleNamespace(path='/models/scripted.gguf'),
        'model_alias': {'scripted'},
        'hostnames': ['127.0.0.1'],
        'port': 0,
        'n_ctx': 512,
        'n_parallel': 1,
        'n_predict': 256,
        'cpuparams': SimpleNamespace(n_threads=1),
        'cpuparams_batch': SimpleNamespace(n_threads=1),
        'use_jinja': True,
        'ui': False,
        'verbosity': 1,
        'warmup': False,
        'sampling': SimpleNamespace(temp=0.0),
    }


def test_a_template_and_a_key_are_handed_on(monkeypatch: pytest.MonkeyPatch):
    llama_cpp = FakeLlamaCpp()
    monkeypatch.setitem(sys.modules, 'xllamacpp', llama_cpp)
    llama_child.start(io.BytesIO(settings_line(chat_template='{{ x }}', api_key='sk-local')), io.BytesIO())
    assert (llama_cpp.served[0].chat_template, llama_cpp.served[0].api_keys) == ('{{ x }}', ['sk-local'])


def test_a_server_that_cannot_be_made_ends_the_process_with_its_words(monkeypatch: pytest.MonkeyPatch):
    address = io.BytesIO()
    monkeypatch.setitem(sys.modules, 'xllamacpp', FakeLlamaCpp('Failed to init server'))
    with pytest.raises(SystemExit, match='^Failed to init server$'):
        llama_child.start(io.BytesIO(settings_line()), address)
    assert address.getvalue() == b''
