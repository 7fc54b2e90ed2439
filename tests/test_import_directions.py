"""The house stays as drawn: imports run one way, and nothing new lies beside the rooms."""

from __future__ import annotations as _annotations

from copy import deepcopy
from pathlib import Path

import grimp
import pytest

import pydantic_ai_compat

PACKAGE = 'pydantic_ai_compat'
MAY_KNOW: dict[str, set[str]] = {
    'text': set(),
    'streaming': {'text'},
    'options': {'text.dialects'},
    'history': set(),
    'templates': {'text'},
    'transport': set(),
    'probing': {'streaming.bodies', 'text'},
    'model': {'history', 'options', 'streaming', 'templates', 'text', 'transport'},
    'config': {'model', 'options'},
    'testing': {'model', 'options', 'streaming', 'text'},
    'demo': {'config', 'model', 'options', 'probing'},
    'cli': {'config', 'demo', 'history', 'options', 'probing', 'streaming', 'templates', 'testing', 'text'},
    '__main__': {'cli'},
}
"""The rooms, each with what it may import; an import inside a function or for types alone counts as well."""
BESIDE_THE_ROOMS = {'__init__.py', '__main__.py', 'errors.py', 'lazy.py', 'py.typed'}


@pytest.fixture(scope='session')
def drawn() -> grimp.ImportGraph:
    return grimp.build_graph(PACKAGE, include_external_packages=True, cache_dir=None)


@pytest.fixture
def graph(drawn: grimp.ImportGraph) -> grimp.ImportGraph:
    return deepcopy(drawn)


def turned_arrows(graph: grimp.ImportGraph, room: str) -> list[tuple[str, str]]:
    """The imports of a room that its row does not allow."""
    top = f'{PACKAGE}.{room}'
    known = {f'{PACKAGE}.{name}' for name in (room, 'errors', 'lazy', *MAY_KNOW[room])}
    inside = {top, *graph.find_descendants(top)} if top in graph.modules else set[str]()
    return [
        (module, imported)
        for module in sorted(inside)
        for imported in sorted(graph.find_modules_directly_imported_by(module))
        if imported.startswith(PACKAGE)
        and not any(imported == name or imported.startswith(f'{name}.') for name in known)
    ]


@pytest.mark.parametrize('room', MAY_KNOW)
def test_a_room_imports_only_rooms_below_it(graph: grimp.ImportGraph, room: str) -> None:
    assert turned_arrows(graph, room) == []


@pytest.mark.parametrize(('room', 'module', 'above'), [('text', 'scanner', 'streaming'), ('history', 'wire', 'model')])
def test_an_arrow_that_is_turned_round_is_found(graph: grimp.ImportGraph, room: str, module: str, above: str) -> None:
    importer, imported = f'{PACKAGE}.{room}.{module}', f'{PACKAGE}.{above}'
    graph.add_import(importer=importer, imported=imported)
    assert turned_arrows(graph, room) == [(importer, imported)]


@pytest.mark.parametrize('room', ['text', 'templates'])
def test_what_reads_text_and_templates_does_without_pydantic_ai(graph: grimp.ImportGraph, room: str) -> None:
    """So nothing in it can differ between two versions of pydantic-ai; the errors have its class as a base."""
    graph.remove_module(f'{PACKAGE}.errors')
    for upstream in ('pydantic_ai', 'openai'):
        assert graph.find_shortest_chain(f'{PACKAGE}.{room}', upstream, as_packages=True) is None


def test_the_table_has_every_room_and_no_circle() -> None:
    """With no two rooms on a circle, the table is a direction."""
    root = Path(pydantic_ai_compat.__file__).parent
    rooms = {path.name for path in root.iterdir() if (path / '__init__.py').exists()}
    assert rooms == set(MAY_KNOW) - {'__main__'}
    left = {room: {name.partition('.')[0] for name in known} for room, known in MAY_KNOW.items()}
    while lowest := {room for room, known in left.items() if not known & set(left)}:
        left = {room: known for room, known in left.items() if room not in lowest}
    assert left == {}


def test_nothing_lies_beside_the_rooms_but_the_names_the_errors_and_one_helper() -> None:
    root = Path(pydantic_ai_compat.__file__).parent
    assert {path.name for path in root.iterdir() if path.is_file()} <= BESIDE_THE_ROOMS
