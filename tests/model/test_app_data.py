from __future__ import annotations as _annotations

from collections import deque
from datetime import date
from typing import Any

import pytest
from model.returns import IMAGE, returned, tool_message, wire_messages
from pydantic import BaseModel, ConfigDict, Field, RootModel, computed_field, field_serializer, model_serializer
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic_ai.messages import TextContent
from pydantic_core import PydanticSerializationError
from support import Wire


class Report(BaseModel):
    model_config = ConfigDict(extra='allow')

    day: date = Field(default=date(2001, 2, 3), serialization_alias='when')
    note: Any = None
    hidden: Any = Field(default=None, exclude=True)

    @field_serializer('day')
    def serialize_day(self, day: date) -> str:
        return f'day {day.day}'

    @computed_field
    @property
    def pages(self) -> int:
        return 7


@pydantic_dataclass
class Sheet:
    note: Any
    size: int = Field(default=1, serialization_alias='Size')

    @computed_field
    @property
    def pages(self) -> int:
        return 7


class Written(BaseModel):
    note: Any

    @model_serializer
    def write(self) -> dict[str, str]:
        return {'only': 'this'}


NOTE = TextContent('hello', metadata={'secret': 1})


@pytest.mark.parametrize(
    ('content', 'text'),
    [
        (Report(note=NOTE), '{"when":"day 3","note":"hello","pages":7}'),
        (Report.model_validate({'more': NOTE}), '{"when":"day 3","note":null,"more":"hello","pages":7}'),
        (Report(hidden=NOTE), '{"when":"day 3","note":null,"pages":7}'),
        (Sheet(note=NOTE), '{"note":"hello","Size":1,"pages":7}'),
        (Written(note=NOTE), '{"only":"this"}'),
        (RootModel[Any]([NOTE]), '["hello"]'),
        (RootModel[Any]([1]), '[1]'),
        (deque([NOTE, 2]), '["hello",2]'),
        (deque([1, 2]), '[1,2]'),
    ],
)
async def test_what_else_a_model_writes_stays_when_app_data_is_kept_back(wire: Wire, content: Any, text: str) -> None:
    """Aliases, serializers, computed, extra and excluded fields are those of pydantic's own JSON."""
    assert await wire_messages(wire.model(), returned(content)) == [tool_message(text)]


async def test_a_file_in_a_deque_or_a_models_field_is_no_base64_text(wire: Wire) -> None:
    """<https://github.com/pydantic/pydantic-ai/issues/3109>"""
    for content in (deque([IMAGE]), Report(note=[IMAGE]), RootModel[Any](IMAGE)):
        message, *_ = await wire_messages(wire.model(), returned(content))
        assert 'See file img-1.' in message['content']
        assert IMAGE.base64 not in message['content']


@pytest.mark.parametrize('as_list', [True, False])
@pytest.mark.parametrize('shape', ['in itself', 'too deeply', 'too deeply, around app data'])
async def test_what_json_cannot_hold_is_refused_in_pydantic_ais_words(wire: Wire, shape: str, as_list: bool) -> None:
    nested: list[Any] = [NOTE] if 'app data' in shape else []
    content: Any = nested
    if shape == 'in itself':
        nested.append(nested)
    else:
        for _ in range(3000):
            content = [content]
    with pytest.raises(PydanticSerializationError, match='Circular reference|Maximum serialization depth'):
        await wire_messages(wire.model(tool_return_as_list=as_list), returned(content))
