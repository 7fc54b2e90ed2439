"""`python -m pydantic_ai_compat.history` prints the tables of `docs/history.md`."""

from __future__ import annotations as _annotations

from .document import policy_table, rule_table

print(policy_table())
print()
print(rule_table())
