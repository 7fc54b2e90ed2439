"""What is measured, and the goal of each figure."""

from __future__ import annotations as _annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from pydantic_ai_compat import OpenAICompatibleModel

from .endpoint import Endpoint, call_stream, text_stream
from .measure import Run
from .subjects import Connection, Subject, ours, peers, stock

Unit = Literal['us a message', 'us a chunk', 'ms', 'us', 'MiB']
_SCALES: dict[Unit, float] = {'us a message': 1e6, 'us a chunk': 1e6, 'ms': 1e3, 'us': 1e6, 'MiB': 1 / 2**20}

ARGUMENTS_SIZE = 128 * 1024
ARGUMENTS_CHUNKS = 4096


@dataclass(frozen=True)
class Case:
    """One row of the table.

    Args:
        key: Its name on the command line and in the JSON.
        title: Its name in the table.
        unit: What a figure of it is told in.
        size: How many messages or chunks the cost is divided by.
        goal: The most that ours may be: a ratio to stock, or a figure in `unit` if `goal_is_ratio` is false.
        work: The runs, by subject; `None` for work that takes processes of its own.
    """

    key: str
    title: str
    unit: Unit
    size: int = 1
    goal: float | None = None
    goal_is_ratio: bool = True
    work: Callable[[], dict[str, Run]] | None = None
    rounds: int = 15

    @property
    def scale(self) -> float:
        return _SCALES[self.unit] / self.size


def _connection(endpoint: Endpoint) -> Connection:
    return Connection(endpoint.base_url, endpoint.model_name, endpoint.http_client)


def _everyone(connection: Connection, *, with_peers: bool) -> list[Subject]:
    return [ours(connection), stock(connection), *(peers(connection) if with_peers else ())]


def requests(messages: int, times: int = 1, *, with_peers: bool = True) -> Callable[[], dict[str, Run]]:
    """Requests with as many messages, several a run where one is too short to measure."""

    def work() -> dict[str, Run]:
        return request_runs(_everyone(_connection(Endpoint()), with_peers=with_peers), messages, times)

    return work


def request_runs(subjects: Sequence[Subject], messages: int, times: int) -> dict[str, Run]:
    def run_of(subject: Subject) -> Run:
        prepared = subject.prepare(messages)

        async def run() -> None:
            for _ in range(times):
                await subject.request(prepared)

        return run

    return {subject.name: run_of(subject) for subject in subjects}


def streams(blocks: Callable[[], Sequence[bytes]], *, with_peers: bool = True) -> Callable[[], dict[str, Run]]:
    """One answer, streamed to its end."""

    def work() -> dict[str, Run]:
        endpoint = Endpoint()
        endpoint.stream = blocks()
        return stream_runs(_everyone(_connection(endpoint), with_peers=with_peers), 1)

    return work


def stream_runs(subjects: Sequence[Subject], times: int) -> dict[str, Run]:
    def run_of(subject: Subject) -> Run:
        prepared = subject.prepare(2)

        async def run() -> None:
            for _ in range(times):
                await subject.stream(prepared)

        return run

    return {subject.name: run_of(subject) for subject in subjects}


def first_events(times: int) -> Callable[[], dict[str, Run]]:
    """From the first byte of a body to the first event that the consumer gets."""

    def work() -> dict[str, Run]:
        endpoint = Endpoint()
        endpoint.stream = text_stream(2)

        def run_of(subject: Subject) -> Run:
            prepared = subject.prepare(2)

            async def run() -> float:
                spent = 0.0
                for _ in range(times):
                    first_event = await subject.stream(prepared)
                    spent += first_event - endpoint.first_byte
                return spent

            return run

        return {subject.name: run_of(subject) for subject in _everyone(_connection(endpoint), with_peers=False)}

    return work


def constructions(times: int) -> Callable[[], dict[str, Run]]:
    """Models with a provider and a client of their own, as a loader of YAML builds them."""

    def work() -> dict[str, Run]:
        def build_stock() -> Any:
            return OpenAIChatModel('m', provider=OpenAICompatibleProvider('x', base_url='http://x/v1', api_key='k'))

        def build_ours() -> Any:
            return OpenAICompatibleModel('m', base_url='http://x/v1', api_key='k', tool_return_as_list='true')

        def run_of(build: Callable[[], Any]) -> Run:
            async def run() -> None:
                for _ in range(times):
                    build()

            return run

        return {'ours': run_of(build_ours), 'stock': run_of(build_stock)}

    return work


GROWTH = (100, 300, 1000, 3000, 10_000)
"""Messages of the growth rows, and of the picture."""

CHUNKS = (100, 300, 1000, 3000, 10_000)
"""Chunks of the stream rows of the picture."""


def table(*, quick: bool) -> list[Case]:
    """The rows, with fewer rounds and shorter work if `quick`."""
    rounds = 3 if quick else 15
    chunks = 500 if quick else 2000
    return [
        Case('request-1002', 'request with 1,002 messages, all options on', 'us a message', 1002, 0.06,
             work=requests(1002), rounds=rounds),
        Case('request-2', 'request with 2 messages', 'us', 20, 1.05, work=requests(2, 20), rounds=rounds),
        Case('growth', 'request with 10,000 messages', 'us a message', 10_000, 25, goal_is_ratio=False,
             work=requests(10_000, with_peers=False), rounds=min(rounds, 5)),
        Case('stream-text', f'streamed text, {chunks:,} chunks', 'us a chunk', chunks, 0.60,
             work=streams(lambda: text_stream(chunks)), rounds=rounds),
        Case('stream-arguments', 'streamed arguments, 128 KiB in 4,096 chunks', 'us a chunk', ARGUMENTS_CHUNKS, 0.60,
             work=streams(lambda: call_stream(ARGUMENTS_CHUNKS, ARGUMENTS_SIZE)), rounds=min(rounds, 7)),
        Case('stream-arguments-4x', 'the same four times as long, 512 KiB in 16,384 chunks', 'us a chunk',
             4 * ARGUMENTS_CHUNKS, 0.60, rounds=min(rounds, 5),
             work=streams(lambda: call_stream(4 * ARGUMENTS_CHUNKS, 4 * ARGUMENTS_SIZE), with_peers=False)),
        Case('first-event', 'first event after the first byte', 'us', 20, 1.0, work=first_events(20), rounds=rounds),
        Case('construction', 'building the model', 'us', 50, 1.5, work=constructions(50), rounds=rounds),
        Case('memory', f'memory of a stream of {10_000 if quick else 100_000:,} chunks', 'MiB', 1, 1.0),
        Case('import', '`import pydantic_ai_compat` after `pydantic_ai.models.openai`', 'ms', 1, 20, goal_is_ratio=False),
    ]  # fmt: skip


def curves(*, quick: bool) -> dict[str, list[Case]]:
    """The points of the picture's two plots, by the name of the plot's x-axis."""
    lengths = [length for length in GROWTH if not quick or length <= 1000]
    counts = [count for count in CHUNKS if not quick or count <= 1000]
    rounds = 3 if quick else 5
    return {
        'messages': [
            Case(f'messages-{length}', f'{length:,} messages', 'ms', work=requests(length), rounds=rounds)
            for length in lengths
        ],
        'chunks': [
            Case(f'chunks-{count}', f'{count:,} chunks', 'ms', work=_text_streams(count), rounds=rounds)
            for count in counts
        ],
    }


def _text_streams(count: int) -> Callable[[], dict[str, Run]]:
    return streams(lambda: text_stream(count))
