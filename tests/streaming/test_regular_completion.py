"""The fast path of plain responses: what it lets by is what the corrector would leave as it is."""

from __future__ import annotations as _annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from generated import generated
from hypothesis import given, strategies as st
from openai._models import construct_type
from openai.types.chat import ChatCompletion
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.profiles import ModelProfile
from streaming.answers import REQUEST
from streaming.streams import parameters
from streaming.test_odd_fields import ODD_CHOICES, ODD_FIELDS, ODD_MESSAGES
from streaming.test_plain_equality import bodies, fields
from support import Wire, completion

from pydantic_ai_compat.streaming import plain_response
from pydantic_ai_compat.streaming.plain_response import PlainReading
from pydantic_ai_compat.streaming.regular_completion import is_regular_completion
from pydantic_ai_compat.streaming.report import Report

DECLARED = parameters('f', 'get_weather')
CALL = {'id': 'c1', 'type': 'function', 'function': {'name': 'f', 'arguments': '{"a": 1}'}}


def body(**message: Any) -> dict[str, Any]:
    """A completion as a server sends it, with a call if there is no content."""
    message = {'content': None, 'tool_calls': [copy.deepcopy(CALL)]} | message
    made = completion(**message)
    made['choices'][0]['finish_reason'] = 'tool_calls' if message['tool_calls'] else 'stop'
    return made


def as_sdk(made: dict[str, Any]) -> ChatCompletion:
    """What the SDK makes of a body: it validates nothing."""
    return construct_type(value=made, type_=ChatCompletion)  # pyright: ignore[reportReturnType]


def is_regular(made: dict[str, Any], **options: Any) -> bool:
    return is_regular_completion(as_sdk(made), ModelProfile(**options), DECLARED)


def _never(*_: object) -> bool:
    return False


