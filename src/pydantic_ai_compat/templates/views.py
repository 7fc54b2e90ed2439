"""The rules of `servers`, one function for each server: wire messages in, the template's messages out.

Facts that are measured or read in the servers' sources; `servers.SERVERS` names where.
"""

from __future__ import annotations as _annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from .formats import ContentFormats

__all__ = ('VIEWS', 'Refused', 'View')

Message: TypeAlias = 'dict[str, Any]'
View: TypeAlias = 'Callable[[Sequence[Mapping[str, Any]], ContentFormats], list[Message]]'


class Refused(Exception):
    """The server answers with an error; the message says which."""


def _vllm(messages: Sequence[Mapping[str, Any]], formats: ContentFormats) -> list[Message]:
    return [_vllm_message(message, parts=formats.vllm_parts, join_results=True) for message in messages]


def _vllm_old(messages: Sequence[Mapping[str, Any]], formats: ContentFormats) -> list[Message]:
    return [_vllm_message(message, parts=formats.vllm_parts, join_results=False) for message in messages]


def _vllm_message(message: Mapping[str, Any], *, parts: bool, join_results: bool) -> Message:
    role, content = message['role'], message.get('content')
    if content is None and role == 'tool':
        raise Refused('400: the content of a tool message has to be a string or a list')
    texts = _texts(content, 'vLLM answers 400: ValidatorIterator, input should be a valid dictionary')
    if parts and not (role == 'tool' and join_results):
        # A plain string is wrapped as well: GLM's templates then show `{'type': 'text', ...}` for every result.
        content = [{'type': 'text', 'text': text} for text in texts]
    else:
        content = '\n'.join(text for text in texts if text)
    viewed: Message = {**message, 'content': content}
    if not viewed.get('tool_calls'):
        viewed.pop('tool_calls', None)
    reasoning = viewed.get('reasoning') or viewed.pop('reasoning_content', None)
    if reasoning:
        viewed |= {'reasoning': reasoning, 'reasoning_content': reasoning}
    return _with_object_arguments(viewed, broken='empty')


def _sglang(messages: Sequence[Mapping[str, Any]], formats: ContentFormats) -> list[Message]:
    viewed: list[Message] = []
    for message in messages:
        content = message.get('content')
        if content is None:
            content = ''
        elif not isinstance(content, str):
            texts = _texts(content, 'SGLang answers 400: the parts of a message have to be text or media')
            joined = message['role'] == 'tool' or not formats.sglang_parts
            content = ' '.join(texts) if joined else [{'type': 'text', 'text': text} for text in texts]
        viewed.append(_with_object_arguments({**message, 'content': content}, broken='SGLang answers 400'))
    return viewed


def _llamacpp(messages: Sequence[Mapping[str, Any]], formats: ContentFormats) -> list[Message]:
    viewed: list[Message] = []
    for message in messages:
        if message['role'] != 'assistant' and 'content' not in message:
            raise Refused("400: All non-assistant messages must contain 'content'")
        content = message.get('content')
        texts = _texts(content, 'llama.cpp answers 400: unsupported content[].type')
        if not formats.llamacpp_parts:
            content = '\n'.join(texts)
        elif not formats.llamacpp_strings or not (content is None or isinstance(content, str)):
            content = [{'type': 'text', 'text': text} for text in texts]
        else:
            content = content or ''
        role = 'system' if message['role'] == 'developer' else message['role']
        entry: Message = {**message, 'role': role, 'content': content}
        parsed = _with_object_arguments(entry, broken='llama.cpp answers 500')
        viewed.append(parsed if formats.llamacpp_objects else entry)
    return viewed if formats.llamacpp_system else _without_system(viewed)


def _without_system(messages: list[Message]) -> list[Message]:
    """A system message goes before the text of the next one, where a template has no system role."""
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1]['role'] == 'system':
            system = merged.pop()
            message = {**message, 'content': f'{_text(system["content"])}\n{_text(message["content"])}'}
        merged.append(message)
    return merged


