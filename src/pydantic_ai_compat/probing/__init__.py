"""A handful of small requests to a live endpoint, and what its answers say about it."""

from __future__ import annotations as _annotations

from .findings import Finding, Report, build_report
from .models import ModelChoiceError, ask_model
from .prompt import PromptError, PromptNotToldError, render_prompt
from .requests import PROBES, Probe, plan
from .runner import Answer, Limits, run_probes

__all__ = (
    'PROBES',
    'Answer',
    'Finding',
    'Limits',
    'ModelChoiceError',
    'Probe',
    'PromptError',
    'PromptNotToldError',
    'Report',
    'ask_model',
    'build_report',
    'plan',
    'render_prompt',
    'run_probes',
)
