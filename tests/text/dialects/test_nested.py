"""Values made of elements, whose types stand in the definitions of the tool's schema."""

from __future__ import annotations as _annotations

from typing import Any

import pytest
from generated import generated
from hypothesis import given, strategies as st
from pydantic import BaseModel

from pydantic_ai_compat.text import TextCall, read_text, write_calls
from pydantic_ai_compat.text.dialects.nested import read_nested, write_nested

TEXTS = st.text('ab1 ', min_size=1, max_size=4) | st.sampled_from(['1', 'true', 'null', '1.5'])


class Leaf(BaseModel):
    id: str
    count: int


class Branch(BaseModel):
    leaves: list[Leaf]
    best: Leaf | None
    labels: dict[str, str]
    branches: list[Branch]


class Tree(BaseModel):
    branches: list[Branch]
    lists: list[list[Leaf]]


LEAVES = st.builds(Leaf, id=TEXTS, count=st.integers())
BRANCHES = st.deferred(
    lambda: st.builds(
        Branch,
        leaves=st.lists(LEAVES, max_size=2),
        best=LEAVES | st.none(),
        labels=st.dictionaries(st.sampled_from(['a', 'b']), TEXTS, max_size=2),
        branches=st.lists(BRANCHES, max_size=1),
    )
)


@generated(60)
@given(
    st.builds(Tree, branches=st.lists(BRANCHES, max_size=2), lists=st.lists(st.lists(LEAVES, max_size=2), max_size=2))
)
def test_each_element_has_the_type_of_its_definition_however_deep_it_stands(tree: Tree) -> None:
    """A text that looks like a number stays a text: pydantic writes the types of models under the root's `$defs`."""
    text = write_calls([TextCall('f', tree.model_dump_json())], 'minimax_m3')
    call = read_text(text, {'f': Tree.model_json_schema()}, 'minimax_m3').calls[0]
    assert Tree.model_validate_json(call.arguments, strict=True) == tree


@pytest.mark.parametrize('key', ['$defs', 'definitions'])
def test_a_schema_that_refers_to_itself_ends(key: str) -> None:
    schema: dict[str, Any] = {
        'properties': {'a': {'$ref': f'#/{key}/A'}},
        key: {'A': {'anyOf': [{'$ref': f'#/{key}/A'}, {'items': {}}]}},
    }
    text = write_calls([TextCall('f', '{"a": ["1"]}')], 'minimax_m3')
    assert read_text(text, {'f': schema}, 'minimax_m3').calls == (TextCall('f', '{"a": ["1"]}'),)


def test_a_value_that_is_said_to_be_text_is_text_although_it_looks_like_elements() -> None:
    assert read_nested('|<a>1|</a>', {'type': 'string'}, '|') == '|<a>1|</a>'
    assert write_nested({'a': [{'b': 1}]}, '|', 'x') == '|<a>|<item>|<b>1|</b>|</item>|</a>'


def test_a_dialect_that_says_types_says_that_of_null() -> None:
    written = write_calls([TextCall('f', '{"a": null}')], 'kimi_k3')
    assert ' type="null"<|sep|>null<' in written
    assert read_text(written, ['f'], 'kimi_k3').calls[0].arguments == '{"a": null}'
