"""The model's keyword `chat_template`: what a template recommends holds where nothing else is set."""

from __future__ import annotations as _annotations

import importlib.util
import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast, get_args

import anyio
import httpx2
import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelAPIError, UserError
from pydantic_ai.messages import ModelRequest
from pydantic_ai.models import ModelRequestParameters, override_allow_model_requests
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.profiles import ModelProfile
from support import Wire, completion, tool_call
from templates.conversation import SAMPLES

from pydantic_ai_compat import ImportModelConfig, OpenAICompatibleModel
from pydantic_ai_compat.errors import ChatTemplateError, CompatWarning, IgnoredOptionWarning, OptionError
from pydantic_ai_compat.model.template_options import ChatTemplateServer
from pydantic_ai_compat.templates import SERVER_NAMES

TEXT_CALLS = 'openai_chat_text_tool_calls'
AS_LIST = 'openai_chat_tool_return_as_list'
FORMAT = 'openai_chat_tool_return_list_format'


def model(wire: Wire, name: str, **options: Any) -> OpenAICompatibleModel:
    return OpenAICompatibleModel('m', provider=wire.provider, chat_template=SAMPLES[name], **options)


def agent_with_list(used: OpenAICompatibleModel) -> Agent[None, str]:
    agent = Agent(used)

    @agent.tool_plain
    def get_items() -> list[str]:
        return ['alpha', 'beta']

    return agent


async def results(wire: Wire, used: OpenAICompatibleModel) -> list[Any]:
    """The contents of the tool messages that go out for one list."""
    wire.answers.extend([completion(tool_calls=[tool_call('get_items')]), completion(content='done')])
    await agent_with_list(used).run('go')
    return [message['content'] for message in wire.bodies[-1]['messages'] if message['role'] == 'tool']


async def test_the_recommended_form_goes_out(wire: Wire) -> None:
    assert await results(wire, model(wire, 'chatml')) == ['alpha', 'beta']


@pytest.mark.parametrize(
    ('options', 'dialects', 'run'),
    [({}, ['hermes'], True), ({TEXT_CALLS: ['qwen3_coder']}, ['qwen3_coder'], False), ({TEXT_CALLS: []}, [], False)],
)
async def test_calls_in_the_text_are_read_in_the_dialect_of_the_template(
    wire: Wire, options: dict[str, Any], dialects: list[str], run: bool
) -> None:
    """What the user set wins, also none."""
    call = '<tool_call>\n{"name": "get_items", "arguments": {}}\n</tool_call>'
    used = model(wire, 'chatml', **options)
    wire.answers.extend([completion(content=call), completion(content='done')])
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', CompatWarning)
        result = await agent_with_list(used).run('go')
    assert cast('dict[str, Any]', used.profile)[TEXT_CALLS] == dialects
    assert result.output == ('done' if run else call)


async def test_a_file_is_read_when_the_profile_is_first_used(wire: Wire, tmp_path: Path) -> None:
    path = tmp_path / 'template.jinja'
    used = OpenAICompatibleModel('m', provider=wire.provider, chat_template=str(path))
    path.write_text(SAMPLES['counted'].read_text('utf-8'), 'utf-8')
    assert used.profile.get('openai_chat_supports_multiple_system_messages') is False
    # What follows from that option for pydantic-ai's own notes holds as well.
    assert used.profile.get('supports_inline_system_prompts') is False


async def test_a_file_that_is_not_there_is_an_error_at_the_first_use(wire: Wire, tmp_path: Path) -> None:
    used = OpenAICompatibleModel('m', provider=wire.provider, chat_template=tmp_path / 'no.jinja')
    with pytest.raises(ChatTemplateError, match='no.jinja cannot be read: No such file or directory'):
        await Agent(used).run('go')
    assert wire.requests == []


def as_text(profile: ModelProfile) -> ModelProfile:
    return cast(ModelProfile, {**profile, FORMAT: 'text'})


