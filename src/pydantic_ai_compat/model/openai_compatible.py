"""`OpenAICompatibleModel`, a drop-in for `OpenAIChatModel` on endpoints that only nearly speak OpenAI."""

from __future__ import annotations as _annotations

import copy
import os
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, cast

import httpx2
from openai import AsyncOpenAI, AsyncStream, omit
from openai.types import chat
from openai.types.chat.chat_completion_chunk import Choice
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError, UserError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ModelResponseStreamEvent
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.openai import OpenAIChatModelSettings, OpenAIStreamedResponse
from pydantic_ai.profiles import ModelProfile, ModelProfileSpec, merge_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import Provider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import RunContext, ToolDefinition
from typing_extensions import Unpack, override

from ..errors import shown
from ..history import NameMap
from ..options.connection import Connection
from ..options.conversion import without_secrets
from ..options.keywords import profile_options, read_model_name
from ..options.profile import DEFAULT_OPTIONS, OpenAICompatibleModelProfile, build_profile
from ..options.settings import build_settings, read_mapping, warn_ignored_settings
from ..options.typed import OpenAICompatibleOptions
from ..streaming.bodies.decoder import BodyDecoder
from ..streaming.bodies.pages import Origin
from ..streaming.plain import is_answer, read_response, undecoded_body
from ..streaming.plain_response import PlainReading
from ..streaming.report import Report
from ..streaming.response import CorrectedStreamedResponse, make_corrector
from ..streaming.server_errors import add_server_words
from ..transport import LeanStreamedResponse, read_events_with
from .error_hints import add_hint, endpoint_hint, origin_of, without_page
from .failed_usage import counted_usage
from .history_hooks import HistoryGuard, HistoryOptions, refusal_hint
from .policy_options import thinking_defaults
from .reasoning_details import with_reasoning_details
from .sendable_text import is_unsendable_text, with_sendable_text
from .special_tokens import takes_special_tokens, with_special_tokens
from .strict_tools import mark_inferred_strict, says_not_strict
from .template_options import TemplateOptions
from .text_tools_model import TextToolsModel
from .tool_names import (
    choice_with_given_names,
    names_of,
    parameters_with_wire_names,
    with_given_names,
    with_wire_names,
)
from .tool_returns import ToolReturnMapping

__all__ = ('OpenAICompatibleModel',)

_declared: ContextVar[ModelRequestParameters | None] = ContextVar('_declared', default=None)
"""The tools of the request whose plain answer is read: pydantic-ai does not hand them to `_process_response`."""


