"""Options as YAML to paste."""

from __future__ import annotations as _annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ('variant_yaml',)


def variant_yaml(options: Mapping[str, Any], *, model_name: str, base_url: str, key_variable: str | None = None) -> str:
    """A `model_variants` entry with these profile keys, every value a text, as loaders of such files want it.

    Keys of the profile that are no options of the model itself stand under `profile`, as JSON. A key is named by its
    environment variable.
    """
    own = {name: value for name, value in options.items() if name.startswith('openai_')}
    profile = {name: value for name, value in options.items() if name not in own}
    lines = [
        'model_variants:',
        f'  {_scalar(model_name)}:',
        '    type: import',
        '    model: pydantic_ai_compat.OpenAICompatibleModel',
        '    kw_args:',
        f'      model_name: {_scalar(model_name)}',
        f'      base_url: {_scalar(base_url)}',
        *([f'      api_key: ${{{key_variable}}}'] if key_variable else []),
        *(f'      {name}: {_scalar(value)}' for name, value in own.items()),
    ]
    if profile:
        lines.append(f'      profile: {_scalar(json.dumps(profile))}')
    return '\n'.join(lines) + '\n'


def _scalar(value: Any) -> str:
    """A value as a text in double quotes: JSON's strings are YAML's as well."""
    text = value if isinstance(value, str) else json.dumps(value)
    return json.dumps(text, ensure_ascii=False)