@pytest.mark.parametrize(
    ('options', 'expected'),
    [
        ({FORMAT: 'text'}, ['alpha\nbeta']),
        ({AS_LIST: False}, ['["alpha","beta"]']),
        ({'tool_return_as_list': 'false'}, ['["alpha","beta"]']),
        ({'profile': {FORMAT: 'text'}}, ['alpha\nbeta']),
        ({'profile': as_text}, ['alpha\nbeta']),
    ],
)
async def test_what_is_set_wins(wire: Wire, options: dict[str, Any], expected: list[str]) -> None:
    assert await results(wire, model(wire, 'chatml', **options)) == expected


async def test_a_function_as_profile_gets_the_recommendation(wire: Wire) -> None:
    seen: list[Any] = []

    def see(profile: ModelProfile) -> ModelProfile:
        seen.append(profile.get(FORMAT))
        return profile

    assert model(wire, 'chatml', profile=see).profile.get(FORMAT) == 'messages'
    assert seen == ['text_parts', 'messages']


async def test_the_server_in_front_decides_with_the_template(wire: Wire) -> None:
    assert model(wire, 'blocks').profile.get(FORMAT) == 'messages'
    used = model(wire, 'blocks', chat_template_server='llama.cpp')
    assert await results(wire, used) == [[{'type': 'text', 'text': 'alpha'}, {'type': 'text', 'text': 'beta'}]]


async def test_a_loss_that_is_known_is_said_once(wire: Wire) -> None:
    used = model(wire, 'glm_like', chat_template_server='vllm-0.19', **{AS_LIST: 'true', FORMAT: 'text_parts'})
    with pytest.warns(IgnoredOptionWarning) as caught:
        await Agent(used).run('one')
    (message,) = [str(warning.message) for warning in caught]
    assert message.startswith(
        f'The chat template {SAMPLES["glm_like"]} behind vllm-0.19 loses something with what is set'
    )
    assert (
        "`openai_chat_tool_return_list_format`='text_parts': as `text_parts` the list is written as Python" in message
    )
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        await Agent(used).run('two')


async def test_a_loss_names_what_helps(wire: Wire) -> None:
    used = model(wire, 'first_part', chat_template_server='llama.cpp', **{AS_LIST: True, FORMAT: 'text_parts'})
    with pytest.warns(IgnoredOptionWarning, match="It recommends .*`openai_chat_tool_return_list_format`='messages'"):
        await Agent(used).run('one')
    systems = model(wire, 'counted', openai_chat_supports_multiple_system_messages='true')
    with pytest.warns(IgnoredOptionWarning, match='`openai_chat_supports_multiple_system_messages`=True: a second'):
        await Agent(systems).run('one')


async def test_a_loss_that_no_option_helps_is_said_as_such(wire: Wire, tmp_path: Path) -> None:
    path = tmp_path / 'nothing.jinja'
    path.write_text("{{ raise_exception('no') }}")
    used = OpenAICompatibleModel('m', provider=wire.provider, chat_template=path, **{AS_LIST: True, FORMAT: 'text'})
    with pytest.warns(IgnoredOptionWarning, match='no option helps'):
        await Agent(used).run('one')


async def test_a_format_that_has_no_effect_is_not_warned_about(wire: Wire) -> None:
    """The format without the flag; warnings are errors here."""
    used = model(wire, 'first_part', chat_template_server='llama.cpp', **{AS_LIST: False, FORMAT: 'text_parts'})
    await Agent(used).run('one')
    assert len(wire.requests) == 1


async def test_a_host_that_takes_one_result_for_a_call_is_sent_no_more(wire: Wire) -> None:
    """DeepSeek's policy refuses several results for one call, so that the template's best form is no choice there."""
    used = model(wire, 'chatml', openai_chat_history_policy='deepseek')
    assert await results(wire, used) == ['alpha\nbeta']


