"""The rules with their evidence, as data: who enforces what, in which words, and where that was reported."""

from __future__ import annotations as _annotations

from .calls import CALL_RULES
from .content import CONTENT_RULES
from .keys import KEY_RULES
from .order import ORDER_RULES
from .pairs import PAIR_RULES
from .requests import REQUEST_RULES

__all__ = ('HISTORY_RULES', 'REQUEST_RULES', 'RULES')

HISTORY_RULES = (*PAIR_RULES, *CALL_RULES, *CONTENT_RULES, *ORDER_RULES, *KEY_RULES)
"""The rules on the messages, in the order of their ids."""

RULES = {rule.id: rule for rule in (*HISTORY_RULES, *REQUEST_RULES)}
"""Every rule by its id."""
