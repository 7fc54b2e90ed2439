"""A chat template and what it makes of a conversation."""

from __future__ import annotations as _annotations

import functools
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import jinja2

from ..lazy import TemplateFailure, errors
from .budget import RenderLimits, spending
from .loading import fetch_props, props_url, read_props, read_templates
from .plain import plain_messages, plain_size, plain_value
from .sandbox import ChatTemplateEnvironment

if TYPE_CHECKING:
    import httpx2

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
        llama_cpp: Whether to render as llama.cpp's own interpreter does where it differs from transformers.

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
        llama_cpp: bool = False,
    ):
        self.sources: Mapping[str, str] = {'default': source} if isinstance(source, str) else dict(source)
        self.name = name
        self.special_tokens = dict(special_tokens or {})
        self.limits = limits or RenderLimits()
        self.llama_cpp = llama_cpp
        self.caps: Mapping[str, bool] = {}
        """What llama.cpp's `/props` says about the template under `chat_template_caps`, if it comes from there."""

        self._ready: dict[str, _Compiled] = {}
        if not self.sources:
            raise errors.ChatTemplateError(f'{name} holds no chat template.')
        self.source = self._chosen(None)
        """The text of the template that is used without tools."""
        self._compiled(None)

    @classmethod
    def from_file(cls, path: str | Path, *, limits: RenderLimits | None = None) -> ChatTemplate:
        """The template in a file: `.jinja`, `tokenizer_config.json`, `chat_template.json`, `.gguf`, or a model's folder.

        Of a GGUF file only the metadata is read. Special tokens come with the template where the file has them.

        Raises:
            ChatTemplateError: There is no such file, or no template in it.
        """
        templates, tokens = read_templates(Path(path))
        return cls(templates, name=Path(path).name, special_tokens=tokens, limits=limits)

    @classmethod
    def from_server(
        cls, base_url: str, *, api_key: str | None = None, http_client: httpx2.Client | None = None
    ) -> ChatTemplate:
        """The template that a running server says it uses; of the usual servers only llama.cpp tells (`/props`).

        Args:
            base_url: As given to the model, such as `'http://localhost:8080/v1'`.
            api_key: Sent as a bearer token, if the server wants one.
            http_client: A client of one's own; it is left open.

        Raises:
            ChatTemplateError: The server cannot be reached, or tells no template.
        """
        url = props_url(base_url)
        return cls.from_props(fetch_props(url, api_key, http_client), url)

    @classmethod
    def from_props(cls, props: object, url: str) -> ChatTemplate:
        """The template in the answer of llama.cpp's `/props`; `url` is what errors call it."""
        templates, tokens, caps = read_props(props, url)
        template = cls(templates, name=url, special_tokens=tokens)
        template.caps = caps
        return template

    def for_llama_cpp(self) -> ChatTemplate:
        """The same template in llama.cpp's interpreter: it may change lists, and a map or null prints nothing."""
        return ChatTemplate(
            self.sources, name=self.name, special_tokens=self.special_tokens, limits=self.limits, llama_cpp=True
        )

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
        with _public_errors():
            return self._render(plain_messages(messages, keep_null=False), tools, add_generation_prompt, variables)

    def render_as_given(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = True,
        **variables: Any,
    ) -> str:
        """As `render`, with `content: None` left as it is: what servers with a renderer of their own do."""
        with _public_errors():
            return self.try_rendering(messages, tools, add_generation_prompt, **variables)

    def try_rendering(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = True,
        **variables: Any,
    ) -> str:
        """As `render_as_given`, for what tries a template out: it starts without pydantic-ai, whatever the template does.

        Raises:
            TemplateFailure: As `render` raises `ChatTemplateError`, which is one of these.
        """
        return self._render(plain_messages(messages, keep_null=True), tools, add_generation_prompt, variables)

    def _render(
        self,
        messages: list[dict[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None,
        add_generation_prompt: bool,
        variables: Mapping[str, Any],
    ) -> str:
        if not messages:
            raise errors.ChatTemplateError('An empty conversation cannot be rendered; give at least one message.')
        compiled = self._compiled(tools)
        given = (messages, tools, variables)
        size = plain_size(given)
        if size is None or self.llama_cpp:
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
            raise errors.ChatTemplateError(
                f'{self.name} has no template named `default`, only: {", ".join(self.sources)}.'
            )
        return self.sources['default']

    def _compiled(self, tools: object) -> _Compiled:
        source = self._chosen(tools)
        if source in self._ready:
            return self._ready[source]
        if len(source) > self.limits.source:
            raise errors.ChatTemplateError(
                f'{self.name} has {len(source)} characters, and the limit is {self.limits.source}; '
                'pass `limits=RenderLimits(source=...)` if this is a chat template.'
            )
        try:
            compiled = self._ready[source] = _compile(source, self.llama_cpp)
        except TEMPLATE_ERRORS as error:
            line = f', line {error.lineno}' if isinstance(error, jinja2.TemplateSyntaxError) else ''
            raise errors.ChatTemplateError(f'{self.name}{line} is no chat template: {_words(error)}') from error
        return compiled

    def _failure(self, error: Exception, messages: list[dict[str, Any]]) -> TemplateFailure:
        position = _position(error, messages)
        about = '' if position is None else f' (at message {position}, role {messages[position].get("role")!r})'
        failure = TemplateFailure(f'{self.name}: {_words(error)}{about}')
        failure.position = position
        return failure


@contextmanager
def _public_errors() -> Generator[None]:
    try:
        yield
    except TemplateFailure as failure:
        if isinstance(failure, errors.ChatTemplateError):
            raise
        error = errors.ChatTemplateError(str(failure))
        error.position = failure.position
        raise error from failure.__cause__


@dataclass(frozen=True)
class _Compiled:
    template: jinja2.Template
    macro_costs: dict[str, int] = field(default_factory=dict[str, int])
    template_cost: int = 1


@functools.cache
def _environment(llama_cpp: bool) -> ChatTemplateEnvironment:
    return ChatTemplateEnvironment(llama_cpp=llama_cpp)


@functools.lru_cache(maxsize=64)
def _compile(source: str, llama_cpp: bool) -> _Compiled:
    # Filters of constants are evaluated here; the length of the source bounds the rest.
    budget = RenderLimits().budget()
    with spending(budget):
        template = _environment(llama_cpp).from_string(source)
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
