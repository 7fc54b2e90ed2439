"""Thoughts of a stored history: back in their field, whoever made them."""

from __future__ import annotations as _annotations

import warnings
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

import httpx2
import pytest
from generated import generated
from hypothesis import given, strategies as st
from opentelemetry import trace
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.instrumented import InstrumentationSettings, InstrumentedModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from support import Wire, completion, tool_call

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.errors import HistoryRepairWarning
from pydantic_ai_compat.history import POLICIES
from pydantic_ai_compat.model.history_hooks import HistoryOptions


@pytest.fixture
def ours(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A model of ours by its address, as a user makes it, whose requests end at the wire."""
    from pydantic_ai.providers import _openai_compatible

    monkeypatch.setattr(_openai_compatible, 'create_async_httpx2_client', lambda: wire.client)

    def make(base_url: str = 'http://localhost:8000/v1', **options: Any) -> OpenAICompatibleModel:
        return OpenAICompatibleModel('m', base_url=base_url, api_key='k', **options)

    return make


def stock(wire: Wire, base_url: str) -> OpenAIChatModel:
    return OpenAIChatModel('m', provider=OpenAIProvider(base_url=base_url, api_key='k', http_client=wire.client))


async def turn(model: Model, wire: Wire, history: list[ModelMessage]) -> list[ModelMessage]:
    """A turn in which the model thinks, in the field of DeepSeek, vLLM and others."""
    wire.answers.append(completion(content='yes', reasoning_content='hm'))
    return (await Agent(model).run('q', message_history=history)).all_messages()


THOUGHT = {'role': 'assistant', 'reasoning_content': 'hm', 'content': 'yes'}


async def test_thoughts_that_stock_stored_go_back_in_their_field(wire: Wire, ours: Any) -> None:
    """And a history that is ours goes back to stock in the same way, with the same bytes."""
    stored = await turn(stock(wire, 'http://localhost:8000/v1'), wire, [])
    await Agent(ours()).run('more', message_history=stored)
    assert wire.bodies[-1]['messages'][1] == THOUGHT
    stored = await turn(ours(), wire, [])
    for model in (stock(wire, 'http://localhost:8000/v1'), ours()):
        await Agent(model).run('more', message_history=stored)
    assert wire.requests[-1].content == wire.requests[-2].content
    assert wire.bodies[-1]['messages'][1] == THOUGHT


async def test_thoughts_follow_an_endpoint_that_moved(wire: Wire, ours: Any) -> None:
    history: list[ModelMessage] = []
    for port in (8000, 8001, 8002):
        history = await turn(ours(f'http://host-{port}:{port}/v1'), wire, history)
    assert wire.bodies[-1]['messages'][1::2] == [THOUGHT, THOUGHT]


async def test_thoughts_follow_a_fallback(wire: Wire, ours: Any) -> None:
    stored = await turn(ours('http://a:1/v1'), wire, [])
    wire.answers.append(httpx2.Response(500, json={}))
    model = FallbackModel(ours('http://a:1/v1', max_retries=0), ours('http://b:2/v1'), fallback_on=(ModelHTTPError,))
    await Agent(model).run('more', message_history=stored)
    assert wire.requests[-1].url.host == 'b'
    assert wire.bodies[-1]['messages'][1] == THOUGHT


async def test_a_provider_of_another_name_keeps_its_thoughts_apart(wire: Wire, ours: Any) -> None:
    """Two endpoints that must not see each other's fields; the text is what pydantic-ai makes of a foreign thought."""
    stored = await turn(ours(provider_name='a'), wire, [])
    await Agent(ours(provider_name='a')).run('more', message_history=stored)
    assert wire.bodies[-1]['messages'][1] == THOUGHT
    await Agent(ours(provider_name='b')).run('more', message_history=stored)
    assert wire.bodies[-1]['messages'][1] == {'role': 'assistant', 'content': '<think>\nhm\n</think>\n\nyes'}


class RecordingSpan(trace.NonRecordingSpan):
    """Keeps its attributes; what pydantic-ai knows of a response it sets at the end."""

    def __init__(self) -> None:
        super().__init__(trace.INVALID_SPAN_CONTEXT)
        self.attributes: dict[str, Any] = {}

    def is_recording(self) -> bool:
        return True

    def set_attributes(self, attributes: Any) -> None:
        self.attributes.update(attributes)


class RecordingProvider:
    """A tracer of one span, and what gives it out."""

    def __init__(self) -> None:
        self.span = RecordingSpan()

    def get_tracer(self, *args: Any, **options: Any) -> Any:
        return self

    @contextmanager
    def start_as_current_span(self, *args: Any, **options: Any) -> Generator[trace.Span]:
        yield self.span


async def test_spans_carry_the_name_that_stock_gives_them(wire: Wire, ours: Any) -> None:
    names: list[Any] = []
    for model in (ours(), stock(wire, 'http://localhost:8000/v1'), ours(provider_name='mine')):
        provider = RecordingProvider()
        settings = InstrumentationSettings(tracer_provider=cast(Any, provider))
        await InstrumentedModel(model, settings).request(
            [ModelRequest(parts=[UserPromptPart('q')])], None, ModelRequestParameters()
        )
        names.append(provider.span.attributes['gen_ai.provider.name'])
    assert names == ['openai', 'openai', 'mine']


parts = st.sampled_from(('openai', 'localhost:8000', 'deepseek', None)).flatmap(
    lambda name: st.sampled_from(('reasoning_content', 'reasoning', 'content', None)).map(
        lambda field: ThinkingPart('hm', id=field, provider_name=name)
    )
)


@st.composite
def thinking_histories(draw: st.DrawFn) -> list[ModelMessage]:
    """Turns with calls, some of which were thought about, by models under any name and with any field."""
    messages: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart('q')])]
    for turn in range(draw(st.integers(1, 4))):
        thoughts = draw(st.lists(parts, max_size=1))
        messages.append(ModelResponse(parts=[*thoughts, ToolCallPart('t', '{}', f'c{turn}')], provider_name='x'))
        messages.append(ModelRequest(parts=[ToolReturnPart('t', 'r', f'c{turn}')]))
        if draw(st.booleans()):
            messages.append(ModelResponse(parts=[*draw(st.lists(parts, max_size=1)), TextPart('a')]))
            messages.append(ModelRequest(parts=[UserPromptPart('more')]))
    return messages


