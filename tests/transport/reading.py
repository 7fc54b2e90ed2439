"""What two kinds of stream make of the same bytes, for comparison."""

from __future__ import annotations as _annotations

from typing import Any, cast

from openai import AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel
from support import Wire
from support_sse import Blocks, stream

from pydantic_ai_compat.transport import LeanStream


def whole(value: object) -> object:
    """Everything that can be read from a chunk: types, values, what was set, what no schema declares."""
    if isinstance(value, BaseModel):
        extra = value.model_extra or {}
        fields: dict[str, object] = {name: whole(item) for name, item in vars(value).items()}
        return type(value), fields, whole(extra), value.model_fields_set - set(extra)
    if isinstance(value, list):
        return [whole(item) for item in cast('list[object]', value)]
    if isinstance(value, dict):
        return {name: whole(item) for name, item in cast('dict[str, object]', value).items()}
    return type(value), repr(value)


def dumps(value: object) -> object:
    if not isinstance(value, ChatCompletionChunk):
        return value
    return repr(value.model_dump(warnings=False)), repr(value.model_dump(exclude_unset=True, warnings=False))


class Read:
    """What a kind of stream makes of a body: its chunks, and the error at its end."""

    def __init__(self) -> None:
        self.chunks: list[object] = []
        self.error: Exception | None = None

    @property
    def seen(self) -> object:
        error = self.error and (type(self.error), str(self.error))
        return [whole(item) for item in self.chunks], [dumps(item) for item in self.chunks], error


async def read(body: bytes | Blocks, stream_cls: Any) -> Read:
    wire = Wire()
    wire.answers.append(stream(body))
    client = AsyncOpenAI(base_url='http://wire/v1', api_key='k', http_client=wire.client)
    result = Read()
    opened = await client.post('/x', body={}, cast_to=ChatCompletion, stream=True, stream_cls=stream_cls)
    try:
        async for item in opened:
            result.chunks.append(item)
    except Exception as error:  # noqa: BLE001
        result.error = error
    return result


async def both(body: bytes) -> tuple[Read, Read]:
    return await read(body, LeanStream), await read(body, AsyncStream[ChatCompletionChunk])
