"""The history options through the model."""

from __future__ import annotations as _annotations

import copy
import pickle
import warnings
from typing import Any

import httpx2
import pytest
from pydantic_ai import Agent
from pydantic_ai.exceptions import ModelHTTPError, ModelRequestRejectedError
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from support import Wire, completion, tool_call

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.errors import HistoryError, HistoryRepairWarning, OptionError
from pydantic_ai_compat.model.history_hooks import HistoryGuard, HistoryOptions
from pydantic_ai_compat.options.profile import OpenAICompatibleModelProfile

HEALTHY: list[ModelMessage] = [
    ModelRequest(parts=[UserPromptPart('q')]),
    ModelResponse(parts=[ToolCallPart('t', {'a': 1}, 'c1'), ToolCallPart('t', '{"a": ', 'c2')]),
    ModelRequest(parts=[ToolReturnPart('t', 'r1', 'c1'), ToolReturnPart('t', ['r2'], 'c2')]),
    ModelResponse(parts=[TextPart('a')]),
    ModelRequest(parts=[UserPromptPart('more')]),
]
BROKEN: list[ModelMessage] = [
    ModelRequest(parts=[UserPromptPart('q')]),
    ModelResponse(parts=[ToolCallPart('t', {'a': 1}, 'c1')]),
    ModelRequest(parts=[UserPromptPart('more')]),
]
FAULT = "H01 at messages[1]: the call 'c1' has no result"


async def send(model: Any, messages: list[ModelMessage]) -> Any:
    return await model.request(messages, None, ModelRequestParameters())


def agent(model: Any) -> Agent:
    made = Agent(model, instructions='Be kind.')

    @made.tool_plain
    def t(a: int) -> list[Any]:
        return [f'r{a}', BinaryContent(b'\x89PNG', media_type='image/png')]

    return made


async def test_a_healthy_history_is_sent_with_the_bytes_of_stock(wire: Wire) -> None:
    await send(wire.model(), HEALTHY)
    await send(wire.stock(), HEALTHY)
    assert wire.requests[0].content == wire.requests[1].content


async def test_a_healthy_agent_run_is_sent_with_the_bytes_of_stock(wire: Wire) -> None:
    """Parallel calls, an image from a tool and a second run over the history of the first."""
    for make in (wire.model, wire.stock):
        wire.answers += [completion(tool_calls=[tool_call('t', 'c1', a=1), tool_call('t', 'c2', a=2)])]
        first = await agent(make()).run('q')
        await agent(make()).run('more', message_history=first.all_messages())
    bodies = [request.content for request in wire.requests]
    assert len(bodies) == 6
    assert bodies[:3] == bodies[3:]


async def test_x1_a_note_about_a_file_does_not_stand_in_the_middle_where_the_template_refuses_it(wire: Wire) -> None:
    """pydantic-ai adds a system message after the tool turn when a tool returns a file; Qwen's templates raise on it."""
    wire.answers += [completion(tool_calls=[tool_call('t', 'c1', a=1)])]
    made = agent(wire.model(openai_chat_history_policy='vllm'))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', HistoryRepairWarning)
        await made.run('q')
    roles = [message['role'] for message in wire.bodies[-1]['messages']]
    assert roles == ['system', 'user', 'assistant', 'tool', 'user']


async def test_calls_that_pydantic_ai_answers_out_of_order_are_sent_as_it_orders_them(wire: Wire) -> None:
    """With an output tool among the calls, pydantic-ai handles that one first."""
    for make in (wire.model, wire.stock):
        made = Agent(make(), output_type=dict[str, int])

        @made.tool_plain
        def t(a: int) -> str:
            return f'r{a}'

        wire.answers += [
            completion(tool_calls=[tool_call('t', 'c1', a=1), tool_call('final_result', 'c2', response={'n': 1})]),
            completion(tool_calls=[tool_call('final_result', 'c3', response={'n': 2})]),
        ]
        first = await made.run('q')
        await made.run('more', message_history=first.all_messages())
    bodies = [request.content for request in wire.requests]
    assert len(bodies) == 4
    assert bodies[:2] == bodies[2:]


async def test_a_broken_history_is_repaired_in_a_direct_request_and_the_stored_one_is_untouched(wire: Wire) -> None:
    """Stock repairs in the agent's loop only; found beside pydantic-ai#4728."""
    messages = copy.deepcopy(BROKEN)
    with pytest.warns(HistoryRepairWarning, match='repaired on the copy') as caught:
        await send(wire.model(), messages)
    assert [FAULT in str(warning.message) for warning in caught] == [True]
    assert "`openai_chat_history`='check'" in str(caught[0].message)
    assert [message['role'] for message in wire.bodies[0]['messages']] == ['user', 'assistant', 'tool', 'user']
    assert messages == BROKEN


