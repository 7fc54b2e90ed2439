"""What the answers of an endpoint say, and the options that follow."""

from __future__ import annotations as _annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .owners import server_kind
from .reading import (
    calls_in,
    content_of,
    dialect_in,
    finish_reason_of,
    mappings_in,
    prompt_tokens_of,
    reasoning_field_of,
    thoughts_of,
    usage_of,
)
from .runner import Answer

__all__ = ('Finding', 'Report', 'build_report')

Verdict = Literal['works', 'differs', 'refused', 'unknown']
"""As OpenAI's API, in another way, with an error, or not found out."""


@dataclass(frozen=True)
class Finding:
    """What one probe found."""

    name: str
    verdict: Verdict
    text: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Profile keys that follow from it."""


@dataclass(frozen=True)
class Report:
    """Everything that a run found."""

    findings: Sequence[Finding]
    server: str = ''
    """What the endpoint says that it is, if it says so."""

    kind: str = ''
    """The server that it is by what it says of its models, as `chat_template_server` and the like name it."""

    @property
    def options(self) -> dict[str, Any]:
        """The profile keys that follow from all findings."""
        merged: dict[str, Any] = {}
        for finding in self.findings:
            merged |= finding.options
        if merged.get('openai_chat_tools') == 'text':
            # No tool goes out then, so nothing has to be said about the way it would.
            merged = {key: value for key, value in merged.items() if key not in _OF_NATIVE_TOOLS}
        return merged


_OF_NATIVE_TOOLS = frozenset(
    (
        'openai_chat_tool_call_content',
        'openai_supports_strict_tool_definition',
        'openai_unsupported_model_settings',
        'supports_forced_tool_choice',
    )
)
"""Options that follow from a probe and only concern requests with tools."""

_FEWEST_TOKENS_OF_A_TOOL = 40
"""A prompt that grew by less does not hold the large tool."""


def build_report(answers: Sequence[Answer], model: str) -> Report:
    """Read the answers of a run.

    Args:
        answers: In any order; a probe that was not sent leaves its question open.
        model: The model that was asked for.
    """
    by_name = {answer.probe.name: answer for answer in answers}
    readers: Mapping[str, Callable[[Answer], Finding]] = {
        'models': lambda answer: _models(answer, model),
        'chat': _chat,
        'stream': _stream,
        'tools': lambda answer: _tools(answer, by_name.get('chat')),
        'tool call': _tool_call,
        'free tool call': _free_call,
        'streamed tool call': _tool_call,
        'parallel calls': lambda answer: _parallel(answer, by_name.get('tool call')),
        'strict tool': lambda answer: _taken(answer, {'openai_supports_strict_tool_definition': False}),
        'string result': lambda answer: _taken(answer, {}),
        'list result': lambda answer: _taken(answer, {'openai_chat_tool_return_as_list': False}),
        'repeated result': lambda answer: _repeated_result(answer, by_name),
        'null content': lambda answer: _null_content(answer, by_name),
        'empty content': lambda answer: _taken(answer, {}),
        'two systems': lambda answer: _taken(answer, {'openai_chat_supports_multiple_system_messages': False}),
        'later system': lambda answer: _taken(answer, {'openai_chat_supports_multiple_system_messages': False}),
        'json schema': lambda answer: _json(answer, 'supports_json_schema_output'),
        'json object': lambda answer: _json(answer, 'supports_json_object_output'),
    }
    findings = [
        readers[name](answer) if answer.status else Finding(name, 'unknown', answer.error)
        for name, answer in by_name.items()
    ]
    plain = by_name.get('chat')
    if plain is not None and plain.status >= 500:
        # It fails for any request, so what else fails that way says nothing about the rest of the request.
        findings = [
            Finding(finding.name, 'unknown', f'{finding.text}; the plain request ended in {plain.status} as well')
            if finding.verdict == 'refused' and finding.name != 'chat' and by_name[finding.name].status >= 500
            else finding
            for finding in findings
        ]
    server = next((answer.server for answer in answers if answer.server), '')
    return Report(findings, server, server_kind(by_name.get('models'), server))


def _refused(answer: Answer, options: Mapping[str, Any]) -> Finding:
    # A wrong key or a missing model says nothing about the shape of the request.
    if answer.status in (401, 403, 404, 429):
        return Finding(answer.probe.name, 'unknown', f'{answer.status}: {answer.error}')
    return Finding(answer.probe.name, 'refused', f'{answer.status}: {answer.error}', options)


def _taken(answer: Answer, options: Mapping[str, Any]) -> Finding:
    """The request is taken, or else these options are needed."""
    return Finding(answer.probe.name, 'works', 'taken') if answer.accepted else _refused(answer, options)


def _models(answer: Answer, model: str) -> Finding:
    if not answer.accepted:
        return _refused(answer, {})
    names = [entry.get('id') for entry in mappings_in(answer.body.get('data'))]
    if model in names:
        return Finding('models', 'works', 'the model is listed')
    told = ', '.join(map(str, names[:5])) or 'none'
    return Finding('models', 'differs', f'{model} is not listed; the endpoint names {told}')


def _chat(answer: Answer) -> Finding:
    if not answer.accepted:
        return _refused(answer, {})
    return _answered(answer, [])


def _stream(answer: Answer) -> Finding:
    if not answer.accepted:
        return _refused(answer, {'openai_chat_include_usage': False} if 'stream_options' in answer.error else {})
    notes = [] if answer.done else ['no [DONE] at the end']
    return _answered(answer, notes)


def _answered(answer: Answer, notes: list[str]) -> Finding:
    name = answer.probe.name
    if finish_reason_of(answer) is None:
        notes.append('no finish reason')
    if not usage_of(answer):
        notes.append('no usage')
    reasoning = reasoning_field_of(answer)
    if not content_of(answer) and not reasoning:
        notes.append('an empty answer')
    if notes:
        return Finding(name, 'differs', '; '.join(notes))
    thoughts = f', thoughts in `{reasoning}`' if reasoning else ''
    return Finding(name, 'works', f'an answer, a finish reason ({finish_reason_of(answer)}) and usage{thoughts}')


def _tool_call(answer: Answer) -> Finding:
    if not answer.accepted:
        return _refused(answer, {'supports_forced_tool_choice': False} if answer.status == 400 else {})
    if not calls_in(answer):
        told = f'`tool_choice` is ignored: {_no_call(answer)}'
        return Finding(answer.probe.name, 'differs', told, {'supports_forced_tool_choice': False})
    return _called(answer)


def _no_call(answer: Answer) -> str:
    text = content_of(answer)
    return f'no call, but the text {text[:80]!r}' if text else 'no call'


def _free_call(answer: Answer) -> Finding:
    """With `tool_choice: auto`, which is what agents send, servers leave the reading of the call to a parser of theirs."""
    if not answer.accepted:
        return _refused(answer, {})
    if calls_in(answer):
        return _called(answer)
    name = answer.probe.name
    tools = (answer.probe.body or {})['tools']
    if dialect := dialect_in(content_of(answer), tools):
        options = {'openai_chat_text_tool_calls': [dialect]}
        return Finding(name, 'differs', f'the call is left in the text, in the dialect {dialect}', options)
    for text in (content_of(answer), thoughts_of(answer)):
        if dialect := dialect_in(text, tools, in_thoughts=True):
            options = {'openai_chat_text_tool_calls': [dialect], 'openai_chat_text_tool_calls_in_thoughts': True}
            return Finding(
                name, 'differs', f'the call is swallowed into the thoughts, in the dialect {dialect}', options
            )
    if finish_reason_of(answer) == 'length':
        return Finding(name, 'unknown', 'the answer was cut at its limit')
    return Finding(name, 'unknown', f'{_no_call(answer)}: a model may answer without the tool')


def _called(answer: Answer) -> Finding:
    calls = calls_in(answer)
    name = answer.probe.name
    reason = finish_reason_of(answer)
    if reason == 'length' and not calls[-1].complete:
        return Finding(name, 'unknown', 'the call was cut at its limit')
    notes: list[str] = []
    for call in calls:
        if not call.complete:
            notes.append(f'arguments that are no JSON object: {call.arguments[:80]!r}')
        if call.object_arguments:
            notes.append('arguments as an object where a string belongs')
        if call.names > 1:
            notes.append(f'the name in each of {call.names} deltas')
        if not call.call_id:
            notes.append('no call id')
    if reason != 'tool_calls':
        notes.append(f'finish reason {reason}')
    if answer.chunks and not answer.done:
        notes.append('no [DONE] at the end')
    count = f'{len(calls)} call{"s" if len(calls) > 1 else ""}'
    return Finding(name, 'differs' if notes else 'works', '; '.join([count, *notes]))


def _tools(answer: Answer, chat: Answer | None) -> Finding:
    """Tools are refused if the same request without them was taken, and ignored if they cost no tokens.

    Servers that ignore them say so nowhere: <https://github.com/ggml-org/llama.cpp/issues/27129>
    """
    as_text = {'openai_chat_tools': 'text'}
    taken = chat is not None and chat.accepted
    if not answer.accepted:
        if taken and answer.status not in (401, 403, 429):
            return Finding('tools', 'refused', f'{answer.status}: {answer.error}', as_text)
        return _refused(answer, {})
    if calls_in(answer):
        return Finding('tools', 'works', 'the model calls them')
    grown, base = prompt_tokens_of(answer), prompt_tokens_of(chat) if taken and chat else None
    if grown is None or base is None:
        return Finding('tools', 'unknown', 'taken; the server does not count the tokens of the prompt')
    if grown - base < _FEWEST_TOKENS_OF_A_TOOL:
        told = f'ignored: {grown} prompt tokens with a large tool, {base} without'
        return Finding('tools', 'differs', told, as_text)
    return Finding('tools', 'works', f'they reach the prompt: {grown - base} tokens for a large tool')


def _parallel(answer: Answer, single: Answer | None) -> Finding:
    if not answer.accepted:
        alone = single is not None and single.accepted
        return _refused(answer, {'openai_unsupported_model_settings': ['parallel_tool_calls']} if alone else {})
    count = len(calls_in(answer))
    told = {0: 'no call', 1: 'one call: it may make them one after the other'}.get(count, f'{count} calls at once')
    return Finding('parallel calls', 'works' if count > 1 else 'differs', told)


def _repeated_result(answer: Answer, by_name: Mapping[str, Answer]) -> Finding:
    """Whether both results reached the model, if the tokens of the prompt were counted: two need more than one."""
    one = by_name.get('string result')
    fewer, more = prompt_tokens_of(one) if one else None, prompt_tokens_of(answer)
    if not answer.accepted or fewer is None or more is None:
        return _taken(answer, {})
    if more <= fewer:
        return Finding('repeated result', 'differs', f'taken, but the prompt has no token more ({more}) than with one')
    options = {'openai_chat_tool_return_as_list': True, 'openai_chat_tool_return_list_format': 'messages'}
    return Finding('repeated result', 'works', f'both arrive: {more - fewer} tokens more than with one', options)


def _null_content(answer: Answer, by_name: Mapping[str, Answer]) -> Finding:
    """Refused, it takes an empty text or no key: `string result` has none beside its call."""
    if answer.accepted:
        return Finding('null content', 'works', 'taken')
    for other, value in (('empty content', 'empty'), ('string result', 'omit')):
        if other in by_name and by_name[other].accepted:
            return _refused(answer, {'openai_chat_tool_call_content': value})
    return _refused(answer, {})


def _json(answer: Answer, key: str) -> Finding:
    if not answer.accepted:
        return _refused(answer, {key: False})
    text = content_of(answer)
    try:
        value: object = json.loads(text)
    except ValueError:
        if finish_reason_of(answer) == 'length':
            return Finding(answer.probe.name, 'unknown', 'the answer was cut at its limit')
        return Finding(answer.probe.name, 'differs', f'ignored: the answer is {text[:80]!r}', {key: False})
    if key == 'supports_json_schema_output' and not (isinstance(value, dict) and 'city' in value):
        return Finding(answer.probe.name, 'differs', f'ignored: the answer is {text[:80]!r}', {key: False})
    return Finding(answer.probe.name, 'works', 'kept to')