def _ollama(messages: Sequence[Mapping[str, Any]], formats: ContentFormats) -> list[Message]:
    viewed: list[Message] = []
    for message in messages:
        content = message.get('content')
        if content is None and not message.get('tool_calls'):
            raise Refused('Ollama answers 400: invalid message content type: <nil>')
        if content is None or isinstance(content, str):
            viewed.append(_with_object_arguments({**message, 'content': content or ''}, broken='Ollama answers 400'))
            continue
        # One message for each part; ids, names and calls are copied for strings only.
        texts = _texts(content, 'Ollama answers 400: invalid message format')
        viewed += [{'role': message['role'], 'content': text} for text in texts]
    return viewed


def _tgi(messages: Sequence[Mapping[str, Any]], formats: ContentFormats) -> list[Message]:
    viewed: list[Message] = []
    for message in messages:
        content = message.get('content')
        if content is None and message.get('tool_calls'):
            # The calls take the place of the text, as JSON.
            viewed.append({'role': message['role'], 'content': json.dumps(message['tool_calls'])})
            continue
        if content is None:
            raise Refused('TGI answers 422: neither content nor tool calls')
        texts = _texts(content, 'TGI answers 422: data did not match any variant of untagged enum')
        viewed.append({'role': message['role'], 'content': ''.join(texts)})
    return viewed


def _transformers(messages: Sequence[Mapping[str, Any]], formats: ContentFormats) -> list[Message]:
    viewed: list[Message] = []
    for message in messages:
        content: object = None if message.get('tool_calls') else message.get('content')
        texts = _texts(content, 'transformers serve answers 500: the parts of a message have to be objects with a type')
        entry: Message = {'role': message['role'], 'content': ' '.join(texts)}
        if message.get('tool_calls'):
            entry['tool_calls'] = message['tool_calls']
        if 'tool_call_id' in message:
            entry['tool_call_id'] = message['tool_call_id']
        viewed.append(_with_object_arguments(entry, broken='transformers serve answers 500'))
    return viewed


def _texts(content: object, refusal: str) -> list[str]:
    """The texts of a content, or `Refused`; media are left out, because no text of theirs reaches the prompt."""
    if content is None:
        return []
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        raise Refused(refusal)
    texts: list[str] = []
    for part in cast('list[object]', content):
        fields = cast('Mapping[str, object]', part if isinstance(part, Mapping) else {})
        kind, text = fields.get('type'), fields.get('text')
        if not isinstance(kind, str) or (kind == 'text' and not isinstance(text, str)):
            raise Refused(refusal)
        if kind == 'text':
            texts.append(cast(str, text))
    return texts


def _text(content: object) -> str:
    return '\n'.join(_texts(content, ''))


def _with_object_arguments(message: Message, *, broken: str) -> Message:
    """The message with the arguments of its calls as objects; `broken` says what becomes of arguments that are none."""
    calls = message.get('tool_calls')
    if not calls:
        return message
    parsed: list[Any] = []
    for call in cast('list[Mapping[str, Any]]', calls):
        function = dict(cast('Mapping[str, Any]', call.get('function') or {}))
        arguments = function.get('arguments')
        if isinstance(arguments, str):
            function['arguments'] = _object(arguments, broken)
        parsed.append({**call, 'function': function})
    return {**message, 'tool_calls': parsed}


def _object(text: str, broken: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if isinstance(value, dict):
        return cast('dict[str, Any]', value)
    if broken == 'empty':
        return {}
    raise Refused(f'{broken}: the arguments of a tool call have to be a JSON object, not {text[:40]!r}')


VIEWS: Mapping[str, View] = {
    'vllm': _vllm,
    'vllm-0.19': _vllm_old,
    'sglang': _sglang,
    'llama.cpp': _llamacpp,
    'ollama': _ollama,
    'tgi': _tgi,
    'transformers': _transformers,
}
