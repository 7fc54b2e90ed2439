"""One tool return to the content of its tool message or messages."""

from __future__ import annotations as _annotations

import dataclasses
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Collection, Mapping, Sequence
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
    is_multi_modal_content,
    tool_return_ta,
)

from ..options.profile import OpenAICompatibleModelProfile, ToolReturnListFormat

__all__ = ('MappedReturn', 'ToolReturnMapping', 'is_text_only', 'with_contents', 'without_app_data')

ToolMessageContent = str | list[ChatCompletionContentPartTextParam]

MappedReturn = tuple[str, Sequence[ToolMessageContent] | None]
"""A tool return's call id and the contents of its tool messages; `None` stands for the message of pydantic-ai."""

_COLLECTIONS = (list, tuple, deque, set, frozenset)
"""Types that pydantic-ai writes as a JSON list."""

_MISSING = object()

_BARE = frozenset({str, int, float, bool, type(None)})
"""Types whose values hold no app data and no file. Most of what tools return is made of them, and told by them alone."""


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

    def take(self, request: ModelRequest) -> tuple[ModelRequest, deque[MappedReturn]]:
        """Take over those tool returns of a request of which the options make something else than pydantic-ai does.

        Returns:
            The request with these returns empty, for pydantic-ai need not write as JSON what is replaced; the very same
            request if there are none. And all its tool returns, in the order in which pydantic-ai makes one tool
            message of each.
        """
        parts: list[ModelRequestPart] = []
        returns = deque[MappedReturn]()
        taken = False
        for part in request.parts:
            if isinstance(part, ToolReturnPart):
                contents = self.contents(part)
                returns.append((part.tool_call_id, contents))
                if contents is not None:
                    taken = True
                    part = _with(part, content='')
            parts.append(part)
        return _with(request, parts=parts) if taken else request, returns

    def contents(self, part: ToolReturnPart) -> Sequence[ToolMessageContent] | None:
        """The contents of the tool messages that a return becomes, or `None` for the one that pydantic-ai makes."""
        content: Any = part.content
        if isinstance(content, str) or part.outcome != 'success':
            return None
        if content is None or (isinstance(content, list | tuple) and not content):
            return None if self.empty_text is None else [self.empty_text]
        if not (self.as_list and isinstance(content, list | tuple) and (_is_bare(content) or not part.files)):
            return None
        texts = _item_texts(part)
        if self.list_format == 'messages':
            return texts
        if self.list_format == 'text':
            return ['\n'.join(texts)]
        return [[ChatCompletionContentPartTextParam(type='text', text=text) for text in texts]]


async def with_contents(
    mapped: AsyncIterable[ChatCompletionMessageParam], returns: deque[MappedReturn]
) -> AsyncIterator[ChatCompletionMessageParam]:
    """The messages that pydantic-ai made of a request, with the contents of the returns that were taken over."""
    async for item in mapped:
        contents = None
        if item['role'] == 'tool' and returns and returns[0][0] in ('', item['tool_call_id']):
            _, contents = returns.popleft()
        if contents is None:
            yield item
        else:
            for content in contents:
                yield cast(ChatCompletionMessageParam, {**item, 'content': content})


_T = TypeVar('_T', ModelRequest, ToolReturnPart)


def _with(value: _T, **changes: object) -> _T:
    # Not `dataclasses.replace`, which runs the checks of every other field again and takes five times as long.
    changed = object.__new__(type(value))
    vars(changed).update(vars(value), **changes)
    return changed


def _item_texts(part: ToolReturnPart) -> list[str]:
    content = cast('Sequence[Any]', part.content)
    if {str}.issuperset(map(type, content)):
        return list(content)
    # pydantic-ai splits a list into items, and takes a tuple for a single one.
    items = dataclasses.replace(part, content=list(content)).content_items(mode='str')
    return cast('list[str]', items)


def without_app_data(request: ModelRequest) -> ModelRequest:
    """A request whose tool returns hold only what the model may see; the very same request if they all do already.

    pydantic-ai writes a return as JSON with all that is in it: the metadata that an app keeps in a `TextContent`
    (<https://pydantic.dev/docs/ai/tools-toolsets/tools-advanced/> says that it is not sent), and as base64 the files
    that are not items of a flat list (<https://github.com/pydantic/pydantic-ai/issues/3109>). Here a `TextContent`
    becomes its text, and a nested file a reference to the file, which goes out with the other files of the request.
    """
    if all(_is_bare(part.content) for part in request.parts if isinstance(part, ToolReturnPart)):
        return request
    try:
        parts = [_clean_part(part) if isinstance(part, ToolReturnPart) else part for part in request.parts]
    except RecursionError:
        return request  # Nested too deeply, or in itself: no JSON, as pydantic-ai says when it writes it.
    if all(new is old for new, old in zip(parts, request.parts, strict=True)):
        return request
    return dataclasses.replace(request, parts=parts)


def is_text_only(request: ModelRequest) -> bool:
    """Whether all parts hold text alone, as most do, so that there is nothing to keep back and nothing to take over."""
    return all(type(getattr(part, 'content', None)) is str for part in request.parts)


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
