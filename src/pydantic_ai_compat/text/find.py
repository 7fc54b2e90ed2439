"""The dialect that a chat template writes, found by rendering a turn with a call and reading it back."""

from __future__ import annotations as _annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import product
from typing import Any, Protocol

from ..lazy import TemplateFailure
from .dialects.registry import DIALECTS, pick
from .dialects.schema import tool_schemas
from .dialects.table import Dialect, TextCall
from .dialects.write import write_calls
from .reading import read_text
from .scanner import TextScanner

__all__ = ('Renders', 'find_dialect', 'find_dialect_in', 'fitting_dialect')

_NAME = 'needle_tool'
_IDS = ('callAB123', f'functions.{_NAME}:0')
"""Nine letters and digits, because Mistral's templates refuse any other; and what Kimi's take for the name."""
_CONTENTS: tuple[dict[str, str], ...] = ({'content': ''}, {}, {'content': 'Here it is.'})
_ARGUMENTS = {'needle': 'a needle', 'count': 7}
_TOOL = {
    'type': 'function',
    'function': {
        'name': _NAME,
        'description': 'Finds a needle.',
        'parameters': {
            'type': 'object',
            'properties': {'needle': {'type': 'string'}, 'count': {'type': 'integer'}},
            'required': ['needle', 'count'],
        },
    },
}
_TOKENS: dict[str, Any] = {'bos_token': '', 'eos_token': ''}
"""What a template asks its tokenizer for; a template alone has none."""
_USER = {'role': 'user', 'content': 'Look for it.'}


class Renders(Protocol):
    """A chat template, such as `pydantic_ai_compat.templates.ChatTemplate`."""

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        add_generation_prompt: bool = True,
        **variables: Any,
    ) -> str:
        """The prompt for a conversation."""
        ...


def find_dialect(template: Renders) -> str | None:
    """The name of the dialect in which a chat template writes tool calls.

    Args:
        template: The template.

    Returns:
        The name; `None` if the template writes no calls, or in no dialect that is known.
    """
    for arguments, content, id in product((_ARGUMENTS, json.dumps(_ARGUMENTS)), _CONTENTS, _IDS):
        call = {'id': id, 'type': 'function', 'function': {'name': _NAME, 'arguments': arguments}}
        try:
            text = _turn(template, {'role': 'assistant', **content, 'tool_calls': [call]})
        except TemplateFailure:
            continue
        if found := find_dialect_in(text, [TextCall(_NAME, json.dumps(_ARGUMENTS), id)], [_TOOL]):
            return found
    return None


def _turn(template: Renders, turn: Mapping[str, Any]) -> str:
    """What the template makes of a turn of the assistant; raises `TemplateFailure` if it takes none like it."""
    before = template.render([_USER], [_TOOL], **_TOKENS)
    after = template.render([_USER, turn], [_TOOL], add_generation_prompt=False, **_TOKENS)
    if not after.startswith(before):
        before = template.render([_USER], [_TOOL], add_generation_prompt=False, **_TOKENS)
    return after[len(before) :] if after.startswith(before) else after[after.rfind(_USER['content']) :]


def find_dialect_in(text: str, calls: Sequence[TextCall], tools: Sequence[Mapping[str, Any]]) -> str | None:
    """The name of the dialect in which the text holds these calls; `None` if it is in none that is known.

    Args:
        text: A text with the calls.
        calls: The calls that it holds.
        tools: The tools, in the API's own form.
    """
    fits = [dialect for dialect in DIALECTS.values() if _fits(text, calls, tools, dialect)]
    fits.sort(key=lambda dialect: (-_likeness(text, calls, dialect), dialect.anchor != 'anywhere'))
    return fits[0].name if fits else None


def fitting_dialect(text: str, tools: Collection[str | Mapping[str, Any]]) -> str | None:
    """The name of the dialect by which the first call in a text would be read; `None` if it holds none.

    Only calls with marks of their own are looked for. A text without such a mark costs one search.

    Args:
        text: The text of an answer.
        tools: The declared tools: names, or tools in the API's own form.
    """
    if not _OPENINGS.search(text):
        return None
    scanner = TextScanner(('<think>', '</think>'), dialects=_MARKED, tools=tool_schemas(tools))
    segments = [*scanner.feed(text), *scanner.flush()]
    return next((segment.names[1] for segment in segments if segment.kind == 'call'), None)


_MARKED = tuple(
    dialect
    for dialect in (*pick('auto'), *DIALECTS.values())
    if dialect.anchor == 'anywhere' and dialect.open and dialect.name != 'functionary_v32'
)
"""The dialects whose calls have marks, those first that are safe together."""

_OPENINGS = re.compile('|'.join(re.escape(o) for dialect in _MARKED for o in dialect.openings if o))


def _fits(text: str, calls: Sequence[TextCall], tools: Sequence[Mapping[str, Any]], dialect: Dialect) -> bool:
    reading = read_text(text, tools, [dialect])
    found = [_said(call) for call in reading.calls if call.complete]
    wanted = [_said(call) for call in calls]
    return found == wanted and not any(name in reading.text for name, _ in wanted)


def _said(call: TextCall) -> tuple[str, dict[str, str]]:
    """A call by its words: a few templates put quotation marks around a number."""
    return call.name, {key: str(value) for key, value in json.loads(call.arguments).items()}


def _likeness(text: str, calls: Sequence[TextCall], dialect: Dialect) -> int:
    """How like it is to what the dialect writes: to the letter, but for white space, or less than that."""
    written = write_calls(calls, dialect)
    return 2 if written in text else int(''.join(written.split()) in ''.join(text.split()))
