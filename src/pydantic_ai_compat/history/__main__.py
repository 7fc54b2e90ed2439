"""`python -m pydantic_ai_compat.history` prints the tables at the end of `docs/history.md`."""

from __future__ import annotations as _annotations

from .document import generated_section

print(generated_section(), end='')