async def test_a_broken_history_is_repaired_in_a_stream(wire: Wire) -> None:
    stream = (
        'data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, '
    )
    stream += '"delta": {"content": "ok"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
    wire.answers.append(httpx2.Response(200, text=stream, headers={'content-type': 'text/event-stream'}))

    async def read() -> list[Any]:
        async with wire.model().request_stream(BROKEN, None, ModelRequestParameters()) as response:
            return [event async for event in response]

    with pytest.warns(HistoryRepairWarning):
        await read()
    assert [message['role'] for message in wire.bodies[0]['messages']] == ['user', 'assistant', 'tool', 'user']


async def test_one_conversation_is_warned_about_once_and_another_again(wire: Wire) -> None:
    model = wire.model()
    other = [ModelRequest(parts=[UserPromptPart('another')]), *BROKEN[1:]]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        for messages in (BROKEN, [*BROKEN, ModelResponse(parts=[TextPart('a')]), *BROKEN], other, BROKEN, other):
            await send(model, messages)
    assert len(caught) == 2


async def test_a_conversation_with_an_id_is_told_from_others_by_it(wire: Wire) -> None:
    model = wire.model()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        for conversation in ('one', 'two', 'one', 'two'):
            await send(model, [*BROKEN[:-1], ModelRequest(parts=[UserPromptPart('x')], conversation_id=conversation)])
    assert len(caught) == 2


def test_a_model_forgets_the_oldest_conversations() -> None:
    """A server that runs for months must not grow with the number of its conversations."""
    guard = HistoryGuard(HistoryOptions.from_profile({}, 'http://localhost'))
    broken: Any = [{'role': 'tool', 'tool_call_id': 'c1', 'content': 'r'}, {'role': 'user', 'content': 'q'}]

    def warns(conversation: int) -> bool:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            guard.apply(broken, [ModelRequest(parts=[], conversation_id=str(conversation))])
        return bool(caught)

    assert all(warns(conversation) for conversation in range(513))
    assert not warns(1)
    assert warns(0)
    assert not warns(1)


async def test_check_refuses_with_the_same_faults_before_anything_is_sent(wire: Wire) -> None:
    with pytest.raises(HistoryError, match='The request was not sent') as refused:
        await send(wire.model(openai_chat_history='check'), BROKEN)
    assert FAULT in str(refused.value)
    assert wire.requests == []
    await send(wire.model(openai_chat_history='check'), HEALTHY)
    assert len(wire.requests) == 1


async def test_off_sends_the_bytes_of_stock(wire: Wire) -> None:
    await send(wire.model(openai_chat_history='off'), BROKEN)
    await send(wire.stock(), BROKEN)
    assert wire.requests[0].content == wire.requests[1].content


@pytest.mark.parametrize(
    ('options', 'expected'),
    [
        ({}, {'content': None}),
        ({'openai_chat_tool_call_content': 'null'}, {'content': None}),
        ({'openai_chat_tool_call_content': 'empty'}, {'content': ''}),
        ({'openai_chat_tool_call_content': 'omit'}, {}),
        ({'openai_chat_history_policy': 'moonshot'}, {'content': None}),
        ({'openai_chat_history_policy': 'llama-cpp-python'}, {'content': ''}),
        ({'openai_chat_history_policy': 'llama-cpp-python', 'openai_chat_tool_call_content': 'omit'}, {}),
        ({'openai_chat_history_policy': 'groq', 'openai_chat_tool_call_content': 'omit'}, {}),
        ({'openai_chat_history': 'off', 'openai_chat_tool_call_content': 'omit'}, {}),
        ({'openai_chat_history': 'check', 'openai_chat_tool_call_content': 'empty'}, {'content': ''}),
        ({'openai_chat_history': 'check', 'openai_chat_history_policy': 'llama-cpp-python'}, {'content': ''}),
        ({'openai_chat_history': 'off', 'openai_chat_history_policy': 'llama-cpp-python'}, {'content': None}),
    ],
)
async def test_content_of_a_turn_with_only_calls_is_what_the_option_or_the_policy_says(
    wire: Wire, options: dict[str, Any], expected: dict[str, Any]
) -> None:
    """An option that is set wins over the policy, and neither is a repair that would be warned about."""
    await send(wire.model(**options), HEALTHY)
    message = wire.bodies[0]['messages'][1]
    assert {key: value for key, value in message.items() if key == 'content'} == expected


@pytest.mark.parametrize(
    ('base_url', 'policy'),
    [
        ('https://api.deepseek.com', 'deepseek'),
        ('https://API.Mistral.AI/v1', 'mistral'),
        ('https://my-resource.openai.azure.com/openai/v1', 'azure'),
        ('http://localhost:8000/v1', 'standard'),
        ('https://notapi.deepseek.com.example/v1', 'standard'),
    ],
)
def test_the_host_picks_the_policy_where_none_is_set(base_url: str, policy: str) -> None:
    model = OpenAICompatibleModel('m', base_url=base_url, api_key='k')
    assert model._history.options.policy.name == policy
    model = OpenAICompatibleModel('m', base_url=base_url, api_key='k', openai_chat_history_policy='vllm+H24-H22')
    assert model._history.options.policy.name == 'vllm+H24-H22'


