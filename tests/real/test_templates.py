"""Our rendering against llama.cpp's own: its `/apply-template`, with the template it was started with."""

from __future__ import annotations as _annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart
from pydantic_ai.models import ModelRequestParameters
from templates.conversation import SAMPLES, TOOLS, corpus_folder, turn

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.demo.gguf_file import default_chat_template, write_gguf
from pydantic_ai_compat.demo.scripted_model import build_scripted_model
from pydantic_ai_compat.demo.server import LlamaCppServer
from pydantic_ai_compat.templates import SERVERS, ChatTemplate, content_formats, hand_over, recommend
from pydantic_ai_compat.templates.conversations import NEEDLES, PARALLEL_NEEDLES, content_of
from pydantic_ai_compat.templates.deliveries import find_delivery, find_turn_delivery

pytestmark = pytest.mark.untraced

StartServer = Callable[..., LlamaCppServer]

# llama.cpp finds no way to tell the answer of these apart from their prompt, and refuses to start a generation.
SAMPLE_PATHS = {name: path for name, path in SAMPLES.items() if name not in ('no_tools', 'strict', 'parts_only')}

FOLDER = corpus_folder()
PUBLISHED = ('glm-4.5', 'glm-4.7-flash', 'glm-5.1', 'qwen3-0.6b', 'qwen3-coder', 'qwen3.5-4b', 'kimi-k2-instruct') + (
    *('minimax-m2', 'hermes-2-pro-llama-3-8b', 'llama-4', 'mistral-common-v13', 'granite-4.0', 'deepseek-v3'),
)
PATHS = {**SAMPLE_PATHS, **({name: FOLDER / f'{name}.jinja' for name in PUBLISHED} if FOLDER else {})}


@pytest.mark.parametrize('name', PATHS)
def test_llama_cpp_gives_the_prompt_that_we_give_with_the_recommended_options(
    name: str, start_llama_server: StartServer
) -> None:
    """For each form of a list that is recommended or was considered, to the byte; and the items are all there."""
    server = start_llama_server(chat_template=PATHS[name])
    template = ChatTemplate.from_server(server.base_url)
    found = recommend(template, 'llama.cpp')
    # These write every result as JSON, whatever form it has.
    # Kimi-K2's counts results, so one message holds all items.
    special = {'json_results': 'escaped', 'llama-4': 'escaped', 'kimi-k2-instruct': 'joined'}
    assert found.delivery.arrival == special.get(name, 'separate')
    messages = on_the_wire(found.form)
    prompt = server.apply_template(messages, TOOLS)
    assert prompt == ours(template, messages)
    delivery = find_delivery(prompt, NEEDLES)
    assert (delivery.arrival, delivery.separate) == (found.delivery.arrival, found.delivery.separate)


@pytest.mark.parametrize('name', PATHS)
def test_llama_cpp_gives_the_prompt_that_we_give_for_every_form_of_a_list(
    name: str, start_llama_server: StartServer
) -> None:
    """Also where results are lost: GLM's templates print each content part, which is nothing in this interpreter."""
    server = start_llama_server(chat_template=PATHS[name])
    template = ChatTemplate.from_server(server.base_url)
    for form in ('text_parts', 'messages', 'json', 'text'):
        messages = on_the_wire(form)
        prompt = ours(template, messages)
        if name == 'mistral-common-v13' and form == 'text_parts':
            # The filter `string` of llama.cpp leaves a line break inside a quoted text as it is.
            prompt = prompt.replace('\\n<b>', '\n<b>')
        assert server.apply_template(messages, TOOLS) == prompt, form


