"""Tool returns to the contents of their tool messages."""

from __future__ import annotations as _annotations

import dataclasses
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, cast

from openai.types.chat import ChatCompletionContentPartTextParam, ChatCompletionMessageParam
from pydantic_ai.messages import ModelRequest, ModelRequestPart, ToolReturnPart, UserContent

from ..history.wire import has_parts
from ..options.profile import OpenAICompatibleModelProfile, ToolReturnListFormat
from ..transport import PlainList, changed_copy
from .app_data import is_bare, without_app_data

__all__ = ('ToolReturnMapping',)

ToolMessageContent = str | list[ChatCompletionContentPartTextParam]

_TEXT = frozenset({str})
_LISTS = (list, tuple)
"""What a tool returns as a list. Not `list | tuple`, which is built anew at each look."""


class _Lines(str):
    """The items of a list that go out as a message each, one a line.

    pydantic-ai sends a text as it is, the very object, so this one is found again in the message that it makes.
    """

    __slots__ = ('items',)

    items: Sequence[str]


class ToolReturnMapping(NamedTuple):
    """How tool returns go out: the options of a profile that concern them."""

    as_list: bool
    list_format: ToolReturnListFormat
    empty_text: str | None
    parallel_messages: bool

    @classmethod
    def from_profile(cls, profile: OpenAICompatibleModelProfile) -> ToolReturnMapping:
        """Read the options; an absent one means its documented default."""
        return cls(
            as_list=profile.get('openai_chat_tool_return_as_list', False),
            list_format=profile.get('openai_chat_tool_return_list_format', 'text_parts'),
            empty_text=profile.get('openai_chat_empty_tool_return', None),
            parallel_messages=profile.get('openai_chat_parallel_list_messages', False),
        )

    def take(self, request: ModelRequest) -> ModelRequest:
        """Take over the tool returns of which the options make something else than pydantic-ai does.

        pydantic-ai writes a return as JSON with all that is in it: the metadata that an app keeps in a `TextContent`
        (<https://pydantic.dev/docs/ai/tools-toolsets/tools-advanced/> says that it is not sent), and as base64 the
        files that are not items of a flat list (<https://github.com/pydantic/pydantic-ai/issues/3109>). Here a
        `TextContent` becomes its text, and a nested file a reference to the file, which goes out with the other files
        of the request.

        Returns:
            The request for pydantic-ai to map, before `spread`; the very same one if there is nothing to do.
        """
        parts: list[ModelRequestPart] | None = None
        for position, part in enumerate(request.parts):
            # Most returns are text, which is left alone.
            if isinstance(part, ToolReturnPart) and type(part.content) is not str:
                new = self._part(part)
                if new is not part:
                    parts = list(request.parts) if parts is None else parts
                    parts[position] = new
        return request if parts is None else changed_copy(request, parts=parts)

    def _part(self, part: ToolReturnPart) -> ToolReturnPart:
        content: Any = part.content
        texts: list[str] | None = None
        if type(content) is list and _TEXT.issuperset(map(type, content)):  # pyright: ignore[reportUnknownArgumentType]
            texts = content  # pyright: ignore[reportUnknownVariableType]
        elif not is_bare(content):
            # Nested too deeply, or in itself: no JSON, as pydantic-ai says when it writes it.
            with suppress(RecursionError):
                part = without_app_data(part)
            if part.files:
                return part
        answer = self._content(part, texts)
        if answer is None:
            return part
        # The method by which pydantic-ai asks a return for its text, and for the files beside it.
        return changed_copy(part, model_response_str_and_user_content=partial(_without_files, answer))

    def _content(self, part: ToolReturnPart, texts: list[str] | None) -> ToolMessageContent | None:
        """The content of the tool message that a return becomes, or `None` for the one that pydantic-ai makes."""
        if part.outcome != 'success':
            return None
        if not texts:
            content: Any = part.content
            is_list = isinstance(content, _LISTS)
            if content is None or (is_list and not content):
                return self.empty_text
            texts = _item_texts(part) if is_list and self.as_list else None
        if not self.as_list or texts is None:
            return None
        if self.list_format == 'text_parts':
            return PlainList([{'type': 'text', 'text': text} for text in texts])
        lines = '\n'.join(texts)
        if self.list_format == 'text' or len(texts) == 1:
            return lines
        taken = _Lines(lines)
        taken.items = texts
        return taken

    def spread(self, mapped: list[ChatCompletionMessageParam]) -> list[ChatCompletionMessageParam]:
        """The messages that pydantic-ai made, where each item of a list becomes a message with a message for each.

        In a turn with several calls, an item a message would hide whose it is: of 105 published chat templates about 70
        show no mark of the call, and Kimi-K2's shows the second item as the result of the second call. So each call has
        one message there, with an item a line, unless `openai_chat_parallel_list_messages` says that the template
        keeps them apart.
        """
        if not self.as_list or self.list_format != 'messages':
            return mapped
        messages: list[ChatCompletionMessageParam] = []
        turn: Mapping[str, Any] = {}
        for message in mapped:
            if message['role'] == 'assistant':
                turn = message
            messages += (
                self._of_result(cast('dict[str, Any]', message), turn) if message['role'] == 'tool' else [message]
            )
        return messages

    def _of_result(self, message: dict[str, Any], turn: Mapping[str, Any]) -> list[Any]:
        """The messages for the message with the result of a call in this turn of the assistant."""
        content: object = message['content']
        part: dict[str, Any] = {}
        if has_parts(content) and content:
            # Where the prompt is cached up to this message, pydantic-ai has put the text into a part that says so.
            part = content[0]
            content = part.get('text')
        if not isinstance(content, _Lines):
            return [message]
        items = content.items
        if not self.parallel_messages and _has_several(turn.get('tool_calls')):
            items = [str(content)]
        last = [{**part, 'text': items[-1]}] if part else items[-1]
        return [{**message, 'content': item} for item in (*items[:-1], last)]


def _without_files(content: ToolMessageContent, **_: object) -> tuple[ToolMessageContent, list[UserContent]]:
    return content, []


def _has_several(calls: object) -> bool:
    return isinstance(calls, Sequence) and len(cast('Sequence[object]', calls)) > 1


def _item_texts(part: ToolReturnPart) -> list[str]:
    # pydantic-ai splits a list into items, and takes a tuple for a single one.
    items = dataclasses.replace(part, content=list(cast('Sequence[Any]', part.content))).content_items(mode='str')
    return cast('list[str]', items)
