"""Where a chat template comes from: a file of one of five kinds, a model's folder, or a server's `/props`."""

from __future__ import annotations as _annotations

import json
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..lazy import errors
from .gguf import read_gguf_templates

if TYPE_CHECKING:
    import httpx2

__all__ = ('fetch_props', 'props_url', 'read_props', 'read_templates')

_SPECIAL_TOKENS = ('bos_token', 'eos_token', 'unk_token', 'sep_token', 'pad_token', 'cls_token', 'mask_token')

_MAX_JSON = 64_000_000
"""Bytes of a JSON file that is read; a `tokenizer_config.json` with a long list of added tokens has a few million."""


def read_templates(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The chat templates by name and the special tokens that a file or a model's folder holds.

    Raises:
        ChatTemplateError: There is no such file, it is of no known kind, or it holds no template.
    """
    try:
        templates, tokens = _read_folder(path) if path.is_dir() else _read_file(path)
    except OSError as error:
        raise errors.ChatTemplateError(f'{path} cannot be read: {error.strerror}.') from error
    except UnicodeDecodeError as error:
        raise errors.ChatTemplateError(f'{path} is no UTF-8 text: {error.reason} at byte {error.start}.') from error
    if not templates:
        raise errors.ChatTemplateError(f'{path} holds no chat template.')
    return templates, tokens


def _read_file(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    if path.suffix == '.gguf':
        return read_gguf_templates(path)
    if path.suffix == '.json':
        content = _read_json(path)
        return _templates_in(content, path), _tokens_in(content)
    # `.jinja`, `.jinja2`, `.txt` and the like are the template itself.
    return {'default': _read_text(path)}, {}


def _read_folder(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """A model's folder as transformers reads it: `chat_template.jinja` before the JSON files."""
    templates: dict[str, str] = {}
    tokens: dict[str, str] = {}
    for name in ('tokenizer_config.json', 'chat_template.json', 'special_tokens_map.json'):
        if (folder / name).is_file():
            content = _read_json(folder / name)
            templates |= _templates_in(content, folder / name)
            tokens |= _tokens_in(content)
    own = {file.stem: _read_text(file) for file in sorted(folder.glob('additional_chat_templates/*.jinja'))}
    if (folder / 'chat_template.jinja').is_file():
        own['default'] = _read_text(folder / 'chat_template.jinja')
    if not (own or templates):
        for file in sorted(folder.glob('*.gguf')):
            return read_gguf_templates(file)
    return own or templates, tokens


def _read_text(path: Path) -> str:
    # The file's own line ends: `Path.read_text` would change `\r\n`, and the prompt with them.
    return path.read_bytes().decode()


def _read_json(path: Path) -> Mapping[str, Any]:
    if path.stat().st_size > _MAX_JSON:
        raise errors.ChatTemplateError(f'{path} has more than {_MAX_JSON} bytes; this is no `tokenizer_config.json`.')
    try:
        content: object = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise errors.ChatTemplateError(f'{path} is no JSON: {error}') from error
    if not isinstance(content, dict):
        raise errors.ChatTemplateError(
            f'{path} holds {type(content).__name__} where an object with `chat_template` belongs.'
        )
    return cast('Mapping[str, Any]', content)


def _templates_in(content: Mapping[str, Any], path: Path) -> dict[str, str]:
    """`chat_template` is the text, or a list of `{'name': ..., 'template': ...}`, or an object from name to text."""
    found = content.get('chat_template')
    if found is None:
        return {}
    if isinstance(found, str):
        return {'default': found}
    named: dict[Any, Any] = {}
    if isinstance(found, dict):
        named = cast('dict[Any, Any]', found)
    elif isinstance(found, list):
        entries = cast('list[Any]', found)
        objects = [cast('dict[str, Any]', entry) for entry in entries if isinstance(entry, dict)]
        named = {entry.get('name'): entry.get('template') for entry in objects}
    if not named or not all(isinstance(key, str) and isinstance(value, str) for key, value in named.items()):
        raise errors.ChatTemplateError(
            f'`chat_template` in {path} is neither a text nor a list of objects with `name` and `template`.'
        )
    return named


def _tokens_in(content: Mapping[str, Any]) -> dict[str, str]:
    """Special tokens are texts, or objects with the text under `content`."""
    tokens: dict[str, str] = {}
    for name in _SPECIAL_TOKENS:
        token = content.get(name)
        if isinstance(token, dict):
            token = cast('dict[str, Any]', token).get('content')
        if isinstance(token, str):
            tokens[name] = token
    return tokens


def props_url(base_url: str) -> str:
    """Where llama.cpp's server tells its template: `/props` beside `/v1`."""
    return base_url.rstrip('/').removesuffix('/v1') + '/props'


def fetch_props(url: str, api_key: str | None, http_client: httpx2.Client | None) -> object:
    """What a server answers at `url`.

    Raises:
        ChatTemplateError: It cannot be reached, or answers with an error or with no JSON.
    """
    import httpx2  # here, because a template in a file needs none

    headers = {'Authorization': f'Bearer {api_key}'} if api_key else {}
    try:
        with nullcontext(http_client) if http_client else httpx2.Client(timeout=10) as client:
            return client.get(url, headers=headers).raise_for_status().json()
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise errors.ChatTemplateError(f'{url} cannot be read: {error}') from error


def read_props(content: object, url: str) -> tuple[dict[str, str], dict[str, str], dict[str, bool]]:
    """The templates, special tokens and `chat_template_caps` in the answer of llama.cpp's `/props`.

    Raises:
        ChatTemplateError: The answer is not one of llama.cpp's server.
    """
    props = cast('dict[str, Any]', content) if isinstance(content, dict) else {}
    if not isinstance(props.get('chat_template'), str):
        raise errors.ChatTemplateError(
            f'{url} tells no chat template; of the usual servers only llama.cpp does. Give the path of a file instead.'
        )
    templates = {'default': cast(str, props['chat_template'])}
    if isinstance(props.get('chat_template_tool_use'), str):
        templates['tool_use'] = cast(str, props['chat_template_tool_use'])
    caps = props.get('chat_template_caps')
    found = cast('dict[str, Any]', caps) if isinstance(caps, dict) else {}
    return templates, _tokens_in(props), {name: value for name, value in found.items() if isinstance(value, bool)}
