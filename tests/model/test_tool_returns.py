from __future__ import annotations as _annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, cast

import pytest
from model.returns import IMAGE, returned, tool_message, wire_messages
from pydantic import BaseModel, Field
from pydantic_ai.exceptions import PydanticAIDeprecationWarning
from pydantic_ai.messages import (
    BinaryContent,
    ImageUrl,
    ModelRequest,
    ModelRequestPart,
    RetryPromptPart,  # pyright: ignore[reportDeprecated]
    StructuredContent,
    SystemPromptPart,
    TextContent,
    ToolReturnPart,
    UserPromptPart,
)
from support import Wire

from pydantic_ai_compat.model.tool_returns import ToolReturnMapping

ListFormat = Literal['text_parts', 'messages', 'text']


def text_parts(*texts: str) -> list[dict[str, str]]:
    return [{'type': 'text', 'text': text} for text in texts]


class Person(BaseModel):
    name: str
    born: date = Field(alias='birthDate')


ITEMS = [
    {'key': 'value'},
    42,
    'plain',
    None,
    date(2001, 2, 3),
    Person(name='Ana', birthDate=date(2001, 2, 3)),
    ['日本'],
]
TEXTS = ['{"key":"value"}', '42', 'plain', 'null', '2001-02-03', '{"name":"Ana","birthDate":"2001-02-03"}', '["日本"]']


def _content_and_outcome(part: ToolReturnPart) -> str:
    return f'{part.content!r}-{part.outcome}'


@pytest.mark.parametrize('items', [ITEMS, tuple(ITEMS)], ids=['list', 'tuple'])
@pytest.mark.parametrize(
    ('list_format', 'messages'),
    [
        ('text_parts', [tool_message(text_parts(*TEXTS))]),
        ('messages', [tool_message(text) for text in TEXTS]),
        ('text', [tool_message('\n'.join(TEXTS))]),
    ],
)
async def test_a_list_goes_out_in_the_format_that_the_option_names(
    wire: Wire, items: Any, list_format: ListFormat, messages: list[dict[str, Any]]
) -> None:
    """An item is text as it is, or pydantic-ai's JSON text of it, by alias and without ASCII escapes."""
    model = wire.model(tool_return_as_list='true', openai_chat_tool_return_list_format=list_format)
    assert await wire_messages(model, returned(items)) == messages


async def test_text_parts_are_the_default_format(wire: Wire) -> None:
    model = wire.model(tool_return_as_list=True)
    assert await wire_messages(model, returned([{'key': 'value'}, 42])) == [
        tool_message(text_parts('{"key":"value"}', '42'))
    ]


@pytest.mark.parametrize(
    'part',
    [
        returned('a\nb'),
        returned('["a"]'),
        returned([]),
        returned(()),
        returned(None),
        returned({'a': [1]}),
        returned({1}),
        returned(0),
        returned(['cap', IMAGE]),
        returned(IMAGE),
        returned(['a'], outcome='failed'),
        returned(['a'], outcome='retried'),
        returned(['a'], outcome='denied'),
        returned(['a'], outcome='interrupted'),
    ],
    ids=_content_and_outcome,
)
async def test_every_other_return_goes_out_as_stock_sends_it(wire: Wire, part: ToolReturnPart) -> None:
    model = wire.model(tool_return_as_list=True)
    assert await wire_messages(model, part) == await wire_messages(wire.stock(), part)


@pytest.mark.parametrize(
    'part', [returned(ITEMS), returned(tuple(ITEMS)), returned(['a', IMAGE])], ids=_content_and_outcome
)
async def test_with_the_flag_off_a_list_goes_out_as_stock_sends_it(wire: Wire, part: ToolReturnPart) -> None:
    for options in ({}, {'openai_chat_tool_return_list_format': 'messages'}):
        assert await wire_messages(wire.model(**options), part) == await wire_messages(wire.stock(), part)


@pytest.mark.parametrize('value', [None, [], ()])
@pytest.mark.parametrize('as_list', [True, False])
async def test_nothing_returned_goes_out_as_the_text_of_the_option(wire: Wire, value: Any, as_list: bool) -> None:
    """Stock sends `''` for all but a tuple: <https://github.com/pydantic/pydantic-ai/issues/8294>"""
    unset = wire.model(tool_return_as_list=as_list)
    named = wire.model(tool_return_as_list=as_list, openai_chat_empty_tool_return='no output')
    assert await wire_messages(unset, returned(value)) == [tool_message('[]' if value == () else '')]
    assert await wire_messages(named, returned(value)) == [tool_message('no output')]
    assert await wire_messages(named, returned('')) == [tool_message('')]
    assert await wire_messages(named, returned([None])) == [
        tool_message(text_parts('null') if as_list else '[null]'),
    ]


