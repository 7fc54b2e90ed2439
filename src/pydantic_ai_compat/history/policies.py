"""Policies: named sets of rules, extended in one expression and chosen by name or by the host of a `base_url`."""

from __future__ import annotations as _annotations

import dataclasses
import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from ..errors import OptionError

__all__ = ('HOSTS', 'PAIRING', 'POLICIES', 'HistoryPolicy', 'get_policy', 'policy_name_for_url')

_KNOWN_RULES = frozenset(f'H{number:02}' for number in range(1, 34))
"""The ids of `HISTORY_RULES`, which hold the words of every host, and are loaded where one is to be explained."""

PAIRING = frozenset({'H01', 'H02', 'H03', 'H04', 'H06', 'H09'})
"""The rules that a policy holds together or not at all: a host that pairs calls and results pairs them in each sense."""

_CONTRADICTIONS = (
    ('H11', 'H13', 'an id has one shape'),
    ('H12', 'H13', 'an id that holds the name of its function may need more than 40 characters'),
    ('H16', 'H25', 'text that is parted from its calls makes two assistant turns in a row'),
    ('H29', 'H32', '`reasoning_content` is either required or forbidden'),
    ('H30', 'H32', '`reasoning_content` is either required or forbidden'),
)
"""Pairs of rules that cannot both hold, and why."""

_NEED_PAIRS = frozenset({'H05', 'H07', 'H11', 'H12', 'H13', 'H27'})
"""Rules that can only be held where each result is known to belong to a call."""

_EXPRESSION = re.compile(r'(?P<name>[a-z][a-z0-9-]*[a-z0-9])(?P<changes>(?:[+-]H\d\d)*)')


@dataclass(frozen=True)
class HistoryPolicy:
    """The rules that hold for one host or server."""

    name: str
    """What the policy is called in options, warnings and errors."""

    rules: frozenset[str]
    """The ids of the rules that hold."""

    call_content: tuple[str, ...] = ('null', 'empty', 'omit')
    """H15: the forms of `content` that a turn with only calls may have; the first is the one that a repair writes."""

    message_keys: frozenset[str] = frozenset({'role', 'content', 'name', 'tool_calls', 'tool_call_id'})
    """H28: the keys that a message may have."""

    def __post_init__(self) -> None:
        if unknown := sorted(self.rules - _KNOWN_RULES):
            raise _no_policy(f'History policy {self.name!r}: there is no rule {unknown[0]}, only H01 to H33.')
        if missing := PAIRING - self.rules if PAIRING & self.rules else frozenset[str]():
            raise _no_policy(
                f'History policy {self.name!r}: {", ".join(sorted(PAIRING))} hold together or not at all; '
                f'{", ".join(sorted(missing))} is missing.'
            )
        if not PAIRING & self.rules and (alone := sorted(_NEED_PAIRS & self.rules)):
            raise _no_policy(
                f'History policy {self.name!r}: {alone[0]} needs the rules that pair calls and results, '
                f'{", ".join(sorted(PAIRING))}.'
            )
        for first, second, reason in _CONTRADICTIONS:
            if first in self.rules and second in self.rules:
                raise _no_policy(f'History policy {self.name!r}: {first} and {second} cannot both hold: {reason}.')

    def extended(self, *rules: str, without: Iterable[str] = ()) -> HistoryPolicy:
        """A policy with more rules and without others, named as the expression that `get_policy` reads.

        Args:
            *rules: Ids of rules that hold as well, such as `'H24'`.
            without: Ids of rules that do not hold.

        Raises:
            OptionError: If there is no such rule, or the rules cannot all hold.
        """
        added = sorted(set(rules) - self.rules)
        removed = sorted(set(without) & self.rules)
        name = self.name + ''.join(f'+{rule}' for rule in added) + ''.join(f'-{rule}' for rule in removed)
        return dataclasses.replace(self, name=name, rules=(self.rules | set(rules)) - set(without))

    @property
    def pairs_strictly(self) -> bool:
        """Whether a second result for one call is refused."""
        return 'H05' in self.rules


_STANDARD = frozenset({*PAIRING, 'H05', 'H08', 'H14', 'H17'})
_SERVER = _STANDARD - {'H05'}
_QWEN = frozenset({'H20', 'H21', 'H22', 'H33'})
"""What the templates of Qwen3.5 and later raise on; other templates lose nothing by it."""

_MISTRAL_KEYS = frozenset({'role', 'content', 'tool_calls', 'tool_call_id', 'prefix'})
_GROQ_KEYS = frozenset({'role', 'content', 'name', 'tool_calls', 'tool_call_id', 'reasoning'})

