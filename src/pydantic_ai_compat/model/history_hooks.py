"""What a model's options make of its history: the room `history`, with the model's profile and its warnings."""

from __future__ import annotations as _annotations

import hashlib
import warnings
from collections import Counter, OrderedDict
from collections.abc import Collection, Sequence
from typing import NamedTuple, cast

from openai.types import chat
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage

from ..errors import HistoryError, HistoryRepairWarning, OptionError
from ..history import (
    HistoryFault,
    HistoryPolicy,
    NameMap,
    WireMessage,
    check_history,
    describe_faults,
    get_policy,
    repair_history,
    with_call_content,
)
from ..options.profile import HistoryMode, OpenAICompatibleModelProfile
from ..streaming.report import note
from .policy_options import policy_name, under_options

__all__ = ('HistoryGuard', 'HistoryOptions', 'refusal_hint', 'refuses_several_results')

_OF_NATIVE_TOOLS = frozenset(
    ['H05', 'H07', 'H10', 'H11', 'H12', 'H13', 'H15', 'H16', 'H18', 'H24', 'H25', 'H27', 'H29', 'H30', 'H31']
)
"""Rules on turns with calls and on tool messages, of which none goes out where tools are text.

How many results a call has, names, ids, the form of `content` beside calls and of results, and what may follow a tool
message. Users and assistants take turns in that text anyway."""

_REMEMBERED_CONVERSATIONS = 512
"""Conversations of one model that are known to have had their warning; the oldest is forgotten first."""


class HistoryOptions(NamedTuple):
    """The options of a model that concern its history, resolved."""

    mode: HistoryMode
    """What becomes of a history that breaks a rule."""

    policy: HistoryPolicy
    """The rules that hold."""

    call_content: str | None
    """The form of `content` on turns with only calls; `None` leaves it as pydantic-ai writes it."""

    keep_call_content: tuple[str, ...] = ()
    """Forms that are left as they are beside `call_content`."""

    overruled: tuple[str, ...] = ()
    """A sentence about each rule of the policy that does not hold, as the user set an option that contradicts it."""

    @classmethod
    def from_profile(
        cls, profile: OpenAICompatibleModelProfile, base_url: str, user_options: Collection[str] = ()
    ) -> HistoryOptions:
        """Resolve the options of a profile: what is set, else what the host of `base_url` picks.

        Args:
            profile: The resolved profile of a model.
            base_url: The endpoint, which picks the policy where none is set.
            user_options: The keys of the profile that the user set: they win over a rule that contradicts them.

        Raises:
            OptionError: If there is no such policy, or it refuses the form that lists of results are sent in.
        """
        mode = profile.get('openai_chat_history', 'repair')
        name = policy_name(profile, base_url)
        as_text = profile.get('openai_chat_tools') == 'text'
        known = get_policy(name)
        known = known.extended(without=_OF_NATIVE_TOOLS) if as_text else known
        policy, overruled = under_options(known, profile, user_options)
        if as_text:
            return cls(mode, policy, None, overruled=overruled)
        if _sends_several_results(profile) and mode != 'off' and policy.pairs_strictly:
            if refuses_several_results(profile, base_url):
                raise OptionError(_several_results_refused(name))
            # The option asked for several results, and no policy says that this host refuses them.
            policy = policy.extended(without=('H05',))
        form = profile.get('openai_chat_tool_call_content')
        if form is not None:
            return cls(mode, policy.extended(without=('H15',)), form, overruled=overruled)
        if 'H15' in policy.rules and mode != 'off':
            # Which form goes out is no property of the history, so a form that the host refuses is no fault of it.
            return cls(mode, policy, policy.call_content[0], policy.call_content, overruled)
        return cls(mode, policy, None, overruled=overruled)


def refuses_several_results(profile: OpenAICompatibleModelProfile, base_url: str) -> bool:
    """Whether a policy that somebody chose, or the host's own, stands for a host that takes one result for a call."""
    name = policy_name(profile, base_url)
    checked = profile.get('openai_chat_history', 'repair') != 'off'
    return checked and name != 'standard' and get_policy(name).pairs_strictly


def _sends_several_results(profile: OpenAICompatibleModelProfile) -> bool:
    as_list = profile.get('openai_chat_tool_return_as_list', False)
    return as_list and profile.get('openai_chat_tool_return_list_format') == 'messages'


