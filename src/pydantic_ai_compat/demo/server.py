"""llama.cpp's HTTP server with the scripted model, started and stopped by a `with` block."""

from __future__ import annotations as _annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Any, Self

from ..probing.prompt import render_prompt
from . import llama_child

__all__ = ('LlamaCppServer', 'ServerStartError')

_NEEDED = ('xllamacpp', 'gguf', 'numpy')
_STOP_SECONDS = 20.0
_SHOWN_LINES = 20


class ServerStartError(RuntimeError):
    """The server did not start; the message says why, with the last lines that it printed."""


class LlamaCppServer:
    """llama.cpp's own server on a free port of the loopback interface, in a process of its own.

    A crash or a stuck server stays in that process, which ends with the `with` block and also when the calling process
    is killed. One server serves one block; requests may come from any thread or event loop.

    Args:
        chat_template: The Jinja text of a chat template, or the path of a file that holds it (a `Path`), instead of
            the one that goes with the model.
        model_path: A GGUF file. Without it, the scripted model is made on the spot.
        context_size: How many tokens prompt and answer have together; the scripted model spends one on each byte.
        api_key: The key that every request has to bring, except those to `/health`.
        start_timeout: Seconds after which a server that is not up is killed.

    Raises:
        ServerStartError: On entering: a package of the extra `demo` is missing, the template's file cannot be read, or
            the server did not start.
    """

    model_name = 'scripted'
    """The name to ask for; llama.cpp itself answers to any."""

    def __init__(
        self,
        *,
        chat_template: str | Path | None = None,
        model_path: Path | None = None,
        context_size: int = 8192,
        api_key: str | None = None,
        start_timeout: float = 60,
    ):
        self._chat_template = chat_template
        self._model_path = model_path
        self._context_size = context_size
        self._api_key = api_key
        self._start_timeout = start_timeout
        self._resources = ExitStack()
        self._url: str | None = None

    def __repr__(self) -> str:
        return f'LlamaCppServer({self._url or "not running"})'

    @property
    def base_url(self) -> str:
        """The address for an OpenAI client, with `/v1`."""
        if self._url is None:
            raise RuntimeError('The server runs inside its `with` block only.')
        return f'{self._url}/v1'

    def apply_template(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None = None
    ) -> str:
        """The prompt that the model gets for a conversation.

        Args:
            messages: Messages as in the body of a Chat Completions request.
            tools: Tools, likewise.

        Raises:
            PromptError: The server, or the template in it, refuses the conversation.
        """
        return render_prompt(self.base_url, messages, tools, api_key=self._api_key)

    def __enter__(self) -> Self:
        _check_installed()
        with ExitStack() as stack:
            model_path = self._model_path or _make_model(stack)
            log = stack.enter_context(tempfile.TemporaryFile())
            settings = {
                'model_path': str(model_path),
                'model_name': self.model_name,
                'context_size': self._context_size,
                'chat_template': _template_text(self._chat_template),
                'api_key': self._api_key,
            }
            self._url = _start(stack, settings, log, self._start_timeout)
            self._resources = stack.pop_all()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._url = None
        self._resources.close()


def _check_installed() -> None:
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise ServerStartError(
            f'The embedded server needs {", ".join(missing)}: pip install "pydantic-ai-compat[demo]"'
        )


def _template_text(chat_template: str | Path | None) -> str | None:
    if not isinstance(chat_template, Path):
        return chat_template
    try:
        return chat_template.read_text(encoding='utf-8')
    except OSError as error:
        raise ServerStartError(f'{chat_template}: cannot be read: {error.strerror or error}.') from None
    except UnicodeDecodeError as error:
        raise ServerStartError(f'{chat_template}: not UTF-8 text (byte {error.start}).') from None


def _make_model(stack: ExitStack) -> Path:
    from .gguf_file import write_gguf
    from .scripted_model import build_scripted_model

    path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix='pydantic-ai-compat-'))) / 'scripted.gguf'
    write_gguf(build_scripted_model(), path)
    return path


def _start(stack: ExitStack, settings: dict[str, Any], log: IO[bytes], timeout: float) -> str:
    """Start the process, leave its end to `stack`, and return the server's address."""
    # Unbuffered, so that closing the pipe of a process that is gone has nothing left to write.
    process = subprocess.Popen(
        [sys.executable, '-P', llama_child.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        bufsize=0,
    )
    stack.callback(_stop, process)
    line, in_time = _exchange(process, json.dumps(settings).encode() + b'\n', timeout)
    if not line:
        raise ServerStartError(_start_failure(process.wait(), log, settings['api_key'], None if in_time else timeout))
    return json.loads(line)['url']


def _exchange(process: subprocess.Popen[bytes], request: bytes, timeout: float) -> tuple[bytes, bool]:
    """Write a line, wait for a line; `b''` if the process ends first, as it does when its time is over."""
    assert process.stdin is not None and process.stdout is not None
    late = threading.Event()

    def kill() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(timeout, kill)
    timer.start()
    try:
        # A process that is gone already takes nothing and writes nothing.
        with suppress(BrokenPipeError):
            process.stdin.write(request)
        line = process.stdout.readline()
    finally:
        timer.cancel()
        timer.join()
    return line, not late.is_set()


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the process: it stops at the end of its input, and is killed if it does not."""
    assert process.stdin is not None
    with process:
        process.stdin.close()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()


def _start_failure(status: int, log: IO[bytes], api_key: str | None, timeout: float | None) -> str:
    reason = f'exited with status {status}' if timeout is None else f'was not up after {timeout:g} s'
    log.seek(0)
    printed = log.read().decode(errors='replace')
    if api_key:
        printed = printed.replace(api_key, '***')
    lines = printed.strip().splitlines()[-_SHOWN_LINES:]
    return '\n  '.join([f'llama.cpp {reason}; it printed last:', *lines] if lines else [f'llama.cpp {reason}'])