POLICIES = MappingProxyType(
    {
        policy.name: policy
        for policy in (
            HistoryPolicy('standard', _STANDARD),
            HistoryPolicy('deepseek', _STANDARD | {'H18', 'H29'}),
            HistoryPolicy('deepseek-thinking', _STANDARD | {'H18', 'H29', 'H30'}),
            HistoryPolicy(
                'mistral',
                _STANDARD | {'H10', 'H11', 'H18', 'H20', 'H23', 'H24', 'H26', 'H28', 'H32', 'H33'},
                message_keys=_MISTRAL_KEYS,
            ),
            HistoryPolicy('moonshot', _STANDARD | {'H15', 'H18', 'H29', 'H31'}, call_content=('null', 'omit')),
            HistoryPolicy(
                'moonshot-thinking', _STANDARD | {'H15', 'H18', 'H29', 'H30', 'H31'}, call_content=('null', 'omit')
            ),
            HistoryPolicy('kimi', _SERVER | {'H13'}),
            HistoryPolicy('minimax', _STANDARD | {'H20', 'H21'}),
            HistoryPolicy('dashscope', _STANDARD | {'H18', 'H19', 'H20', 'H21'}),
            HistoryPolicy('zai', _SERVER | {'H22', 'H25', 'H33'}),
            HistoryPolicy(
                'groq',
                _STANDARD | {'H15', 'H18', 'H28', 'H32'},
                call_content=('null', 'empty'),
                message_keys=_GROQ_KEYS,
            ),
            HistoryPolicy('cerebras', _STANDARD | {'H32'}),
            HistoryPolicy('openai', _STANDARD | {'H10', 'H12'}),
            HistoryPolicy('azure', _STANDARD | {'H10', 'H12'}),
            HistoryPolicy('tgi', _SERVER | {'H15', 'H16'}, call_content=('null', 'omit')),
            HistoryPolicy('vllm', _SERVER | _QWEN),
            HistoryPolicy('sglang', _SERVER | _QWEN),
            HistoryPolicy('llamacpp', _SERVER | _QWEN),
            HistoryPolicy('ollama', _SERVER | {'H07', 'H18'}),
            HistoryPolicy('llama-cpp-python', _SERVER | {'H15', 'H18', 'H19', 'H33'}, call_content=('empty', 'omit')),
            HistoryPolicy('alternating', _STANDARD | {'H20', 'H21', 'H23', 'H24', 'H25', 'H33'}),
            HistoryPolicy('no-tool-role', _STANDARD | {'H20', 'H21', 'H23', 'H25', 'H27', 'H33'}),
        )
    }
)
"""The policies by name; see `docs/history.md` for what each is for."""

HOSTS = MappingProxyType(
    {
        'api.deepseek.com': 'deepseek',
        'api.mistral.ai': 'mistral',
        'codestral.mistral.ai': 'mistral',
        'api.moonshot.ai': 'moonshot',
        'api.moonshot.cn': 'moonshot',
        'api.minimax.io': 'minimax',
        'api.minimaxi.com': 'minimax',
        'api.minimax.chat': 'minimax',
        'dashscope.aliyuncs.com': 'dashscope',
        'dashscope-intl.aliyuncs.com': 'dashscope',
        'api.z.ai': 'zai',
        'open.bigmodel.cn': 'zai',
        'api.groq.com': 'groq',
        'api.cerebras.ai': 'cerebras',
        'api.openai.com': 'openai',
        'openai.azure.com': 'azure',
        'services.ai.azure.com': 'azure',
    }
)
"""The hosts that pick a policy when none is set; a name below one of them counts as well."""


def get_policy(policy: str | HistoryPolicy) -> HistoryPolicy:
    """The policy of a name or an expression such as `'vllm+H24-H22'`; a policy is returned as it is.

    Raises:
        OptionError: If there is no such policy or rule, or the rules cannot all hold.
    """
    if isinstance(policy, HistoryPolicy):
        return policy
    if not isinstance(policy, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _no_policy(f'A history policy is a `HistoryPolicy` or the name of one, not {policy!r}.')
    if known := POLICIES.get(policy):
        return known
    match = _EXPRESSION.fullmatch(policy)
    name = match['name'] if match else policy
    if match is None or name not in POLICIES:
        near = difflib.get_close_matches(name, POLICIES, 1)
        meant = f' Did you mean {near[0]!r}?' if near else ''
        raise _no_policy(
            f'`openai_chat_history_policy`: there is no policy {policy!r}.{meant} Use one of {", ".join(POLICIES)}, '
            "or one of them with rules added or taken out, as in 'vllm+H24-H22'."
        )
    changes = re.findall(r'([+-])(H\d\d)', match['changes'])
    return POLICIES[name].extended(
        *(rule for sign, rule in changes if sign == '+'), without=[rule for sign, rule in changes if sign == '-']
    )


def policy_name_for_url(base_url: str) -> str:
    """The name of the policy that the host of a `base_url` picks, `'standard'` for a host that is not known."""
    host = (urlsplit(base_url).hostname or '').lower().rstrip('.')
    labels = host.split('.')
    for start in range(len(labels)):
        if name := HOSTS.get('.'.join(labels[start:])):
            return name
    return 'standard'


def _no_policy(text: str) -> OptionError:
    """The error for what is no policy."""
    from ..errors import OptionError  # here, because it brings pydantic-ai along

    return OptionError(text)
