"""CPU time of interleaved runs, as ratios to stock."""

from __future__ import annotations as _annotations

import gc
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

Run = Callable[[], Awaitable[float | None]]
"""Does the work once; returns seconds of CPU time if it measured them itself."""


@dataclass(frozen=True)
class Figure:
    """Median, minimum and maximum of several runs."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Figure:
        return cls(statistics.median(values), min(values), max(values))

    def scaled(self, factor: float) -> Figure:
        return Figure(self.median * factor, self.low * factor, self.high * factor)


@dataclass(frozen=True)
class Measured:
    """What one subject's work cost: seconds of CPU time, and as a ratio to stock's in the same round."""

    seconds: Figure
    ratio: Figure | None


async def measure(
    runs: Mapping[str, Run], rounds: int, on_run: Callable[[], None], base: str = 'stock'
) -> dict[str, Measured]:
    """Measure runs in turn, round by round, so that what else the machine does meets all of them alike.

    Each run starts from a collected heap with what was there before out of the collector's sight, and the collector
    stays on: its work is part of the cost.

    Args:
        runs: Who does the work, by name.
        rounds: How often; one more round before them is not counted.
        on_run: Called after each run, for a progress display.
        base: The name that ratios refer to.
    """
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for round_number in range(-1, rounds):
        for name, run in runs.items():
            gc.collect()
            gc.freeze()
            started = time.process_time()
            own = await run()
            spent = time.process_time() - started if own is None else own
            if round_number >= 0:
                seconds[name].append(spent)
            on_run()
    gc.unfreeze()
    reference = seconds.get(base)
    return {
        name: Measured(
            seconds=Figure.of(spent),
            ratio=_ratios(spent, reference) if reference else None,
        )
        for name, spent in seconds.items()
    }


def _ratios(spent: list[float], reference: list[float]) -> Figure:
    return Figure.of([mine / theirs for mine, theirs in zip(spent, reference, strict=True)])
