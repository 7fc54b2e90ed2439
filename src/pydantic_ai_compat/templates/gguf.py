"""The few metadata values of a GGUF file that a chat template needs; tensors are never read.

Format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.
"""

from __future__ import annotations as _annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from ..lazy import errors

__all__ = ('read_gguf_templates',)

_NUMBERS = {0: 'B', 1: 'b', 2: 'H', 3: 'h', 4: 'I', 5: 'i', 6: 'f', 7: '?', 10: 'Q', 11: 'q', 12: 'd'}
_STRING, _ARRAY = 8, 9

_MAX_STRING = 1 << 24
"""Longer strings are no metadata: the longest real one, a merge list's entry, has some hundred bytes."""

_TEMPLATE = 'tokenizer.chat_template'
_TOKENS = 'tokenizer.ggml.tokens'
_SPECIAL = {'tokenizer.ggml.bos_token_id': 'bos_token', 'tokenizer.ggml.eos_token_id': 'eos_token'}


def read_gguf_templates(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The chat templates by name and the special tokens in a GGUF file's metadata.

    Raises:
        ChatTemplateError: The file is no GGUF file of version 2 or 3, is cut, or names sizes that cannot be.
    """
    try:
        with path.open('rb') as file:
            return _Reader(file, path).read()
    except (struct.error, UnicodeDecodeError, EOFError) as error:
        raise errors.ChatTemplateError(f'{path} is a GGUF file with broken or cut metadata: {error}') from error


class _Reader:
    def __init__(self, file: BinaryIO, path: Path):
        self._file = file
        self._path = path
        self._size = path.stat().st_size
        self._order = '<'

    def read(self) -> tuple[dict[str, str], dict[str, str]]:
        if self._bytes(4) != b'GGUF':
            raise errors.ChatTemplateError(f'{self._path} is no GGUF file: it does not begin with `GGUF`.')
        version = self._number('I')
        if version > 0xFFFF:
            # The version is a small number, so a large one was written in the other byte order.
            self._order, version = '>', struct.unpack('>I', struct.pack('<I', version))[0]
        if version not in (2, 3):
            raise errors.ChatTemplateError(f'{self._path} has GGUF version {version}; 2 and 3 can be read.')
        self._number('Q')  # the number of tensors
        templates: dict[str, str] = {}
        token_ids: dict[str, int] = {}
        tokens: list[str] = []
        for _ in range(self._number('Q')):
            key, kind = self._string(), self._number('I')
            if kind == _STRING and (key == _TEMPLATE or key.startswith(f'{_TEMPLATE}.')):
                templates[key.removeprefix(_TEMPLATE).removeprefix('.') or 'default'] = self._string()
            elif kind in (4, 5) and key in _SPECIAL:
                token_ids[_SPECIAL[key]] = self._number(_NUMBERS[kind])
            elif kind == _ARRAY and key == _TOKENS:
                tokens = self._strings()
            else:
                self._skip(kind)
        return templates, _tokens_by_name(tokens, token_ids)

    def _bytes(self, size: int) -> bytes:
        data = self._file.read(size)
        if len(data) < size:
            raise EOFError(f'{size} bytes were announced and {len(data)} are left')
        return data

    def _number(self, code: str) -> int:
        (number,) = struct.unpack(self._order + code, self._bytes(struct.calcsize(code)))
        return number

    def _length(self) -> int:
        length = self._number('Q')
        if length > min(self._size, _MAX_STRING):
            raise EOFError(f'a length of {length} in a file of {self._size} bytes')
        return length

    def _string(self) -> str:
        return self._bytes(self._length()).decode()

    def _strings(self) -> list[str]:
        kind = self._number('I')
        if kind != _STRING:
            raise EOFError(f'`{_TOKENS}` is an array of type {kind}')
        # A token may hold part of a character.
        return [self._bytes(self._length()).decode(errors='replace') for _ in range(self._length())]

    def _skip(self, kind: int) -> None:
        # Arrays may hold arrays, so what is left of each is counted here: a file decides how deep they go.
        left = [(kind, 1)]
        while left:
            kind, count = left.pop()
            if kind in _NUMBERS:
                self._seek(count * struct.calcsize(_NUMBERS[kind]))
            elif count == 0:
                continue
            elif kind == _STRING:
                for _ in range(count):
                    self._seek(self._length())
            elif kind == _ARRAY:
                left += [(kind, count - 1), (self._number('I'), self._length())]
            else:
                raise EOFError(f'a value of type {kind}, which does not exist')

    def _seek(self, size: int) -> None:
        if self._file.seek(size, 1) > self._size:
            raise EOFError('a value reaches beyond the end of the file')


def _tokens_by_name(tokens: list[str], token_ids: Mapping[str, int]) -> dict[str, str]:
    return {name: tokens[number] for name, number in token_ids.items() if 0 <= number < len(tokens)}
