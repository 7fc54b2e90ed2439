"""OpenAI's Harmony: calls, thoughts and answers between marks of the same kind.

<https://github.com/openai/harmony/blob/main/docs/format.md>
"""

from __future__ import annotations as _annotations

import re

from ..segments import Segment
from .call import OpenTextCall
from .finding import any_of, partial
from .payload import follow, skip_broken
from .schema import Tools
from .source import NoCall, Reading, Source
from .table import Dialect

__all__ = ('read_harmony',)

_MESSAGE = '<|message|>'
_ENDS = ('<|call|>', '<|end|>', '<|return|>')
_OUTSIDE_MARKS = (*_ENDS, '<|start|>', '<|channel|>')
_HEADER = re.compile(
    r'(?:<\|start\|>assistant)?(?:\s*to=(?P<role>[^\s<]+))?(?:<\|channel\|>(?P<channel>analysis|commentary|final))?'
    r'(?: to=(?P<channel_to>[^\s<]+))?(?:\s*(?:<\|constrain\|>)?\s*(?:json|code))?\s*<\|message\|>'
)
_LONGEST_HEADER = 512
_OUTSIDE = any_of(_OUTSIDE_MARKS)


def read_harmony(source: Source, table: Dialect, tools: Tools) -> Reading[None]:
    """Read one message: a call, a thought, or an answer.

    Raises:
        NoCall: It is none, or a call of no declared tool.
    """
    header = yield from _header(source, bare=not table.open)
    found = _HEADER.fullmatch(header)
    if found is None or not (found['channel'] or found['role']):
        raise NoCall
    recipient = found['role'] or found['channel_to']
    if recipient is None:
        yield from _read_message(source, thought=found['channel'] == 'analysis')
        return
    call = OpenTextCall(source, table, tools)
    call.declare(recipient.removeprefix('functions.'))
    yield from source.space()
    if (yield from source.peek()) != '{':
        raise NoCall
    call.begin()
    ending = yield from follow(source, call.give, mark='"')
    if ending == 'broken':
        yield from skip_broken(source, call.give, _ENDS)
    call.end(ending)
    yield from source.after_space(_ENDS)


def _header(source: Source, *, bare: bool) -> Reading[str]:
    if bare and (yield from source.peek(3)) != 'to=':
        raise NoCall
    while True:
        end = source.text.find(_MESSAGE, source.position, source.position + _LONGEST_HEADER)
        if end >= 0:
            return source.take(end + len(_MESSAGE))
        if source.ended or source.waiting >= _LONGEST_HEADER or not _may_be_header(source.text[source.position :]):
            raise NoCall
        yield


def _may_be_header(text: str) -> bool:
    return not re.search(r'\n|[.,;:!?]\s', text)


def _read_message(source: Source, *, thought: bool) -> Reading[None]:
    source.commit()
    if thought:
        source.out.append(Segment('open', source.thinking_tags[0]))
    while True:
        found = _OUTSIDE.search(source.text, source.position)
        keep = 0 if found or source.ended else partial(source.text, source.position, _OUTSIDE_MARKS)
        piece = source.take(found.start() if found else len(source.text) - keep)
        if piece:
            source.out.append(Segment('thought' if thought else 'text', piece))
        if found or source.ended:
            break
        yield
    yield from source.match(_ENDS)
    if thought:
        source.out.append(Segment('close', source.thinking_tags[1]))
