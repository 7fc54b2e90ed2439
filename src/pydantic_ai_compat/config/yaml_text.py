"""YAML text to plain data, with duplicate keys refused and errors that quote no line: it may hold a key."""

from __future__ import annotations as _annotations

from collections.abc import Hashable
from typing import Any

import yaml
from yaml.nodes import MappingNode, ScalarNode

from ..errors import ConfigError

__all__ = ('read_yaml',)


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
        raise ConfigError(f'not YAML: {error.problem or error.context}{where}.') from None
    except (yaml.YAMLError, ValueError) as error:
        # A character that YAML forbids, or a date that no calendar has.
        raise ConfigError(f'not YAML: {getattr(error, "reason", error)}.') from None
    except RecursionError:
        raise ConfigError('nested too deeply.') from None


class _UniqueKeysLoader(yaml.SafeLoader):
    """`yaml.safe_load`'s loader, which would keep the last of two values under one key and say nothing."""

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        lines: dict[str, int] = {}
        # Before the merge keys (`<<`) are resolved: what they bring in may be overridden.
        for key, _ in node.value:
            if isinstance(key, ScalarNode) and key.tag != 'tag:yaml.org,2002:merge':
                line = key.start_mark.line + 1
                if key.value in lines:
                    raise ConfigError(
                        f'the key {key.value!r} stands in one map twice (lines {lines[key.value]} and {line}).'
                    )
                lines[key.value] = line
        return super().construct_mapping(node, deep)
