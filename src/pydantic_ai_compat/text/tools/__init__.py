"""Tools for a model that has none: described in the prompt, with calls and results as text."""

from __future__ import annotations as _annotations

from .conversation import tools_as_text
from .frame import ResultFrame
from .section import ToolsPrompt, check_prompt, describe_tools

__all__ = ('ResultFrame', 'ToolsPrompt', 'check_prompt', 'describe_tools', 'tools_as_text')
