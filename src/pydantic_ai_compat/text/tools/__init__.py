"""Tools for a model that has none: described in the prompt, with calls and results as text."""

from __future__ import annotations as _annotations

from ..dialects.frame import ResultFrame
from .conversation import tools_as_text
from .section import ToolsPrompt, check_prompt, describe_tools
from .written import WrittenCalls

__all__ = ('ResultFrame', 'ToolsPrompt', 'WrittenCalls', 'check_prompt', 'describe_tools', 'tools_as_text')
