"""The file: `load_model_variants` reads its `model_variants`, those of other loaders beside ours."""

from __future__ import annotations as _annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from ..errors import ConfigError, NoVariantError, cut, shown
from ..options.conversion import nearest_name
from .import_config import ImportModelConfig, module_names

__all__ = ('ModelVariants', 'load_model_variants')

_SECTION = 'model_variants'
_OUR_TYPE = 'import'


class ModelVariants(dict[str, ImportModelConfig]):
    """The variants of a file that can be used, by name, in the order of the file.

    Asking for another name raises a `NoVariantError`, which is also a `KeyError`: it says whose variant it is, or what
    is wrong with it.

    Attributes:
        source: The file, for messages.
        foreign: The `type` of each variant that another loader of the file reads, such as `anthropic`, by name.
        problems: What is wrong with each of the others, by name; each line names file, variant and field.
    """

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source
        self.foreign: dict[str, str] = {}
        self.problems: dict[str, list[str]] = {}

    def __missing__(self, name: str) -> ImportModelConfig:
        if name in self.problems:
            raise NoVariantError('\n'.join(self.problems[name]))
        if name in self.foreign:
            raise NoVariantError(
                f'{self.source}: {_SECTION}.{cut(name)}: `type: {self.foreign[name]}` belongs to another loader of this '
                f'file, such as the one of llmling-models, agentpool or wolfharness; read here is `type: {_OUR_TYPE}`.'
            )
        raise NoVariantError(f'{self.source}: has no variant {shown(name)}{nearest_name(name, self)}')


def load_model_variants(source: str | Path, *, allowed_modules: Iterable[str] | None = None) -> ModelVariants:
    """Read the `model_variants` of a YAML file that others may read, too.

    Other top-level keys, and variants whose `type` is not `import`, belong to whoever shares the file. Nothing is
    imported and no variable is read before `get_model()`. So one variant works without the keys of another, and a
    mistake in one is an error for who asks for it.

    Args:
        source: A path, or YAML text (text is what has a line break or begins with `{`).
        allowed_modules: What `get_model()` may import; see `ImportModelConfig.located`.

    Returns:
        The variants by name, in the order of the file.

    Raises:
        ConfigError: If the file is missing or not YAML, repeats a key, has no `model_variants`, or no variant in it can
            be used and one has a mistake. The message has a line for each, naming file, variant and field.
    """
    from .yaml_text import read_yaml  # here, because `import pydantic_ai_compat` is not to pay for YAML

    name, text = _read_source(source)
    try:
        entries = _variant_entries(read_yaml(text))
    except ConfigError as error:
        raise ConfigError(f'{name}: {error}') from None
    variants = ModelVariants(name)
    allowed = module_names(allowed_modules)
    for variant, entry in entries.items():
        _add(variants, variant, entry, allowed)
    if variants.problems and not variants:
        raise ConfigError('\n'.join(line for lines in variants.problems.values() for line in lines))
    return variants


def _add(variants: ModelVariants, variant: str, entry: object, allowed: tuple[str, ...] | None) -> None:
    origin = f'{variants.source}: {_SECTION}.{cut(variant)}'
    kind = cast('dict[Any, Any]', entry).get('type', _OUR_TYPE) if isinstance(entry, dict) else _OUR_TYPE
    if isinstance(kind, str) and kind != _OUR_TYPE:
        # `input` is one of llmling-models' own, so only what differs by a letter or two is taken for a slip.
        if difflib.get_close_matches(cut(kind).lower(), [_OUR_TYPE], cutoff=0.8):
            variants.problems[variant] = [f'{origin}: type: {shown(kind)} is not known, did you mean {_OUR_TYPE!r}?']
        else:
            variants.foreign[variant] = cut(kind)
        return
    try:
        variants[variant] = ImportModelConfig.model_validate(entry).located(origin, allowed)
    except ValidationError as error:
        variants.problems[variant] = [f'{origin}: {problem}' for problem in _field_problems(error)]


def _read_source(source: str | Path) -> tuple[str, str]:
    if isinstance(source, str) and ('\n' in source or source.lstrip().startswith('{')):
        return 'YAML text', source
    path = Path(source)
    try:
        return str(path), path.read_text(encoding='utf-8')
    except OSError as error:
        raise ConfigError(f'{path}: cannot be read: {error.strerror or error}.') from None
    except UnicodeDecodeError as error:
        raise ConfigError(f'{path}: not UTF-8 text (byte {error.start}).') from None


def _variant_entries(document: Any) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise ConfigError(f'holds no map with a key `{_SECTION}`.')
    manifest = cast('dict[Any, Any]', document)
    if _SECTION not in manifest:
        raise ConfigError(f'has no `{_SECTION}`{nearest_name(_SECTION, map(str, manifest))}')
    entries = manifest[_SECTION]
    if not isinstance(entries, dict):
        raise ConfigError(f'`{_SECTION}` does not fit: allowed is a map of names to variants.')
    for variant in cast('dict[Any, Any]', entries):
        if not isinstance(variant, str):
            raise ConfigError(f'`{_SECTION}`: the name {shown(variant)} is not text, write it in quotes.')
    return cast('dict[str, Any]', entries)


def _field_problems(error: ValidationError) -> list[str]:
    problems: list[str] = []
    for detail in error.errors(include_input=False, include_url=False, include_context=False):
        field = '.'.join(str(name) for name in detail['loc'])
        if detail['type'] == 'extra_forbidden':
            problems.append(f'unknown field {shown(field)}{nearest_name(field, ImportModelConfig.model_fields)}')
        else:
            problems.append(f'{cut(field)}: {detail["msg"]}' if field else detail['msg'])
    return problems