def corrected(made: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> tuple[bool, list[str]]:
    """Whether the corrector changes a body, and the quirks that it corrects, without the fast path."""
    with monkeypatch.context() as patch:
        patch.setattr(plain_response, 'is_regular_completion', _never)
        reading = PlainReading(ModelProfile(), DECLARED, model_name='m', provider_name='p')
        response = as_sdk(made)
        try:
            read = reading.read(response)
        except ModelAPIError:
            return True, []
        return read is not response, Report().details(reading._corrector).get('corrected', [])


@generated(60)
@given(bodies(), st.data())
def test_what_is_regular_is_left_as_it_is(made: dict[str, Any], data: st.DataObject) -> None:
    """Well-formed responses are regular; whatever else is regular, the corrector leaves alone too."""
    assert is_regular(made)
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert corrected(made, monkeypatch) == (False, [])
        odd = copy.deepcopy(made)
        for place, kinds in (
            (odd, ODD_FIELDS),
            (odd['choices'][0], ODD_CHOICES),
            (odd['choices'][0]['message'], ODD_MESSAGES),
        ):
            place |= kinds.get(data.draw(st.sampled_from([None, *kinds])) or '', {})
        for call in odd['choices'][0]['message'].get('tool_calls') or ():
            call['function']['arguments'] += data.draw(st.sampled_from(['', ' ', '}', '{', 'x', '\n']))
        if is_regular(odd):
            assert corrected(odd, monkeypatch) == (False, [])


def _of_message(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda made: made['choices'][0]['message'].update(fields)


def _of_choice(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda made: made['choices'][0].update(fields)


def _of_call(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda made: made['choices'][0]['message']['tool_calls'][0].update(fields)


def _of_function(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda made: made['choices'][0]['message']['tool_calls'][0]['function'].update(fields)


IRREGULAR: dict[str, Callable[[dict[str, Any]], object]] = {
    'no choices': lambda made: made.update(choices=[]),
    'two choices': lambda made: made['choices'].append(copy.deepcopy(made['choices'][0])),
    'an index as text': _of_choice(index='0'),
    'logprobs': _of_choice(logprobs={'content': None}),
    'no finish reason': _of_choice(finish_reason=None),
    'an unknown finish reason': _of_choice(finish_reason='done'),
    'stop with calls': _of_choice(finish_reason='stop'),
    'a time beyond all dates': lambda made: made.update(created=10**18),
    'a number for the details of a count': lambda made: made['usage'].update(completion_tokens_details=0),
    'usage in the choice': _of_choice(usage={'prompt_tokens': 1}),
    'no model': lambda made: made.update(model=''),
    'created as text': lambda made: made.update(created='1'),
    'a count as text': lambda made: made.update(usage={'prompt_tokens': '1'}),
    'a refusal': _of_message(refusal='no'),
    'a function call': _of_message(function_call={'name': '', 'arguments': ''}),
    'content in parts': _of_message(content=[{'type': 'text', 'text': 'a'}]),
    'an empty object for content': _of_message(content={}),
    'an opening tag': _of_message(content='a<think>'),
    'a closing tag': _of_message(content='</think>a'),
    'thoughts in parts': _of_message(reasoning=[{'type': 'text', 'text': 'a'}]),
    'signed thoughts': _of_message(reasoning_details=[{'type': 'reasoning.encrypted', 'data': 'x'}]),
    'an empty text for calls': _of_message(tool_calls=''),
    'calls that are no list': _of_message(tool_calls={'id': 'c1'}),
    'a call that is none': _of_message(tool_calls=['f']),
    'the same id twice': _of_message(tool_calls=[CALL, CALL]),
    'another type': _of_call(type='tool'),
    'a field of its own': _of_call(extra_content={'google': {'thought_signature': 's'}}),
    'no id': _of_call(id=None),
    'an empty id': _of_call(id=''),
    'no function': _of_call(function=None),
    'a name that is a list': _of_function(name=['f']),
    'another name': _of_function(name='functions.f'),
    'arguments that are an object': _of_function(arguments={'a': 1}),
    'arguments that are cut': _of_function(arguments='{"a": '),
    'arguments with something behind them': _of_function(arguments='{"a": 1}{"a": 1}'),
    'no arguments': _of_function(arguments=''),
}


@pytest.mark.parametrize('name', IRREGULAR)
def test_each_deviation_goes_through_the_corrector(name: str) -> None:
    """One thing that the corrector has a rule for, in a response that is regular otherwise."""
    made = body()
    assert is_regular(made)
    IRREGULAR[name](made)
    assert not is_regular(made)


@pytest.mark.parametrize(
    ('message', 'options'),
    [
        ({'content': 'a'}, {'openai_chat_thinking_starts_open': True}),
        ({'content': 'a'}, {'openai_chat_text_tool_calls': ['hermes']}),
        ({'content': 'a<event>'}, {'openai_chat_text_event_tag': 'event'}),
        ({'content': 'a[THINK]'}, {'thinking_tags': ('[THINK]', '[/THINK]')}),
        ({'reasoning': 'a'}, {'openai_chat_text_tool_calls_in_thoughts': True}),
        ({'thoughts': [1]}, {'openai_chat_thinking_field': 'thoughts'}),
    ],
)
def test_what_an_option_looks_for_goes_through_the_corrector(message: dict[str, Any], options: dict[str, Any]) -> None:
    """Without the option, the same response is regular."""
    made = body(**message)
    assert is_regular(made)
    assert not is_regular(made, **options)


def test_what_servers_add_is_regular() -> None:
    """An empty list of calls, thoughts in a field, a tier of its own, and fields that nobody reads."""
    made = body(content='`a` <b> ~', tool_calls=[], reasoning_content='a', reasoning=None, prefix=False)
    made |= {'service_tier': 'on_demand', 'x_groq': {'id': 'r'}, 'usage': None}
    made['choices'][0]['stop_reason'] = None
    assert is_regular(made)
    assert is_regular(made, openai_chat_text_event_tag='event')


@pytest.mark.parametrize('made', [body(), body(content='Hello', tool_calls=[])], ids=['a call', 'text'])
async def test_a_regular_response_makes_no_corrector(
    made: dict[str, Any], wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The response is pydantic-ai's own, and so is what comes of it."""
    ours, stock = wire.model(), wire.stock()
    monkeypatch.setattr(plain_response, 'make_corrector', None)
    wire.answers += [made, made]
    response = await ours.request(REQUEST, None, DECLARED)
    assert fields(response) == fields(await stock.request(REQUEST, None, DECLARED))