async def test_each_tool_message_is_paired_with_the_return_it_was_made_of(wire: Wire) -> None:
    """Other parts, and the order of all of them with the files at the end, are stock's."""
    parts: list[ModelRequestPart] = [
        SystemPromptPart('s'),
        ToolReturnPart('tool', ['a', 'b'], 'c1'),
        ToolReturnPart('tool', 'plain', 'c2'),
        ToolReturnPart('tool', ['cap', IMAGE], 'c3'),
        UserPromptPart('u'),
        ToolReturnPart('tool', ['c'], 'c4'),
    ]
    stock = await wire_messages(wire.stock(), *parts)
    as_messages = wire.model(tool_return_as_list=True, openai_chat_tool_return_list_format='messages')
    assert await wire_messages(as_messages, *parts) == [
        stock[0],
        tool_message('a', 'c1'),
        tool_message('b', 'c1'),
        stock[2],
        stock[3],
        stock[4],
        tool_message('c', 'c4'),
        stock[6],
    ]
    assert [message['role'] for message in stock] == ['system', 'tool', 'tool', 'tool', 'user', 'tool', 'user']


async def test_a_deprecated_retry_that_maps_to_a_tool_message_is_not_taken_for_a_return(wire: Wire) -> None:
    """pydantic-ai still maps `RetryPromptPart` in a history that is sent without an agent."""
    with pytest.warns(PydanticAIDeprecationWarning):
        retry = RetryPromptPart('again', tool_name='tool', tool_call_id='c0')  # pyright: ignore[reportDeprecated]
    parts = (retry, returned(['a']))
    stock = await wire_messages(wire.stock(), *parts)
    ours = await wire_messages(wire.model(tool_return_as_list=True), *parts)
    assert ours == [stock[0], tool_message(text_parts('a'))]


@pytest.mark.parametrize('options', [{}, {'tool_return_as_list': True}])
@pytest.mark.parametrize(
    ('value', 'text'),
    [
        (TextContent('hello', metadata={'secret': 1}), 'hello'),
        ({'a': {'b': TextContent('hello', metadata='secret')}}, '{"a":{"b":"hello"}}'),
        (StructuredContent({'secret': 1}, content='# h1'), '# h1'),
    ],
)
async def test_metadata_stays_with_the_app(wire: Wire, options: dict[str, Any], value: Any, text: str) -> None:
    """The docstring of `TextContent.metadata`: not sent to the LLM."""
    assert await wire_messages(wire.model(**options), returned(value, metadata='secret')) == [tool_message(text)]


async def test_metadata_in_a_list_stays_with_the_app(wire: Wire) -> None:
    part = returned([TextContent('hello', metadata={'secret': 1}), 'b'])
    assert await wire_messages(wire.model(), part) == [tool_message('["hello","b"]')]
    assert await wire_messages(wire.model(tool_return_as_list=True), part) == [tool_message(text_parts('hello', 'b'))]
    assert isinstance(cast('list[Any]', part.content)[0], TextContent), 'the stored history is untouched'


class Page(BaseModel):
    title: str = Field(serialization_alias='Title')
    image: BinaryContent
    kept: str = Field(default='secret', exclude=True)


@dataclass
class Scan:
    image: BinaryContent
    pages: list[str] = field(default_factory=list[str])


@pytest.mark.parametrize('as_list', [True, False])
@pytest.mark.parametrize(
    ('value', 'texts'),
    [
        (('cap', IMAGE), ['cap', 'See file img-1.']),
        ({'cap': 'x', 'image': IMAGE}, ['{"cap":"x","image":"See file img-1."}', 'See file img-1.']),
        (['cap', [IMAGE]], ['cap', '["See file img-1."]', 'See file img-1.']),
        (('cap', (IMAGE,)), ['cap', '["See file img-1."]', 'See file img-1.']),
        (Page(title='t', image=IMAGE), ['{"Title":"t","image":"See file img-1."}', 'See file img-1.']),
        (Scan(IMAGE, ['p']), ['{"image":"See file img-1.","pages":["p"]}', 'See file img-1.']),
    ],
)
async def test_a_nested_file_goes_out_with_the_files_and_not_as_base64_text(
    wire: Wire, value: Any, texts: list[str], as_list: bool
) -> None:
    """<https://github.com/pydantic/pydantic-ai/issues/3109>"""
    flat = await wire_messages(wire.stock(), returned([*texts[:-1], IMAGE]))
    assert await wire_messages(wire.model(tool_return_as_list=as_list), returned(value)) == flat
    assert IMAGE.base64 in str(flat[1]) and IMAGE.base64 not in str(flat[0])


@pytest.mark.parametrize(
    'content', ['text', None, 1, [1, 'a'], {'a': [1]}, IMAGE, ['cap', IMAGE], (1, 2), ImageUrl('http://h/a.png')]
)
def test_a_return_with_nothing_to_hide_is_the_very_same_request(content: Any) -> None:
    request = ModelRequest(parts=[UserPromptPart('u'), returned(content)])
    assert ToolReturnMapping.from_profile({}).take(request) is request
