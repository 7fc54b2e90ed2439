"""The command: `python -m benchmarks`."""

from __future__ import annotations as _annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import httpx2
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from pydantic_ai_compat.demo.server import LlamaCppServer, ServerStartError

from . import cases, plot, processes
from .cases import Case
from .measure import Measured, measure
from .results import Results, Row, cells, header, markdown
from .subjects import Connection, absent_peers, ours, peers, stock
from .text_calls import goals

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / 'benchmarks' / 'results.json'
PAGE = ROOT / 'docs' / 'performance.md'
PICTURE = ROOT / 'docs' / 'performance.svg'


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='python -m benchmarks', description=__doc__)
    parser.add_argument('--quick', action='store_true', help='fewer rounds and shorter work')
    parser.add_argument(
        '--case',
        action='append',
        metavar='KEY',
        help='only this row of the table; may be repeated; `--docs` renews it alone',
    )
    parser.add_argument('--json', type=Path, metavar='FILE', help='write the results as JSON')
    parser.add_argument('--svg', type=Path, metavar='FILE', help='measure the curves too, and write the picture')
    parser.add_argument('--no-server', action='store_true', help='leave out the real llama.cpp server')
    parser.add_argument(
        '--docs', action='store_true', help='measure everything and renew the table and the picture in docs/'
    )
    parser.add_argument(
        '--text-calls', action='store_true', help='measure the goals of reading calls in the text, and nothing else'
    )
    parser.add_argument(
        '--sglang',
        metavar='PYTHON',
        help="with `--text-calls`: a Python with the dependency group `bench-sglang`, to run SGLang's parsers beside ours",
    )
    parser.add_argument(
        '--check', action='store_true', help='measure nothing; fail if docs/ does not show benchmarks/results.json'
    )
    return parser.parse_args(argv)


class Bench:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace, progress: Progress) -> None:
        self.quick: bool = options.quick
        self.only: list[str] | None = options.case
        self._progress = progress
        self._task = progress.add_task('', total=None)

    def _expect(self, title: str, runs: int) -> Callable[[], None]:
        self._progress.update(self._task, description=title, total=runs, completed=0)
        return lambda: self._progress.advance(self._task)

    async def run(self, case: Case) -> Row:
        if case.key == 'memory':
            rounds = 1 if self.quick else 3
            return Row.of(
                case, processes.memory(cases.MEMORY_CHUNKS[self.quick], rounds, self._expect(case.title, 2 * rounds))
            )
        if case.key == 'import':
            rounds = 3 if self.quick else 7
            return Row.of(case, processes.import_time(rounds, self._expect(case.title, rounds)))
        return Row.of(case, await self._measure(case))

    async def _measure(self, case: Case) -> dict[str, Measured]:
        assert case.work is not None
        runs = case.work()
        return await measure(runs, case.rounds, self._expect(case.title, len(runs) * (case.rounds + 1)))

    async def table(self) -> list[Row]:
        wanted = [case for case in cases.table(quick=self.quick) if self.only is None or case.key in self.only]
        return [await self.run(case) for case in wanted]

    async def curves(self) -> dict[str, dict[str, list[tuple[int, float]]]]:
        found: dict[str, dict[str, list[tuple[int, float]]]] = {}
        for name, points in cases.curves(quick=self.quick).items():
            lines = found.setdefault(name, {})
            for count, case in points:
                for subject, figure in Row.of(case, await self._measure(case)).figures.items():
                    lines.setdefault(subject, []).append((count, figure.median))
        return found

    async def server(self) -> list[Row]:
        """The same work with a real server behind it, which runs in a process of its own."""
        times, rounds = (5, 2) if self.quick else (10, 9)
        with ExitStack() as stack:
            self._expect('starting llama.cpp', 1)
            llama = stack.enter_context(LlamaCppServer(context_size=65_536))
            async with httpx2.AsyncClient(timeout=120) as http_client:
                connection = Connection(llama.base_url, llama.model_name, http_client)
                subjects = [ours(connection), stock(connection), *peers(connection)]
                rows: list[Row] = []
                for case in (
                    Case('server-request-102', 'request with 102 messages', 'us a message', 102, rounds=rounds,
                         work=lambda: cases.request_runs(subjects, 102, 1)),
                    Case('server-request-2', 'request with 2 messages', 'us', times, rounds=rounds,
                         work=lambda: cases.request_runs(subjects, 2, times)),
                    Case('server-stream', 'streamed answer', 'us', times, rounds=rounds,
                         work=lambda: cases.stream_runs(subjects, times)),
                ):  # fmt: skip
                    rows.append(Row.of(case, await self._measure(case)))
        return rows


