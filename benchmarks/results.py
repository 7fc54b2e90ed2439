"""The results, as JSON and as tables."""

from __future__ import annotations as _annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from .cases import Case, table
from .measure import Figure, Measured
from .subjects import versions

SUBJECTS = ('ours', 'stock', 'openai', 'langchain-openai', 'litellm')
"""The columns, in this order."""


@dataclass
class Row:
    """One case with what everybody's work cost, in the unit of the case."""

    key: str
    title: str
    unit: str
    goal: float | None
    goal_is_ratio: bool
    figures: dict[str, Figure]
    ratios: dict[str, Figure]

    @classmethod
    def of(cls, case: Case, measured: Mapping[str, Measured]) -> Row:
        return cls(
            key=case.key,
            title=case.title,
            unit=case.unit,
            goal=case.goal,
            goal_is_ratio=case.goal_is_ratio,
            figures={name: item.seconds.scaled(case.scale) for name, item in measured.items()},
            ratios={name: item.ratio for name, item in measured.items() if item.ratio},
        )

    @property
    def met(self) -> bool | None:
        """Whether the median of ours meets the goal."""
        if self.goal is None:
            return None
        ours = (self.ratios if self.goal_is_ratio else self.figures)['ours']
        return ours.median <= self.goal


@dataclass
class Results:
    """A whole run."""

    date: str = field(default_factory=lambda: date.today().isoformat())
    python: str = field(default_factory=platform.python_version)
    machine: str = field(default_factory=lambda: f'{platform.system()} {platform.machine()}')
    versions: dict[str, str] = field(default_factory=versions)
    absent: list[str] = field(default_factory=list[str])
    rows: list[Row] = field(default_factory=list[Row])
    server: list[Row] = field(default_factory=list[Row])
    curves: dict[str, dict[str, list[tuple[int, float]]]] = field(
        default_factory=dict[str, dict[str, list[tuple[int, float]]]]
    )

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1) + '\n'

    @classmethod
    def from_json(cls, text: str) -> Results:
        data: dict[str, Any] = json.loads(text)
        for name in ('rows', 'server'):
            data[name] = [_row(row) for row in data[name]]
        return cls(**data)

    def renewed(self, newer: Results) -> Results:
        """These results with the rows of another run in place of its own, in the order of the table, and all else as it was."""
        rows = {row.key: row for row in (*self.rows, *newer.rows)}
        order = [case.key for case in table(quick=False)]
        return replace(self, rows=[rows[key] for key in order if key in rows])

    @classmethod
    def read(cls, path: Path) -> Results:
        return cls.from_json(path.read_text(encoding='utf-8'))


def _row(data: dict[str, Any]) -> Row:
    for name in ('figures', 'ratios'):
        data[name] = {subject: Figure(**figure) for subject, figure in data[name].items()}
    return Row(**data)


def number(value: float) -> str:
    """Three digits that count, as many as a measured figure has."""
    return f'{value:,.0f}' if value >= 100 else f'{value:.3g}'


def header(rows: list[Row]) -> list[str]:
    return ['work', 'goal', *(name for name in SUBJECTS if any(name in row.figures for row in rows)), 'met']


def cells(row: Row, names: list[str]) -> list[str]:
    """A row of the table: for each subject the ratio to stock with its range, then the figure."""
    goal = '' if row.goal is None else f'≤ {number(row.goal)}' + ('' if row.goal_is_ratio else f' {row.unit}')
    met = {True: 'yes', False: 'no', None: ''}[row.met]
    return [row.title, goal, *(_cell(row, name) for name in names[2:-1]), met]


def _cell(row: Row, name: str) -> str:
    if name not in row.figures:
        return ''
    figure = f'{number(row.figures[name].median)} {row.unit}'
    ratio = row.ratios.get(name)
    if ratio is None:
        low, high = number(row.figures[name].low), number(row.figures[name].high)
        return f'{figure} ({low} – {high})'
    if name == 'stock':
        return figure
    return f'{number(ratio.median)} ({number(ratio.low)} – {number(ratio.high)}), {figure}'


def markdown(rows: list[Row]) -> str:
    """The table for the documentation."""
    names = header(rows)
    lines = [names, ['---'] * len(names), *(cells(row, names) for row in rows)]
    return ''.join(f'| {" | ".join(line)} |\n' for line in lines)
