"""What a server leaves of a call when it takes the special tokens out of the text.

vLLM and SGLang do unless they are asked with `skip_special_tokens: false`, or their own tool parser asks for it.
<https://docs.vllm.ai/en/latest/api/vllm/sampling_params/>
"""

from __future__ import annotations as _annotations

import re
from dataclasses import replace

from .table import Dialect

__all__ = ('stripped',)

_TOKEN = re.compile(r'<[|｜][^<>]*>|<[^<>]*[|｜]>|</?\w+>|\[TOOL_CALLS\]')


def stripped(dialect: Dialect) -> tuple[Dialect, ...]:
    """The tables of what is left of the calls of a dialect without its special tokens.

    What is left has no mark, so it is a call only at the start of a message. Where the name is left glued to an id
    (`solar`), or the header of a message to the one before (`openai`), and of arguments in tags, it cannot be read.

    Args:
        dialect: The dialect.
    """
    if not dialect.special or dialect.channels or dialect.id_end or dialect.family == 'tagged':
        return ()
    prefix = ''.join(_left(dialect.open))
    if prefix and dialect.family != 'named':
        return ()
    return (
        replace(
            dialect,
            section=None,
            open=(),
            close=_left(dialect.close),
            other_close=(),
            anchor='message',
            name_prefix=dialect.name_prefix or prefix,
            name_end=_left(dialect.name_end),
            other_name_ends=(),
            special=False,
            forms=(),
        ),
    )


def _left(mark: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(left for part in mark if (left := _TOKEN.sub('', part).strip()))
