"""Literals as models write them, as values: JSON, Python, and Gemma's own, in one lenient reader."""

from __future__ import annotations as _annotations

import json
import re
from collections.abc import Callable
from typing import Any

__all__ = ('as_json', 'read_json', 'read_literal')

_SPACE = re.compile(r'\s*')
_BARE = re.compile(r'[^\s,:{}\[\]()=]+')
_UNMARKED = re.compile(r'[^,{}\[\]]+')
_QUOTED = {
    quote: re.compile(
        rf'{quote}((?:[^\\{quote[0]}]|\\.{"" if len(quote) == 1 else f"|{quote[0]}(?!{quote[1:]})"})*){quote}',
        re.DOTALL,
    )
    for quote in ('"""', "'''", '"', "'")
}
_ESCAPE = re.compile(r'\\(\n|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-7]{1,3}|.)', re.DOTALL)
_ESCAPES = {'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v', 'a': '\a', '\n': ''}
_WORDS = {'true': True, 'false': False, 'null': None, 'True': True, 'False': False, 'None': None}
_ENCODER = json.JSONEncoder(ensure_ascii=False)
_DECODER = json.JSONDecoder(strict=False)
_CLOSING = {'[': ']', '(': ')'}
_SURROGATES = re.compile('[\ud800-\udbff][\udc00-\udfff]')


def as_json(value: object) -> str:
    """A value as the JSON that goes on as arguments."""
    return _ENCODER.encode(value)


def read_json(text: str) -> Any:
    """The value of a JSON text, in whose strings control characters may stand.

    Raises:
        ValueError: The text is no JSON.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError('nested too deep') from None


def read_literal(text: str, mark: str = '') -> Any:
    """The value of a literal: Python's, JSON's, or one with marks around its strings.

    Args:
        text: The literal, all of it.
        mark: What stands on both sides of a string, without escapes between; keys and words may stand bare then.

    Raises:
        ValueError: The text is no literal.
    """
    reader = _Reader(text, mark)
    try:
        value = reader.value()
    except RecursionError:
        raise ValueError('nested too deep') from None
    reader.space()
    if reader.position < len(text):
        raise ValueError(f'more than a literal at {reader.position}')
    return value


class _Reader:
    def __init__(self, text: str, mark: str) -> None:
        self.text = text
        self.mark = mark
        self.position = 0

    def space(self) -> None:
        found = _SPACE.match(self.text, self.position)
        assert found is not None
        self.position = found.end()

    def at(self, word: str) -> bool:
        """Read white space and a word, if it stands here."""
        self.space()
        if not word or not self.text.startswith(word, self.position):
            return False
        self.position += len(word)
        return True

    def value(self) -> Any:
        for opening, closing in _CLOSING.items():
            if self.at(opening):
                return self.items(closing, self.value)
        if self.at('{'):
            return dict(self.items('}', self.pair))
        quoted, text = self.string()
        if quoted:
            return text
        found = (_UNMARKED if self.mark else _BARE).match(self.text, self.position)
        if found is None:
            raise ValueError(f'no value at {self.position}')
        self.position = found.end()
        return self.word(found[0].strip())

    def word(self, word: str) -> Any:
        if word in _WORDS:
            return _WORDS[word]
        try:
            return json.loads(word.removeprefix('+'))
        except ValueError:
            pass
        try:
            # Python's own numbers, such as `1_000`, `0xff` and `.5`.
            return int(word, 0) if not set(word) & set('.eEjJ') or word[:2] in ('0x', '0X') else float(word)
        except ValueError:
            if not self.mark:
                raise
            return word

    def items(self, closing: str, read: Callable[[], Any]) -> list[Any]:
        items: list[Any] = []
        while not self.at(closing):
            items.append(read())
            if not self.at(','):
                if not self.at(closing):
                    raise ValueError(f'no {closing} at {self.position}')
                break
        return items

    def pair(self) -> tuple[str, Any]:
        quoted, key = self.string()
        if not quoted:
            found = _BARE.match(self.text, self.position)
            if found is None:
                raise ValueError(f'no key at {self.position}')
            self.position = found.end()
            key = found[0]
            if not self.mark:
                key = self.word(key)
                key = key if isinstance(key, str) else as_json(key)
        if not self.at(':'):
            raise ValueError(f'no colon at {self.position}')
        return key, self.value()

    def string(self) -> tuple[bool, str]:
        """The string that stands here, and whether one does; several in a row are one, as in Python."""
        if self.at(self.mark):
            end = self.text.find(self.mark, self.position)
            if end < 0:
                raise ValueError('a string does not end')
            text, self.position = self.text[self.position : end], end + len(self.mark)
            return True, text
        self.space()
        for quote, pattern in _QUOTED.items():
            if self.text.startswith(quote, self.position):
                found = pattern.match(self.text, self.position)
                if found is None:
                    raise ValueError('a string does not end')
                self.position = found.end()
                return True, _unescaped(found[1]) + self.string()[1]
        return False, ''


def _unescaped(text: str) -> str:
    if '\\' not in text:
        return text
    text = _ESCAPE.sub(_unescape, text)
    return _SURROGATES.sub(lambda pair: pair[0].encode('utf-16', 'surrogatepass').decode('utf-16'), text)


def _unescape(found: re.Match[str]) -> str:
    what = found[1]
    if what in _ESCAPES:
        return _ESCAPES[what]
    if what[0] in 'xuU' and len(what) > 1:
        code = int(what[1:], 16)
        return chr(code) if code < 0x110000 else found[0]
    if what[0] in '01234567':
        return chr(int(what, 8))
    return what if what in '\\"\'/' else found[0]
