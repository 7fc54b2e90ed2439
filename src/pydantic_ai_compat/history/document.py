"""The tables of `docs/history.md`, made from the rules and the policies."""

from __future__ import annotations as _annotations

from .policies import HOSTS, POLICIES
from .rule import ErrorText, HistoryRule
from .rules import RULES

__all__ = ('MARKER', 'generated_section', 'policy_table', 'rule_table')

MARKER = '<!-- printed by `python -m pydantic_ai_compat.history` -->'
"""The line of `docs/history.md` that everything below is printed for."""


def _cell(text: str) -> str:
    return text.replace('|', '\\|').replace('<', '&lt;').replace('\n', ' ')


def _evidence(known: ErrorText) -> str:
    said = f'`{known.text}`'.replace('``', '` ').replace('{}', '…').replace('|', '\\|') if known.text else ''
    return f'{said or _cell(known.consequence)} ([source]({known.source}))'


def _row(rule: HistoryRule, known: ErrorText, *, first: bool) -> str:
    head = f'<a id="{rule.id}"></a>**{rule.id}** {_cell(rule.sentence)}' if first else ''
    option = _cell(known.fix or (rule.option if first else ''))
    return f'| {head} | {_cell(known.host)} | {_evidence(known)} | {option} |'


def rule_table() -> str:
    """Each rule with the hosts that enforce it, their words and the option, as a Markdown table."""
    rows = [_row(rule, known, first=not place) for rule in RULES.values() for place, known in enumerate(rule.texts)]
    return '\n'.join(('| rule | who | error text, or what happens | option |', '|---|---|---|---|', *rows))


def policy_table() -> str:
    """Each policy with its rules beyond those of `standard`, and the hosts that pick it, as a Markdown table."""
    standard = POLICIES['standard'].rules
    rows: list[str] = []
    for policy in POLICIES.values():
        more = sorted(policy.rules - standard) if policy.name != 'standard' else sorted(standard)
        less = [f'without {rule}' for rule in sorted(standard - policy.rules)]
        hosts = [f'`{host}`' for host, name in HOSTS.items() if name == policy.name]
        rows.append(f'| `{policy.name}` | {", ".join([*more, *less])} | {", ".join(hosts)} |')
    return '\n'.join(('| policy | rules beyond `standard` | picked by the host |', '|---|---|---|', *rows))


def generated_section() -> str:
    """Everything in `docs/history.md` from `MARKER` on."""
    return f"""{MARKER}

{policy_table()}

## Rules

Who enforces what, in the words of the host, and where that was reported. `R` rules are on the request around the
messages: they are explained, not repaired. The option of a rule holds for the rows below it as well.

{rule_table()}
"""
