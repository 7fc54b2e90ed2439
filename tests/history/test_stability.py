"""What was sent for a conversation stays the beginning of what is sent for it next, so that the server's cache hits."""

from __future__ import annotations as _annotations

import itertools
import warnings
from typing import Any

import pytest
from generated import generated
from history.strategies import policies
from history.wire import assistant, call, calls, result, system, user
from hypothesis import given, strategies as st
from pydantic_ai import Agent, BinaryContent
from support import Wire, completion, tool_call

from pydantic_ai_compat.errors import HistoryRepairWarning
from pydantic_ai_compat.history import POLICIES, HistoryPolicy, repair_history

Messages = list[dict[str, Any]]

_IMAGE = {'type': 'image_url', 'image_url': {'url': 'data:image/png;base64,AA=='}}
_PARTS = [{'type': 'text', 'text': 'a'}, _IMAGE]
_ids = st.sampled_from(('c1', 'c2', 'call_3', 'AbCdEf123', 'functions.t:0', 'x' * 53, None, ''))
_names = st.sampled_from(('t', 'a.b', 'a_b', 'n' * 70, 'ö'))
_arguments = st.sampled_from(('{}', '{"a": 1}', '{"a": NaN}', '{"a": ', ''))
_notes = st.lists(
    st.sampled_from((system('note'), {'role': 'developer', 'content': 'note'}, user('more'), user([*_PARTS]))),
    max_size=3,
)


@st.composite
def _replies(draw: st.DrawFn) -> Messages:
    """What one request adds to a history: an answer with what an agent makes of it before the next request."""
    thoughts = draw(st.sampled_from(({}, {}, {'reasoning_content': 'plan'}, {'reasoning_content': ''})))
    if draw(st.booleans()):
        return [{**assistant(draw(st.sampled_from(('a', 'b', [{'type': 'text', 'text': 'p'}])))), **thoughts}]
    made = [call(draw(_ids), draw(_arguments), draw(_names)) for _ in range(draw(st.integers(1, 3)))]
    text = draw(st.sampled_from((None, '', 'See.')))
    results = [result(one['id'], draw(st.sampled_from(('r', [*_PARTS], '')))) for one in made]
    answered = draw(st.permutations(results)) if draw(st.booleans()) else results[: draw(st.integers(0, len(results)))]
    return [{**calls(*made, content=text), **thoughts}, *answered]


@st.composite
def growing_conversations(draw: st.DrawFn) -> list[Messages]:
    """The histories that one conversation is sent with: each is the one before with an answer and what followed it."""
    messages: Messages = draw(st.lists(st.sampled_from((system('S1'), system('S2'))), max_size=2))
    messages += draw(st.lists(st.just(user('q')), max_size=1))
    sent = [messages]
    for _ in range(draw(st.integers(1, 5))):
        messages = [*messages, *draw(_replies()), *draw(_notes)]
        sent.append(messages)
    return sent


def _ends_open(messages: Messages) -> bool:
    return bool(messages) and messages[-1]['role'] == 'assistant' and not messages[-1].get('tool_calls')


@generated(600)
@given(growing_conversations(), policies)
def test_what_was_sent_stays_the_beginning_of_what_is_sent_next(sent: list[Messages], policy: HistoryPolicy) -> None:
    """Under every policy; what H25 joins is left to the test below, and docs/history.md names the other exceptions."""
    if 'H25' in policy.rules and 'H26' not in policy.rules or 'H16' in policy.rules:
        sent = [messages for messages in sent if not _ends_open(messages)]
    repaired = [list(repair_history(messages, policy).messages) for messages in sent]
    for former, latter in itertools.pairwise(repaired):
        assert latter[: len(former)] == former


@pytest.mark.parametrize('policy', [name for name, policy in POLICIES.items() if 'H25' in policy.rules])
def test_what_is_joined_grows_at_its_end_alone(policy: str) -> None:
    """A request that failed, and one that ended in an answer: the text that was sent is the beginning of what is sent."""
    for former, added in (([user('q')], user('again')), ([user('q'), assistant('a')], assistant('b'))):
        *same, last = repair_history(former, policy).messages
        *still, grown = repair_history([*former, added], policy).messages
        assert still == same
        assert (grown['role'], grown['content'].startswith(last['content'])) == (last['role'], True)


@pytest.mark.parametrize('policy', ['vllm', 'mistral', 'zai', 'alternating', 'dashscope', 'minimax', 'standard'])
async def test_an_agent_with_files_from_tools_sends_what_it_sent_before(wire: Wire, policy: str) -> None:
    """pydantic-ai puts a system message about the file of a tool behind the result, in the middle of the history."""
    made = Agent(wire.model(openai_chat_history_policy=policy), system_prompt='Be brief.', instructions='Be kind.')

    @made.tool_plain
    def picture() -> list[Any]:
        return ['here', BinaryContent(b'\x89PNG', media_type='image/png')]

    history: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', HistoryRepairWarning)
        # A run without a prompt sends a request that ends in the last answer, which H25 alone joins with the next.
        for prompt in ('one', 'two', 'three' if policy in ('zai', 'alternating') else None):
            wire.answers += [completion(tool_calls=[tool_call('picture', 'AbCdEf123')]), completion(content='seen')]
            history = (await made.run(prompt, message_history=history)).all_messages()
    sent = [body['messages'] for body in wire.bodies]
    assert len(sent) >= 5
    for former, latter in itertools.pairwise(sent):
        assert latter[: len(former)] == former


async def test_an_agent_without_a_prompt_sends_what_it_sent_before(wire: Wire) -> None:
    """Instructions alone: the server wants a user turn, and gets the same one when a real one follows."""
    made = Agent(wire.model(openai_chat_history_policy='vllm'), instructions='Be kind.')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', HistoryRepairWarning)
        first = await made.run()
        await made.run('and now?', message_history=first.all_messages())
    sent = [body['messages'] for body in wire.bodies]
    assert sent[0] == [system('Be kind.'), user('Continue.')]
    assert sent[1] == [system('Be kind.'), user('Continue.'), assistant('done'), user('and now?')]
