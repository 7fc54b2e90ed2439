"""The command line `pydantic-ai-compat`; one module per subcommand, heavy imports inside the subcommand."""

from __future__ import annotations as _annotations

import io
import sys

__all__ = ('main',)


def main() -> None:
    """Run the command line, or say how to install what it needs."""
    try:
        from .app import app
    except ModuleNotFoundError as error:
        if error.name not in ('typer', 'rich'):
            raise
        sys.exit(f'The command line needs `{error.name}`: pip install "pydantic-ai-compat[cli]"')
    for stream in (sys.stdout, sys.stderr):
        # Half of a surrogate pair, or a letter that a terminal's encoding lacks, is spelled out as JSON does it.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors='backslashreplace')
    app()