@pytest.mark.skipif(FOLDER is None, reason='no published templates beside the repository')
@pytest.mark.parametrize('name', ['glm-4.7-flash', 'kimi-k2-instruct', 'qwen3-0.6b'])
async def test_llama_cpp_shows_the_lists_of_two_calls_under_their_calls(
    name: str, start_llama_server: StartServer
) -> None:
    """With what the template recommends, a model sends lists of two and of three items; the prompt tells whose they are.

    Sent as a message for each item, Kimi-K2 shows the second item of `get_weather` under `functions.get_time:1`.
    """
    server = start_llama_server(chat_template=PATHS[name])
    model = OpenAICompatibleModel('scripted', base_url=server.base_url, api_key='none', chat_template='server')
    calls = [ToolCallPart('get_weather', {'city': 'Paris'}, 'c1'), ToolCallPart('get_time', {'zone': 'CET'}, 'c2')]
    lists = [[needle.text for needle in needles] for needles in PARALLEL_NEEDLES]
    returns = [
        ToolReturnPart(call.tool_name, items, call.tool_call_id) for call, items in zip(calls, lists, strict=True)
    ]
    messages: list[ModelMessage] = [
        ModelRequest.user_text_prompt('#plain'),
        ModelResponse(parts=list(calls)),
        ModelRequest(parts=list(returns)),
    ]
    async with model:
        await model._use_template()
        wire: list[Any] = await model._map_messages(messages, ModelRequestParameters())
    prompt = server.apply_template(wire, TOOLS)
    delivery = find_turn_delivery(prompt, PARALLEL_NEEDLES, single=None)
    assert delivery.arrival == 'joined', delivery.excerpt
    if name == 'kimi-k2-instruct':
        turn = prompt[prompt.index('## Return of') :]
        assert turn.index('functions.get_weather:0') < turn.index(PARALLEL_NEEDLES[0][0].first)
        assert turn.index(PARALLEL_NEEDLES[0][1].last) < turn.index('functions.get_time:1')
        each = [
            {**message, 'content': text}
            for message in wire
            for text in (
                message['content'].split(chr(10) + 'Qa') if message['role'] == 'tool' else [message['content']]
            )
        ]
        assert 'functions.unknown' in server.apply_template(each, TOOLS)


def on_the_wire(form: Any) -> list[dict[str, Any]]:
    contents = content_of([needle.text for needle in NEEDLES], form)
    return turn(*contents, arguments='{"query": "fruit"}', content=None)


def ours(template: ChatTemplate, messages: list[dict[str, Any]]) -> str:
    server = SERVERS['llama.cpp']
    changing = template.for_llama_cpp()
    handed = hand_over(messages, 'llama.cpp', content_formats(changing, template.caps))
    return changing.render_as_given(handed.messages, TOOLS, True, **server.variables)


# llama.cpp watches what its interpreter does with a value, and sees no loop inside a macro and no use in a dump.
TOLD_OTHERWISE = ('blocks', 'python_list')


@pytest.mark.parametrize('name', [name for name in SAMPLE_PATHS if name not in TOLD_OTHERWISE])
def test_what_we_find_out_about_a_template_is_what_llama_cpp_says(name: str, start_llama_server: StartServer) -> None:
    """`chat_template_caps` of `/props` against our own way of finding the same."""
    server = start_llama_server(chat_template=PATHS[name])
    template = ChatTemplate.from_server(server.base_url)
    assert content_formats(template, template.caps) == content_formats(template.for_llama_cpp())


async def test_a_model_asks_the_server_and_sends_what_its_template_shows_best(start_llama_server: StartServer) -> None:
    server = start_llama_server()
    model = OpenAICompatibleModel('scripted', base_url=server.base_url, api_key='none', chat_template='server')
    agent = Agent(model)

    @agent.tool_plain
    def get_weather(city: str, days: int) -> list[str]:
        return [f'{city}: sun', f'{days} days']

    async with agent:
        result = await agent.run('What is the weather?')
    assert result.output == 'Final answer after the tool result.'
    assert model.profile.get('openai_chat_tool_return_list_format') == 'messages'
    returns = [
        part.content
        for message in result.all_messages()
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    ]
    assert returns == [['Paris: sun', '2 days']]


def test_a_template_is_read_from_the_gguf_file_of_the_scripted_model(tmp_path: Path) -> None:
    path = tmp_path / 'scripted.gguf'
    write_gguf(build_scripted_model(), path)
    assert ChatTemplate.from_file(path).source == default_chat_template()