def test_an_unknown_policy_is_refused_when_the_model_is_built() -> None:
    with pytest.raises(OptionError, match="there is no policy 'deepsek'. Did you mean 'deepseek'"):
        OpenAICompatibleModel('m', base_url='http://x/v1', openai_chat_history_policy='deepsek')


SEVERAL: dict[str, Any] = {'openai_chat_tool_return_as_list': True, 'openai_chat_tool_return_list_format': 'messages'}


def test_several_results_for_one_call_are_refused_under_a_policy_that_pairs_strictly() -> None:
    for options in ({'base_url': 'https://api.deepseek.com'}, {'openai_chat_history_policy': 'deepseek'}):
        with pytest.raises(OptionError) as refused:
            OpenAICompatibleModel('m', **dict[str, Any]({'base_url': 'http://x/v1', **SEVERAL, **options}))
        assert "Set the format to 'text_parts' or 'text'" in str(refused.value)
        assert "`openai_chat_history_policy`='deepseek-H05'" in str(refused.value)


@pytest.mark.parametrize(
    'options',
    [
        {},
        {'openai_chat_history_policy': 'llamacpp'},
        {'openai_chat_history_policy': 'deepseek-H05'},
        {'openai_chat_history_policy': 'deepseek', 'openai_chat_history': 'off'},
        {'openai_chat_history': 'check'},
    ],
)
async def test_several_results_for_one_call_go_out_where_the_policy_takes_them(
    wire: Wire, options: dict[str, Any]
) -> None:
    messages = copy.deepcopy(HEALTHY)
    messages[2] = ModelRequest(parts=[ToolReturnPart('t', ['x', 'y'], 'c1'), ToolReturnPart('t', 'r2', 'c2')])
    await send(wire.model(**SEVERAL, openai_chat_parallel_list_messages=True, **options), messages)
    assert [
        (message['tool_call_id'], message['content'])
        for message in wire.bodies[0]['messages']
        if message['role'] == 'tool'
    ] == [('c1', 'x'), ('c1', 'y'), ('c2', 'r2')]


def refusal(text: str, status: int = 400) -> httpx2.Response:
    return httpx2.Response(status, json={'error': {'message': text, 'type': 'invalid_request_error', 'code': 'x'}})


ORPHAN = "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"


async def test_a_refusal_with_a_known_text_names_the_rule_and_the_option(wire: Wire) -> None:
    """The class, the status, the body and the provider's code stay what pydantic-ai made of the response."""
    wire.answers.append(refusal(ORPHAN))
    with pytest.raises(ModelHTTPError) as refused:
        await send(wire.model(openai_chat_history='off'), HEALTHY)
    error = refused.value
    assert isinstance(error, ModelRequestRejectedError)
    assert (error.status_code, error.provider_error_code) == (400, 'x')
    assert error.hint is not None
    assert error.hint.startswith('H04 (DeepSeek): ')
    assert "openai_chat_history='repair'" in error.hint
    assert str(error).endswith(error.hint)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


async def test_a_refusal_for_a_rule_that_is_held_already_says_so(wire: Wire) -> None:
    wire.answers.append(refusal(ORPHAN))
    with pytest.raises(ModelHTTPError, match="H04: .* The policy 'standard' holds this rule already"):
        await send(wire.model(), HEALTHY)


async def test_a_refusal_with_an_unknown_text_is_the_one_of_stock(wire: Wire) -> None:
    wire.answers += [refusal('no such luck'), refusal('no such luck')]
    texts: list[str] = []
    for model in (wire.model(), wire.stock()):
        with pytest.raises(ModelHTTPError) as refused:
            await send(model, HEALTHY)
        assert refused.value.hint is None
        texts.append(str(refused.value))
    assert texts[0] == texts[1]


def test_options_are_resolved_without_a_model() -> None:
    profile = OpenAICompatibleModelProfile(openai_chat_history='off')
    options = HistoryOptions.from_profile(profile, 'http://localhost')
    assert (options.mode, options.policy.name, options.call_content) == ('off', 'standard', None)


GEMMA_REFUSAL = 'Conversation roles must alternate user/assistant/user/assistant/...'


@pytest.mark.filterwarnings('ignore::pydantic_ai_compat.errors.HistoryRepairWarning')
@pytest.mark.parametrize(
    ('policy', 'advice'),
    [
        ('standard', "openai_chat_history_policy='no-tool-role' where tools are used"),
        ('alternating', "counts tool results as well. Set openai_chat_history_policy='no-tool-role'."),
        ('no-tool-role', 'so the cause is another one'),
    ],
)
async def test_the_advice_on_a_template_that_takes_no_tool_result_leads_on(
    wire: Wire, policy: str, advice: str
) -> None:
    """Gemma 3 behind llama.cpp: `alternating` alone does not help, because a `tool` turn breaks the order as well."""
    wire.answers.append(refusal(GEMMA_REFUSAL))
    with pytest.raises(ModelHTTPError) as refused:
        await send(wire.model(openai_chat_history_policy=policy), HEALTHY)
    assert advice in str(refused.value.hint)
