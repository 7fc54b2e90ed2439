"""A handful of small requests to a live endpoint, and what its answers say about it."""

from __future__ import annotations as _annotations

from .findings import Finding, Report, build_report
from .requests import PROBES, Probe, plan
from .runner import Answer, Limits, run_probes

__all__ = ('PROBES', 'Answer', 'Finding', 'Limits', 'Probe', 'Report', 'build_report', 'plan', 'run_probes')
