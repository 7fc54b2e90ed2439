"""A history of any shape is rendered, or refused with the place that is wrong."""

from __future__ import annotations as _annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from generated import generated
from hypothesis import given, strategies as st
from templates.conversation import SAMPLES, TOOLS, turn
from typer.testing import CliRunner, Result

from pydantic_ai_compat.cli.app import app
from pydantic_ai_compat.cli.wire_shape import check_shape

Place = tuple[str | int, ...]
CONVERSATION: dict[str, Any] = {
    'messages': turn(json.dumps(['alpha', 'beta']), [{'type': 'text', 'text': 'gamma'}], arguments='{"query": "x"}'),
    'tools': TOOLS,
}
WRONG: list[Any] = [
    *(None, 5, -1.5, True, '', 'text', '[1]', '["a", "b"]', '[', '{"a": 1}', '[NaN, 1e999]', '[' * 3000),
    *('\ud800', '\ue000a\ue001', [], [5], [None], ['text'], [[]], {}, {'a': 1}, {'type': 'text'}),
    *([{'type': 'text', 'text': 5}], [{'type': 'text', 'text': '\ud800'}], [{'type': 'image_url'}]),
    *([{'function': {}}], [{'function': {'name': 5, 'arguments': []}}]),
]


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """The place of everything that a JSON value holds."""
    yield place
    if isinstance(value, dict | list):
        held = cast('Any', value)
        for step in held if isinstance(value, dict) else range(len(held)):
            yield from places(held[step], (*place, step))


def changed(value: Any, place: Place, new: Any) -> Any:
    if not place:
        return new
    value = copy.deepcopy(value)
    holder = value
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = new
    return value


def render(history: Any, template: str, *arguments: str) -> Result:
    return CliRunner().invoke(app, ['render', str(SAMPLES[template]), '-', *arguments], input=json.dumps(history))


ROWS: list[tuple[Place, Any, str]] = [
    (('messages',), {'a': 1}, 'expected a list of wire messages'),
    (('messages', 1), 5, 'messages[1] is not a message'),
    (('messages', 1, 'role'), ['user'], 'messages[1] is not a message'),
    (('messages', 1, 'content'), 5, 'messages[1].content: it is neither a text nor a list of parts'),
    (('messages', 4, 'content', 0), None, 'messages[4].content: its part 0 is neither a text nor an object'),
    (('messages', 2, 'tool_calls'), 5, 'messages[2].tool_calls: '),
    (('messages', 2, 'tool_calls'), {'a': 1}, 'messages[2].tool_calls: '),
    (('messages', 2, 'tool_calls', 0), 5, 'messages[2].tool_calls[0]: '),
    (('messages', 2, 'tool_calls', 0, 'id'), 5, 'messages[2].tool_calls[0].id: '),
    (('messages', 2, 'tool_calls', 0, 'function'), [], 'messages[2].tool_calls[0].function: '),
    (('messages', 2, 'tool_calls', 0, 'function'), {}, 'messages[2].tool_calls[0].function.name: '),
    (
        ('messages', 2, 'tool_calls', 0, 'function', 'arguments'),
        [],
        'messages[2].tool_calls[0].function.arguments: they are neither an object nor JSON text',
    ),
    (('messages', 3, 'tool_call_id'), [], 'messages[3].tool_call_id: '),
    (('tools',), 'none', 'tools: '),
    (('tools', 0, 'function', 'parameters'), 'none', 'tools[0].function.parameters: '),
]


@pytest.mark.parametrize(('place', 'value', 'words'), ROWS)
def test_the_place_that_is_wrong_is_named(place: Place, value: Any, words: str) -> None:
    result = render(changed(CONVERSATION, place, value), 'chatml')
    assert (result.exit_code, result.stdout) == (1, '')
    assert result.stderr.startswith(f'error: -: {words}')


@generated(60)
@given(st.data())
def test_no_history_ends_in_a_traceback(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Wherever in a conversation anything else stands: it is rendered, or refused in words."""
    history: Any = CONVERSATION
    for _ in range(data.draw(st.integers(1, 2))):
        history = changed(history, data.draw(st.sampled_from(list(places(history)))), data.draw(st.sampled_from(WRONG)))
    more = ['--html', str(Path(tmp_path_factory.getbasetemp(), 'page.html'))]
    flags = data.draw(st.sampled_from([[], more, ['--json'], ['--server', 'vllm'], ['--tools', 'text']]))
    result = render(history, data.draw(st.sampled_from(sorted(SAMPLES))), *flags)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in (0, 1)


@pytest.mark.parametrize('tools', [None, TOOLS, []])
def test_a_conversation_is_none_the_less_one_for_fields_that_nobody_knows(tools: Any) -> None:
    messages = [{**message, 'refusal': None, 'audio': 5} for message in CONVERSATION['messages']]
    check_shape(messages, tools)
