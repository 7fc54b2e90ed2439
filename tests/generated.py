"""How many inputs a property test makes."""

from __future__ import annotations as _annotations

import os
from typing import Any

from hypothesis import settings

TIMES = float(os.environ.get('GENERATED_INPUTS', '1'))
"""`GENERATED_INPUTS=10` for a long run, `0.05` where the same tests run in full beside it."""


def generated(count: int = 100, **options: Any) -> settings:
    """This many inputs in a whole run, however slow the machine is."""
    return settings(max_examples=max(2, round(count * TIMES)), deadline=None, **options)
