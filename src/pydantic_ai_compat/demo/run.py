"""What becomes of a list that a tool returned: an agent run once for each form of the list."""

from __future__ import annotations as _annotations

import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import anyio.to_thread
from pydantic_ai import Agent, ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.exceptions import AgentRunError, ModelAPIError, ModelHTTPError
from pydantic_ai.usage import UsageLimits

from ..config.variants import ImportModelConfig, load_model_variants
from ..errors import StreamError
from ..model.openai_compatible import OpenAICompatibleModel
from ..options.profile import ToolMode
from ..probing.prompt import PromptError, PromptNotToldError, render_prompt
from .failures import EndpointError, describe_failure, one_line
from .tool_turn import cut_tool_turn, last_tool_turn, with_user_turn_instead
from .wire import RecordedEndpoint

__all__ = ('FORMS', 'ITEMS', 'FormResult', 'ItemFate', 'endpoint_variant', 'run_demo')

FORMS: Mapping[str, Mapping[str, str]] = {
    'stock': {'tool_return_as_list': 'false'},
    'text_parts': {'tool_return_as_list': 'true', 'openai_chat_tool_return_list_format': 'text_parts'},
    'messages': {'tool_return_as_list': 'true', 'openai_chat_tool_return_list_format': 'messages'},
    'text': {'tool_return_as_list': 'true', 'openai_chat_tool_return_list_format': 'text'},
}
"""The forms of a list, each with the options of a YAML variant that choose it."""

ITEMS = ('Mon: "sunny", 18 °C', 'Tue: "rain", 11 °C')
"""What the demo's tool returns; with quotes in it, because that is where JSON text and the text itself differ."""

ItemFate = Literal['verbatim', 'escaped', 'lost']
"""What became of one item in the prompt: there as the tool returned it, only inside JSON text, or not there."""

_QUESTION = 'What will the weather in Paris be for 2 days? Ask the tool.'
_OWN_OPTIONS = ('tool_return_as_list', 'openai_chat_tool_return_as_list', 'openai_chat_tool_return_list_format')
_FIXED_EXCHANGE: tuple[ModelMessage, ...] = (
    ModelRequest(parts=[UserPromptPart(_QUESTION)]),
    # Nine letters and digits: the only id that Mistral takes.
    ModelResponse(parts=[ToolCallPart('get_weather', {'city': 'Paris', 'days': 2}, tool_call_id='weather01')]),
    ModelRequest(parts=[ToolReturnPart('get_weather', list(ITEMS), tool_call_id='weather01')]),
)


@dataclass(frozen=True, kw_only=True)
class FormResult:
    """What became of the list in one form."""

    form: str
    """A key of `FORMS`."""

    called: bool = False
    """Whether the model called the tool; if not, the rest is about a fixed exchange."""

    refused: bool = False
    """Whether the server answered with an HTTP error."""

    wire: tuple[Mapping[str, Any], ...] = ()
    """The tool messages as they were sent; the user turn with the results, where tools are text."""

    prompt: str | None = None
    """What the model's prompt held of the tool turn, or `None` if the server did not tell."""

    prompt_problem: str | None = None
    """Why there is no prompt."""

    answer: str | None = None
    """What the agent answered."""

    problem: str | None = None
    """Why there is no answer."""

    def items(self, fate: ItemFate) -> int | None:
        """How many of `ITEMS` met this fate on the way into the prompt; `None` without a prompt."""
        return None if self.prompt is None else sum(_item_fate(item, self.prompt) == fate for item in ITEMS)

    @property
    def between_items(self) -> str | None:
        """What stands between the items in the prompt, if it holds both as they are."""
        if self.prompt is None or self.items('verbatim') != len(ITEMS):
            return None
        first, second = ITEMS
        return self.prompt.partition(first)[2].partition(second)[0]


def _item_fate(item: str, prompt: str) -> ItemFate:
    if item in prompt:
        return 'verbatim'
    return 'escaped' if json.dumps(item, ensure_ascii=False)[1:-1] in prompt else 'lost'