async def test_the_history_takes_up_what_is_recommended(wire: Wire, tmp_path: Path) -> None:
    """`openai_chat_tool_call_content` is read by the room of histories, which is set up with the model."""
    path = tmp_path / 't.jinja'
    path.write_text(
        '{% for m in messages %}{% for part in m.content %}{{ part.text }}{% endfor %}{% if m.tool_calls %}'
        '{{ m.content[0].text.strip() }}{{ m.tool_calls | tojson }}{% endif %}{% endfor %}'
    )
    used = OpenAICompatibleModel('m', provider=wire.provider, chat_template=path, chat_template_server='vllm-0.19')
    await results(wire, used)
    (turn,) = [message for message in wire.bodies[-1]['messages'] if message['role'] == 'assistant']
    assert turn['content'] == ''


STREAM = """data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, \
"delta": {"role": "assistant", "content": "done"}, "finish_reason": "stop"}]}

data: [DONE]

"""


def props(template: str, **more: Any) -> Callable[[httpx2.Request], httpx2.Response]:
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(f'{request.method} {request.url}')
        if request.url.path == '/props':
            return httpx2.Response(200, json={'chat_template': template, **more})
        if json.loads(request.content).get('stream'):
            return httpx2.Response(200, headers={'content-type': 'text/event-stream'}, text=STREAM)
        return httpx2.Response(200, json=completion(content='done'))

    answer.asked = asked  # pyright: ignore[reportFunctionMemberAccess]
    return answer


def asking(answer: Callable[[httpx2.Request], httpx2.Response], **options: Any) -> OpenAICompatibleModel:
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    provider = OpenAICompatibleProvider('s', base_url='http://s/v1', api_key='sk-secret', http_client=client)
    return OpenAICompatibleModel('m', provider=provider, chat_template='server', **options)


async def test_a_server_is_asked_once_before_the_first_request() -> None:
    answer = props(SAMPLES['blocks'].read_text('utf-8'), chat_template_caps={'supports_typed_content': True})
    used = asking(answer)
    assert used.profile.get(AS_LIST) is False
    await Agent(used).run('one')
    await Agent(used).run('two')
    asked: list[str] = answer.asked  # pyright: ignore[reportFunctionMemberAccess]
    assert asked == ['GET http://s/props', *['POST http://s/v1/chat/completions'] * 2]
    assert (used.profile.get(AS_LIST), used.profile.get(FORMAT)) == (True, 'text_parts')


async def test_what_the_server_says_of_itself_goes_before_what_is_found() -> None:
    used = asking(props(SAMPLES['blocks'].read_text('utf-8'), chat_template_caps={'supports_typed_content': False}))
    await Agent(used).run('one')
    assert used.profile.get(FORMAT) == 'messages'


async def test_a_stream_asks_as_well() -> None:
    answer = props(SAMPLES['chatml'].read_text('utf-8'))
    used = asking(answer)
    async with Agent(used).run_stream('one') as stream:
        assert await stream.get_output() == 'done'
    assert used.profile.get(FORMAT) == 'messages'


async def test_requests_at_the_same_time_each_find_the_template() -> None:
    used = asking(props(SAMPLES['chatml'].read_text('utf-8')))
    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(Agent(used).run, 'one')
    assert used.profile.get(FORMAT) == 'messages'


@pytest.mark.parametrize('status', [404, 405, 501])
async def test_a_server_that_tells_nothing_is_an_error_without_the_key(status: int) -> None:
    used = asking(lambda request: httpx2.Response(status, json={'error': {'message': 'no'}}))
    with pytest.raises(ChatTemplateError) as caught:
        await Agent(used).run('one')
    assert str(caught.value) == (
        f"`chat_template`='server': http://s/props answers {status}; of the usual servers only llama.cpp tells its "
        'template. Give the path of a template instead.'
    )


async def test_an_answer_that_is_no_json_is_an_error_with_the_way_out() -> None:
    used = asking(lambda request: httpx2.Response(200, headers={'content-type': 'application/json'}, text='<html>'))
    with pytest.raises(ChatTemplateError, match='Give the path of a template instead'):
        await Agent(used).run('one')


