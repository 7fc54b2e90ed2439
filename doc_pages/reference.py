"""The pages of the reference: the public names of each public module; mkdocstrings fills them from the docstrings."""

from __future__ import annotations as _annotations

import importlib

__all__ = ('reference_pages',)

_MODULES = {
    'index': ('pydantic_ai_compat', 'The model', ''),
    'streaming': ('pydantic_ai_compat.streaming', 'Streams', ': one reading of an answer, without an agent'),
    'text': ('pydantic_ai_compat.text', 'Text', ': calls in the text, without a model'),
    'history': ('pydantic_ai_compat.history', 'Histories', ': rules, check, repair and `Transcript`'),
    'templates': ('pydantic_ai_compat.templates', 'Chat templates', ' (extra `[templates]`)'),
    'probing': ('pydantic_ai_compat.probing', 'Probing', ': what a live endpoint does'),
    'testing': ('pydantic_ai_compat.testing', 'Testing', ' (extra `[testing]`)'),
    'errors': ('pydantic_ai_compat.errors', 'Errors', ''),
}
_MORE = {'testing': ('pydantic_ai_compat.testing.plugin.RecordedOpenAI',)}
"""What is public without standing in `__all__`: what the pytest fixture `recorded_openai` gives."""


def reference_pages() -> dict[str, str]:
    """Each page by its path under `docs/reference`."""
    pages: dict[str, str] = {}
    for page, (module, title, about) in _MODULES.items():
        names = [f'{module}.{name}' for name in importlib.import_module(module).__all__]
        lines = [f'# {title}', '', f'What `from {module} import ...` gives{about}.']
        for name in (*names, *_MORE.get(page, ())):
            lines += ['', f'::: {name}']
        pages[f'{page}.md'] = '\n'.join(lines) + '\n'
    return pages
