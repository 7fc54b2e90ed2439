"""Whether a tool's `strict` was set by its user, or inferred by pydantic-ai from its schema."""

from __future__ import annotations as _annotations

import dataclasses

from pydantic_ai.tools import ToolDefinition

__all__ = ('is_explicitly_loose', 'mark_inferred_strict')

_STRICT_UNSET = 'pydantic_ai_compat_strict_unset'
"""Key in a tool definition's metadata: its `strict` was not set by the user, pydantic-ai inferred it."""


def mark_inferred_strict(given: list[ToolDefinition], customized: list[ToolDefinition]) -> list[ToolDefinition]:
    """Mark each tool whose `strict` pydantic-ai inferred as false, to tell it from one whose user said so."""
    unset = {tool.name for tool in given if tool.strict is None}
    return [
        dataclasses.replace(tool, metadata={**(tool.metadata or {}), _STRICT_UNSET: True})
        if tool.strict is False and tool.name in unset
        else tool
        for tool in customized
    ]


def is_explicitly_loose(tool: ToolDefinition) -> bool:
    """Whether the user of a tool said `strict=False`."""
    return tool.strict is False and not (tool.metadata or {}).get(_STRICT_UNSET)
