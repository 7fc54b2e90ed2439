"""Fields that no answer depends on, and usage, wherever and however often it comes."""

from __future__ import annotations as _annotations

import copy
import json
import warnings
from typing import Any, cast

import pytest
from generated import generated
from hypothesis import given, strategies as st
from pydantic import BaseModel
from streaming.answers import PARAMETERS, REQUEST, body_of, read
from streaming.streams import chunk, parts_of, stream_answer
from support import Wire

from pydantic_ai_compat.errors import IgnoredFieldWarning
from pydantic_ai_compat.streaming.fields import holds_nothing, mended

ODD_FIELDS: dict[str, dict[str, Any]] = {
    'F16': {'id': '', 'created': '2025/05/16 16:29:57', 'model': None, 'usage': {}, 'service_tier': None, 'code': 0},
    'F18': {'usage': {'total_tokens': 0, 'total_characters': 0}},
    'created as a float': {'created': 1790000000.5},
    'ids as numbers': {'id': 7},
    'usage under other names': {'usage': {'input_tokens': 3, 'output_tokens': 4}},
    'lists in the usage': {'usage': {'prompt_tokens': 3, 'completion_tokens': 4, 'total_tokens': 7, 'prompt_tokens_details': [1]}},
    'usage as text': {'usage': 'none'},
    'a word for the tier': {'service_tier': 'on_demand', 'object': 'response', 'system_fingerprint': 5},
    'a date beside a word for the tier': {'created': '2025/05/16', 'service_tier': 'on_demand'},
}  # fmt: skip
ODD_CHOICES: dict[str, dict[str, Any]] = {
    'no word of the end': {'finish_reason': 0},
    'a list for the end': {'finish_reason': ['stop']},
    'log probabilities': {'logprobs': {'content': [{'token': None, 'logprob': None, 'top_logprobs': None}]}},
    'an index as text': {'index': '0'},
}
ODD_MESSAGES: dict[str, dict[str, Any]] = {
    'no role': {'role': ''},
    'another role': {'role': 'model'},
    'a list for a refusal': {'refusal': []},
    'flat citations': {'annotations': [{'type': 'url_citation', 'url': 'https://a.example'}]},
}
ODD = {**ODD_FIELDS, **ODD_CHOICES, **ODD_MESSAGES}


@pytest.mark.filterwarnings('ignore::pydantic_ai_compat.errors.IgnoredFieldWarning')
@pytest.mark.parametrize('name', ODD)
async def test_a_field_that_nobody_needs_never_costs_the_answer(name: str, wire: Wire) -> None:
    """F16 <https://github.com/sashabaranov/go-openai/issues/1002>, F18, and fields of the same kind."""
    body = body_of(
        {'content': 'ok', **ODD_MESSAGES.get(name, {})}, **ODD_FIELDS.get(name, {}), choice=ODD_CHOICES.get(name, {})
    )
    for cut in (None, 0):
        response = await read(wire, body, cut)
        assert (parts_of(response), response.finish_reason) == ([{'text': 'ok'}], 'stop'), cut
        if name in ('usage under other names', 'lists in the usage'):
            assert (response.usage.input_tokens, response.usage.output_tokens) == (3, 4)


async def test_what_was_put_aside_is_kept_and_said_once(wire: Wire) -> None:
    """The warning names the field and not what is in it."""
    model = wire.model()
    for answer in ('2025/05/16', '2025/05/17'):
        wire.answers.append(body_of({'content': 'ok'}, created=answer))
    with pytest.warns(
        IgnoredFieldWarning, match=r'fields that do not fit their types: `created` is str\. The answer is used'
    ):
        first = await model.request(REQUEST, None, PARAMETERS)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        second = await model.request(REQUEST, None, PARAMETERS)
    assert [(one.provider_details or {})['dropped'] for one in (first, second)] == [
        {'created': '2025/05/16'},
        {'created': '2025/05/17'},
    ]


@pytest.mark.filterwarnings('ignore::pydantic_ai_compat.errors.IgnoredFieldWarning')
@pytest.mark.parametrize(
    ('count', 'read_as', 'dropped'),
    [
        (1.5, 1, {'usage.prompt_tokens': 1.5}),
        (2.0, 2, None),
        ('3', 3, None),
        ('3.5', 0, {'usage.prompt_tokens': '3.5'}),
        ([4], 0, {'usage.prompt_tokens': [4]}),
    ],
)
async def test_a_number_that_loses_something_is_kept_as_it_came(
    count: object, read_as: int, dropped: object, wire: Wire
) -> None:
    """A fraction of a whole number says something that the number does not; `2.0` and `'3'` say just what it does."""
    body = body_of({'content': 'ok'}, usage={'prompt_tokens': count, 'completion_tokens': 1, 'total_tokens': 9})
    for cut in (None, 0):
        response = await read(wire, body, cut)
        assert response.usage.input_tokens == read_as
        assert (response.provider_details or {}).get('dropped') == dropped


