"""Tool-call histories that strict providers accept: rules, policies, check and repair on wire messages.

Usable without a model: a wire message is one JSON object of the `messages` of a Chat Completions request.
"""

from __future__ import annotations as _annotations

from typing import TYPE_CHECKING

from ..lazy import lazy_names

if TYPE_CHECKING:
    from .call_content import with_call_content
    from .check import check_history, describe_faults
    from .explain import ErrorExplanation, explain_error
    from .names import NameMap
    from .policies import HOSTS, POLICIES, HistoryPolicy, get_policy, policy_name_for_url
    from .repair import RepairResult, repair_history
    from .rule import ErrorText, HistoryFault, HistoryRepair, HistoryRule
    from .rules import HISTORY_RULES, REQUEST_RULES, RULES
    from .transcript import StreamItemLike, ToolCallLike, Transcript
    from .wire import WireMessage

__all__ = (
    'HISTORY_RULES',
    'HOSTS',
    'POLICIES',
    'REQUEST_RULES',
    'RULES',
    'ErrorExplanation',
    'ErrorText',
    'HistoryFault',
    'HistoryPolicy',
    'HistoryRepair',
    'HistoryRule',
    'NameMap',
    'RepairResult',
    'StreamItemLike',
    'ToolCallLike',
    'Transcript',
    'WireMessage',
    'check_history',
    'describe_faults',
    'explain_error',
    'get_policy',
    'policy_name_for_url',
    'repair_history',
    'with_call_content',
)

__getattr__ = lazy_names(
    __name__,
    {
        'ErrorExplanation': 'explain',
        'ErrorText': 'rule',
        'HISTORY_RULES': 'rules',
        'HOSTS': 'policies',
        'HistoryFault': 'rule',
        'HistoryPolicy': 'policies',
        'HistoryRepair': 'rule',
        'HistoryRule': 'rule',
        'NameMap': 'names',
        'POLICIES': 'policies',
        'REQUEST_RULES': 'rules',
        'RULES': 'rules',
        'RepairResult': 'repair',
        'StreamItemLike': 'transcript',
        'ToolCallLike': 'transcript',
        'Transcript': 'transcript',
        'WireMessage': 'wire',
        'check_history': 'check',
        'describe_faults': 'check',
        'explain_error': 'explain',
        'get_policy': 'policies',
        'policy_name_for_url': 'policies',
        'repair_history': 'repair',
        'with_call_content': 'call_content',
    },
)