def refuse(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ConnectError('All connection attempts failed', request=request)


def answering(status: int) -> Callable[[httpx2.Request], httpx2.Response]:
    return lambda request: httpx2.Response(status, json={'error': {'message': 'Loading model'}})


@pytest.mark.parametrize('answer', [refuse, answering(503), answering(401), answering(429)])
async def test_a_server_that_is_down_lets_a_fallback_model_fall_back(
    wire: Wire, answer: Callable[[httpx2.Request], httpx2.Response]
) -> None:
    """llama.cpp answers 503 while it loads its model; stock's request to a server that is down is a `ModelAPIError`."""
    down = asking(answer)
    down.client.max_retries = 0
    with pytest.raises(ModelAPIError) as caught:
        await Agent(down).run('one')
    assert (caught.value.model_name, 'sk-secret' in str(caught.value)) == ('m', False)
    wire.answers.append(completion(content='from the second'))
    second = OpenAICompatibleModel('m', provider=wire.provider)
    assert (await Agent(FallbackModel(down, second)).run('one')).output == 'from the second'


async def test_the_advice_for_a_server_that_is_down_fits() -> None:
    down = asking(refuse)
    down.client.max_retries = 0
    with pytest.raises(
        ModelAPIError, match='http://s/props cannot be reached: .* Start the server, or check `base_url`'
    ):
        await Agent(down).run('one')


async def test_nothing_is_asked_where_model_requests_are_not_allowed() -> None:
    """`ALLOW_MODEL_REQUESTS` is for tests that must not send anything, and asking for a template is sending."""
    answer = props(SAMPLES['chatml'].read_text('utf-8'))
    with override_allow_model_requests(False), pytest.raises(RuntimeError, match='ALLOW_MODEL_REQUESTS'):
        await asking(answer).request([ModelRequest.user_text_prompt('one')], None, ModelRequestParameters())
    assert answer.asked == []  # pyright: ignore[reportFunctionMemberAccess]


async def test_another_server_is_told_apart_from_llama_cpp() -> None:
    used = asking(lambda request: httpx2.Response(200, json={'object': 'list'}))
    with pytest.raises(ChatTemplateError, match='of the usual servers only llama.cpp does'):
        await Agent(used).run('one')


def test_every_server_is_a_value_of_the_keyword() -> None:
    assert get_args(ChatTemplateServer) == SERVER_NAMES


@pytest.mark.parametrize(
    ('options', 'error', 'words'),
    [
        ({'chat_template': ''}, OptionError, "`chat_template`='' does not fit"),
        (
            {'chat_template': 'x', 'chat_template_server': 'vlm'},
            OptionError,
            "`chat_template_server`='vlm' does not fit",
        ),
        ({'chat_template_server': 'vllm'}, UserError, 'give that as well'),
    ],
)
def test_what_does_not_fit_is_refused_by_the_constructor(
    wire: Wire, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error) as caught:
        OpenAICompatibleModel('m', provider=wire.provider, **options)
    assert words in str(caught.value)


def test_without_jinja2_the_constructor_says_how_to_install_it(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(name: str) -> Any:
        return None

    monkeypatch.setattr(importlib.util, 'find_spec', find_nothing)
    with pytest.raises(UserError, match=r'pip install "pydantic-ai-compat\[templates\]"'):
        OpenAICompatibleModel('m', provider=wire.provider, chat_template='x.jinja')


def test_yaml_names_a_template_by_its_path() -> None:
    config = ImportModelConfig(
        model='pydantic_ai_compat.OpenAICompatibleModel',
        kw_args={
            'model_name': 'm',
            'base_url': 'http://s/v1',
            'chat_template': str(SAMPLES['chatml']),
            'chat_template_server': 'sglang',
        },
    )
    assert config.get_model().profile.get(FORMAT) == 'messages'


@pytest.mark.untraced
def test_a_model_with_a_template_is_built_without_jinja2() -> None:
    """The constructor is cheap: it reads no file and imports no template engine."""
    program = (
        'import sys; from pydantic_ai_compat import OpenAICompatibleModel as M\n'
        'M("m", base_url="http://s/v1", api_key="k", chat_template="/no/such/file")\n'
        'import json; print(json.dumps("jinja2" in sys.modules))'
    )
    ran = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) is False
