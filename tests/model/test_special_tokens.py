"""`skip_special_tokens`: a server that takes special tokens out of the text is asked to leave those of calls in."""

from __future__ import annotations as _annotations

from typing import Any

import pytest
from pydantic_ai import Agent
from support import Wire, completion
from templates.conversation import SAMPLES

VLLM: dict[str, Any] = {'openai_chat_history_policy': 'vllm'}
SPECIAL: dict[str, Any] = {'openai_chat_text_tool_calls': ['kimi_k2']}


async def sent(wire: Wire, *, tools: bool = True, **options: Any) -> dict[str, Any]:
    """The body of a request."""
    wire.answers.append(completion(content='done'))
    agent = Agent(wire.model(**options))
    if tools:
        agent.tool_plain(name='f')(lambda: 'x')
    await agent.run('hi')
    return wire.bodies[-1]


@pytest.mark.parametrize(
    'server',
    [
        VLLM,
        {'openai_chat_history_policy': 'sglang+H24-H22'},
        {'chat_template': SAMPLES['counted'], 'chat_template_server': 'sglang'},
        {'chat_template': SAMPLES['counted'], 'chat_template_server': 'vllm-0.19'},
    ],
)
@pytest.mark.parametrize('dialects', ['kimi_k2', 'auto', 'hermes, kimi_k2'])
@pytest.mark.untraced
async def test_special_tokens_stay_where_a_table_needs_them_and_the_server_can(
    wire: Wire, server: dict[str, Any], dialects: str
) -> None:
    """Both servers skip special tokens by default; see the parameter in each one's reference."""
    body = await sent(wire, **server, openai_chat_text_tool_calls=dialects)
    assert body['skip_special_tokens'] is False


@pytest.mark.parametrize(
    'options',
    [
        {},
        VLLM,
        SPECIAL,
        {**VLLM, 'openai_chat_text_tool_calls': ['qwen3_coder']},
        {**SPECIAL, 'openai_chat_history_policy': 'llamacpp'},
        {**SPECIAL, 'chat_template': SAMPLES['counted']},
        {**VLLM, **SPECIAL, 'tools': False},
    ],
)
async def test_nothing_is_sent_where_it_is_not_needed_or_may_be_refused(wire: Wire, options: dict[str, Any]) -> None:
    """A strict host answers 400 to a parameter that it does not know."""
    assert 'skip_special_tokens' not in await sent(wire, **options)


@pytest.mark.parametrize('value', [True, False, None])
async def test_what_the_user_set_wins_and_the_rest_of_the_body_stays(wire: Wire, value: object) -> None:
    body = await sent(wire, **VLLM, **SPECIAL, settings={'extra_body': {'skip_special_tokens': value}})
    assert body['skip_special_tokens'] is value
    body = await sent(wire, **VLLM, **SPECIAL, settings={'extra_body': {'top_k': 3}})
    assert (body['top_k'], body['skip_special_tokens']) == (3, False)
