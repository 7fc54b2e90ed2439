"""Lists of wire messages as they come out of stores, mergers, truncations and half-finished runs."""

from __future__ import annotations as _annotations

from typing import Any

from hypothesis import strategies as st

__all__ = ('broken_histories', 'healthy_histories', 'policies')

from pydantic_ai_compat.history import POLICIES

_IDS = ('c1', 'c2', 'call_3', 'AbCdEf123', 'functions.t:0', 'x' * 53, 'a_2', '')
_NAMES = ('t', 'get_weather', 'a.b', '', 'n' * 70, 'ö')
_ARGUMENTS = ('{}', '{"a": 1}', '', '{"a": ', '[1]', 'null', '{"a": NaN}', '"{}"', {'a': 1}, None)
_TEXTS = ('', 'q', 'r', 'naïve 😀', None)
_PARTS: tuple[Any, ...] = (
    [],
    [{'type': 'text', 'text': 'a'}, {'type': 'text', 'text': 'b'}],
    [{'type': 'text', 'text': ''}],
    ['bare', {'output': 'x'}],
    {'a': 1},
)

# Only users and tools send pictures.
_IMAGE = [{'type': 'text', 'text': 'see'}, {'type': 'image_url', 'image_url': {'url': 'data:image/png;base64,AA=='}}]
_contents = st.sampled_from((*_TEXTS, *_PARTS))
_contents_with_images = st.sampled_from((*_TEXTS, *_PARTS, _IMAGE))


@st.composite
def _calls(draw: st.DrawFn) -> dict[str, Any]:
    call: dict[str, Any] = {
        'id': draw(st.sampled_from((*_IDS, None, 7))),
        'type': 'function',
        'function': {'name': draw(st.sampled_from(_NAMES)), 'arguments': draw(st.sampled_from(_ARGUMENTS))},
    }
    for key in draw(st.sets(st.sampled_from(('id', 'type', 'function')), max_size=1)) if draw(st.booleans()) else ():
        del call[key]
    return call


# Made once, as a strategy that is new in each draw is looked through in each draw.
_call_lists = st.lists(_calls() | st.none(), max_size=3)


@st.composite
def _messages(draw: st.DrawFn) -> dict[str, Any]:
    role = draw(st.sampled_from(('system', 'developer', 'user', 'assistant', 'assistant', 'tool', 'tool')))
    message: dict[str, Any] = {
        'role': role,
        'content': draw(_contents_with_images if role in ('user', 'tool') else _contents),
    }
    if role == 'assistant':
        if draw(st.booleans()):
            message['tool_calls'] = draw(_call_lists)
        if draw(st.integers(0, 3)) == 0:
            message['reasoning_content'] = draw(st.sampled_from(('', 'plan', None)))
    if role == 'tool':
        message['tool_call_id'] = draw(st.sampled_from((*_IDS, None, 7)))
    if draw(st.integers(0, 5)) == 0:
        message[draw(st.sampled_from(('timestamp', 'name', 'tool_call_id', 'content')))] = 'x'
    elif draw(st.integers(0, 7)) == 0:
        message.pop('content')
    return message


_any_message = _messages()
_any_messages = st.lists(_any_message, max_size=12)


@st.composite
def healthy_histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Histories as an agent makes them: each call answered at once, in order, with ids that are not used again."""
    messages: list[dict[str, Any]] = [{'role': 'system', 'content': 'Be brief.'}] if draw(st.booleans()) else []
    count = 0
    for turn in range(draw(st.integers(1, 4))):
        messages.append({'role': 'user', 'content': f'q{turn}'})
        for _ in range(draw(st.integers(0, 2))):
            ids = [f'call_{count + place}' for place in range(draw(st.integers(1, 3)))]
            count += len(ids)
            messages.append(
                {
                    'role': 'assistant',
                    'content': draw(st.sampled_from((None, 'Let me see.'))),
                    'tool_calls': [
                        {
                            'id': call_id,
                            'type': 'function',
                            'function': {'name': 't', 'arguments': f'{{"n": "{call_id}"}}'},
                        }
                        for call_id in ids
                    ],
                }
            )
            messages += [{'role': 'tool', 'tool_call_id': call_id, 'content': f'r {call_id}'} for call_id in ids]
        messages.append({'role': 'assistant', 'content': f'a{turn}'})
    return messages


_healthy = healthy_histories()


@st.composite
def broken_histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Healthy histories with messages deleted, doubled, moved and put in, or lists of anything that has a role."""
    if draw(st.booleans()):
        return draw(_any_messages)
    messages = draw(_healthy)
    for _ in range(draw(st.integers(0, 5))):
        if not messages:
            break
        place = draw(st.integers(0, len(messages) - 1))
        match draw(st.sampled_from(('delete', 'double', 'move', 'insert', 'cut'))):
            case 'delete':
                del messages[place]
            case 'double':
                messages.insert(place, messages[place])
            case 'move':
                messages.insert(draw(st.integers(0, len(messages) - 1)), messages.pop(place))
            case 'insert':
                messages.insert(place, draw(_any_message))
            case _:
                messages = messages[place:]
    return messages


policies = st.sampled_from(
    (
        *POLICIES.values(),
        POLICIES['mistral'].extended('H16'),
        POLICIES['openai'].extended('H07', 'H19', 'H25', 'H26', 'H30'),
        POLICIES['kimi'].extended('H07', 'H15', 'H27', without=('H08',)),
        POLICIES['standard'].extended('H24', 'H25', without=('H17', 'H14')),
    )
)
