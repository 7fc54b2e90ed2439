"""One tool return to the content of its tool message or messages."""

from __future__ import annotations as _annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from openai.types.chat import ChatCompletionContentPartTextParam, ChatCompletionToolMessageParam
from pydantic import BaseModel
from pydantic_ai.messages import (
    ModelRequest,
    ModelRequestPart,
    MultiModalContent,
    TextContent,
    ToolReturnPart,
    is_multi_modal_content,
)

from .profile import OpenAICompatibleModelProfile, ToolReturnListFormat

__all__ = ('ToolReturnMapping', 'tool_returns_to_map', 'without_app_data')


@dataclass(frozen=True)
class ToolReturnMapping:
    """How tool returns go out: the options of a profile that concern them."""

    as_list: bool
    list_format: ToolReturnListFormat
    empty_text: str | None

    @classmethod
    def from_profile(cls, profile: OpenAICompatibleModelProfile) -> ToolReturnMapping:
        """Read the options; an absent one means its documented default."""
        return cls(
            as_list=profile.get('openai_chat_tool_return_as_list', False),
            list_format=profile.get('openai_chat_tool_return_list_format', 'text_parts'),
            empty_text=profile.get('openai_chat_empty_tool_return', None),
        )

    def concerns(self, part: ToolReturnPart) -> bool:
        """Whether the mapping can make something else of a return than pydantic-ai does."""
        content = part.content
        if isinstance(content, str) or part.outcome != 'success':
            return False
        if content is None or (isinstance(content, list | tuple) and not content):
            return self.empty_text is not None
        return self.as_list and isinstance(content, list | tuple) and not part.files

    def messages(
        self, message: ChatCompletionToolMessageParam, part: ToolReturnPart
    ) -> list[ChatCompletionToolMessageParam]:
        """The tool message that pydantic-ai made of a return, as the options want it: one message, or one per item.

        Args:
            message: `{'role': 'tool', 'tool_call_id': ..., 'content': <text>}`; never changed.
            part: The return that it was made of.
        """
        if not self.concerns(part):
            return [message]
        if not part.content:
            return [{**message, 'content': self.empty_text or ''}]
        texts = _item_texts(part)
        if self.list_format == 'messages':
            return [{**message, 'content': text} for text in texts]
        if self.list_format == 'text':
            return [{**message, 'content': '\n'.join(texts)}]
        return [{**message, 'content': [ChatCompletionContentPartTextParam(type='text', text=text) for text in texts]}]


def _item_texts(part: ToolReturnPart) -> list[str]:
    # pydantic-ai splits a list into items, and takes a tuple for a single one.
    items = dataclasses.replace(part, content=list(cast('Sequence[Any]', part.content))).content_items(mode='str')
    return cast('list[str]', items)


def tool_returns_to_map(request: ModelRequest) -> list[ToolReturnPart]:
    """The tool returns of a request, in the order in which pydantic-ai makes one tool message of each."""
    return [part for part in request.parts if isinstance(part, ToolReturnPart)]


def without_app_data(request: ModelRequest) -> ModelRequest:
    """A request whose tool returns hold only what the model may see; the very same request if they all do already.

    pydantic-ai writes a return as JSON with all that is in it: the metadata that an app keeps in a `TextContent`
    (<https://pydantic.dev/docs/ai/tools-toolsets/tools-advanced/> says that it is not sent), and as base64 the files
    that are not items of a flat list (<https://github.com/pydantic/pydantic-ai/issues/3109>). Here a `TextContent`
    becomes its text, and a nested file a reference to the file, which goes out with the other files of the request.
    """
    parts: list[ModelRequestPart] = [
        _clean_part(part) if isinstance(part, ToolReturnPart) and not isinstance(part.content, str) else part
        for part in request.parts
    ]
    if all(new is old for new, old in zip(parts, request.parts, strict=True)):
        return request
    return dataclasses.replace(request, parts=parts)


def _clean_part(part: ToolReturnPart) -> ToolReturnPart:
    content: Any = part.content
    if is_multi_modal_content(content):
        return part
    nested_files: list[MultiModalContent] = []
    if isinstance(content, list | tuple):
        items = cast('Sequence[Any]', content)
        cleaned: Any = [item if is_multi_modal_content(item) else _clean(item, nested_files) for item in items]
        holds_file = isinstance(content, tuple) and any(is_multi_modal_content(item) for item in items)
        if not holds_file and _same(cleaned, items):
            return part
    else:
        cleaned = _clean(content, nested_files)
        if cleaned is content:
            return part
    if nested_files:
        cleaned = [*cleaned, *nested_files] if isinstance(cleaned, list) else [cleaned, *nested_files]
    return dataclasses.replace(part, content=cleaned)


def _clean(value: Any, files: list[MultiModalContent]) -> Any:
    """The value without app data, the same object where there was none; files found in it are added to `files`."""
    if isinstance(value, TextContent):
        return value.content
    if is_multi_modal_content(value):
        files.append(value)
        # The words in which pydantic-ai refers to a file from a tool's text.
        return f'See file {value.identifier}.'
    if isinstance(value, list | tuple):
        items = cast('Sequence[Any]', value)
        cleaned = [_clean(item, files) for item in items]
        return cast(Any, value) if _same(cleaned, items) else cleaned
    fields = _fields(value)
    if fields is None:
        return value
    cleaned_fields = {name: _clean(item, files) for name, item in fields.items()}
    return value if _same(list(cleaned_fields.values()), list(fields.values())) else cleaned_fields


def _fields(value: Any) -> Mapping[Any, Any] | None:
    """The named values in a map, model or dataclass, by the names that pydantic-ai writes."""
    if isinstance(value, Mapping):
        return cast('Mapping[Any, Any]', value)
    if isinstance(value, BaseModel):
        return {
            field.serialization_alias or name: getattr(value, name)
            for name, field in type(value).model_fields.items()
            if not field.exclude
        }
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return None


def _same(new: Sequence[Any], old: Sequence[Any]) -> bool:
    return all(item is before for item, before in zip(new, old, strict=True))
