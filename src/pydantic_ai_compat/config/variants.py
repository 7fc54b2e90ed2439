"""Models from YAML: `ImportModelConfig` and `load_model_variants`."""

from __future__ import annotations as _annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model

from ..errors import ConfigError, OptionError
from ..options.conversion import nearest_name
from ..options.variables import ExpandedText, expand_variables

__all__ = ('ImportModelConfig', 'load_model_variants', 'read_model_variants')

_SECTION = 'model_variants'


class ImportModelConfig(BaseModel):
    """One entry of `model_variants`: a model class or factory by its path, and its keywords.

    ```yaml
    type: import
    model: pydantic_ai_compat.OpenAICompatibleModel
    kw_args:
      model_name: glm-5
      api_key: ${ZAI_API_KEY}
    ```
    """

    model_config = ConfigDict(extra='forbid', hide_input_in_errors=True, defer_build=True)

    type: Literal['import'] = 'import'
    """The kind of the entry; `import` is the one that names a class or factory."""

    model: str
    """The class or factory, as `package.module.Name` or `package.module:Name`."""

    kw_args: dict[str, Any] = Field(default={}, repr=False)
    """The keywords: text, booleans, numbers, lists and maps. `${VAR}` is expanded in every text."""

    _origin: str = PrivateAttr(default='')
    _allowed_modules: tuple[str, ...] | None = PrivateAttr(default=None)

    @field_validator('model')
    @classmethod
    def _names_an_attribute(cls, value: str) -> str:
        module, attribute = _split_path(value)
        if not all(name.isidentifier() for name in (*module.split('.'), *attribute.split('.'))):
            raise ValueError('allowed is a path such as `package.module.Name` or `package.module:Name`')
        return value

    def located(self, origin: str, allowed_modules: Iterable[str] | None = None) -> ImportModelConfig:
        """The same entry, whose errors begin with where it stands, limited to some modules.

        Args:
            origin: Where the entry stands, such as `models.yaml: model_variants.glm-5`.
            allowed_modules: What `get_model` may import: these modules and what is inside them. `None` allows all but
                Python's standard library, which holds no model.
        """
        located = self.model_copy()
        located._origin = f'{origin}: '
        located._allowed_modules = _module_names(allowed_modules)
        return located

    def get_model(self) -> Model:
        """Import the class or factory and call it with the keywords.

        Raises:
            ConfigError: If a module or attribute is not found or not allowed, a keyword does not fit, a variable is
                not set, or what comes out is not a pydantic-ai `Model`. The message names file, variant and field.
        """
        expansion = _Expansion()
        try:
            factory = self._factory()
            keywords = cast('dict[str, Any]', expansion.expand(self.kw_args, 'kw_args'))
        except ConfigError as error:
            raise ConfigError(f'{self._origin}{error}') from None
        try:
            made = factory(**keywords)
        except (UserError, TypeError, ValueError) as error:
            # Another library's error may quote the values that it was given, so its own text goes no further.
            raise ConfigError(f'{self._origin}kw_args: {expansion.mask(str(error))}') from None
        if not isinstance(made, Model):
            raise ConfigError(f'{self._origin}model: {self.model!r} made a {type(made).__name__}, not a `Model`.')
        return cast('Model', made)

    def _factory(self) -> Callable[..., object]:
        module_name, attribute = _split_path(self.model)
        self._check_importable(module_name)
        try:
            found: Any = importlib.import_module(module_name)
        except ImportError as error:
            raise ConfigError(f'model: cannot import {module_name!r} of {self.model!r}: {error}') from None
        for name in attribute.split('.'):
            names = dir(found)
            found = getattr(found, name, None)
            if found is None:
                raise ConfigError(f'model: {module_name!r} has no {attribute!r}{nearest_name(name, names)}')
        if inspect.ismodule(found):
            raise ConfigError(f'model: {self.model!r} is a module: name the class or factory in it.')
        if not (inspect.isclass(found) or inspect.isroutine(found)):
            raise ConfigError(f'model: {self.model!r} is neither a class nor a function.')
        # What a module has imported can be named through it, as `system` after `from os import system`.
        self._check_not_standard_library(getattr(found, '__module__', None) or '')
        return found

    def _check_importable(self, module_name: str) -> None:
        allowed = self._allowed_modules
        if allowed is not None and not any(f'{module_name}.'.startswith(f'{name}.') for name in allowed):
            raise ConfigError(f'model: {self.model!r} is outside `allowed_modules` ({", ".join(allowed) or "none"}).')
        self._check_not_standard_library(module_name)

    def _check_not_standard_library(self, module_name: str) -> None:
        # `os.system` would be called with what the file says. https://github.com/google/adk-python/issues/5278
        if module_name.partition('.')[0] in sys.stdlib_module_names:
            raise ConfigError(f"model: {self.model!r} is in Python's standard library, which holds no model.")


