"""How many characters are looked at, counted where they are: in each search, comparison and copy of the text."""

from __future__ import annotations as _annotations

import re
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any, SupportsIndex, cast

import pytest

from pydantic_ai_compat.text.scanner import TextScanner

ROOM = 'pydantic_ai_compat.text'


class Work:
    """Characters looked at by the readers of text, whatever they say themselves."""

    def __init__(self) -> None:
        self.characters = 0

    def scanner(self, *arguments: Any, **options: Any) -> TextScanner:
        """A scanner whose text counts what is done with it."""
        scanner = TextScanner(*arguments, **options)
        scanner._source.text = CountedText.of('', self)
        return scanner


class CountedText(str):
    """A text that stays one where it is cut or put together."""

    work: Work

    @classmethod
    def of(cls, text: str, work: Work) -> CountedText:
        counted = cls(text)
        counted.work = work
        work.characters += len(text)
        return counted

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        return self.of(super().__getitem__(key), self.work)

    def __add__(self, other: str) -> str:
        return self.of(super().__add__(other), self.work)

    def __radd__(self, other: str) -> str:
        return self.of(other + str(self), self.work)

    def startswith(self, prefix: Any, *bounds: Any) -> bool:
        self.work.characters += len(prefix)
        return super().startswith(prefix, *bounds)

    def find(self, sub: str, *bounds: Any) -> int:
        found = super().find(sub, *bounds)
        start, end = (*bounds, *(0, len(self))[len(bounds) :])
        self.work.characters += (found if found >= 0 else min(end, len(self))) - start + len(sub)
        return found


class CountedPattern:
    """A pattern that counts what it runs over."""

    def __init__(self, pattern: re.Pattern[str], work: Work) -> None:
        self._pattern = pattern
        self._work = work

    def _run(self, method: Callable[..., re.Match[str] | None], text: str, position: int) -> re.Match[str] | None:
        found = method(text, position)
        at_once = method.__name__ != 'search'
        self._work.characters += (found.end() if found else position + 1 if at_once else len(text)) - position
        return found

    def search(self, text: str, position: int = 0) -> re.Match[str] | None:
        return self._run(self._pattern.search, text, position)

    def match(self, text: str, position: int = 0) -> re.Match[str] | None:
        return self._run(self._pattern.match, text, position)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._pattern, name)

        def counted(*arguments: Any) -> Any:
            self._work.characters += max(len(one) for one in arguments if isinstance(one, str))
            return method(*arguments)

        return counted


def counting(monkeypatch: pytest.MonkeyPatch) -> Work:
    """Count in all modules that read text, until the test ends."""
    work = Work()

    def search(pattern: str, text: str) -> re.Match[str] | None:
        return CountedPattern(re.compile(pattern), work).search(text)

    def compile(pattern: str, flags: int = 0) -> CountedPattern:
        return CountedPattern(re.compile(pattern, flags), work)

    names = {name: getattr(re, name) for name in ('escape', 'DOTALL', 'Match', 'Pattern')}
    shim = SimpleNamespace(compile=compile, search=search, **names)
    modules = _modules()
    counted = {module.__name__ for module in modules}
    for module in modules:
        for name, value in list(vars(module).items()):
            if value is re:
                monkeypatch.setattr(module, name, shim)
            elif isinstance(value, re.Pattern):
                monkeypatch.setattr(module, name, CountedPattern(cast('re.Pattern[str]', value), work))
            elif name == '_QUOTED':
                monkeypatch.setattr(module, name, {key: CountedPattern(one, work) for key, one in value.items()})
            elif name == '_DECODER':
                monkeypatch.setattr(module, name, SimpleNamespace(decode=_counted(value.decode, work)))
            elif hasattr(value, 'cache_clear') and getattr(value, '__module__', '') in counted:
                # What was compiled before does not count, and what is compiled here must not outlive the test.
                monkeypatch.setattr(module, name, value.__wrapped__)
    return work


def _counted(decode: Callable[[str], Any], work: Work) -> Callable[[str], Any]:
    def counted(text: str) -> Any:
        work.characters += len(text)
        return decode(text)

    return counted


def _modules() -> list[ModuleType]:
    return [module for name, module in sys.modules.items() if name == ROOM or name.startswith(f'{ROOM}.')]
