"""The search for a template's abilities: small conversations are rendered, and the needles in them are looked for."""

from __future__ import annotations as _annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..lazy import TemplateFailure
from ..text.find import find_dialect
from .abilities import Abilities, Outcome
from .conversations import (
    ARGUMENTS,
    FORMS,
    NEEDLES,
    PARALLEL_NAMES,
    PARALLEL_NEEDLES,
    ContentForm,
    Setting,
    call,
    calls_turn,
    content_of,
    tool_turn,
)
from .deliveries import Delivery, Needle, find_turn_delivery, worst_delivery
from .markup import THINKING_TAGS
from .template import ChatTemplate

__all__ = ('abilities',)

_SETTINGS: tuple[Setting, ...] = (
    Setting(),
    Setting(arguments='string'),
    Setting(content='Qbesideq'),
    Setting(system=False),
    Setting(arguments='string', system=False),
    Setting(arguments='string', flat_tools=True),
    Setting(variables=(('functions', '[]'), ('datetime', '2026-11-30'))),
)
"""Tried in this order; the first that renders the tool's result is the one that the template wants."""


_LONGEST_CALL = 10_000
"""Characters of a call that are looked at; what is longer is no call."""


def abilities(template: ChatTemplate) -> Abilities:
    """Find a template's abilities; it is rendered some seventy times, none of them for more than a few messages."""
    return _Finder(template).found()


@dataclass(frozen=True)
class _InSetting:
    """A template that is given what it wants of a conversation."""

    template: ChatTemplate
    setting: Setting

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = True,
        **variables: Any,
    ) -> str:
        given = [tool['function'] for tool in tools or ()] if self.setting.flat_tools else tools
        wanted = dict(self.setting.variables)
        return self.template.try_rendering(messages, given, add_generation_prompt, **variables, **wanted)


