"""Requests whose messages and tools the SDK sends as they are.

The SDK walks every value of every message through a recursive transform that renames keys and formats dates where its
types ask for it, which they do nowhere in messages and tools: 150 to 280 us a message that change nothing. Here the SDK's
own `create` runs on empty lists, and the lists go into the body that it hands to the client's `post`.
"""

from __future__ import annotations as _annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, cast

from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionChunk

from ._private import builds_stock_chunks, is_sdk_method, writes_stock_bodies
from ._transforms import sdk_transforms_nothing
from .chunks import LeanStream
from .plain import body_text, look_at

__all__ = ('lean_client',)


class _View:
    """Everything of an object but for some attributes, which the view has of its own.

    It passes for an instance of the object's class: pydantic-ai asks whether a client is an `AsyncAzureOpenAI`.
    """

    def __init__(self, viewed: object, **own: object) -> None:
        vars(self).update(own, _viewed=viewed)

    @property
    def __class__(self) -> type[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return cast('type[Any]', type(self._viewed))

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)['_viewed'], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._viewed, name, value)


def lean_client(client: AsyncOpenAI) -> AsyncOpenAI:
    """A view of a client whose `chat.completions.create` does without the transform where that changes nothing.

    All else is the client's own: its `post` sends the request, and a client made by `with_options` is viewed the same
    way. A request takes stock's way when `create` was wrapped or replaced, or a value in it is not plain.
    """

    def with_options(**options: Any) -> AsyncOpenAI:
        return lean_client(client.with_options(**options))

    completions = _View(client.chat.completions, create=partial(_create, client))
    return cast(AsyncOpenAI, _View(client, chat=_View(client.chat, completions=completions), with_options=with_options))


async def _create(client: AsyncOpenAI, /, **arguments: Any) -> Any:
    # pydantic-ai has the SDK load this module with the first model, not with the first import.
    from openai.resources.chat import AsyncCompletions

    completions = client.chat.completions
    whole: dict[str, list[object]] = {
        name: arguments[name] for name in ('messages', 'tools') if isinstance(arguments.get(name), list)
    }
    is_stock = type(completions) is AsyncCompletions and is_sdk_method(completions.create)
    looks = {name: look_at(values) for name, values in whole.items()}
    if not (is_stock and all(look.is_plain for look in looks.values()) and sdk_transforms_nothing()):
        create: Any = completions.create
        return await create(**arguments)
    any_encoder = 'messages' in looks and looks['messages'].any_encoder
    post = partial(_post, client, whole, any_encoder)
    create = AsyncCompletions(cast(AsyncOpenAI, _View(client, post=post))).create
    try:
        return await create(**{**arguments, **dict.fromkeys(whole, ())})
    except _UnknownBody:
        create = completions.create
        return await create(**arguments)


class _UnknownBody(Exception):
    """The SDK hands over another body than the one it was asked for, so nothing was put into it and nothing sent."""


async def _post(
    client: AsyncOpenAI, whole: Mapping[str, object], any_encoder: bool, path: str, /, **options: Any
) -> Any:
    body: object = options.get('body')
    if not (isinstance(body, dict) and whole.keys() <= body.keys()):
        raise _UnknownBody
    if options.get('stream') and builds_stock_chunks(client):
        options['stream_cls'] = LeanStream
        # The schema is built once, while nothing waits: before the request, not between the first byte and its event.
        ChatCompletionChunk.model_rebuild()
    # The keys are in the body already, so they keep the places that the SDK gave them.
    options['body'] = {**cast('dict[str, object]', body), **whole}
    # What is in `extra_body` is for the SDK to merge, and goes into no text.
    if any_encoder and options.get('options', {}).get('extra_json') is None and writes_stock_bodies(client):
        with suppress(TypeError, ValueError):  # which the SDK raises itself
            options['content'] = body_text(options['body'])
            del options['body']
    send: Any = client.post
    return await send(path, **options)
