"""Which tools say `strict=False` themselves, and for which pydantic-ai inferred it."""

from __future__ import annotations as _annotations

import dataclasses

from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

__all__ = ('mark_inferred_strict', 'says_not_strict')

_STRICT_UNSET = 'pydantic_ai_compat_strict_unset'
"""Key in a tool definition's metadata: its `strict` was not set by the user, pydantic-ai inferred it."""


def mark_inferred_strict(given: ModelRequestParameters, customized: ModelRequestParameters) -> ModelRequestParameters:
    """Mark each tool whose `strict` pydantic-ai inferred as false, to tell it from one whose user said so."""
    return dataclasses.replace(
        customized,
        function_tools=_marked(given.function_tools, customized.function_tools),
        output_tools=_marked(given.output_tools, customized.output_tools),
    )


def _marked(given: list[ToolDefinition], customized: list[ToolDefinition]) -> list[ToolDefinition]:
    unset = {tool.name for tool in given if tool.strict is None}
    return [
        dataclasses.replace(tool, metadata={**(tool.metadata or {}), _STRICT_UNSET: True})
        if tool.strict is False and tool.name in unset
        else tool
        for tool in customized
    ]


def says_not_strict(tool: ToolDefinition) -> bool:
    """Whether the user said that a tool is not strict."""
    return tool.strict is False and not (tool.metadata or {}).get(_STRICT_UNSET)