def _show(console: Console, title: str, rows: list[Row]) -> None:
    names = header(rows)
    table = Table(*names, title=title, show_lines=True)
    for row in rows:
        table.add_row(*cells(row, names))
    console.print(table)


def _show_goals(console: Console, sglang: str | None, *, quick: bool) -> bool:
    """Whether all goals of reading calls in the text are met."""
    table = Table('measure', 'goal', 'found', 'met', title='Calls in the text', show_lines=True)
    all_met = True
    for goal in goals(sglang, quick=quick):
        table.add_row(goal.measure, goal.goal, goal.found, 'yes' if goal.met else 'no')
        all_met = all_met and goal.met
    console.print(table)
    return all_met


async def _run(options: argparse.Namespace, console: Console) -> Results:
    results = Results(absent=absent_peers())
    for name in results.absent:
        console.print(f'{name} is not installed and left out: pip install "pydantic-ai-compat\\[bench]"')
    columns = (TextColumn('{task.description}'), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bench = Bench(options, progress)
        results.rows = await bench.table()
        if not (options.no_server or options.case):
            try:
                results.server = await bench.server()
            except ServerStartError as error:
                console.print(f'The real server is left out: {error}')
        if options.svg or (options.docs and not options.case):
            results.curves = await bench.curves()
    return results


def fill(page: str, results: Results) -> str:
    """A page of the documentation with its generated parts renewed."""
    versions = ', '.join(f'{name} {version}' for name, version in results.versions.items())
    parts = {
        'measured': f'Measured on {results.date}, Python {results.python}, {results.machine}: {versions}.\n',
        'table': markdown(results.rows),
        'server': markdown(results.server),
    }
    for name, text in parts.items():
        start, end = f'<!-- {name} -->\n', f'<!-- /{name} -->\n'
        before, _, rest = page.partition(start)
        _, _, after = rest.partition(end)
        page = before + start + text + end + after
    return page


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, print and write what was asked for."""
    options = _arguments(argv)
    if options.check:
        page = PAGE.read_text(encoding='utf-8')
        sys.exit(0 if fill(page, Results.read(RESULTS)) == page else f'{PAGE.name} is not what {RESULTS.name} says.')
    console = Console()
    if options.text_calls:
        sys.exit(0 if _show_goals(console, options.sglang, quick=options.quick) else 'A goal is not met.')
    results = asyncio.run(_run(options, console))
    _show(console, 'CPU time of the client, as a ratio to stock pydantic-ai: median (min – max)', results.rows)
    if results.server:
        _show(console, 'With the real llama.cpp server', results.server)
    if options.json:
        options.json.write_text(results.to_json(), encoding='utf-8')
    if options.svg:
        options.svg.write_text(plot.picture(results.curves), encoding='utf-8')
    if options.docs:
        if options.case:
            results = Results.read(RESULTS).renewed(results)
        RESULTS.write_text(results.to_json(), encoding='utf-8')
        PICTURE.write_text(plot.picture(results.curves), encoding='utf-8')
        PAGE.write_text(fill(PAGE.read_text(encoding='utf-8'), results), encoding='utf-8')


if __name__ == '__main__':
    main()
