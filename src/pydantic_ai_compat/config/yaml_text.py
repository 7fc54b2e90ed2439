"""YAML text to plain data, with duplicate keys refused and errors that quote no line: it may hold a key."""

from __future__ import annotations as _annotations

from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ..errors import ConfigError, cut, shown

__all__ = ('read_yaml',)

_MERGE = 'tag:yaml.org,2002:merge'
_MOST_MERGED = 1_000_000


def read_yaml(text: str) -> Any:
    """Plain data (text, numbers, booleans, dates, lists, maps) from YAML; no other object is ever made.

    Raises:
        ConfigError: If the text is not YAML, repeats a key in one map, or is nested too deeply.
    """
    try:
        return yaml.load(text, Loader=_UniqueKeysLoader)
    except ConfigError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f' (line {mark.line + 1}, column {mark.column + 1})' if mark else ''
        raise ConfigError(f'not YAML: {cut(str(error.problem or error.context))}{where}.') from None
    except (yaml.YAMLError, ValueError) as error:
        # A character that YAML forbids, or a date that no calendar has.
        raise ConfigError(f'not YAML: {cut(str(getattr(error, "reason", error)))}.') from None
    except RecursionError:
        raise ConfigError('nested too deeply.') from None


class _UniqueKeysLoader(yaml.SafeLoader):
    """`yaml.safe_load`'s loader, which would keep the last of two values under one key and say nothing."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._merged = 0
        self._flat: set[int] = set()

    def flatten_mapping(self, node: MappingNode) -> None:
        """Resolve the merge keys (`<<`) of a map, once, and keep one value under each key."""
        if id(node) in self._flat:
            return
        self._flat.add(id(node))
        # Before the merge keys are resolved: what they bring in may be overridden.
        _check_unique(node)
        for key, value in node.value:
            if key.tag == _MERGE:
                for merged in value.value if isinstance(value, SequenceNode) else [value]:
                    self._count_merged(merged)
        super().flatten_mapping(node)
        latest = {key.value if isinstance(key, ScalarNode) else id(key): (key, value) for key, value in node.value}
        node.value = list(latest.values())

    def _count_merged(self, node: Node) -> None:
        # Ten maps that each merge the one before ten times would become ten thousand million pairs.
        if isinstance(node, MappingNode):
            self.flatten_mapping(node)
            self._merged += len(node.value)
            if self._merged > _MOST_MERGED:
                raise ConfigError(f'merge keys (`<<`) bring in more than {_MOST_MERGED:,} values.')


def _check_unique(node: MappingNode) -> None:
    lines: dict[str, int] = {}
    for key, _ in node.value:
        if isinstance(key, ScalarNode) and key.tag != _MERGE:
            line = key.start_mark.line + 1
            if key.value in lines:
                raise ConfigError(
                    f'the key {shown(key.value)} stands in one map twice (lines {lines[key.value]} and {line}).'
                )
            lines[key.value] = line
