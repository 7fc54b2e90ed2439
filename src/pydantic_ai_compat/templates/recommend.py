"""Which options fit a chat template behind a server: tried out by rendering, each with a reason."""

from __future__ import annotations as _annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..errors import ChatTemplateError
from .abilities import Abilities, abilities
from .conversations import NEEDLES, Setting, content_of, tool_turn
from .deliveries import Delivery, find_delivery
from .formats import ContentFormats, content_formats
from .servers import Server, hand_over, server_named
from .template import ChatTemplate
from .text_tools import find_text_delivery

__all__ = ('Choice', 'Recommendation', 'WireForm', 'recommend')

WireForm = Literal['text_parts', 'messages', 'text', 'json']
"""The forms in which a list can be sent; `json` is pydantic-ai's own, the others are `openai_chat_tool_return_list_format`."""

_FORMS: tuple[WireForm, ...] = ('text_parts', 'messages', 'text', 'json')

_LOST = ('repr', 'partial', 'repeated', 'dropped', 'garbled', 'raises')

_CALL_CONTENTS: Mapping[str, Mapping[str, Any]] = {'null': {'content': None}, 'empty': {'content': ''}, 'omit': {}}


@dataclass(frozen=True)
class Choice:
    """One option, the value that fits, and why."""

    option: str
    value: Any
    reason: str
    is_default: bool = False
    """Whether the option has this value anyway."""


@dataclass(frozen=True)
class Recommendation:
    """The options that fit a template behind a server."""

    server: str
    choices: tuple[Choice, ...]
    deliveries: Mapping[WireForm, Delivery]
    """How a list arrives in each form that can be sent, the server's own changes included."""

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


_OF_NATIVE_TOOLS = ('openai_chat_tool_return_as_list', 'openai_chat_tool_call_content')
"""Options about tool messages and turns with calls, of which there are none where tools are text."""


def _with_tools_as_text(native: Recommendation, template: ChatTemplate) -> Recommendation:
    """The recommendation for a template whose tool turn holds no result, if they arrive as text of the conversation."""
    if not find_text_delivery(template, native.server).intact:
        return native
    reason = 'no form of a result arrives in a tool turn, and each one does as text of a user turn'
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
        deliveries: dict[WireForm, Delivery] = {form: self._delivery(form, fields) for form in _FORMS}
        form = _best({form: delivery for form, delivery in deliveries.items() if form not in without})
        lost = {name: _problem(name, delivery) for name, delivery in deliveries.items() if delivery.arrival in _LOST}
        self._losses['openai_chat_tool_return_list_format'] = lost
        choices = [*_list_choices(form, deliveries), call_content, *self._system(), *self._thinking(fields)]
        return Recommendation(
            self._server.name,
            tuple(choices),
            deliveries,
            form,
            {option: losses for option, losses in self._losses.items() if losses},
        )

    def _prompt(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """The prompt for a conversation on the wire; raises `ChatTemplateError` where there is none."""
        handed = hand_over(messages, self._server.name, self._formats)
        setting = self._setting
        variables: dict[str, Any] = {**self._server.variables, **dict(setting.variables)}
        return self._template.render_as_given(handed.messages, setting.tools, True, **variables)

    def _turn(self, contents: Sequence[Any], fields: Mapping[str, Any], **more: Any) -> list[dict[str, Any]]:
        """A tool turn as it is on the wire: arguments as a string, and no names beside results."""
        on_wire = Setting(arguments='string', system=self._setting.system)
        messages = tool_turn(on_wire, contents, **more)
        turn = next(message for message in messages if message['role'] == 'assistant')
        del turn['content']
        turn |= fields
        for message in messages:
            message.pop('name', None)
        return messages

    def _delivery(self, form: WireForm, fields: Mapping[str, Any]) -> Delivery:
        contents = content_of([needle.text for needle in NEEDLES], form)
        try:
            return find_delivery(self._prompt(self._turn(contents, fields)), NEEDLES)
        except ChatTemplateError as error:
            return Delivery('raises', error=str(error).removeprefix(f'{self._template.name}: '))

    def _outcome(self, messages: Sequence[Mapping[str, Any]], *needles: str) -> tuple[bool, str]:
        """Whether all needles are in the prompt, and what is wrong if they are not."""
        try:
            prompt = self._prompt(messages)
        except ChatTemplateError as error:
            return False, str(error).removeprefix(f'{self._template.name}: ')
        missing = [needle for needle in needles if needle not in prompt]
        return not missing, 'it is not in the prompt' if missing else ''

    def _call_content(self) -> Choice:
        """The first of `null`, `empty` and `omit` that neither raises nor shows in the prompt."""
        option = 'openai_chat_tool_call_content'
        baseline = self._words(self._turn(['Qresultq'], {'content': 'Qbesideq'}))
        problems: dict[Any, str] = {}
        for value, fields in _CALL_CONTENTS.items():
            messages = self._turn(['Qresultq'], fields)
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
        except ChatTemplateError:
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

    def _thinking(self, fields: Mapping[str, Any]) -> list[Choice]:
        choices: list[Choice] = []
        messages = self._turn(['Qresultq'], fields, reasoning_content='Qthoughtq')
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


def _best(deliveries: Mapping[WireForm, Delivery]) -> WireForm:
    """Separate before joined, joined by a line end before joined otherwise, whole but escaped before pydantic-ai's."""
    return max(deliveries, key=lambda form: (_rank(form, deliveries[form]), -_FORMS.index(form)))


def _rank(form: WireForm, delivery: Delivery) -> int:
    if form == 'json':
        return 1
    if delivery.arrival == 'joined':
        # A string is refused nowhere, so it goes before parts that arrive no better.
        return 6 if form == 'text' else 5 if '\n' in delivery.separator else 4
    if delivery.arrival == 'escaped':
        return 3 if delivery.separate else 2
    return 7 if delivery.arrival == 'separate' else 0


def _list_choices(form: WireForm, deliveries: Mapping[WireForm, Delivery]) -> list[Choice]:
    problems = [_problem(other, deliveries[other]) for other in _FORMS[:3] if other != form]
    if form == 'json':
        reason = '; '.join(['no form of a list arrives better than one string of JSON', *filter(None, problems)])
        return [Choice('openai_chat_tool_return_as_list', False, reason, is_default=True)]
    said = {
        'separate': 'each item arrives between marks of its own',
        'joined': 'all items arrive, one after the other',
        'escaped': 'all items arrive, escaped as the template escapes every result',
    }[deliveries[form].arrival]
    return [
        Choice('openai_chat_tool_return_as_list', True, said),
        Choice('openai_chat_tool_return_list_format', form, '; '.join([said, *filter(None, problems)])),
    ]


def _problem(form: WireForm, delivery: Delivery) -> str:
    told = {
        'joined': f'as `{form}` they are joined by {delivery.separator!r}',
        'escaped': f'as `{form}` they are escaped',
        'json': f'as `{form}` the list is written as JSON',
        'repr': f'as `{form}` the list is written as Python shows it',
        'partial': f'as `{form}` some are lost',
        'repeated': f'as `{form}` some are repeated',
        'dropped': f'as `{form}` they are lost',
        'garbled': f'as `{form}` they are taken apart',
        'raises': f'as `{form}`: {delivery.error}',
    }
    return told.get(delivery.arrival, '')
