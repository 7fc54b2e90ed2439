"""The page that `render --html` writes: one file, no script, nothing loaded from elsewhere."""

from __future__ import annotations as _annotations

import importlib.resources
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jinja2 import Environment, StrictUndefined

from ..templates.compare import Rendering, Span

__all__ = ('render_page',)


@dataclass(frozen=True)
class _Piece:
    text: str
    kind: str
    """`item`, `escaped`, `leaked`, or nothing for the rest of the prompt."""
    differs: bool


def render_page(template_name: str, server: str | None, renderings: Sequence[Rendering]) -> str:
    """The page as HTML; every text in it is escaped."""
    source = importlib.resources.files(__package__ or '').joinpath('render_page.html.jinja').read_text('utf-8')
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    panels = [(rendering, list(_pieces(rendering))) for rendering in renderings]
    return environment.from_string(source).render(name=template_name, server=server, panels=panels)


def _pieces(rendering: Rendering) -> Iterator[_Piece]:
    """The prompt cut wherever a mark begins or ends."""
    cuts = {0, len(rendering.prompt), *rendering.differs}
    kinds: list[Span] = list(rendering.spans)
    for span in kinds:
        cuts |= {span.start, span.end}
    edges = sorted(cuts)
    number = 0
    for start, end in itertools.pairwise(edges):
        while number < len(kinds) and kinds[number].end <= start:
            number += 1
        inside = number < len(kinds) and kinds[number].start <= start
        differs = rendering.differs[0] <= start and end <= rendering.differs[1]
        yield _Piece(rendering.prompt[start:end], kinds[number].kind if inside else '', differs)
