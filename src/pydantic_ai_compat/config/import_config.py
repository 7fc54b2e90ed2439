"""`ImportModelConfig`, an entry of `model_variants` that names a class or a function and its keywords."""

from __future__ import annotations as _annotations

from collections.abc import Iterable
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, field_validator
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model

from ..errors import ConfigError, shown
from .expansion import Expansion
from .factories import ModelPath

__all__ = ('ImportModelConfig', 'module_names')

_LONGEST_MESSAGE = 1000


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
    """The class or function, as `package.module.Name` or `package.module:Name`.

    A class is one of models, and a function says that it returns one: `def make_model() -> Model`."""

    kw_args: dict[str, Any] = Field(default={}, repr=False)
    """The keywords: text, booleans, numbers, lists and maps. `${VAR}` is expanded in every text."""

    _origin: str = PrivateAttr(default='')
    _allowed_modules: tuple[str, ...] | None = PrivateAttr(default=None)

    @field_validator('model')
    @classmethod
    def _names_an_attribute(cls, value: str) -> str:
        ModelPath.parse(value)
        return value

    def located(self, origin: str, allowed_modules: Iterable[str] | None = None) -> ImportModelConfig:
        """The same entry, whose errors begin with where it stands, limited to some modules.

        Args:
            origin: Where the entry stands, such as `models.yaml: model_variants.glm-5`.
            allowed_modules: Where what `get_model` calls may be defined: in these modules and what is inside them.
                `None` allows all but Python's standard library, which holds no model.
        """
        located = self.model_copy()
        located._origin = f'{origin}: '
        located._allowed_modules = module_names(allowed_modules)
        return located

    def get_model(self) -> Model[Any]:
        """Import the class or function and call it with the keywords.

        Only a class of models is called, or a function that says that it returns one, by a return annotation.

        Raises:
            ConfigError: If a module or attribute is not found or not allowed, a keyword does not fit, a variable is
                not set, or what comes out is not a pydantic-ai `Model`. The message names file, variant and field.
        """
        expansion = Expansion()
        try:
            factory = ModelPath.parse(self.model).find(self._allowed_modules)
            keywords = expansion.expand(self.kw_args)
        except ConfigError as error:
            raise ConfigError(f'{self._origin}{error}') from None
        try:
            made = factory(**keywords)
        except (UserError, TypeError, ValueError) as error:
            # Another library's error may quote the values that it was given, so its own text goes no further.
            raise ConfigError(f'{self._origin}kw_args: {_bounded(expansion.mask(str(error)))}') from None
        if not isinstance(made, Model):
            raise ConfigError(f'{self._origin}model: {shown(self.model)} made a {type(made).__name__}, not a `Model`.')
        return cast('Model[Any]', made)


def module_names(modules: Iterable[str] | None) -> tuple[str, ...] | None:
    """The names as a tuple; one alone is a text, which would be taken for its letters."""
    return (modules,) if isinstance(modules, str) else None if modules is None else tuple(modules)


def _bounded(message: str) -> str:
    """The beginning of another library's message, which may quote a value of any length."""
    return message if len(message) <= _LONGEST_MESSAGE else f'{message[:_LONGEST_MESSAGE]}…'