@generated()
@given(
    thinking_histories(),
    st.sampled_from([name for name, policy in POLICIES.items() if policy.rules & {'H29', 'H30'}]),
)
async def test_where_a_policy_requires_the_field_each_thought_is_in_it(
    messages: list[ModelMessage], policy: str
) -> None:
    """DeepSeek and Moonshot refuse a turn with calls that lacks it; a thought in the text would be said aloud."""
    wire = Wire()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', HistoryRepairWarning)
        await wire.model(openai_chat_history_policy=policy).request(messages, None, ModelRequestParameters())
    sent = [message for message in wire.bodies[-1]['messages'] if message['role'] == 'assistant']
    stored = [message for message in messages if isinstance(message, ModelResponse)]
    for message, response in zip(sent, stored, strict=True):
        assert '<think>' not in str(message.get('content'))
        if isinstance(response.parts[0], ThinkingPart):
            assert message['reasoning_content'] == 'hm'
    seen = False
    for message in sent:
        assert (
            'reasoning_content' in message or not message.get('tool_calls') or (not seen and 'thinking' not in policy)
        )
        seen = seen or 'reasoning_content' in message


@pytest.mark.parametrize(
    ('options', 'expected'),
    [
        ({}, {'reasoning_content': 'hm', 'content': 'yes'}),
        ({'openai_chat_send_back_thinking_parts': False}, {'content': 'yes'}),
        ({'openai_chat_thinking_field': 'reasoning'}, {'content': '<think>\nhm\n</think>\n\nyes'}),
        ({'openai_chat_history': 'off'}, {'content': '<think>\nhm\n</think>\n\nyes'}),
    ],
)
async def test_what_is_set_about_thoughts_wins_over_the_policy(
    wire: Wire, options: dict[str, Any], expected: dict[str, Any]
) -> None:
    stored: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('q')]),
        ModelResponse(parts=[ThinkingPart('hm', id='reasoning_content', provider_name='x'), TextPart('yes')]),
        ModelRequest(parts=[UserPromptPart('more')]),
    ]
    await wire.model(openai_chat_history_policy='deepseek', **options).request(stored, None, ModelRequestParameters())
    assert wire.bodies[-1]['messages'][1] == {'role': 'assistant', **expected}


