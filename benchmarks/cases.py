"""What is measured, and the goal of each figure."""

from __future__ import annotations as _annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from pydantic_ai_compat import OpenAICompatibleModel

from .conversations import Result
from .endpoint import Endpoint, call_stream, text_stream
from .measure import Run
from .subjects import Connection, Subject, ours, peers, stock

Unit = Literal['us a message', 'us a chunk', 'ms', 'us', 'MiB']
_SCALES: dict[Unit, float] = {'us a message': 1e6, 'us a chunk': 1e6, 'ms': 1e3, 'us': 1e6, 'MiB': 1 / 2**20}

ARGUMENTS_SIZE = 128 * 1024
ARGUMENTS_CHUNKS = 4096
MEMORY_CHUNKS = {False: 100_000, True: 20_000}
"""Chunks of the stream whose memory is measured, and of the one for a quick run."""


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


def requests(
    messages: int, times: int = 1, *, result: Result = 'text', with_peers: bool = True
) -> Callable[[], dict[str, Run]]:
    """Requests with as many messages, several a run where one is too short to measure."""

    def work() -> dict[str, Run]:
        return request_runs(_everyone(_connection(Endpoint()), with_peers=with_peers), messages, times, result)

    return work


def text_tools_requests(messages: int) -> Callable[[], dict[str, Run]]:
    """Requests whose tools are text, as a ratio to stock's with native tools."""

    def work() -> dict[str, Run]:
        connection = _connection(Endpoint())
        subjects = [ours(connection, openai_chat_tools='text'), stock(connection)]
        return request_runs(subjects, messages, 1)

    return work


def request_runs(subjects: Sequence[Subject], messages: int, times: int, result: Result = 'text') -> dict[str, Run]:
    def run_of(subject: Subject) -> Run:
        prepared = subject.prepare(messages, result)

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


LENGTHS = (100, 300, 1000, 3000)
"""Messages, or chunks, at the points of the picture's curves."""


def table(*, quick: bool) -> list[Case]:
    """The rows of the table, with fewer rounds and shorter work if `quick`."""
    rounds = 2 if quick else 11
    few_rounds = 1 if quick else 5
    long = 2000 if quick else 10_000
    chunks = 300 if quick else 2000
    builds = 3 if quick else 10
    return [
        Case(
            'request-1002',
            'request with 1,002 messages, all options on',
            'us a message',
            size=1002,
            goal=0.06,
            work=requests(1002),
            rounds=rounds,
        ),
        Case(
            'request-1002-lists',
            'the same, tools return lists of three texts',
            'us a message',
            size=1002,
            goal=0.07,
            work=requests(1002, result='list', with_peers=False),
            rounds=rounds,
        ),
        Case(
            'request-1002-text-tools',
            'request with 1,002 messages, tools as text',
            'us a message',
            size=1002,
            # What a request with native tools may cost, times 1.2.
            goal=0.072,
            work=text_tools_requests(1002),
            rounds=rounds,
        ),
        Case('request-2', 'request with 2 messages', 'us', size=20, goal=1.05, work=requests(2, 20), rounds=rounds),
        Case('request-100', 'request with 100 messages', 'us a message', size=100, work=requests(100), rounds=rounds),
        Case(
            'growth',
            f'request with {long:,} messages, lists',
            'us a message',
            size=long,
            goal=25,
            goal_is_ratio=False,
            work=requests(long, result='list', with_peers=False),
            rounds=few_rounds,
        ),
        Case(
            'stream-text',
            f'streamed text, {chunks:,} chunks',
            'us a chunk',
            size=chunks,
            goal=0.60,
            work=streams(lambda: text_stream(chunks)),
            rounds=rounds,
        ),
        *(_arguments(factor, few_rounds) for factor in ((0.25,) if quick else (1, 4))),
        Case(
            'first-event',
            'first event after the first byte',
            'us',
            size=20,
            goal=1.0,
            work=first_events(20),
            rounds=rounds,
        ),
        Case(
            'construction',
            'building the model and its client',
            'ms',
            size=builds,
            goal=1.5,
            work=constructions(builds),
            rounds=rounds,
        ),
        Case('memory', f'memory of a stream of {MEMORY_CHUNKS[quick]:,} chunks', 'MiB', goal=1.0),
        Case('import', 'importing the model after stock', 'ms', goal=20, goal_is_ratio=False),
    ]


def _arguments(factor: float, rounds: int) -> Case:
    """Streamed arguments, as long as the goal has them or a multiple of it, which must cost as much a chunk."""
    chunks, size = int(factor * ARGUMENTS_CHUNKS), int(factor * ARGUMENTS_SIZE)
    return Case(
        f'stream-arguments-{chunks}',
        f'streamed arguments, {size // 1024} KiB in {chunks:,} chunks',
        'us a chunk',
        size=chunks,
        goal=0.60,
        work=streams(lambda: call_stream(chunks, size), with_peers=factor <= 1),
        rounds=rounds,
    )


def curves(*, quick: bool) -> dict[str, list[tuple[int, Case]]]:
    """The points of the picture's two plots, by the name of the plot's x-axis."""
    lengths = [length for length in LENGTHS if not quick or length <= 300]
    rounds = 1 if quick else 3
    return {
        'messages': [
            (length, Case('', f'{length:,} messages', 'ms', work=requests(length), rounds=rounds)) for length in lengths
        ],
        'chunks': [
            (length, Case('', f'{length:,} chunks', 'ms', work=_text_streams(length), rounds=rounds))
            for length in lengths
        ],
    }


def _text_streams(count: int) -> Callable[[], dict[str, Run]]:
    return streams(lambda: text_stream(count))