def endpoint_variant(base_url: str, model_name: str, api_key: str | None = None) -> ImportModelConfig:
    """A variant for an endpoint, read from YAML as a user's would be.

    Args:
        base_url: The endpoint's address.
        model_name: The model's name there.
        api_key: The key, or a placeholder such as `${MY_KEY}`.
    """
    lines = [
        'model_variants:',
        '  demo:',
        '    type: import',
        '    model: pydantic_ai_compat.OpenAICompatibleModel',
        '    kw_args:',
        # A JSON string is a YAML string.
        f'      model_name: {json.dumps(model_name)}',
        f'      base_url: {json.dumps(base_url)}',
    ]
    if api_key is not None:
        lines.append(f'      api_key: {json.dumps(api_key)}')
    return load_model_variants('\n'.join(lines))['demo'].located('demo')


async def run_demo(
    variant: ImportModelConfig, *, fixed_exchange: bool = False, tools: ToolMode | None = None
) -> AsyncGenerator[FormResult]:
    """Run an agent on the variant's endpoint once for each form, and tell what became of the list.

    Args:
        variant: The endpoint. Its own options for the form of a list are replaced; the others hold.
        fixed_exchange: Do not let the model call the tool, but show a fixed exchange and ask for the answer to it.
        tools: How tools reach the model; `None` for what the variant says.

    Raises:
        ConfigError: If the variant cannot be built, or has no such options.
        EndpointError: If the endpoint cannot be reached, which no form would change.
    """
    not_told: str | None = None
    async with RecordedEndpoint(variant) as endpoint:
        for form in FORMS:
            options: dict[str, object] = {**dict.fromkeys(_OWN_OPTIONS), **FORMS[form]}
            model = endpoint.make_model(options if tools is None else {**options, 'openai_chat_tools': tools})
            result = await _run_form(form, model, endpoint, fixed_exchange)
            if not_told is None:
                try:
                    result = replace(result, prompt=await _tool_turn_in_prompt(model, endpoint))
                except PromptNotToldError as error:
                    not_told = one_line(f'This server does not tell its prompt ({error}).', model)
                except PromptError as error:
                    result = replace(result, prompt_problem=one_line(str(error), model))
            yield result if not_told is None else replace(result, prompt_problem=not_told)


async def _run_form(
    form: str, model: OpenAICompatibleModel, endpoint: RecordedEndpoint, fixed_exchange: bool
) -> FormResult:
    agent = _make_agent(model)
    result = FormResult(form=form)
    if not fixed_exchange:
        result = await _ask(agent, model, result, _QUESTION, ())
        result = replace(result, called=endpoint.body_with_tool_turn is not None)
    if not result.called and not result.refused:
        result = await _ask(agent, model, result, None, _FIXED_EXCHANGE)
    if (body := endpoint.body_with_tool_turn) is not None:
        result = replace(result, wire=tuple(body['messages'][last_tool_turn(body['messages'])]))
    return result


def _make_agent(model: OpenAICompatibleModel) -> Agent[None, str]:
    agent = Agent(model)

    @agent.tool_plain
    def get_weather(city: str, days: int) -> list[str]:
        """The weather of a city, a day an item.

        Args:
            city: Name of the city.
            days: How many days.
        """
        return list(ITEMS)

    return agent


async def _ask(
    agent: Agent[None, str],
    model: OpenAICompatibleModel,
    result: FormResult,
    question: str | None,
    history: tuple[ModelMessage, ...],
) -> FormResult:
    """The result with the answer, or with the reason why there is none."""
    try:
        run = await agent.run(question, message_history=history, usage_limits=UsageLimits(request_limit=4))
    except ModelHTTPError as error:
        return replace(result, refused=True, problem=describe_failure(error, model))
    except AgentRunError as error:
        if isinstance(error, ModelAPIError) and not isinstance(error, StreamError):
            raise EndpointError(describe_failure(error, model)) from error
        return replace(result, problem=describe_failure(error, model))
    return replace(result, answer=run.output, problem=None)


async def _tool_turn_in_prompt(model: OpenAICompatibleModel, endpoint: RecordedEndpoint) -> str | None:
    body = endpoint.body_with_tool_turn
    if body is None:
        return None
    tools = body.get('tools')
    messages = body['messages'][: last_tool_turn(body['messages']).stop]

    def render(conversation: list[dict[str, Any]]) -> str:
        key = model.client.api_key
        return render_prompt(model.base_url, conversation, tools, api_key=key, model=model.model_name)

    prompt = await anyio.to_thread.run_sync(render, messages)
    try:
        other = await anyio.to_thread.run_sync(render, with_user_turn_instead(messages))
    except PromptError:
        # A template that takes no user turn after a call: what follows the question is what can be cut off.
        other = ''
    return cut_tool_turn(prompt, other, after=_QUESTION)
