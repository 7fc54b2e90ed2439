"""Which options fit a chat template behind a server: tried out by rendering, each with a reason."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..lazy import TemplateFailure
from .abilities import Abilities
from .conversations import Setting
from .deliveries import Delivery
from .finder import abilities
from .formats import ContentFormats, content_formats
from .list_forms import Choice, ListForms, WireForm
from .servers import Server, hand_over, server_named
from .template import ChatTemplate
from .text_tools import find_text_delivery
from .wire_turns import try_list_forms, wire_turn

__all__ = ('Choice', 'Recommendation', 'WireForm', 'recommend')

_CALL_CONTENTS: Mapping[str, Mapping[str, Any]] = {'null': {'content': None}, 'empty': {'content': ''}, 'omit': {}}


@dataclass(frozen=True)
class Recommendation:
    """The options that fit a template behind a server."""

    server: str
    choices: tuple[Choice, ...]
    deliveries: Mapping[WireForm, Delivery]
    """How a list arrives in each form that can be sent, the server's own changes included."""

    parallel: Mapping[WireForm, Delivery]
    """The same for the lists of two calls in one turn; `messages` is one message for each item here, too."""

    form: WireForm
    """The form that is recommended."""

    losses: Mapping[str, Mapping[Any, str]]
    """By option and value, what the template is known to lose with it."""

    @property
    def delivery(self) -> Delivery:
        """How a list arrives in the form that is recommended."""
        return self.deliveries[self.form]

    @property
    def options(self) -> dict[str, Any]:
        """The options as profile keys, without those whose default fits."""
        return {choice.option: choice.value for choice in self.choices if not choice.is_default}


def recommend(
    template: ChatTemplate,
    server: str = 'vllm',
    *,
    found: Abilities | None = None,
    caps: Mapping[str, bool] | None = None,
    without: Collection[WireForm] = (),
) -> Recommendation:
    """The profile options that fit a template behind a server.

    Args:
        template: The chat template.
        server: A name of `SERVERS`.
        found: The template's abilities, if they are known already.
        caps: What llama.cpp's `/props` says about the template under `chat_template_caps`.
        without: Forms of a list that the host refuses for reasons of its own.

    Raises:
        OptionError: There is no such server.
    """
    native = _Trial(template, server_named(server), found or abilities(template), caps).recommendation(without)
    if native.delivery.intact or native.delivery.arrival == 'escaped':
        return native
    return _with_tools_as_text(native, template)


_OF_NATIVE_TOOLS = ('openai_chat_tool_return_as_list', 'openai_chat_tool_call_content', 'openai_chat_history_policy')
"""Options about tool messages and turns with calls, of which there are none where tools are text."""


def _with_tools_as_text(native: Recommendation, template: ChatTemplate) -> Recommendation:
    """The recommendation for a template whose tool turn holds no result, if they arrive as text of the conversation."""
    if not find_text_delivery(template, native.server).intact:
        return native
    reason = 'no form of a result arrives in a tool turn, and each one does as text of a user turn'
    for choice in native.choices:
        if choice.option == 'openai_chat_history_policy':
            reason = f'{reason}; where tools stay native, {choice.option}={choice.value!r} makes them that text, too'
    choices = (choice for choice in native.choices if choice.option not in _OF_NATIVE_TOOLS)
    return replace(native, choices=(Choice('openai_chat_tools', 'text', reason), *choices))


