"""Tool returns to the contents of their tool messages."""

from __future__ import annotations as _annotations

import dataclasses
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from openai.types.chat import ChatCompletionContentPartTextParam, ChatCompletionMessageParam
from pydantic import BaseModel, RootModel
from pydantic.fields import FieldInfo
from pydantic_ai.messages import (
    ModelRequest,
    ModelRequestPart,
    MultiModalContent,
    TextContent,
    ToolReturnPart,
    UserContent,
    is_multi_modal_content,
    tool_return_ta,
)

from ..options.profile import OpenAICompatibleModelProfile, ToolReturnListFormat
from ..transport import PlainList

__all__ = ('ToolReturnMapping',)

ToolMessageContent = str | list[ChatCompletionContentPartTextParam]

_COLLECTIONS = (list, tuple, deque, set, frozenset)
"""Types that pydantic-ai writes as a JSON list."""

_MISSING = object()

_TEXT = frozenset({str})
_LISTS = (list, tuple)
"""What a tool returns as a list. Not `list | tuple`, which is built anew at each look."""

_BARE = frozenset({str, int, float, bool, type(None)})
"""Types whose values hold no app data and no file. Most of what tools return is made of them, and told by them alone."""


class _Taken(str):
    """The empty text that a tool return gives for its content, with what goes out instead.

    pydantic-ai sends a text as it is, the very object, so this one is found again in the message that it makes.
    """

    __slots__ = ('contents',)

    contents: Sequence[ToolMessageContent]
    """The contents of the tool messages that the return becomes."""

    def and_no_files(self) -> tuple[str, list[UserContent]]:
        """What `ToolReturnPart.model_response_str_and_user_content` answers: the text, and the files beside it."""
        return self, []


