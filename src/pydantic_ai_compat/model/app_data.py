"""What an app keeps to itself of a tool return: metadata of texts, and the bytes of files inside of other values."""

from __future__ import annotations as _annotations

import dataclasses
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel, RootModel
from pydantic.fields import FieldInfo
from pydantic_ai.messages import (
    MultiModalContent,
    TextContent,
    ToolReturnPart,
    is_multi_modal_content,
    tool_return_ta,
)

__all__ = ('is_bare', 'without_app_data')

_COLLECTIONS = (list, tuple, deque, set, frozenset)
"""Types that pydantic-ai writes as a JSON list."""

_MISSING = object()

_BARE = frozenset({str, int, float, bool, type(None)})
"""Types whose values hold no app data and no file. Most of what tools return is made of them, and told by them alone."""


def without_app_data(part: ToolReturnPart) -> ToolReturnPart:
    """A tool return without what the app keeps to itself; the very same one if there is nothing of it in it.

    Files that are nested in what was returned stand behind it.

    Raises:
        RecursionError: If the content is nested too deeply, or in itself.
    """
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


def is_bare(value: Any) -> bool:
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
        return _BARE.issuperset(map(type, items)) or all(map(is_bare, items))
    except RecursionError:
        return False


def _same(new: Sequence[Any], old: Sequence[Any]) -> bool:
    return all(item is before for item, before in zip(new, old, strict=True))
