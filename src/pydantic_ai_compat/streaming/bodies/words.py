"""A server's own words in an error object, whichever field they are in."""

from __future__ import annotations as _annotations

import json
from collections.abc import Mapping
from typing import cast

__all__ = ('TOLD_IN', 'says_nothing', 'server_message', 'words_in')

TOLD_IN = (
    'message', 'msg', 'detail', 'errors', 'error_message', 'error_msg', 'errorMessage', 'errmsg', 'err_msg', 'status_msg',
)  # fmt: skip
"""The fields that hold a server's words, so that an object without an answer is an error if one of them has some."""

_LOOKED_IN = (*TOLD_IN, 'error', 'details', 'reason', 'title', 'description')
"""Where the words of an object are that is known to be an error, in the order in which they are looked for."""

_NOTHING = frozenset({'', '0', '200', 'ok', 'success', 'none', 'null', 'false', '{}', '[]'})


def server_message(error: object) -> str:
    """The server's own words in an error object; its JSON if there are none."""
    words = '' if isinstance(error, list) else words_in(error)
    return words or json.dumps(error, ensure_ascii=False, default=str)


def says_nothing(error: object) -> bool:
    """Whether an error object says that there is no error: `{"code": 0}`, `{"code": 200, "message": "success"}`."""
    if isinstance(error, Mapping):
        return all(says_nothing(field) for field in cast('Mapping[str, object]', error).values())
    return str(error).strip().lower() in _NOTHING


def words_in(error: object) -> str:
    """The words in any value, cut nowhere; empty if there are none."""
    if isinstance(error, str):
        return error
    if isinstance(error, Mapping):
        fields = cast('Mapping[str, object]', error)
        found = next((words for name in _LOOKED_IN if (words := words_in(fields.get(name)))), '')
        # FastAPI names the field that is wrong. https://fastapi.tiangolo.com/tutorial/handling-errors/
        place = fields.get('loc')
        if found and isinstance(place, list):
            return f'{".".join(map(str, cast("list[object]", place)))}: {found}'
        return found
    if isinstance(error, list):
        return '; '.join(words for item in cast('list[object]', error) if (words := words_in(item)))
    return ''