@dataclass(frozen=True)
class ToolReturnMapping:
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
            The request for pydantic-ai to map, before `put_back`; the very same one if there is nothing to do.
        """
        parts: list[ModelRequestPart] | None = None
        for position, part in enumerate(request.parts):
            # Most returns are text, which is left alone.
            if isinstance(part, ToolReturnPart) and type(part.content) is not str:
                new = self._part(part)
                if new is not part:
                    parts = list(request.parts) if parts is None else parts
                    parts[position] = new
        return request if parts is None else _with(request, 'parts', parts)

    def _part(self, part: ToolReturnPart) -> ToolReturnPart:
        content: Any = part.content
        texts: list[str] | None = None
        if type(content) is list and _TEXT.issuperset(map(type, content)):  # pyright: ignore[reportUnknownArgumentType]
            texts = content  # pyright: ignore[reportUnknownVariableType]
        elif not _is_bare(content):
            # Nested too deeply, or in itself: no JSON, as pydantic-ai says when it writes it.
            with suppress(RecursionError):
                part = _clean_part(part)
            if part.files:
                return part
        contents = self._contents(part, texts)
        if contents is None:
            return part
        taken = _Taken()
        taken.contents = contents
        return _with(part, 'model_response_str_and_user_content', taken.and_no_files)

    def _contents(self, part: ToolReturnPart, texts: list[str] | None) -> Sequence[ToolMessageContent] | None:
        """The contents of the tool messages that a return becomes, or `None` for the one that pydantic-ai makes."""
        if part.outcome != 'success':
            return None
        if not texts:
            content: Any = part.content
            is_list = isinstance(content, _LISTS)
            if content is None or (is_list and not content):
                return None if self.empty_text is None else [self.empty_text]
            texts = _item_texts(part) if is_list and self.as_list else None
        if not self.as_list or texts is None:
            return None
        if self.list_format == 'messages':
            return texts
        if self.list_format == 'text':
            return ['\n'.join(texts)]
        return [PlainList([{'type': 'text', 'text': text} for text in texts])]

    def put_back(self, mapped: list[ChatCompletionMessageParam]) -> list[ChatCompletionMessageParam]:
        """The messages that pydantic-ai made, with the contents of the returns that were taken over.

        In a turn with several calls, an item a message would hide whose it is: of 105 published chat templates about 70
        show no mark of the call, and Kimi-K2's shows the second item as the result of the second call. So each call has
        one message there, with an item a line, unless `openai_chat_parallel_list_messages` says that the template
        keeps them apart.
        """
        if not self.as_list and self.empty_text is None:
            return mapped
        messages: list[Any] = []
        turn: Mapping[str, Any] = {}
        message: Any  # without a call to `cast` for each
        for message in mapped:
            messages.append(message)
            if message['role'] == 'assistant':
                turn = message
            content: object = message.get('content')
            if type(content) is not _Taken:
                continue
            contents = content.contents
            if len(contents) > 1:
                if not self.parallel_messages and len(turn.get('tool_calls') or ()) > 1:
                    contents = ['\n'.join(cast('Sequence[str]', contents))]
                messages += [{**message, 'content': more} for more in contents[1:]]
            # The message was made for this return, so it can hold what goes out.
            message['content'] = contents[0]
        return messages


_T = TypeVar('_T', ModelRequest, ToolReturnPart)


def _with(value: _T, name: str, field: object) -> _T:
    # Not `dataclasses.replace`, which runs the checks of every other field again and takes five times as long.
    changed = object.__new__(type(value))
    fields = value.__dict__.copy()
    fields[name] = field
    changed.__dict__ = fields
    return changed


def _item_texts(part: ToolReturnPart) -> list[str]:
    # pydantic-ai splits a list into items, and takes a tuple for a single one.
    items = dataclasses.replace(part, content=list(cast('Sequence[Any]', part.content))).content_items(mode='str')
    return cast('list[str]', items)


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
    if isinstance(value, _COLLECTIONS):
        items = list(cast('Collection[Any]', value))
        cleaned = [_clean(item, files) for item in items]
        return cast(Any, value) if _same(cleaned, items) else cleaned
    if isinstance(value, Mapping):
        named = cast('Mapping[Any, Any]', value)
        changed = _changed(named, files)
        return {**named, **changed} if changed else named
    if isinstance(value, RootModel):
        return _cleaned_root(cast('RootModel[Any]', value), files)
    if isinstance(value, BaseModel) or (dataclasses.is_dataclass(value) and not isinstance(value, type)):
        return _clean_fields(value, files)
    return value


def _changed(values: Mapping[Any, Any], files: list[MultiModalContent]) -> dict[Any, Any]:
    """Those of the values by name that held something to keep back, without it."""
    cleaned = {name: _clean(value, files) for name, value in values.items()}
    return {name: value for name, value in cleaned.items() if value is not values[name]}


def _cleaned_root(model: RootModel[Any], files: list[MultiModalContent]) -> Any:
    cleaned = _clean(model.root, files)
    return model if cleaned is model.root else cleaned


def _clean_fields(value: Any, files: list[MultiModalContent]) -> Any:
    """A model or dataclass, or what pydantic-ai would write of it with some of its fields cleaned."""
    if _writes_itself(value):
        return value
    fields: Mapping[str, FieldInfo] = getattr(value, '__pydantic_fields__', {})
    names = fields or [field.name for field in dataclasses.fields(value)]
    extra: Mapping[str, Any] = getattr(value, '__pydantic_extra__', None) or {}
    held = {
        name: item
        for name in names
        if (name not in fields or not fields[name].exclude) and (item := _held(value, name)) is not _MISSING
    }
    changed = _changed({**held, **extra}, files)
    if not changed:
        return value
    # The other fields, the computed and the extra ones, in the form that their serializers give them.
    rest: dict[str, Any] = tool_return_ta.dump_python(value, mode='json', by_alias=True, exclude=set(changed))
    written = {name: (name in fields and fields[name].serialization_alias) or name for name in (*names, *extra)}
    ordered = {
        key: changed[name] if name in changed else rest[key]
        for name, key in written.items()
        if name in changed or key in rest
    }
    return {**ordered, **rest}


def _held(value: Any, name: str) -> Any:
    """What a field holds, if anything: a model that was made without validation may lack it, as may a dataclass.

    A model's own dict is read, as a deprecated field warns whoever asks for it by its name.
    """
    state: Mapping[str, Any] = getattr(value, '__dict__', {})
    if name in state:
        return state[name]
    return _MISSING if isinstance(value, BaseModel) else getattr(value, name, _MISSING)


def _writes_itself(value: Any) -> bool:
    """Whether a model or dataclass has a serializer of its own, which may leave out or rename what its fields hold."""
    decorators = getattr(value, '__pydantic_decorators__', None)
    return decorators is not None and bool(decorators.model_serializers)


def _is_bare(value: Any) -> bool:
    """Whether a value is made of lists, dicts and bare values alone, so that nothing in it has to be kept back."""
    if type(value) in _BARE:
        return True
    if type(value) is dict:
        items: Any = cast('dict[Any, Any]', value).values()
    elif type(value) is list:
        items = cast('list[Any]', value)
    else:
        return False
    try:
        return _BARE.issuperset(map(type, items)) or all(map(_is_bare, items))
    except RecursionError:
        return False


def _same(new: Sequence[Any], old: Sequence[Any]) -> bool:
    return all(item is before for item, before in zip(new, old, strict=True))
