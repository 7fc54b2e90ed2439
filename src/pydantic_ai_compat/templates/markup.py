"""Marks that templates and models share: what encloses a thought."""

from __future__ import annotations as _annotations

__all__ = ('THINKING_TAGS',)

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