def _module_names(modules: Iterable[str] | None) -> tuple[str, ...] | None:
    """The names as a tuple; one alone is a text, which would be taken for its letters."""
    return (modules,) if isinstance(modules, str) else None if modules is None else tuple(modules)


def _split_path(path: str) -> tuple[str, str]:
    """Module and attribute of `package.module.Name` or `package.module:Name`."""
    module, _, attribute = path.partition(':') if ':' in path else path.rpartition('.')
    return module, attribute


class _Expansion:
    """Expands the variables in every text of a `kw_args` block, each list and map once, however YAML aliases share it."""

    def __init__(self) -> None:
        self.secrets: list[str] = []
        self._done: dict[int, Any] = {}
        self._open: set[int] = set()

    def expand(self, value: Any, where: str) -> Any:
        if isinstance(value, str):
            return self._expand_text(value, where)
        if not isinstance(value, dict | list):
            return value
        identity = id(cast(object, value))
        if identity in self._open:
            raise ConfigError(f'{where}: a YAML alias refers to the block that it stands in.')
        if identity not in self._done:
            self._open.add(identity)
            self._done[identity] = self._expand_items(cast('dict[Any, Any] | list[Any]', value), where)
            self._open.remove(identity)
        return self._done[identity]

    def _expand_items(self, value: dict[Any, Any] | list[Any], where: str) -> Any:
        if isinstance(value, dict):
            return {name: self.expand(item, f'{where}.{name}') for name, item in value.items()}
        return [self.expand(item, f'{where}.{index}') for index, item in enumerate(value)]

    def _expand_text(self, text: str, where: str) -> str:
        try:
            expanded = expand_variables(text, option=where)
        except OptionError as error:
            raise ConfigError(str(error)) from None
        if expanded != text or where.endswith('.api_key'):
            self.secrets.append(expanded)
        # A class of ours expands its own arguments, and must not do it twice.
        return ExpandedText(expanded) if '${' in expanded else expanded

    def mask(self, message: str) -> str:
        """The message without the values that came from the environment or are a key."""
        for secret in self.secrets:
            if secret:
                message = message.replace(secret, '***')
        return message


def load_model_variants(
    source: str | Path, *, allowed_modules: Iterable[str] | None = None
) -> dict[str, ImportModelConfig]:
    """Read the `model_variants` of a YAML file; other top-level keys belong to whoever shares the file.

    Nothing is imported and no variable is read before `get_model()`, so one variant works without the keys of another.

    Args:
        source: A path, or YAML text (text is what has a line break or begins with `{`).
        allowed_modules: What `get_model()` may import; see `ImportModelConfig.located`.

    Returns:
        The variants by name, in the order of the file.

    Raises:
        ConfigError: If the file is missing or not YAML, repeats a key, or a variant has an unknown or missing field or
            one of the wrong type. The message has a line for each, naming file, variant and field.
    """
    variants, problems = read_model_variants(source, allowed_modules=allowed_modules)
    if problems:
        raise ConfigError('\n'.join(problems))
    return variants


def read_model_variants(
    source: str | Path, *, allowed_modules: Iterable[str] | None = None
) -> tuple[dict[str, ImportModelConfig], list[str]]:
    """As `load_model_variants`, but with the entries that can be used beside a line for each thing wrong in the others.

    Raises:
        ConfigError: If the file as a whole cannot be used.
    """
    from .yaml_text import read_yaml  # here, because `import pydantic_ai_compat` is not to pay for YAML

    name, text = _read_source(source)
    allowed = _module_names(allowed_modules)
    try:
        entries = _variant_entries(read_yaml(text))
    except ConfigError as error:
        raise ConfigError(f'{name}: {error}') from None
    variants: dict[str, ImportModelConfig] = {}
    problems: list[str] = []
    for variant, entry in entries.items():
        origin = f'{name}: {_SECTION}.{variant}'
        try:
            variants[variant] = ImportModelConfig.model_validate(entry).located(origin, allowed)
        except ValidationError as error:
            problems += [f'{origin}: {problem}' for problem in _field_problems(error)]
    return variants, problems


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
            raise ConfigError(f'`{_SECTION}`: the name {variant!r} is not text, write it in quotes.')
    return cast('dict[str, Any]', entries)


def _field_problems(error: ValidationError) -> list[str]:
    problems: list[str] = []
    for detail in error.errors(include_input=False, include_url=False, include_context=False):
        field = '.'.join(str(name) for name in detail['loc'])
        if detail['type'] == 'extra_forbidden':
            problems.append(f'unknown field {field!r}{nearest_name(field, ImportModelConfig.model_fields)}')
        else:
            problems.append(f'{field}: {detail["msg"]}' if field else f'{detail["msg"]}')
    return problems
