"""The names of pydantic-ai's transformers of JSON schemas, for YAML, which has no classes."""

from __future__ import annotations as _annotations

from typing import Any, get_args, get_origin

from pydantic_ai.profiles import InlineDefsJsonSchemaTransformer, JsonSchemaTransformer
from pydantic_ai.profiles.google import GoogleJsonSchemaTransformer, GoogleOpenAPISchemaTransformer
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

__all__ = ('SCHEMA_TRANSFORMERS', 'class_names', 'read_class')

SCHEMA_TRANSFORMERS: dict[str, type[JsonSchemaTransformer]] = {
    'inline_defs': InlineDefsJsonSchemaTransformer,
    'openai': OpenAIJsonSchemaTransformer,
    'google': GoogleJsonSchemaTransformer,
    'google_openapi': GoogleOpenAPISchemaTransformer,
}
"""What `json_schema_transformer` may be as text.

* `inline_defs`: definitions stand where they are referred to, for a server that knows no `$ref` and `$defs`.
* `openai`: what OpenAI's strict mode takes; what it lacks, such as `pattern`, goes into the description.
* `google`: what Gemini's API takes as JSON schema.
* `google_openapi`: the smaller OpenAPI dialect of Gemini's function declarations."""


def class_names(annotation: Any) -> tuple[str, ...]:
    """The names that stand for classes of an annotation `type[...]`; none where only Python code can give one."""
    if get_origin(annotation) is not type:
        return ()
    (base,) = get_args(annotation)
    return tuple(name for name, cls in SCHEMA_TRANSFORMERS.items() if base is not Any and issubclass(cls, base))


def read_class(value: object) -> object:
    """The transformer of a name; anything else as it is."""
    return SCHEMA_TRANSFORMERS.get(value.strip(), value) if isinstance(value, str) else value