class _Trial:
    def __init__(self, template: ChatTemplate, server: Server, found: Abilities, caps: Mapping[str, bool] | None):
        self._server = server
        self._found = found
        self._losses: dict[str, dict[Any, str]] = {}
        self._setting = found.setting or Setting()
        self._template = template
        if server.own_interpreter:
            self._template = template.for_llama_cpp()
        self._formats: ContentFormats = content_formats(self._template, caps or template.caps)

    def recommendation(self, without: Collection[WireForm]) -> Recommendation:
        call_content = self._call_content()
        # A template that raises without a text beside calls is tried with one; pydantic-ai sends what the model said.
        text = self._setting.content
        fields = {'content': text} if text else _CALL_CONTENTS[call_content.value]
        forms = try_list_forms(self._shown, self._template.name, fields, system=self._setting.system)
        form = forms.best(without)
        self._losses |= forms.losses()
        choices = [*forms.choices(form), call_content, *self._system(), *self._thinking(fields), *self._policy(forms)]
        choices += self._dialect()
        return Recommendation(
            self._server.name,
            tuple(choices),
            forms.alone,
            forms.parallel,
            form,
            {option: losses for option, losses in self._losses.items() if losses},
        )

    def _prompt(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """The prompt for a conversation on the wire; raises `TemplateFailure` where there is none."""
        return self._rendered(self._handed(messages))

    def _handed(self, messages: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        return hand_over(messages, self._server.name, self._formats).accepted()

    def _rendered(self, handed: Sequence[Mapping[str, Any]]) -> str:
        setting = self._setting
        variables: dict[str, Any] = {**self._server.variables, **dict(setting.variables)}
        return self._template.try_rendering(handed, setting.tools, True, **variables)

    def _shown(self, messages: Sequence[Mapping[str, Any]]) -> tuple[str, int]:
        handed = self._handed(messages)
        return self._rendered(handed), sum(message.get('role') == 'tool' for message in handed)

    def _turn(self, results: Sequence[Sequence[Any]], fields: Mapping[str, Any], **more: Any) -> list[dict[str, Any]]:
        return wire_turn(results, fields, system=self._setting.system, **more)

    def _outcome(self, messages: Sequence[Mapping[str, Any]], *needles: str) -> tuple[bool, str]:
        """Whether all needles are in the prompt, and what is wrong if they are not."""
        try:
            prompt = self._prompt(messages)
        except TemplateFailure as error:
            return False, str(error).removeprefix(f'{self._template.name}: ')
        missing = [needle for needle in needles if needle not in prompt]
        return not missing, 'it is not in the prompt' if missing else ''

    def _call_content(self) -> Choice:
        """The first of `null`, `empty` and `omit` that neither raises nor shows in the prompt."""
        option = 'openai_chat_tool_call_content'
        baseline = self._words(self._turn([['Qresultq']], {'content': 'Qbesideq'}))
        problems: dict[Any, str] = {}
        for value, fields in _CALL_CONTENTS.items():
            messages = self._turn([['Qresultq']], fields)
            works, problem = self._outcome(messages, 'Qresultq')
            if not works or self._words(messages) > baseline:
                problems[value] = f'with `{value}` {problem or "the prompt has the word None or null for it"}'
        self._losses[option] = problems
        fitting = next((value for value in _CALL_CONTENTS if value not in problems), None)
        if fitting is None:
            return Choice(option, 'null', '; '.join(problems.values()), is_default=True)
        # Why not the values before it.
        passed = [problems[value] for value in list(_CALL_CONTENTS)[: list(_CALL_CONTENTS).index(fitting)]]
        reason = '; '.join(['a turn of tool calls alone is rendered', *passed])
        return Choice(option, fitting, reason, is_default=fitting == 'null')

    def _words(self, messages: Sequence[Mapping[str, Any]]) -> int:
        try:
            prompt = self._prompt(messages)
        except TemplateFailure:
            return 0
        return prompt.count('None') + prompt.count('null')

    def _system(self) -> list[Choice]:
        system = {'role': 'system', 'content': 'Qsysaq'}
        other = {'role': 'system', 'content': 'Qsysbq'}
        user = {'role': 'user', 'content': 'Quserq'}
        works, problem = self._outcome([system, user], 'Qsysaq')
        if not works:
            if not self._outcome([user], 'Quserq')[0]:
                return []
            reason = f'a system message does not arrive: {problem}'
            self._losses['openai_system_prompt_role'] = {'system': reason}
            return [Choice('openai_system_prompt_role', 'user', reason)]
        again, answer = {'role': 'user', 'content': 'Qagainq'}, {'role': 'assistant', 'content': 'Qanswerq'}
        several, problem = self._outcome([system, other, user], 'Qsysaq', 'Qsysbq')
        if several:
            several, problem = self._outcome([system, user, answer, other, again], 'Qsysbq')
        option = 'openai_chat_supports_multiple_system_messages'
        if several:
            return [Choice(option, True, 'all system messages arrive', is_default=True)]
        reason = f'a second system message does not arrive: {problem}'
        self._losses[option] = {True: reason}
        return [Choice(option, False, reason)]

    def _policy(self, forms: ListForms) -> list[Choice]:
        """A policy that sends calls and results as text, where the template takes a conversation in no other way."""
        refused = all(delivery.arrival in ('raises', 'dropped') for delivery in forms.alone.values())
        # What `no-tool-role` makes of a tool turn: text of the assistant and text of the user, in turns.
        messages = [
            {'role': 'user', 'content': 'Quserq'},
            {'role': 'assistant', 'content': 'Qargzq'},
            {'role': 'user', 'content': 'Qresultq'},
        ]
        if not refused or not self._outcome(messages, 'Qargzq', 'Qresultq')[0]:
            return []
        words = forms.alone['json'].error or 'the result is not in the prompt'
        reason = f'the template takes no tool result in any form ({words}), and text in its place'
        return [Choice('openai_chat_history_policy', 'no-tool-role', reason)]

    def _thinking(self, fields: Mapping[str, Any]) -> list[Choice]:
        choices: list[Choice] = []
        messages = self._turn([['Qresultq']], fields, reasoning_content='Qthoughtq')
        if self._outcome(messages, 'Qthoughtq')[0]:
            reason = 'the template writes `reasoning_content` of the turn whose tool calls were just answered'
            choices = [
                Choice('openai_chat_thinking_field', 'reasoning_content', reason),
                Choice('openai_chat_send_back_thinking_parts', 'field', reason),
            ]
        tags = self._found.thinking_tags
        if tags and tags != ('<think>', '</think>'):
            choices.append(
                Choice('thinking_tags', tags, 'what encloses a thought, should the server leave it in the text')
            )
        return choices

    def _dialect(self) -> list[Choice]:
        """The dialect of calls in the text, should the server leave them there."""
        dialect = self._found.dialect
        if dialect is None:
            return []
        reason = f'the template writes calls as {dialect} does, should the server leave one in the text'
        return [Choice('openai_chat_text_tool_calls', [dialect], reason)]
