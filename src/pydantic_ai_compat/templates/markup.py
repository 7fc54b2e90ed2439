"""Marks that templates and models share: how tool calls are written as text, and what encloses a thought."""

from __future__ import annotations as _annotations

import re
from collections.abc import Iterator, Mapping

__all__ = ('DIALECTS', 'THINKING_TAGS', 'dialect_of')

THINKING_TAGS: tuple[tuple[str, str], ...] = (
    ('<think>', '</think>'),
    ('[THINK]', '[/THINK]'),
    ('<seed:think>', '</seed:think>'),
    ('<|START_THINKING|>', '<|END_THINKING|>'),
    ('<|inner_prefix|>', '<|inner_suffix|>'),
    ('<|channel>thought\n', '<channel|>'),
    ('<|channel|>analysis<|message|>', '<|end|>'),
    ('<thinking>', '</thinking>'),
)
"""What encloses a thought, in the published templates: Qwen, GLM, DeepSeek and most others; Mistral; Seed; Cohere;
Apertus; Gemma 4; gpt-oss; and what is left."""

DIALECTS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.DOTALL)
    for name, pattern in {
        'minimax': r'<minimax:tool_call>\s*<invoke name=',
        'minimax-m3': r'\]<\]minimax\[>\[<tool_call>',
        'seed': r'<seed:tool_call>\s*<function=',
        'atem': r'<atem:function_calls>',
        'dsml': r'<｜DSML｜(?:function_calls|tool_calls)>',
        'deepseek': r'<｜tool▁calls▁begin｜>',
        'kimi': r'<\|tool_calls_section_begin\|>',
        'harmony': r'to=functions\.get_items(?:<\|channel\|>| )',
        'hunyuan': r'<tool_calls:opensource>|<tool_call:opensource>',
        'qwen-coder': r'<tool_call>\s*<function=get_items>',
        'hermes': r'<tool_call>\s*\{\s*"name":\s*"get_items"',
        'glm': r'<tool_call>get_items\s*<arg_key>',
        'mistral': r'\[TOOL_CALLS\]',
        'gemma': r'<\|tool_call>call:get_items\{',
        'functiongemma': r'<start_function_call>call:get_items\{',
        'cohere': r'<\|START_ACTION\|>|Action:\s*```json',
        'functionary': r'<function=get_items>\{|>>>get_items\n',
        'firefunction': r'functools\[',
        'lfm': r'<\|tool_call_start\|>\s*\[get_items\(',
        'minicpm': r'<\|tool_call_start\|>\s*```python|<function name="get_items"',
        'apertus': r'<\|tools_prefix\|>',
        'solar': r'<\|tool_call:begin\|>',
        'internlm': r'<\|action_start\|><\|plugin\|>',
        'granite': r'<\|tool_call\|>\s*\[|<function_call>\s*\{',
        'gigachat': r'function call<\|role_sep\|>|<\|function_call\|>',
        'mcp': r'<use_mcp_tool>',
        'json-list-in-tags': r'<(?:tool_calls|TOOLCALL)>\s*[\[{]',
        'pythonic': r'\[get_items\(',
        'json-list': r'\[\s*\{\s*"name":\s*"get_items"',
        'json-object': r'\{\s*"name":\s*"get_items"',
    }.items()
}
"""How calls are written as text, each by a pattern that a call of `get_items` matches; the first that does, holds."""


def dialect_of(text: str) -> str | None:
    """The name of the dialect in which a call of `get_items` is written in this text, if it is a known one."""
    return next(_matching(text), None)


def _matching(text: str) -> Iterator[str]:
    return (name for name, pattern in DIALECTS.items() if pattern.search(text))
