"""A chat template and what it makes of a conversation."""

from __future__ import annotations as _annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import jinja2

from ..errors import ChatTemplateError
from .budget import RenderLimits, spending
from .plain import plain_messages, plain_size, plain_value
from .sandbox import ChatTemplateEnvironment

__all__ = ('TEMPLATE_ERRORS', 'ChatTemplate')

TEMPLATE_ERRORS = (
    jinja2.TemplateError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)
"""What a template's text can make jinja2 or Python raise; jinja2's sandbox leaves it to the caller to catch them."""

class ChatTemplate:
    """A chat template, rendered as Hugging Face transformers 5.24 renders it.

    Args:
        source: The template's text, or several by name as in a `tokenizer_config.json`; `default` is used, and
            `tool_use` where there is one and tools are given.
        name: What errors call it, such as the file it came from.
        special_tokens: Text that templates use by name, such as `{'bos_token': '<s>'}`.
        limits: What one rendering may cost.
        mutable_lists: Whether the template may change lists, which llama.cpp allows and transformers does not.

    Raises:
        ChatTemplateError: The text is no chat template, or longer than `limits.source` characters.
    """

    def __init__(
        self,
        source: str | Mapping[str, str],
        *,
        name: str = 'chat template',
        special_tokens: Mapping[str, str] | None = None,
        limits: RenderLimits | None = None,
        mutable_lists: bool = False,
    ):
        self.sources: Mapping[str, str] = {'default': source} if isinstance(source, str) else dict(source)
        self.name = name
        self.special_tokens = dict(special_tokens or {})
        self.limits = limits or RenderLimits()
        self.mutable_lists = mutable_lists
        if not self.sources:
            raise ChatTemplateError(f'{name} holds no chat template.')
        self.source = self._chosen(None)
        """The text of the template that is used without tools."""
        self._compiled(None)

    def __repr__(self) -> str:
        return f'ChatTemplate(name={self.name!r})'

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the templates held here; `('default',)` for most models."""
        return tuple(self.sources)

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = True,
        **variables: Any,
    ) -> str:
        """The prompt for a conversation, as `tokenizer.apply_chat_template(..., tokenize=False)` gives it.

        Args:
            messages: Chat Completions messages, with `arguments` as the template wants them (mostly an object).
                Keys whose value is `None` are left out first, as transformers does since 5.20.
            tools: The tools' definitions, `{'type': 'function', 'function': ...}`.
            add_generation_prompt: Whether the prompt ends in the start of an assistant message.
            variables: What the template reads beside, such as `enable_thinking=False`.

        Raises:
            ChatTemplateError: The template raised, was stopped at its limits, or the conversation is empty. The
                message has the template's own words and, where it is known, the message that it was about.
        """
        return self._render(plain_messages(messages, keep_null=False), tools, add_generation_prompt, variables)

    def render_as_given(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = True,
        **variables: Any,
    ) -> str:
        """As `render`, with `content: None` left as it is: what servers with a renderer of their own do."""
        return self._render(plain_messages(messages, keep_null=True), tools, add_generation_prompt, variables)

    def _render(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None,
        add_generation_prompt: bool,
        variables: Mapping[str, Any],
    ) -> str:
        if not messages:
            raise ChatTemplateError('An empty conversation cannot be rendered; give at least one message.')
        compiled = self._compiled(tools)
        given = (messages, tools, variables)
        size = plain_size(given)
        if size is None or self.mutable_lists:
            given = plain_value(given)
            size = plain_size(given) or 0
        messages, tools, variables = given
        values = {
            'messages': messages,
            'tools': tools,
            'documents': None,
            'add_generation_prompt': add_generation_prompt,
            **self.special_tokens,
            **variables,
        }
        budget = self.limits.budget(len(messages), size)
        budget.macro_costs, budget.template_cost = compiled.macro_costs, compiled.template_cost
        template = compiled.template
        try:
            with spending(budget):
                # `Template.render` would rewrite the traceback, in which the message concerned is looked up below.
                return template.environment.concat(template.root_render_func(template.new_context(values)))
        except TEMPLATE_ERRORS as error:
            raise self._failure(error, messages) from error

    def _chosen(self, tools: object) -> str:
        """The template for a call with or without tools, as transformers chooses it."""
        if tools is not None and 'tool_use' in self.sources:
            return self.sources['tool_use']
        if 'default' not in self.sources:
            raise ChatTemplateError(f'{self.name} has no template named `default`, only: {", ".join(self.sources)}.')
        return self.sources['default']

    def _compiled(self, tools: object) -> _Compiled:
        source = self._chosen(tools)
        if len(source) > self.limits.source:
            raise ChatTemplateError(
                f'{self.name} has {len(source)} characters, and the limit is {self.limits.source}; '
                'pass `limits=RenderLimits(source=...)` if this is a chat template.'
            )
        try:
            return _compile(source, self.mutable_lists, self.limits)
        except TEMPLATE_ERRORS as error:
            line = f', line {error.lineno}' if isinstance(error, jinja2.TemplateSyntaxError) else ''
            raise ChatTemplateError(f'{self.name}{line} is no chat template: {_words(error)}') from error

    def _failure(self, error: Exception, messages: list[dict[str, Any]]) -> ChatTemplateError:
        position = _position(error, messages)
        about = '' if position is None else f' (at message {position}, role {messages[position].get("role")!r})'
        failure = ChatTemplateError(f'{self.name}: {_words(error)}{about}')
        failure.position = position
        return failure


@dataclass(frozen=True)
class _Compiled:
    template: jinja2.Template
    macro_costs: dict[str, int] = field(default_factory=dict[str, int])
    template_cost: int = 1


@functools.cache
def _environment(mutable_lists: bool) -> ChatTemplateEnvironment:
    return ChatTemplateEnvironment(mutable_lists=mutable_lists)


@functools.lru_cache(maxsize=64)
def _compile(source: str, mutable_lists: bool, limits: RenderLimits) -> _Compiled:
    budget = limits.budget()
    with spending(budget):
        template = _environment(mutable_lists).from_string(source)
    return _Compiled(template, budget.macro_costs, budget.template_cost)


def _words(error: Exception) -> str:
    if type(error) is jinja2.TemplateError:
        return str(error)  # What `raise_exception` was given.
    return f'{type(error).__name__}: {error}'


def _position(error: Exception, messages: list[dict[str, Any]]) -> int | None:
    """The message that the innermost frame of the template held in a variable when it raised."""
    positions = {id(message): position for position, message in enumerate(messages)}
    found = None
    for variables in _frames(error):
        for value in variables.values():
            found = positions.get(id(value), found)
    return found


def _frames(error: Exception) -> Iterator[Mapping[str, Any]]:
    step = error.__traceback__
    while step is not None:
        yield cast('Mapping[str, Any]', step.tb_frame.f_locals)
        step = step.tb_next
