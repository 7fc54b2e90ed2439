"""The repair of a history: what was found wrong made right, on a copy."""

from __future__ import annotations as _annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from .check import check_history
from .names import NameMap
from .policies import HistoryPolicy, get_policy
from .rule import HistoryFault, HistoryRepair
from .wire import WireMessage

__all__ = ('RepairResult', 'repair_history')


class RepairResult(NamedTuple):
    """A history that holds the rules of its policy, and how it came to do so."""

    messages: Sequence[WireMessage]
    """The very list that was given if nothing was wrong; else a new one that shares the messages left as they were."""

    repairs: tuple[HistoryRepair, ...]
    """The changes, in the order of the messages that they concern."""

    faults: tuple[HistoryFault, ...]
    """What was wrong with the messages that were given."""


def repair_history(
    messages: Sequence[WireMessage], policy: str | HistoryPolicy = 'standard', *, names: NameMap | None = None
) -> RepairResult:
    """The longest valid history in a list of wire messages.

    The same messages are always repaired in the same way, what is repaired needs no repair, and neither the list nor a
    message that was given is changed. A call without a result gets one that says it was interrupted; an orphan and a
    second result go; what stands between a call and its results moves behind them.

    Args:
        messages: The messages of a Chat Completions request, as the JSON objects that are sent.
        policy: A policy, or the name or expression of one, such as `'mistral'` or `'vllm+H24'`.
        names: The names of the tools that the request declares: calls of a tool get the name that its definition goes
            out with (H10).

    Raises:
        HistoryError: If the messages are no list, or an element is not a message.
        OptionError: If there is no such policy.
    """
    policy = get_policy(policy)
    names = names or NameMap()
    faults = check_history(messages, policy, names=names)
    if not faults:
        return RepairResult(messages, (), ())
    # Most histories are good, and never need what mends them.
    from .draft import Draft, Entry
    from .repair_messages import MESSAGE_RULES, mend_messages
    from .repair_order import order_roles
    from .repair_pairs import pair_results

    draft = Draft(policy, names)
    draft.entries = [Entry(index, cast('dict[str, Any]', message)) for index, message in enumerate(messages)]
    mend_messages(draft, {fault.index for fault in faults if fault.rule in MESSAGE_RULES})
    pair_results(draft)
    order_roles(draft)
    repairs = sorted(draft.repairs, key=lambda repair: (repair.index, repair.rule))
    return RepairResult([entry.message for entry in draft.entries], tuple(repairs), tuple(faults))
