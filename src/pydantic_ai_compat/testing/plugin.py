"""The pytest plugin: a fixture that answers a model's requests with recorded payloads.

Pytest loads it with every run, so what a model needs is imported by the fixture.
"""

from __future__ import annotations as _annotations

import itertools
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import pytest
from typing_extensions import override

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    from .recording import Recording

__all__ = ('RecordedOpenAI', 'recorded_openai')

Cut = Literal['whole', 'bytes'] | Sequence[int]
"""Where a body is cut: nowhere, after each byte, or at byte positions."""


class RecordedOpenAI:
    """Answers requests with recordings; what the fixture `recorded_openai` gives.

    Calling it gives a model whose requests the recordings answer, in order.
    """

    def __init__(self, folder: Path) -> None:
        """Initialize without a recording.

        Args:
            folder: Where the files of recordings are, if their paths are not absolute.
        """
        self._folder = folder
        self._hosts = 0
        self.requests: list[dict[str, Any]] = []
        """The JSON bodies that were sent, in order."""

        self.headers: list[Mapping[str, str]] = []
        """The headers that were sent, in order."""

    def __call__(
        self,
        *paths: str | Path | Recording,
        cut: Cut = 'whole',
        model_name: str = 'recorded',
        model_class: type[OpenAIChatModel] | None = None,
        **options: Any,
    ) -> OpenAIChatModel:
        """Make a model that is answered by recordings.

        Args:
            *paths: The recordings, one for each request: files relative to the test's own folder, or absolute.
            cut: Where the body of each answer is cut on its way: `'whole'`, `'bytes'` for each byte on its own, or
                byte positions.
            model_name: The name of the model.
            model_class: The class of the model; by default `OpenAICompatibleModel`.
            **options: Options of the model.

        Raises:
            FileNotFoundError: If there is no such file.
            ValueError: If it is no recording.
        """
        from ..model.openai_compatible import OpenAICompatibleModel
        from .recording import Recording

        model_class = model_class or OpenAICompatibleModel
        recordings = [path if isinstance(path, Recording) else Recording.load(self._folder / path) for path in paths]
        self._hosts += 1
        provider = _provider(f'http://recorded-{self._hosts}.test/v1', self._answers(recordings, cut))
        return model_class(model_name, provider=cast(Any, provider), **options)

    def _answers(self, recordings: list[Recording], cut: Cut) -> Callable[[httpx2.Request], httpx2.Response]:
        import httpx2

        answers = iter(recordings)

        def answer(request: httpx2.Request) -> httpx2.Response:
            self.requests.append(json.loads(request.content))
            self.headers.append(dict(request.headers))
            recording = next(answers, None)
            if recording is None:
                raise AssertionError(
                    f'request {len(self.requests)} has no recording: `recorded_openai` was given {len(recordings)}'
                )
            return httpx2.Response(
                recording.status,
                headers={'content-type': recording.content_type},
                content=_pieces(recording.body, cut),
            )

        return answer


def _provider(base_url: str, answer: Callable[[httpx2.Request], httpx2.Response]) -> OpenAICompatibleProvider:
    import httpx2
    from openai import AsyncOpenAI
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    # vcrpy patches the classes of transports that httpx2 brings, `MockTransport` too; this one is out of its reach.
    # https://github.com/kevin1024/vcrpy/blob/master/vcr/patch.py
    class Answers(httpx2.AsyncBaseTransport):
        @override
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            await request.aread()
            return answer(request)

    http_client = httpx2.AsyncClient(transport=Answers())
    # Without retries: a recorded error is what the test is about.
    client = AsyncOpenAI(base_url=base_url, api_key='recorded', http_client=http_client, max_retries=0)
    return OpenAICompatibleProvider('recorded', openai_client=client)


async def _pieces(body: bytes, cut: Cut) -> AsyncIterator[bytes]:
    if cut == 'whole':
        places: Sequence[int] = ()
    elif cut == 'bytes':
        places = range(1, len(body))
    else:
        places = sorted(set(cut))
    bounds = [0, *(place for place in places if 0 < place < len(body)), len(body)]
    for start, end in itertools.pairwise(bounds):
        yield body[start:end]


@pytest.fixture
def recorded_openai(request: pytest.FixtureRequest) -> RecordedOpenAI:
    """Answer a model's requests with recorded payloads; see `RecordedOpenAI`."""
    return RecordedOpenAI(request.path.parent)