async def test_an_own_history_at_deepseek_has_the_bytes_of_stock(wire: Wire, ours: Any) -> None:
    """A tool call and an answer, both thought about, at the host that picks the policy."""
    histories: list[list[ModelMessage]] = []
    for model in (ours('https://api.deepseek.com'), stock(wire, 'https://api.deepseek.com')):
        agent = Agent(model)

        @agent.tool_plain
        def t() -> str:
            return 'r'

        wire.answers += [
            completion(reasoning_content='one', tool_calls=[tool_call('t')]),
            completion(reasoning_content='two', content='a'),
        ]
        first = await agent.run('q')
        histories.append((await agent.run('more', message_history=first.all_messages())).all_messages())
    bodies = [request.content for request in wire.requests]
    assert len(bodies) == 6
    assert bodies[:3] == bodies[3:]


OVERRULED: list[tuple[str, dict[str, Any], str]] = [
    ('zai', {'openai_system_prompt_role': 'developer'}, 'H33'),
    ('minimax', {'openai_chat_supports_multiple_system_messages': True}, 'H21'),
    ('vllm', {'supports_inline_system_prompts': True}, 'H20'),
    ('deepseek', {'openai_chat_tool_return_as_list': True, 'openai_chat_tool_return_list_format': 'text_parts'}, 'H18'),
    (
        'cerebras',
        {'openai_chat_send_back_thinking_parts': 'field', 'openai_chat_thinking_field': 'reasoning_content'},
        'H32',
    ),
]


@pytest.mark.parametrize(('policy', 'options', 'rule'), OVERRULED, ids=[rule for _, _, rule in OVERRULED])
@pytest.mark.parametrize('form', ['keyword', 'profile', 'function', 'keyword beside a function'])
def test_a_rule_that_contradicts_an_option_that_is_set_does_not_hold(
    wire: Wire, policy: str, options: dict[str, Any], rule: str, form: str
) -> None:
    """What the user set wins; without it the rule holds. A function can set no more than what it changes."""
    assert rule in wire.model(openai_chat_history_policy=policy)._history.options.policy.rules
    if form.startswith('keyword'):
        given: dict[str, Any] = {key: value for key, value in options.items() if key.startswith('openai_')}
        rest = {key: value for key, value in options.items() if key not in given}
        given['profile'] = rest if form == 'keyword' or rest else lambda resolved: resolved  # pyright: ignore
    elif form == 'profile':
        given = {'profile': options}
    else:
        given = {'profile': lambda resolved: {**resolved, **options}}  # pyright: ignore
    history = wire.model(openai_chat_history_policy=policy, **given)._history.options
    if form == 'function' and rule in ('H18', 'H20'):
        assert (rule in history.policy.rules, history.overruled) == (True, ())
        return
    assert history.policy.rules == POLICIES[policy].rules - {rule}
    (note,) = history.overruled
    assert f'so {rule} of the history policy {policy!r} does not hold' in note


async def test_the_role_developer_is_sent_where_it_is_set_though_the_host_is_known_to_refuse_it(
    wire: Wire, ours: Any
) -> None:
    """The README's own entry; agentpool's users have the same. A warning would fail this test."""
    model = ours('https://open.bigmodel.cn/api/paas/v4/', openai_system_prompt_role='developer')
    await Agent(model, instructions='Be kind.').run('q')
    assert wire.bodies[-1]['messages'][0] == {'role': 'developer', 'content': 'Be kind.'}


async def test_a_field_for_thoughts_that_is_set_passes_a_policy_that_knows_no_such_key(wire: Wire) -> None:
    stored: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart('q')]),
        ModelResponse(parts=[ThinkingPart('hm', id='reasoning_content', provider_name='x'), TextPart('yes')]),
        ModelRequest(parts=[UserPromptPart('more')]),
    ]
    model = wire.model(
        openai_chat_history_policy='mistral',
        openai_chat_send_back_thinking_parts='field',
        openai_chat_thinking_field='reasoning_content',
    )
    await model.request(stored, None, ModelRequestParameters())
    assert wire.bodies[-1]['messages'][1] == THOUGHT


def test_an_option_that_is_inferred_does_not_overrule_a_policy() -> None:
    """pydantic-ai's profile for a model may say `developer` as well; that is no wish of the user."""
    profile: Any = {'openai_chat_history_policy': 'zai', 'openai_system_prompt_role': 'developer'}
    options = HistoryOptions.from_profile(profile, 'http://x')
    assert ('H33' in options.policy.rules, options.overruled) == (True, ())
