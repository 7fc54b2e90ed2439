"""Tools as text where the chat template is asked for at the server: `chat_template='server'`."""

from __future__ import annotations as _annotations

import json
from typing import Any

import httpx2
import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from support import completion
from templates.conversation import SAMPLES

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.errors import CompatWarning
from pydantic_ai_compat.text import TextCall, write_calls

NO_TOOL_TURN = (
    "{% for m in messages %}{% if m['role'] not in ('system', 'user', 'assistant') or m.get('tool_calls') %}"
    "{{ raise_exception('no tools here') }}{% endif %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}"
)
NO_SYSTEM = (
    "{% for m in messages %}{% if m['role'] not in ('user', 'assistant') or m.get('tool_calls') %}"
    "{{ raise_exception('neither system nor tool') }}{% endif %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}"
)


class Server:
    """A server that tells its template, and answers with a call in a dialect and then with a text."""

    def __init__(self, template: str, dialect: str = 'hermes') -> None:
        self.bodies: list[dict[str, Any]] = []
        self.asked = 0
        self._template = template
        self._call = write_calls([TextCall('get_items', '{"query": "fruit"}')], dialect)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.path == '/props':
            self.asked += 1
            return httpx2.Response(200, json={'chat_template': self._template})
        self.bodies.append(json.loads(request.content))
        text = self._call if len(self.bodies) == 1 else 'done'
        if not self.bodies[-1].get('stream'):
            return httpx2.Response(200, json=completion(content=text))
        choice = {'index': 0, 'delta': {'role': 'assistant', 'content': text}, 'finish_reason': 'stop'}
        chunk = {'id': 'c', 'object': 'chat.completion.chunk', 'created': 1, 'model': 'm', 'choices': [choice]}
        events = f'data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n'
        return httpx2.Response(200, headers={'content-type': 'text/event-stream'}, text=events)

    def agent(self, **options: Any) -> Agent[None, str]:
        client = httpx2.AsyncClient(transport=httpx2.MockTransport(self))
        provider = OpenAICompatibleProvider('s', base_url='http://s/v1', api_key='k', http_client=client)
        agent = Agent(OpenAICompatibleModel('m', provider=provider, chat_template='server', **options))

        @agent.tool_plain
        def get_items(query: str) -> str:
            """Find items."""
            return f'{query}: apples'

        return agent


async def run(agent: Agent[None, str], *, streamed: bool) -> list[str]:
    """What the tools returned, and the output."""
    if streamed:
        async with agent.run_stream('go') as result:
            output = await result.get_output()
        messages = result.all_messages()
    else:
        ended = await agent.run('go')
        output, messages = ended.output, ended.all_messages()
    returns = [part.content for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    return [*map(str, returns), output]


@pytest.mark.parametrize('streamed', [False, True], ids=['plain', 'streamed'])
@pytest.mark.parametrize(
    ('template', 'options', 'role'),
    [
        (NO_TOOL_TURN, {}, 'system'),
        # Of a tool turn that is not sent, nothing is lost, so nothing is warned of.
        (NO_TOOL_TURN, {'openai_chat_tool_return_as_list': True, 'openai_chat_tool_call_content': 'empty'}, 'system'),
        # llama.cpp puts system text into the first user turn itself, where a template knows no system role.
        (NO_SYSTEM, {}, 'system'),
        (NO_SYSTEM, {'openai_system_prompt_role': 'user'}, 'user'),
        (SAMPLES['no_tools'].read_text('utf-8'), {}, 'system'),
    ],
)
@pytest.mark.untraced
async def test_tools_are_text_from_the_first_request_where_the_servers_template_has_no_tool_turn(
    template: str, options: dict[str, Any], role: str, streamed: bool
) -> None:
    """The template is known once the server is asked, which is before the first request is made."""
    server = Server(template)
    assert await run(server.agent(**options), streamed=streamed) == ['fruit: apples', 'done']
    assert server.asked == 1
    assert [{'tools', 'tool_choice'} & set(body) for body in server.bodies] == [set()] * 2
    first, second = (body['messages'] for body in server.bodies)
    assert first[0]['role'] == role
    assert first[0]['content'].count('# Tools') == 1
    assert second[: len(first)] == first
    assert [message['role'] for message in second[-2:]] == ['assistant', 'user']
    assert second[-1]['content'] == '<tool_response>\nfruit: apples\n</tool_response>'
    assert server.bodies[0]['stop'] == ['<tool_response>']


async def test_native_that_the_user_set_wins_over_the_servers_template() -> None:
    server = Server(NO_TOOL_TURN)
    with pytest.warns(CompatWarning, match='holds a tool call in its text'):
        await run(server.agent(openai_chat_tools='native'), streamed=False)
    assert [tool['function']['name'] for tool in server.bodies[0]['tools']] == ['get_items']
    assert 'stop' not in server.bodies[0]


async def test_text_that_the_user_set_is_written_in_the_dialect_of_the_servers_template() -> None:
    """Of the template's own, where the user names none."""
    template = (
        "{% for m in messages %}[{{ m['role'] }}]{{ m['content'] or '' }}{% for c in m.get('tool_calls') or [] %}"
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{{ c.function.name }}<｜tool▁sep｜>'
        '{{ c.function.arguments | tojson }}<｜tool▁call▁end｜><｜tool▁calls▁end｜>{% endfor %}{% endfor %}'
    )
    server = Server(template, 'deepseek_v31')
    assert await run(server.agent(openai_chat_tools='text'), streamed=False) == ['fruit: apples', 'done']
    assert '<｜tool▁call▁begin｜>tool_name<｜tool▁sep｜>' in server.bodies[0]['messages'][0]['content']
    assert server.bodies[1]['messages'][-1] == {
        'role': 'user',
        'content': '<｜tool▁output▁begin｜>fruit: apples<｜tool▁output▁end｜>',
    }
    assert server.bodies[0]['stop'] == ['<｜tool▁output▁begin｜>']