def _several_results_refused(policy: str) -> str:
    return (
        "`openai_chat_tool_return_list_format`='messages' sends several results for one call, and the history policy "
        f"{policy!r} stands for a host that refuses a second one (H05). Set the format to 'text_parts' or 'text'; or, if "
        f"the host takes several, set `openai_chat_history_policy`='{policy}-H05'."
    )


class HistoryGuard:
    """Applies the options of one model to the messages of each request."""

    def __init__(self, options: HistoryOptions) -> None:
        self.options = options
        self._told: OrderedDict[str, None] = OrderedDict()

    def apply(
        self,
        mapped: list[chat.ChatCompletionMessageParam],
        messages: Sequence[ModelMessage],
        names: NameMap | None = None,
    ) -> list[chat.ChatCompletionMessageParam]:
        """The messages that go out; the list that was given if its history is fine.

        Args:
            mapped: The wire messages that pydantic-ai made.
            messages: What it made them of; tells one conversation from another.
            names: The names under which the functions of the request go out.

        Raises:
            HistoryError: If the mode is `check` and the history breaks a rule.
        """
        options = self.options
        wire = cast('Sequence[WireMessage]', mapped)
        if options.call_content is not None:
            wire = with_call_content(wire, options.call_content, keep=options.keep_call_content)
        if options.mode == 'check':
            found = check_history(wire, options.policy, names=names)
            if faults := _without_names(found):
                raise HistoryError(f'The request was not sent. {self._describe(faults)}')
            if found:
                wire = repair_history(wire, options.policy, names=names).messages
        elif options.mode == 'repair':
            result = repair_history(wire, options.policy, names=names)
            faults = _without_names(result.faults)
            if faults:
                note('repaired', 'in the history that is sent', Counter(fault.rule for fault in faults))
            if faults and self._is_news(messages, wire):
                warnings.warn(
                    f'The history was repaired on the copy that is sent. {self._describe(faults)}\n'
                    "Set `openai_chat_history`='check' to refuse such a history, or 'off' to send it as it is.",
                    HistoryRepairWarning,
                    stacklevel=2,
                )
            wire = result.messages
        return cast('list[chat.ChatCompletionMessageParam]', wire)

    def _describe(self, faults: Sequence[HistoryFault]) -> str:
        count = f'{len(faults)} faults' if len(faults) > 1 else 'a fault'
        return f'The messages have {count} under the history policy {self.options.policy.name!r}:\n{describe_faults(faults)}'

    def _is_news(self, messages: Sequence[ModelMessage], wire: Sequence[WireMessage]) -> bool:
        """Whether this conversation had no warning yet."""
        conversation = next(
            (message.conversation_id for message in reversed(messages) if message.conversation_id), None
        )
        if conversation is None:
            # Without an id, the first turns tell: they stay the same while a conversation grows.
            start = [message for message in wire if message['role'] not in ('system', 'developer')][:1]
            conversation = hashlib.sha256(repr(start).encode('utf-8', 'surrogatepass')).hexdigest()
        if conversation in self._told:
            self._told.move_to_end(conversation)
            return False
        self._told[conversation] = None
        if len(self._told) > _REMEMBERED_CONVERSATIONS:
            self._told.popitem(last=False)
        return True


def _without_names(faults: Sequence[HistoryFault]) -> Sequence[HistoryFault]:
    """The faults but for H10: which name a function goes out with is no property of the history."""
    return [fault for fault in faults if fault.rule != 'H10'] if faults else faults


def refusal_hint(error: ModelHTTPError, options: HistoryOptions) -> str | None:
    """A line on the rule behind a refusal, and on the option that helps; `None` if the text is of no known rule."""
    from ..history import explain_error  # with the words of every host

    explanation = explain_error(error.message if error.body is None else str(error.body))
    if explanation is None:
        return None
    if options.mode == 'repair' and explanation.rule.id in options.policy.rules:
        held = f'{explanation.rule.id}: {explanation.rule.sentence} The policy {options.policy.name!r} holds this rule already'
        if explanation.rule.id == 'H25' and 'H27' not in options.policy.rules:
            # A tool result is no turn of either: https://github.com/suitenumerique/conversations/issues/197
            return f"{held}: the template counts tool results as well. Set openai_chat_history_policy='no-tool-role'."
        return f'{held}, so the cause is another one, or the host holds it in another sense.'
    return explanation.line
