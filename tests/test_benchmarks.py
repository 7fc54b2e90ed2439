"""The benchmark runs and reports; what it measures is nobody's test."""

from __future__ import annotations as _annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.__main__ import RESULTS, main
from benchmarks.results import Results
from benchmarks.text_calls import beside
from benchmarks.text_peers import compare

pytestmark = pytest.mark.untraced

Run = Callable[..., tuple[object, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[object, str, str]]:
    """The command in this process: its exit status, its output and its errors."""
    monkeypatch.setenv('COLUMNS', '250')

    def run(*arguments: str) -> tuple[object, str, str]:
        status: object = 0
        try:
            main(arguments)
        except SystemExit as ended:
            status = ended.code
        printed, errors = capsys.readouterr()
        return status, printed, errors

    return run


def test_a_quick_run_prints_the_table_names_absent_peers_and_writes_what_it_is_asked_for(
    run: Run, tmp_path: Path
) -> None:
    """One row of requests and one of streams stand for the others, which differ in sizes."""
    report, picture = tmp_path / 'report.json', tmp_path / 'picture.svg'
    cases = ('--case', 'request-2', '--case', 'stream-text')
    status, printed, errors = run('--quick', '--no-server', *cases, '--json', str(report), '--svg', str(picture))
    assert (status, errors.strip()) == (0, '')
    for title in ('request with 2 messages', 'streamed text, 300 chunks', '≤ 1.05', '≤ 0.6'):
        assert title in printed
    for name, module in {'langchain-openai': 'langchain_openai', 'litellm': 'litellm'}.items():
        absent = f'{name} is not installed and left out: pip install "pydantic-ai-compat[bench]"'
        assert (absent in printed) is (importlib.util.find_spec(module) is None)
    results = json.loads(report.read_text('utf-8'))
    assert [row['key'] for row in results['rows']] == ['request-2', 'stream-text']
    assert {'ours', 'stock', 'openai'} <= set(results['rows'][0]['ratios'])
    assert set(results['curves']) == {'messages', 'chunks'}
    assert picture.read_text('utf-8').count('<polyline') == 2 * len(results['rows'][0]['figures'])


def test_the_page_shows_the_results_that_are_kept(run: Run) -> None:
    """The tables of docs/performance.md are written by the benchmark, from the results beside it."""
    assert run('--check') == (0, '', '')


def test_the_goals_of_calls_in_the_text_are_printed_and_those_that_are_counted_are_met(run: Run) -> None:
    """The lines behind the seventh are times, which a loaded machine may spoil, and so is the exit status.

    A part of the cases is read here; `tests/text/dialects/test_cases.py` reads them all.
    """
    _, printed, _ = run('--text-calls', '--quick')
    rows = [line.split('│')[1:5] for line in printed.splitlines() if line.startswith('│')]
    assert [met.strip() for *_, met in rows[:7]] == ['yes'] * 7
    assert [found.strip() for _, _, found, _ in rows[:3]] == ['48 and 48', '10 and 10', '4 and 4']
    assert rows[7][0].strip().startswith('streamed plain text')
    parsers = ('qwen25', 'pythonic', 'deepseekv31', 'glm45', 'minimax-m2', 'qwen3_coder', 'kimi_k2')
    assert [goal.split('`')[1] for _, goal, *_ in rows[8:]] == [*parsers]
    assert all('SGLang 0.5.22 as published, on another machine' in found for _, _, found, _ in rows[8:])


PARSERS = """
import json, sys
for number, asked in enumerate(json.load(sys.stdin)):
    print('a note of the package')
    print(json.dumps({'cpu': 60.0, 'done': 0.25 if asked['parser'] == 'qwen25' else 1, 'version': '0.8.1'}))
"""


def test_a_parser_that_was_stopped_says_for_which_part_of_the_text(tmp_path: Path) -> None:
    """A program stands for the interpreter with SGLang's parsers: it is given the texts, and answers a line for each."""
    program = tmp_path / 'python'
    program.write_text(f'#!{sys.executable}\n{PARSERS}', encoding='utf-8')
    program.chmod(0o755)
    rows = [*map(beside, compare(str(program), rounds=1, limit=60.0))]
    assert rows[0].found.endswith('llm-router-utils 0.8.1 60.00 s for 25% of it, where it was stopped')
    assert rows[0].found.startswith('less than 0.0')
    assert [row.found.endswith('llm-router-utils 0.8.1 60.00 s') for row in rows] == [False] + [True] * 6
    assert [row.met for row in rows] == [True] * 7


def test_a_row_that_is_measured_for_the_first_time_stands_in_its_place_of_the_table() -> None:
    kept = Results.read(RESULTS)
    new = next(row for row in kept.rows if row.key == 'request-1002-text-tools')
    older = replace(kept, rows=[row for row in kept.rows if row is not new])
    again = replace(new, goal=1.0)
    assert older.renewed(replace(kept, rows=[new])) == kept
    assert kept.renewed(replace(kept, rows=[again])).rows == [again if row is new else row for row in kept.rows]
