"""The variables in the texts of a `kw_args` block, replaced once."""

from __future__ import annotations as _annotations

from typing import Any, cast

from ..errors import ConfigError, OptionError
from ..options.bounds import check_bounds
from ..options.secrets import MASK
from ..options.variables import ExpandedText, expand_variables

__all__ = ('Expansion',)


class Expansion:
    """Expands the variables in every text of a `kw_args` block, each list and map once, however YAML aliases share it.

    Attributes:
        secrets: The values that came from the environment or are a key.
    """

    def __init__(self) -> None:
        self.secrets: list[str] = []
        self._done: dict[int, Any] = {}

    def expand(self, keywords: dict[str, Any]) -> dict[str, Any]:
        """The block with its variables expanded.

        Raises:
            ConfigError: If a variable is not set, or the block is larger than any use of it, as aliases make it.
        """
        try:
            check_bounds('kw_args', keywords)
            return cast('dict[str, Any]', self._expand(keywords, 'kw_args'))
        except OptionError as error:
            raise ConfigError(str(error)) from None

    def mask(self, message: str) -> str:
        """The message without the values that came from the environment or are a key."""
        for secret in self.secrets:
            if secret:
                message = message.replace(secret, MASK)
        return message

    def _expand(self, value: Any, where: str) -> Any:
        if isinstance(value, str):
            return self._expand_text(value, where)
        if not isinstance(value, dict | list):
            return value
        identity = id(cast(object, value))
        if identity not in self._done:
            self._done[identity] = self._expand_items(cast('dict[Any, Any] | list[Any]', value), where)
        return self._done[identity]

    def _expand_items(self, value: dict[Any, Any] | list[Any], where: str) -> Any:
        if isinstance(value, dict):
            return {name: self._expand(item, f'{where}.{name}') for name, item in value.items()}
        return [self._expand(item, f'{where}.{index}') for index, item in enumerate(value)]

    def _expand_text(self, text: str, where: str) -> str:
        expanded = expand_variables(text, option=where)
        if expanded != text or where.endswith('.api_key'):
            self.secrets.append(expanded)
        # A class of ours expands its own arguments, and must not do it twice; JSON can spell a `$` as `\\u0024`.
        return ExpandedText(expanded) if '${' in expanded or expanded.lstrip().startswith(('{', '[')) else expanded
