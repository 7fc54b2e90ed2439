"""The process that llama.cpp's server runs in; `server.LlamaCppServer` starts this file as a script.

It imports nothing of this package, so that a server is up in a fraction of a second. Its settings come as one line of
JSON on the standard input (an API key in the arguments would show in the list of processes), its address leaves as one
line of JSON on the standard output, and it ends when the standard input does: also when its parent is killed.
"""

from __future__ import annotations as _annotations

import importlib
import json
import os
import sys
from typing import IO, Any

__all__ = ('start',)


def start(settings: IO[bytes], address: IO[bytes]) -> Any:
    """Start the server on a free port of the loopback interface, and say where it is.

    Args:
        settings: First line: `{"model_path": str, "model_name": str, "context_size": int, "chat_template": str|null,
            "api_key": str|null}`.
        address: Gets the line `{"url": "http://127.0.0.1:PORT"}` once the model is loaded and the server answers.

    Returns:
        The server, which runs as long as somebody holds it.
    """
    options: dict[str, Any] = json.loads(settings.readline())
    # The wheel has no type stubs.
    xllamacpp: Any = importlib.import_module('xllamacpp')
    try:
        server = xllamacpp.Server(_parameters(xllamacpp.CommonParams(), options))
    except RuntimeError as error:
        sys.exit(str(error))  # without a traceback, which would push llama.cpp's own reason out of sight
    address.write(json.dumps({'url': server.listening_address}).encode() + b'\n')
    address.flush()
    return server


def _parameters(parameters: Any, options: dict[str, Any]) -> Any:
    parameters.model.path = options['model_path']
    parameters.model_alias = {options['model_name']}
    parameters.hostnames = ['127.0.0.1']
    parameters.port = 0
    parameters.n_ctx = options['context_size']
    parameters.n_parallel = 1
    parameters.n_predict = 256
    # One thread: the model is tiny, and threads that wait for each other lose more than they gain on a busy machine.
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.use_jinja = True
    parameters.ui = False
    parameters.verbosity = 1  # errors only: what a failed start is explained with
    parameters.warmup = False
    # Greedy unless a request says otherwise: what a grammar leaves of a script is then the same each time.
    parameters.sampling.temp = 0.0
    if options['chat_template'] is not None:
        parameters.chat_template = options['chat_template']
    if options['api_key'] is not None:
        parameters.api_keys = [options['api_key']]
    return parameters


if __name__ == '__main__':
    running = start(sys.stdin.buffer, sys.stdout.buffer)
    sys.stdin.buffer.read()
    # Not by dropping the server: xllamacpp 2026.10 then waits for its main loop to end, and of the servers that stop
    # right after their start one in 25 never does. There is nothing to save.
    os._exit(0)