class _Finder:
    def __init__(self, template: ChatTemplate):
        self._template = template
        self._errors: dict[str, str] = {}
        self._setting = Setting()
        self._found = False
        self._choose_setting()

    def _choose_setting(self) -> None:
        # A few templates take a list of parts only, and a few have to change lists.
        for result in ('Qresultq', [{'type': 'text', 'text': 'Qresultq'}]):
            if self._try_settings(result):
                return
        if any('is unsafe' in error for error in self._errors.values()):
            original, self._template = self._template, self._template.for_llama_cpp()
            if self._try_settings('Qresultq'):
                return
            self._template = original
        self._setting = Setting(system=self._kept('system', [{'role': 'system', 'content': 'Qs'}], 'Qs') == 'kept')

    def _try_settings(self, result: Any) -> bool:
        for setting in _SETTINGS:
            self._setting = setting
            prompt = self._prompt(tool_turn(setting, [result]), setting.arguments)
            self._found = prompt is not None and 'Qresultq' in prompt
            if self._found:
                self._errors.clear()
                return True
        return False

    def _prompt(
        self,
        messages: Sequence[Mapping[str, Any]],
        about: str = '',
        add_generation_prompt: bool = True,
    ) -> str | None:
        setting = self._setting
        try:
            return self._template.try_rendering(
                messages, setting.tools, add_generation_prompt, **dict(setting.variables)
            )
        except TemplateFailure as error:
            self._errors[about] = str(error).removeprefix(f'{self._template.name}: ')
            return None

    def found(self) -> Abilities:
        """Everything that there is to find."""
        returns: dict[ContentForm, Delivery] = {form: self._delivery(form) for form in FORMS}
        call_text = self._call_text()
        self._errors.pop('', None)
        return Abilities(
            setting=self._setting if self._found else None,
            changes_lists=self._template.llama_cpp,
            tool_returns=returns,
            parallel_returns={form: self._parallel_delivery(form) for form in FORMS},
            arguments={'object': self._arguments('object'), 'string': self._arguments('string')},
            call_content={
                'null': self._call_content('null', content=None),
                'empty': self._call_content('empty', content=''),
                'absent': self._call_content('absent'),
            },
            parallel_calls=self._parallel_calls(),
            tool_call_ids=self._tool_call_ids(),
            tool_names=self._tool_names(),
            roles=self._roles(),
            thinking={'last turn': self._thinking(later_user=False), 'earlier turn': self._thinking(later_user=True)},
            thinking_tags=self._thinking_tags(),
            dialect=find_dialect(_InSetting(self._template, self._setting)),
            call_text=call_text,
            generation_prompt=self._generation_prompt(),
            errors=self._errors,
        )

    def _delivery(self, form: ContentForm) -> Delivery:
        return self._turn_delivery(form, form, (NEEDLES,), ('get_items',))

    def _parallel_delivery(self, form: ContentForm) -> Delivery:
        """Of two trials, with two tools and with one that is called twice, the one that ends worse."""
        about = f'parallel {form}'
        return worst_delivery([self._turn_delivery(about, form, PARALLEL_NEEDLES, names) for names in PARALLEL_NAMES])

    def _turn_delivery(
        self, about: str, form: ContentForm, calls: Sequence[Sequence[Needle]], names: Sequence[str]
    ) -> Delivery:
        prompt = self._turn_prompt(about, form, calls, names)
        if prompt is None:
            return Delivery('raises', error=self._errors[about])
        single = (self._turn_prompt('text', 'text', calls, names) or '') if form == 'messages' else None
        return find_turn_delivery(prompt, calls, single=single)

    def _turn_prompt(
        self, about: str, form: ContentForm, calls: Sequence[Sequence[Needle]], names: Sequence[str]
    ) -> str | None:
        contents = [content_of([needle.text for needle in needles], form) for needles in calls]
        return self._prompt(calls_turn(self._setting, contents, names), about)

    def _kept(self, about: str, messages: Sequence[Mapping[str, Any]], *needles: str) -> Outcome:
        prompt = self._prompt(messages, about)
        if prompt is None:
            return 'raises'
        return 'kept' if all(needle in prompt for needle in needles) else 'dropped'

    def _with_call(self, *calls: Mapping[str, Any], content: Any = None, **fields: Any) -> list[dict[str, Any]]:
        setting = self._setting
        turn = {'role': 'assistant', 'content': content or setting.content, 'tool_calls': list(calls), **fields}
        results = [
            {'role': 'tool', 'tool_call_id': entry.get('id'), 'name': 'get_items', 'content': 'Qresultq'}
            for entry in calls
        ]
        return [*setting.opening, turn, *results]

    def _arguments(self, kind: Literal['object', 'string']) -> Outcome:
        arguments = Setting(arguments=kind).arguments_of(ARGUMENTS)
        prompt = self._prompt(self._with_call(call(arguments)), f'{kind} arguments')
        if prompt is None:
            return 'raises'
        if 'Qargzq' not in prompt:
            return 'dropped'
        if r'\"Qargzq' in prompt or r'Qargzq\"' in prompt:
            return 'encoded twice'
        return 'leaked' if "{'query': 'Qargzq'" in prompt else 'kept'

    def _call_content(self, about: str, **fields: Any) -> Outcome:
        messages = tool_turn(self._setting, ['Qresultq'])
        turn = messages[-2]
        del turn['content']
        turn |= fields
        prompt = self._prompt(messages, f'{about} content')
        if prompt is None:
            return 'raises'
        if 'Qresultq' not in prompt:
            return 'dropped'
        # The rest of the prompt may have these words for reasons of its own.
        other = self._prompt(tool_turn(self._setting, ['Qresultq'], content='Qbesideq')) or ''
        return 'leaked' if any(prompt.count(word) > other.count(word) for word in ('None', 'null')) else 'kept'

    def _parallel_calls(self) -> Outcome:
        arguments = [self._setting.arguments_of({'query': query}) for query in ('Qoneq', 'Qtwoq')]
        calls = [call(arguments[0]), call(arguments[1], 'callQid02')]
        return self._kept('parallel calls', self._with_call(*calls), 'Qoneq', 'Qtwoq')

    def _tool_call_ids(self) -> Literal['shown', 'invented', 'absent']:
        arguments = self._setting.arguments_of({'query': 'Qargzq'})
        prompt = self._prompt(self._with_call(call(arguments)), 'tool call ids') or ''
        if 'callQid01' in prompt:
            return 'shown'
        turn = prompt[prompt.rfind('List the items.') :]
        return 'invented' if any(character.isdigit() for character in turn) else 'absent'

    def _tool_names(self) -> bool:
        messages = self._with_call(call(self._setting.arguments_of(ARGUMENTS)))
        messages[-1]['name'] = 'Qnameq'
        prompt = self._prompt(messages, 'tool names') or ''
        if 'Qnameq' in prompt:
            return True
        # Or looked up by the call's id: then it stands between the call and the result a second time.
        start, end = prompt.rfind('Qargzq'), prompt.rfind('Qresultq')
        return 0 <= start < end and 'get_items' in prompt[start:end]

    def _roles(self) -> dict[str, Outcome]:
        system, other = ({'role': 'system', 'content': text} for text in ('Qsysaq', 'Qsysbq'))
        user, answer = {'role': 'user', 'content': 'Quserq'}, {'role': 'assistant', 'content': 'Qanswerq'}
        again = {'role': 'user', 'content': 'Qagainq'}
        opening = [system, user] if self._setting.system else [user]
        turn = self._with_call(call(self._setting.arguments_of(ARGUMENTS)))
        second = {'role': 'assistant', 'content': 'Qsecondq'}
        return {
            'system': self._kept('system', [system, user], 'Qsysaq'),
            'several systems': self._kept('several systems', [system, other, user], 'Qsysaq', 'Qsysbq'),
            'later system': self._kept('later system', [*opening, answer, other, again], 'Qsysbq', 'Qagainq'),
            'developer': self._kept('developer', [{'role': 'developer', 'content': 'Qsysaq'}, user], 'Qsysaq'),
            'user after user': self._kept('user after user', [*opening, again], 'Quserq', 'Qagainq'),
            'assistant after assistant': self._kept(
                'assistant after assistant', [*opening, answer, second, again], 'Qanswerq', 'Qsecondq'
            ),
            'user after tool': self._kept('user after tool', [*turn, again], 'Qresultq', 'Qagainq'),
            'no user': self._kept('no user', [system, answer], 'Qanswerq'),
        }

    def _thinking(self, *, later_user: bool) -> Outcome:
        about = 'thinking in an earlier turn' if later_user else 'thinking in the last turn'
        messages = self._with_call(call(self._setting.arguments_of(ARGUMENTS)), reasoning_content='Qthoughtq')
        later = (
            [{'role': 'assistant', 'content': 'Done.'}, {'role': 'user', 'content': 'Qagainq'}] if later_user else []
        )
        return self._kept(about, [*messages, *later], 'Qthoughtq')

    def _thinking_tags(self) -> tuple[str, str] | None:
        """The pair that the template puts around a thought, opens at the end, or cuts out of an earlier answer."""
        messages = self._with_call(call(self._setting.arguments_of(ARGUMENTS)), reasoning_content='Qthoughtq')
        thought = self._prompt(messages, 'thinking tags') or ''
        ending = self._generation_prompt()
        for start, end in THINKING_TAGS:
            if start.strip() + 'Qthoughtq' in thought.replace('\n', '') or start in ending or end in ending:
                return start, end
        opening = self._setting.opening
        for start, end in THINKING_TAGS:
            answer = {'role': 'assistant', 'content': f'{start}Qthoughtq{end}Qanswerq'}
            prompt = self._prompt([*opening, answer, {'role': 'user', 'content': 'Qagainq'}], 'thinking tags') or ''
            if 'Qanswerq' in prompt and 'Qthoughtq' not in prompt:
                return start, end
        return None

    def _call_text(self) -> str:
        """What stands between the user's text and the result, from which the dialect is read."""
        prompt = self._prompt(self._with_call(call(self._setting.arguments_of(ARGUMENTS))), 'call') or ''
        start, end = prompt.rfind('List the items.'), prompt.rfind('Qresultq')
        if 'Qargzq' not in prompt[max(start, 0) :]:
            return ''
        text = prompt[start + len('List the items.') : end if end > prompt.rfind('Qargzq') else None]
        return text[:_LONGEST_CALL]

    def _generation_prompt(self) -> str:
        messages = self._setting.opening
        prompt = self._prompt(messages, 'generation prompt') or ''
        without = self._prompt(messages, 'generation prompt', add_generation_prompt=False) or ''
        return prompt.removeprefix(without) if prompt.startswith(without) else ''