@dataclass(init=False)
class OpenAICompatibleModel(TextToolsModel):
    """A model on an endpoint that speaks OpenAI's Chat Completions API, more or less.

    With every option at its default and a well-formed exchange, the bytes on the wire and the parts of the response
    are those of `OpenAIChatModel`.

    Apart from `__init__`, all methods are private or match those of the base class.
    """

    def __init__(
        self,
        model_name: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        provider: str | Provider[AsyncOpenAI] | None = None,
        tool_return_as_list: bool | str | None = None,
        headers: Mapping[str, str] | str | None = None,
        timeout: float | str | httpx2.Timeout | None = None,
        max_retries: int | str | None = None,
        provider_name: str | None = None,
        chat_template: str | os.PathLike[str] | None = None,
        chat_template_server: str | None = None,
        profile: OpenAICompatibleModelProfile | ModelProfileSpec | str | None = None,
        settings: Mapping[str, object] | ModelSettings | str | None = None,
        **options: Unpack[OpenAICompatibleOptions],
    ) -> None:
        """Initialize the model; nothing is sent or read but environment variables.

        Every argument also takes text, for loaders that know only strings. `${VAR}` and `${VAR:-default}` are expanded
        in `model_name`, `base_url`, `api_key` and header values; `$${` is a literal `${`.

        Args:
            model_name: The model's name at the endpoint.
            base_url: The endpoint, such as `'http://localhost:8000/v1'`, taken as given but for a pasted
                `/chat/completions`. `OPENAI_API_KEY` is not sent to it. Without one, and without a `provider`,
                the model is OpenAI's own.
            api_key: The key, if the endpoint needs one.
            provider: A provider, or the name of one that pydantic-ai knows, such as `'vllm'`, in place of `base_url`,
                `api_key`, `headers`, `timeout`, `max_retries` and `provider_name`.
            tool_return_as_list: Short for the option `openai_chat_tool_return_as_list`.
            headers: Headers sent with each request.
            timeout: Seconds for one attempt at a request, or an `httpx2.Timeout`.
            max_retries: How often the client tries a request again.
            provider_name: What the provider is called in stored histories and in spans. Default: `'openai'`, as with
                stock. Thoughts of a stored history go back in their field only to the provider of the name that they
                were made under, so name two endpoints differently only if they must not see each other's.
            chat_template: The path of the model's chat template (a file, or the model's folder), or `'server'` to ask
                llama.cpp's server for it. The options that it recommends hold where none is set. A file is read when
                the profile is first used, a server is asked before the first request.
            chat_template_server: The server in front of the template, such as `'sglang'`. Default: `'vllm'`, and
                `'llama.cpp'` with `chat_template='server'`.
            profile: The profile under the options, in any form that pydantic-ai takes, or a JSON object as text.
            settings: Default model settings, typed or as text, or a JSON object as text.
            **options: Profile options: any key of `OpenAICompatibleModelProfile` that begins with `openai_`.

        Raises:
            UnknownOptionError: If no option has a keyword's name (also a `TypeError`).
            OptionError: If a value does not fit, or a variable is not set (also a `ValueError`).
            UserError: If options contradict each other.
        """
        model_name = read_model_name(model_name)
        connection = Connection.read(
            base_url=base_url,
            api_key=api_key,
            headers=headers,
            timeout=timeout,
            max_retries=max_retries,
            provider_name=provider_name,
        )
        if provider is not None:
            connection.check_provider(provider)
        base_profile = cast(
            'ModelProfileSpec | None', profile if callable(profile) else read_mapping('profile', profile)
        )
        self._ignored_settings = set[str]()
        self._told_fields = set[str]()
        self._template_options: TemplateOptions | None = None
        keywords = profile_options(options, tool_return_as_list)
        self._keyword_options = frozenset(keywords)
        model_settings = build_settings(settings)
        warn_ignored_settings(model_settings, self._ignored_settings)
        super().__init__(
            model_name,
            provider=self._make_provider(provider, connection),
            profile=build_profile(keywords, base_profile),
            settings=model_settings,
        )
        self._history = self._make_history_guard()
        _ = self._text_tools  # refuses a prompt that lacks a placeholder, as early
        make_corrector(self.profile, ModelRequestParameters())  # refuses a tag that is none before anything is sent
        if chat_template is not None:
            self._template_options = TemplateOptions(chat_template, chat_template_server)
            self._forget_profile()
        elif chat_template_server is not None:
            raise UserError('`chat_template_server` says what stands in front of `chat_template`: give that as well.')

    @override
    def __repr__(self) -> str:
        # pydantic-ai shows the settings, whose headers and body may hold a key.
        shown_model = copy.copy(self)
        values = without_secrets(self._settings or {})
        shown_model._settings = cast(
            'ModelSettings | None', self._settings and {name: _CutRepr(value) for name, value in values.items()}
        )
        return super(OpenAICompatibleModel, shown_model).__repr__()

    @staticmethod
    def _make_provider(provider: str | Provider[AsyncOpenAI] | None, connection: Connection) -> Any:
        if provider is None and not connection.given():
            return 'openai'
        if isinstance(provider, Provider):
            return provider
        from ..options.provider import make_provider, named_provider

        return make_provider(connection) if provider is None else named_provider(provider)

    @cached_property
    @override
    def profile(self) -> OpenAIModelProfile:
        profile = super().profile
        user = self._profile
        options = cast(OpenAICompatibleModelProfile, profile)
        takes_turns = options.get('openai_chat_tools') == 'text'
        several = profile.get('openai_chat_supports_multiple_system_messages', True)
        if (several and not takes_turns) or (isinstance(user, dict) and 'supports_inline_system_prompts' in user):
            return profile
        # A server that takes one system message takes none after a tool result either, nor does one for whose sake
        # tools are text, as its users and assistants take turns; pydantic-ai would put its notes about files and
        # look-alike tags there.
        return cast(OpenAIModelProfile, merge_profile(profile, ModelProfile(supports_inline_system_prompts=False)))

    @property
    def _resolved_profile(self) -> OpenAICompatibleModelProfile:
        return cast(OpenAICompatibleModelProfile, self.profile)

    @cached_property
    def _tool_return_mapping(self) -> ToolReturnMapping:
        return ToolReturnMapping.from_profile(self._resolved_profile)

    @override
    def _instance_profile_defaults(self, profile: ModelProfile) -> ModelProfile:
        defaults = merge_profile(DEFAULT_OPTIONS, super()._instance_profile_defaults(profile))
        user = cast(Any, self._profile)
        set_by_user = merge_profile(defaults, None if callable(user) else user)
        defaults = merge_profile(
            defaults, thinking_defaults(cast(OpenAICompatibleModelProfile, set_by_user), self.base_url)
        )
        if self._template_options is None:
            return defaults
        return merge_profile(defaults, self._template_options.options(set_by_user, self.base_url))

    def _make_history_guard(self) -> HistoryGuard:
        return HistoryGuard(
            HistoryOptions.from_profile(self._resolved_profile, self.base_url, user_options=self._user_options())
        )

    def _user_options(self) -> frozenset[str]:
        """The keys of the profile that the user set, where a function sets some, those that it changes."""
        user = self._profile
        if not callable(user):
            return frozenset(user or ())
        bare = copy.copy(self)
        bare._profile = None
        bare._forget_profile()
        inferred = cast('Mapping[str, object]', bare.profile)
        changed = (key for key, value in self.profile.items() if key not in inferred or inferred[key] != value)
        return self._keyword_options.union(changed)

    def _forget_profile(self) -> None:
        """Let the profile, and what follows from it, be made anew at the next look."""
        for name in ('profile', '_tool_return_mapping', '_text_tools'):
            vars(self).pop(name, None)

    async def _use_template(self) -> None:
        """Before the first request: ask a server for its template, and take up what is recommended."""
        options = self._template_options
        if options is not None and not options.is_used:
            await options.use(self.client, self._resolved_profile, self.base_url, self.model_name)
            self._forget_profile()
            self._history = self._make_history_guard()
            options.warn_losses(self._resolved_profile)

    @override
    def prepare_request(
        self, model_settings: ModelSettings | None, model_request_parameters: ModelRequestParameters
    ) -> tuple[ModelSettings | None, ModelRequestParameters]:
        warn_ignored_settings(model_settings, self._ignored_settings)
        settings, parameters = super().prepare_request(model_settings, model_request_parameters)
        named = self._template_options and self._template_options.named_server
        if takes_special_tokens(self._resolved_profile, (self.system, named)):
            settings = with_special_tokens(settings, self._resolved_profile, parameters)
        return settings, parameters

    @override
    def customize_request_parameters(self, model_request_parameters: ModelRequestParameters) -> ModelRequestParameters:
        customized = super().customize_request_parameters(model_request_parameters)
        return mark_inferred_strict(model_request_parameters, customized)

    @override
    def _map_tool_definition(self, f: ToolDefinition, model_settings: ModelSettings) -> chat.ChatCompletionToolParam:
        tool = super()._map_tool_definition(f, model_settings)
        if says_not_strict(f) and self._resolved_profile.get('openai_supports_strict_tool_definition', True):
            # pydantic-ai leaves the key out for a tool that says `strict=False`, and servers then apply a default of
            # their own. https://github.com/pydantic/pydantic-ai/issues/1561
            tool['function']['strict'] = False
        return tool

    def _names(self, parameters: ModelRequestParameters) -> NameMap | None:
        options = self._history.options
        return names_of(parameters, options.policy, options.mode)

    @override
    def _get_tool_choice(
        self, model_settings: OpenAIChatModelSettings, model_request_parameters: ModelRequestParameters
    ) -> tuple[list[chat.ChatCompletionToolParam], Any]:
        tools, tool_choice = super()._get_tool_choice(model_settings, model_request_parameters)
        names = self._names(model_request_parameters)
        if names is None or not names.changes:
            return tools, tool_choice
        return with_wire_names(tools, names), with_wire_names(tool_choice, names)

    @override
    def _get_stream_options(self, model_settings: OpenAIChatModelSettings) -> chat.ChatCompletionStreamOptionsParam:
        options = super()._get_stream_options(model_settings)
        if not self._resolved_profile.get('openai_chat_include_usage', True):
            # `stream_options` without anything in it is refused as well, so the key goes when nothing is left.
            left = {name: value for name, value in options.items() if name != 'include_usage'}
            return cast(chat.ChatCompletionStreamOptionsParam, left or omit)
        return options

    @override
    def _map_user_message(self, message: ModelRequest) -> AsyncIterable[chat.ChatCompletionMessageParam]:
        return super()._map_user_message(self._tool_return_mapping.take(message))

    @override
    async def _map_messages(
        self,
        messages: Sequence[ModelMessage],
        model_request_parameters: ModelRequestParameters,
        *,
        model_settings: ModelSettings | None = None,
    ) -> list[chat.ChatCompletionMessageParam]:
        # pydantic-ai repairs pairs in the agent's loop only; here direct requests and wrapper models are covered too.
        mapped = await super()._map_messages(messages, model_request_parameters, model_settings=model_settings)
        on_wire = self._tool_return_mapping.put_back(mapped)
        on_wire = self._history.apply(on_wire, messages, self._names(model_request_parameters))
        return self._with_tools_as_text(on_wire, model_settings, model_request_parameters)

    @override
    def _map_model_response(self, message: ModelResponse) -> chat.ChatCompletionMessageParam | None:
        return with_reasoning_details(super()._map_model_response(message), message, self.system)

    @override
    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        await self._use_template()
        names = self._names(model_request_parameters)
        if names is not None and not names.changes:
            names = None
        declared = parameters_with_wire_names(model_request_parameters, names) if names else model_request_parameters
        token = _declared.set(declared)
        try:
            with self._explained_errors():
                response = await super().request(messages, model_settings, model_request_parameters)
        finally:
            _declared.reset(token)
        return with_given_names(response, names) if names else response

    @asynccontextmanager
    @override
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        await self._use_template()
        async with AsyncExitStack() as stack:
            # Only the request: what the body of the caller's `async with` raises may be another model's error.
            with self._explained_errors():
                response = await stack.enter_async_context(
                    super().request_stream(messages, model_settings, model_request_parameters, run_context)
                )
            yield response

    @override
    def _process_response(self, response: chat.ChatCompletion | str, **options: Any) -> ModelResponse:
        if not self._reads_answers:
            return super()._process_response(response, **options)
        parameters = _declared.get() or ModelRequestParameters()
        reading = PlainReading(self.profile, parameters, model_name=self.model_name, provider_name=self.system)
        process = partial(super()._process_response, **options)
        with counted_usage(lambda: self._map_usage(reading.with_usage()), self.model_name, self.system):
            whole = response if is_answer(response) else read_response(response, self._origin)
            report = Report(self.model_name, self._told_fields)
            mapped = reading.map(whole, process, report)
            report.look_for_calls(
                mapped.parts, parameters, self._resolved_profile.get('openai_chat_text_tool_calls', ())
            )
            return mapped

    @property
    def _reads_answers(self) -> bool:
        """Whether answers are read here: a subclass with a stream of its own has a reading of its own."""
        return issubclass(self._streamed_response_cls, CorrectedStreamedResponse)

    @property
    def _origin(self) -> Origin:
        """Where a plain answer comes from: the SDK gives its body alone, and raises for any other status."""
        return Origin(200, f'{self.base_url.rstrip("/")}/chat/completions')

    @override
    async def _completions_create(self, messages: Any, stream: Any, *args: Any, **options: Any) -> Any:
        create: Any = super()._completions_create
        try:
            return await create(messages, stream, *args, **options)
        except (ModelAPIError, RecursionError, ValueError) as error:
            if is_unsendable_text(error) and (sendable := with_sendable_text(messages)) is not messages:
                return await create(sendable, stream, *args, **options)
            if stream or not self._reads_answers or (body := undecoded_body(error)) is None:
                raise
            return body

    @property
    @override
    def _streamed_response_cls(self) -> type[OpenAIStreamedResponse]:
        return _StreamedResponse

    @override
    async def _process_streamed_response(
        self, response: AsyncStream[chat.ChatCompletionChunk], *args: Any, **options: Any
    ) -> OpenAIStreamedResponse:
        read_events_with(response, BodyDecoder(origin_of(response)))
        try:
            streamed = await super()._process_streamed_response(response, *args, **options)
        except ModelAPIError as error:
            add_server_words(error)
            raise
        if not isinstance(streamed, CorrectedStreamedResponse):
            return streamed
        streamed.report = Report(self.model_name, self._told_fields)
        names = self._names(streamed.model_request_parameters)
        if names and names.changes and isinstance(streamed, _StreamedResponse):
            streamed.names = names
        return streamed

    @contextmanager
    def _explained_errors(self) -> Generator[None]:
        try:
            yield
        except ModelHTTPError as error:
            without_page(error)
            if hint := endpoint_hint(error, self.base_url) or refusal_hint(error, self._history.options):
                add_hint(error, hint)
            raise


@dataclass(repr=False)
class _CutRepr:
    """A value that shows no more of itself than an error does."""

    value: object

    @override
    def __repr__(self) -> str:
        return shown(self.value)


class _StreamedResponse(CorrectedStreamedResponse, LeanStreamedResponse):
    """A stream whose chunks come from the lean transport and are corrected before pydantic-ai maps them.

    It has no field of its own, so it is no dataclass.
    """

    names: NameMap | None = None
    """The names that the tools went out with, if one of them is not the tool's own."""

    @override
    def _wire_parameters(self) -> ModelRequestParameters:
        parameters = super()._wire_parameters()
        return parameters if self.names is None else parameters_with_wire_names(parameters, self.names)

    @override
    def _map_tool_call_delta(self, choice: Choice) -> Iterable[ModelResponseStreamEvent]:
        return super()._map_tool_call_delta(
            choice if self.names is None else choice_with_given_names(choice, self.names)
        )
