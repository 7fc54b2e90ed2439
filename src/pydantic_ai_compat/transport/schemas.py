"""The schemas of a model's tools, transformed once.

pydantic-ai copies and walks the schema of each tool for each request, 50 us for a small one, to write it as the profile's
`json_schema_transformer` has it; most requests of a model declare the tools of the one before.
"""

from __future__ import annotations as _annotations

import marshal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.profiles import JsonSchemaTransformer
from pydantic_ai.tools import ToolDefinition

from .copies import changed_copy

__all__ = ('TransformedSchemas',)

_FORMAT = 2
"""The newest format of `marshal` that writes equal values alike: later ones refer back to objects that come again."""

_MOST = 1024
"""Schemas that are remembered; beyond them, all are forgotten."""


class _Key(NamedTuple):
    transformer: type[JsonSchemaTransformer]
    strict: bool | None
    schema: bytes


class _Made(NamedTuple):
    strict: bool | None
    schema: bytes

    def on(self, tool: ToolDefinition) -> ToolDefinition:
        """The tool with a copy of the schema that is its own: whoever changes it changes nobody else's."""
        return changed_copy(tool, parameters_json_schema=marshal.loads(self.schema), strict=self.strict)


class TransformedSchemas:
    """What became of the schemas of tools, by their values: one that is changed in place is another one."""

    def __init__(self) -> None:
        self._made: dict[_Key, _Made] = {}

    def customize(
        self,
        parameters: ModelRequestParameters,
        transformer: type[JsonSchemaTransformer],
        customize: Callable[[ModelRequestParameters], ModelRequestParameters],
    ) -> ModelRequestParameters:
        """The parameters as pydantic-ai customizes them, their tools without a walk if all of them are known.

        Args:
            parameters: The parameters of a request.
            transformer: The transformer of the profile.
            customize: What customizes them: pydantic-ai's own, which leaves all of a tool but its schema and `strict`.
        """
        # A transformer of somebody else's may look at more than the schema.
        if not transformer.__module__.startswith('pydantic_ai.'):
            return customize(parameters)
        tools = (*parameters.function_tools, *parameters.output_tools)
        try:
            keys = [_Key(transformer, tool.strict, _dumped(tool)) for tool in tools]
        except ValueError:  # a value in one of them is no plain JSON
            return customize(parameters)
        if not all(key in self._made for key in keys):
            customized = customize(parameters)
            self._remember(keys, (*customized.function_tools, *customized.output_tools))
            return customized
        customized = customize(replace(parameters, function_tools=[], output_tools=[]))
        made = [self._made[key].on(tool) for key, tool in zip(keys, tools, strict=True)]
        count = len(parameters.function_tools)
        return replace(customized, function_tools=made[:count], output_tools=made[count:])

    def _remember(self, keys: list[_Key], made: tuple[ToolDefinition, ...]) -> None:
        if len(self._made) + len(keys) > _MOST:
            self._made.clear()
        with suppress(ValueError):  # what came out is no plain JSON, or not one tool for each
            self._made.update([(key, _Made(tool.strict, _dumped(tool))) for key, tool in zip(keys, made, strict=True)])


def _dumped(tool: ToolDefinition) -> bytes:
    return marshal.dumps(tool.parameters_json_schema, _FORMAT)