class _Part(BaseModel):
    text: str


class _Later(BaseModel):
    """A field of a kind that the SDK may declare one day: text, or a list of parts."""

    content: str | list[_Part] | None = None
    sizes: list[int] | dict[str, int] | None = None


WRONG: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.sampled_from([1, 1.5, 'a', '']),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(['text', 'a']), inner, max_size=2),
    max_leaves=5,
)


@generated()
@given(WRONG, WRONG)
def test_any_value_in_a_field_of_several_types_is_mended_or_kept(content: object, sizes: object) -> None:
    """The data fits afterwards, and no value that says something is gone without being told."""
    data: dict[str, object] = {'content': copy.deepcopy(content), 'sizes': copy.deepcopy(sizes)}
    dropped = mended(_Later, data)
    _Later.model_validate(data)
    json.dumps([data, dropped])
    for name, before in (('content', content), ('sizes', sizes)):
        assert (
            as_text(data[name]) == as_text(before)
            or holds_nothing(before)
            or any(one.place.split('.')[0] == name for one in dropped)
        )


def as_text(value: object) -> object:
    """The value with its numbers as text, which say the same."""
    if isinstance(value, list):
        return [as_text(item) for item in cast('list[object]', value)]
    if isinstance(value, dict):
        return {key: as_text(item) for key, item in cast('dict[str, object]', value).items()}
    return str(value)


@pytest.mark.parametrize(
    ('usages', 'expected'),
    [
        ([(10, 1), (10, 2), (10, 3), (10, 3)], (10, 3)),
        ([(10, 1), (0, 1), (0, 1)], (10, 3)),
        ([(1, 1), (2, 3), (1, 1)], (4, 5)),
        ([(7, 5)], (7, 5)),
        ([(2, 1), (2, 1), (2, 1)], (6, 3)),
        ([(9, 0), (9, 0), (9, 0)], (9, 0)),
        ([(9, 0), (9, 0), (9, 4)], (9, 4)),
    ],
)
async def test_running_totals_are_not_added_up(
    usages: list[tuple[int, int]], expected: tuple[int, int], wire: Wire
) -> None:
    """F25 <https://github.com/camel-ai/camel/issues/4217>: totals never fall, and grow with the text."""
    chunks = [
        {**chunk(content='a'), 'usage': {'prompt_tokens': i, 'completion_tokens': o, 'total_tokens': i + o}}
        for i, o in usages
    ]
    wire.answers.append(stream_answer([*chunks, chunk('stop')]))
    async with wire.model().request_stream(REQUEST, None, PARAMETERS) as response:
        async for _ in response:
            pass
    assert (response.usage.input_tokens, response.usage.output_tokens) == expected


async def test_usage_in_the_choice_is_found(wire: Wire) -> None:
    """F26: Moonshot <https://github.com/AstrBotDevs/AstrBot/issues/6614>."""
    usage = {'prompt_tokens': 1336, 'completion_tokens': 31, 'total_tokens': 1367}
    last = {**chunk('stop'), 'choices': [{'index': 0, 'delta': {}, 'finish_reason': 'stop', 'usage': usage}]}
    plain = body_of({'content': 'hi'}, usage=None, choice={'usage': usage})
    wire.answers += [stream_answer([chunk(content='hi'), last]), plain]
    async with wire.model().request_stream(REQUEST, None, PARAMETERS) as response:
        async for _ in response:
            pass
    whole = await wire.model().request(REQUEST, None, PARAMETERS)
    assert [(one.usage.input_tokens, one.usage.output_tokens) for one in (response.get(), whole)] == [(1336, 31)] * 2


@pytest.mark.filterwarnings('ignore::pydantic_ai_compat.errors.IgnoredFieldWarning')
async def test_what_was_put_aside_is_named_by_its_place_in_the_answer(wire: Wire) -> None:
    """A plain response has a message where a stream has deltas."""
    body = body_of({'content': 'ok', 'reasoning_content': {'a': 1}})
    dropped = [(await read(wire, body, cut)).provider_details for cut in (None, 0)]
    assert [one and one['dropped'] for one in dropped] == [
        {'choices.0.message.reasoning_content': {'a': 1}},
        {'choices.0.delta.reasoning_content': {'a': 1}},
    ]
