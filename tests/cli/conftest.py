from __future__ import annotations as _annotations

import functools
from collections.abc import Iterator

import pytest
import typer.main


@pytest.fixture(scope='session', autouse=True)
def commands_built_once() -> Iterator[None]:
    """Typer's runner builds all commands anew for each call, which is a good part of most calls' cost.

    Where the runner has this name no more, it does so again, and the tests are slower and nothing else.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr('typer.testing._get_command', functools.cache(typer.main.get_command), raising=False)
        yield
