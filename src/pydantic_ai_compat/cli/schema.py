"""`pydantic-ai-compat schema`: the JSON schema of a file of model variants."""

from __future__ import annotations as _annotations

import json

from .console import busy, echo

__all__ = ('schema',)


def schema() -> None:
    """Print the JSON schema of a YAML file of model variants.

    An editor with the YAML language server completes and checks every option with it: write the schema to a file, and
    name that file in the first line of the YAML file: # yaml-language-server: $schema=models.schema.json
    """
    with busy('Loading pydantic-ai'):
        from ..config.schema import model_variants_schema

        document = model_variants_schema()
    echo(json.dumps(document, ensure_ascii=False, indent=2))
