"""Where the demo runs: the embedded server, an address, or a variant of a file."""

from __future__ import annotations as _annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..config.variants import ImportModelConfig, load_model_variants
from ..model.openai_compatible import OpenAICompatibleModel
from ..options.profile import ToolMode
from ..probing.models import ask_model
from .run import endpoint_variant
from .server import LlamaCppServer

__all__ = ('DemoTarget',)


@dataclass(frozen=True, kw_only=True, repr=False)
class DemoTarget:
    """Where the demo runs; with nothing given, on the embedded server. It has no repr: it may hold a key."""

    chat_template: Path | None = None
    base_url: str | None = None
    model: str | None = None
    api_key: str | None = None
    variants: Path | None = None
    variant: str | None = None
    tools: ToolMode | None = None

    def contradiction(self) -> str | None:
        """What of the given does not go together, in the words of the command line."""
        ways = {'--chat-template': self.chat_template, '--base-url': self.base_url, '--variants': self.variants}
        given = [name for name, value in ways.items() if value is not None]
        if len(given) > 1:
            return f'{" and ".join(given)} exclude each other: each says where to run.'
        if self.base_url is None and self.model is not None:
            return '--model goes with --base-url.'
        if self.api_key is not None and self.base_url is None:
            return '--api-key goes with --base-url.'
        if (self.variants is None) != (self.variant is None):
            return '--variants and --variant go together.'
        return None

    @property
    def embedded(self) -> bool:
        """Whether it is the embedded server."""
        return self.base_url is None and self.variants is None

    @property
    def fixed_exchange(self) -> bool:
        """Whether the model cannot call the tool itself: the script of the call is not in another template's syntax."""
        return self.embedded and self.chat_template is not None and self.tools != 'text'

    @contextmanager
    def open(self) -> Generator[ImportModelConfig]:
        """Give the variant of the endpoint, and run the embedded server in the meantime if it is that.

        Raises:
            ConfigError: The file cannot be used, or has no such variant.
            ModelChoiceError: No model is named, and the endpoint does not list exactly one.
            ServerStartError: The embedded server did not start.
        """
        if self.base_url is not None:
            yield endpoint_variant(self.base_url, self.model or self._only_model(self.base_url), self.api_key)
        elif self.variants is not None and self.variant is not None:
            yield _variant_of(self.variants, self.variant)
        else:
            with LlamaCppServer(chat_template=self.chat_template) as server:
                yield endpoint_variant(server.base_url, server.model_name)

    def _only_model(self, base_url: str) -> str:
        # The variant knows the key: the option may name a variable.
        model = endpoint_variant(base_url, 'unknown', self.api_key).get_model()
        key = model.client.api_key if self.api_key and isinstance(model, OpenAICompatibleModel) else None
        return ask_model(base_url, key)


def _variant_of(file: Path, name: str) -> ImportModelConfig:
    return load_model_variants(file)[name]
