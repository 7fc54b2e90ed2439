"""The model's keyword `chat_template`: the options that a chat template recommends, found when they are first needed."""

from __future__ import annotations as _annotations

import importlib.util
import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

import anyio.to_thread
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, OpenAIError
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError, UserError
from pydantic_ai.models import check_allow_model_requests
from pydantic_ai.profiles import ModelProfile

from ..errors import ChatTemplateError, IgnoredOptionWarning, OptionError
from ..options.conversion import convert
from ..options.profile import OpenAICompatibleModelProfile
from .history_hooks import refuses_several_results

if TYPE_CHECKING:
    from ..templates import ChatTemplate, Recommendation

__all__ = ('ChatTemplateServer', 'TemplateOptions')

ChatTemplateServer = Literal['vllm', 'vllm-0.19', 'sglang', 'llama.cpp', 'ollama', 'tgi', 'transformers', 'litellm']
"""The servers whose way with a conversation is known; `templates.SERVERS` says what it is."""

_FROM_SERVER = 'server'

_NO_SUCH_ROUTE = (400, 404, 405, 406, 410, 422, 501)
"""Statuses of a server that does not know the route; any other says that it is not ready, or wants another key."""


class TemplateOptions:
    """The options that a chat template recommends behind a server.

    A constructor of a model must be cheap and send nothing, so a file is read when the profile is first asked for after
    it, and a server before the first request.

    Args:
        chat_template: The path of a file or folder, or `'server'` to ask llama.cpp's server which template it uses.
        server: The server in front of the template.

    Raises:
        OptionError: A value does not fit.
        UserError: jinja2 is not installed.
    """

    def __init__(self, chat_template: str | os.PathLike[str], server: str | None = None):
        self.source = os.fspath(chat_template)
        if not self.source:
            raise OptionError("`chat_template`='' does not fit: allowed is the path of a file or folder, or 'server'.")
        # llama.cpp is the only one that tells its template, and vLLM the most common.
        default = 'llama.cpp' if self.asks_server else 'vllm'
        self.server = cast(str, convert('chat_template_server', server or default, ChatTemplateServer))
        self.named_server = self.server if server else None
        """The server, if the user named it."""
        if importlib.util.find_spec('jinja2') is None:
            raise UserError('`chat_template` needs `jinja2`: pip install "pydantic-ai-compat[templates]"')
        self._recommendation: Recommendation | None = None
        self.is_used = False
        """Whether a request has taken up the recommendation."""

    @property
    def asks_server(self) -> bool:
        """Whether the template is still to be asked for."""
        return self.source == _FROM_SERVER

    async def use(
        self, client: AsyncOpenAI, profile: OpenAICompatibleModelProfile, base_url: str, model_name: str
    ) -> None:
        """Ask a server for its template, with the model's own client, unless that is done or a file holds it.

        Raises:
            ModelAPIError: The server cannot be reached, or is not ready; a `FallbackModel` takes its next model then.
            ChatTemplateError: The server tells no template.
            RuntimeError: `pydantic_ai.models.ALLOW_MODEL_REQUESTS` is false.
        """
        if self.asks_server and self._recommendation is None:
            check_allow_model_requests()
            self._recommendation = await self._ask(client, profile, base_url, model_name)
        self.is_used = True

    async def _ask(
        self, client: AsyncOpenAI, profile: OpenAICompatibleModelProfile, base_url: str, model_name: str
    ) -> Recommendation:
        from ..templates import ChatTemplate
        from ..templates.loading import props_url

        url = props_url(base_url)
        try:
            props = await client.get(url, cast_to=object)
        except APIStatusError as error:
            if error.status_code in _NO_SUCH_ROUTE:
                raise ChatTemplateError(
                    f"`chat_template`='server': {url} answers {error.status_code}; of the usual servers only llama.cpp "
                    'tells its template. Give the path of a template instead.'
                ) from error
            raise ModelHTTPError(error.status_code, model_name, error.body) from error
        except APIConnectionError as error:
            raise ModelAPIError(
                model_name,
                f"`chat_template`='server': {url} cannot be reached: {error} Start the server, or check `base_url`.",
            ) from error
        except (OpenAIError, ValueError) as error:
            raise ChatTemplateError(
                f"`chat_template`='server': {url} cannot be read: {error} Give the path of a template instead."
            ) from error
        template = ChatTemplate.from_props(props, url)
        # Some ten to a hundred milliseconds of rendering, which the event loop has better use for.
        return await anyio.to_thread.run_sync(self._recommend, template, profile, base_url)

    def options(self, profile: ModelProfile, base_url: str) -> ModelProfile:
        """The recommended options; none as long as a server has not been asked.

        Raises:
            ChatTemplateError: The file cannot be read, or holds no template.
        """
        if self._recommendation is None:
            if self.asks_server:
                return ModelProfile()
            from ..templates import ChatTemplate

            template = ChatTemplate.from_file(self.source)
            self._recommendation = self._recommend(template, cast(OpenAICompatibleModelProfile, profile), base_url)
        return cast(ModelProfile, self._recommendation.options)

    def _recommend(
        self, template: ChatTemplate, profile: OpenAICompatibleModelProfile, base_url: str
    ) -> Recommendation:
        from ..templates import recommend

        without = ('messages',) if refuses_several_results(profile, base_url) else ()
        return recommend(template, self.server, without=without)

    def warn_losses(self, profile: OpenAICompatibleModelProfile) -> None:
        """Say which of the options that the user set are known to lose something with this template."""
        assert self._recommendation is not None
        values = cast('Mapping[str, Any]', profile)
        told = [
            f'`{option}`={values[option]!r}: {losses[values[option]]}.'
            for option, losses in self._recommendation.losses.items()
            if values.get(option) in losses and _matters(option, profile)
        ]
        better = self._recommendation.options
        if told:
            advice = ', '.join(f'`{option}`={value!r}' for option, value in better.items()) or 'no option helps'
            warnings.warn(
                f'The chat template {self.source} behind {self.server} loses something with what is set: '
                f'{" ".join(told)} It recommends {advice}.',
                IgnoredOptionWarning,
                stacklevel=2,
            )


def _matters(option: str, profile: OpenAICompatibleModelProfile) -> bool:
    """The format of lists has no effect unless lists go out as such, nor has any of tool turns where tools are text."""
    if option.startswith('openai_chat_tool_') and profile.get('openai_chat_tools') == 'text':
        return False
    return option != 'openai_chat_tool_return_list_format' or profile.get('openai_chat_tool_return_as_list', False)
