"""The ways in which an answer differs from what the API's own server sends, as the corrector came across them."""

from __future__ import annotations as _annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ('OBSERVED', 'QUIRKS', 'QuirkRecord')

QUIRKS: Mapping[str, str] = MappingProxyType(
    {
        'no-done': 'the stream ends without `[DONE]`',
        'no-finish-reason': 'no chunk has a finish reason',
        'finish-reason-repeated': 'several chunks have a finish reason',
        'stop-with-calls': 'the finish reason is `stop` although calls came',
        'unknown-finish-reason': 'the finish reason is a word that the API does not have',
        'error-event': 'an error object came with HTTP 200',
        'field-dropped': 'a field has a type that it cannot have, and no answer depends on it',
        'empty-objects': 'fields that are not there are sent as objects of empty strings',
        'usage-in-choice': '`usage` is in the choice',
        'usage-totals': 'several chunks have a usage that counts from the beginning',
        'choices-missing': '`choices` is null or missing',
        'delta-missing': 'a choice has no `delta`',
        'other-choice': 'chunks belong to choices other than the first',
        'content-parts': '`content` is a list of parts',
        'content-cumulative': 'each piece of the text or the thoughts holds all that came before',
        'thinking-parts': 'thoughts come as a list of parts, or among the parts of `content`',
        'thinking-in-text': 'thoughts come in the text between tags',
        'tag-cut': 'a thinking tag is cut over chunks, or glued to text',
        'closing-tag-alone': 'a closing thinking tag comes without an opening one',
        'function-call': 'the deprecated `function_call` is used',
        'no-tool-calls': '`tool_calls` is an empty list',
        'call-unwrapped': 'the name and the arguments of a call lie beside its `id`',
        'index-missing': 'a call has no `index`',
        'index-shared': 'several calls have the same `index`',
        'index-moves': 'the `index` of a call changes while its id stays',
        'id-missing': 'a call begins without an `id`',
        'id-late': 'the `id` comes after the call has begun',
        'id-empty': 'the `id` is an empty string',
        'id-number': 'the `id` is a number',
        'id-repeated': 'the `id` comes with each delta',
        'id-changes': 'the `id` changes within a call',
        'name-repeated': 'the name comes in full more than once',
        'name-in-pieces': 'the name comes in pieces',
        'name-late': 'the name comes after the call has begun',
        'name-decorated': 'the name of a declared tool has white space, `functions.` or `()` around it',
        'name-never': 'a call never gets a name',
        'arguments-object': '`arguments` is an object and no string',
        'arguments-null': 'a call has no arguments at all: they are null or missing',
        'arguments-empty': 'a call has an empty string for arguments',
        'arguments-nothing': 'the arguments are a JSON null, an empty list or an empty string in a string',
        'arguments-twice': 'the arguments are encoded twice',
        'arguments-control': 'a string in the arguments holds a raw line break or the like',
        'arguments-cumulative': 'each piece of the arguments holds all that came before',
        'arguments-again': 'the arguments come again after they were whole',
        'arguments-cut': 'the stream ends inside the arguments of a call',
        'arguments-invalid': 'the arguments are closed but no JSON object',
        'whole-call': 'a call comes whole in one delta',
        'call-in-text': 'a tool call is written in the text',
        'fragments-together': 'one chunk holds several deltas of the same call',
    }
)
"""Each quirk, by the name under which `docs/streams.md` says who has it and what is done about it."""

OBSERVED = frozenset(
    {
        'no-done',
        'no-finish-reason',
        'finish-reason-repeated',
        'unknown-finish-reason',
        'error-event',
        'choices-missing',
        'delta-missing',
        'thinking-in-text',
        'closing-tag-alone',
        'no-tool-calls',
        'id-missing',
        'id-late',
        'id-repeated',
        'name-never',
        'arguments-null',
        'arguments-empty',
        'arguments-cut',
        'arguments-invalid',
        'whole-call',
        'fragments-together',
    }
)
"""Quirks that need no correction, because pydantic-ai reads them right, or that have none."""


class QuirkRecord:
    """What the corrector came across in one answer, each quirk with how often."""

    __slots__ = ('counts',)

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def copy(self) -> QuirkRecord:
        """A record of its own with the same counts."""
        record = QuirkRecord()
        record.counts |= self.counts
        return record

    def add(self, name: str) -> None:
        """Take note of one of `QUIRKS`."""
        self.counts[name] = self.counts.get(name, 0) + 1

    @property
    def names(self) -> list[str]:
        """The quirks that were found, in the order of `QUIRKS`."""
        return [name for name in QUIRKS if name in self.counts] if self.counts else []

    @property
    def corrected(self) -> list[str]:
        """Those of them that were corrected."""
        return [name for name in self.names if name not in OBSERVED]
