"""`OpenAICompatibleModel`, a drop-in for `OpenAIChatModel` on endpoints that only nearly speak OpenAI."""

from __future__ import annotations as _annotations

import copy
import os
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import Any, cast

import httpx2
from openai import AsyncOpenAI, omit
from openai.types import chat
from pydantic_ai.exceptions import ModelHTTPError, UserError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.openai import OpenAIChatModelSettings
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles import ModelProfileSpec
from pydantic_ai.providers import Provider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import RunContext, ToolDefinition
from typing_extensions import Unpack, override

from ..errors import shown
from ..options.connection import Connection
from ..options.keywords import profile_options, read_model_name
from ..options.profile import OpenAICompatibleModelProfile
from ..options.secrets import without_secrets
from ..options.settings import build_settings, read_mapping, warn_ignored_settings
from ..options.typed import OpenAICompatibleOptions
from ..streaming.response import make_corrector
from .answers_model import AnswersModel, declares
from .error_hints import add_hint, endpoint_hint, without_page
from .history_hooks import refusal_hint
from .reasoning_details import with_reasoning_details
from .special_tokens import takes_special_tokens, with_special_tokens
from .strict_tools import mark_inferred_strict, says_not_strict
from .tool_names import (
    parameters_with_wire_names,
    with_given_names,
    with_wire_names,
)

__all__ = ('OpenAICompatibleModel',)


class OpenAICompatibleModel(AnswersModel):
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
        keywords = profile_options(options, tool_return_as_list)
        model_settings = build_settings(settings)
        warn_ignored_settings(model_settings, self._ignored_settings)
        super().__init__(
            model_name,
            provider=self._make_provider(provider, connection),
            keywords=keywords,
            profile=base_profile,
            settings=model_settings,
        )
        _ = self._history, self._text_tools  # refuse options that contradict each other, and a prompt without its place
        make_corrector(self.profile, ModelRequestParameters())  # refuses a tag that is none before anything is sent
        if chat_template is not None:
            from .template_options import TemplateOptions

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

    @override
    def _get_tool_choice(
        self, model_settings: OpenAIChatModelSettings, model_request_parameters: ModelRequestParameters
    ) -> tuple[list[chat.ChatCompletionToolParam], Any]:
        tools, tool_choice = super()._get_tool_choice(model_settings, model_request_parameters)
        names = self._changed_names(model_request_parameters)
        if names is None:
            return tools, tool_choice
        return with_wire_names(tools, names), with_wire_names(tool_choice, names)

    @override
    def _map_json_schema(self, o: OutputObjectDefinition) -> chat.completion_create_params.ResponseFormat:
        # The name of a schema is held to the rule for names of functions, and comes back in no answer.
        names = self._names(ModelRequestParameters())
        return super()._map_json_schema(replace(o, name=names.wire(o.name)) if names and o.name else o)

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
        on_wire = self._tool_return_mapping.spread(mapped)
        on_wire = self._history.apply(on_wire, messages, self._names(model_request_parameters))
        return self._with_tools_as_text(on_wire, model_settings, model_request_parameters)

    @override
    def _map_model_response(self, message: ModelResponse) -> chat.ChatCompletionMessageParam | None:
        param = super()._map_model_response(message)
        return with_reasoning_details(param, message, self.system) if message.provider_details else param

    @override
    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        await self._use_template()
        names = self._changed_names(model_request_parameters)
        declared = parameters_with_wire_names(model_request_parameters, names) if names else model_request_parameters
        with declares(declared), self._explained_errors():
            response = await super().request(messages, model_settings, model_request_parameters)
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
