"""The text of arguments: whole, cut or broken."""

from __future__ import annotations as _annotations

import json
from typing import Any

import pytest
from generated import generated
from hypothesis import given, strategies as st

from pydantic_ai_compat.streaming.calls.arguments import (
    ArgumentScanner,
    ArgumentState,
    argument_text,
    continues_json,
    decode_object,
    decode_twice,
)

JSON_OBJECTS = st.dictionaries(
    st.text(max_size=3),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=8,
    ),
    max_size=3,
)


def state_of(*pieces: str) -> ArgumentState:
    scanner = ArgumentScanner()
    for piece in pieces:
        scanner.feed(piece)
    assert scanner.examined == sum(map(len, pieces))
    return scanner.state


@pytest.mark.parametrize(
    ('text', 'state'),
    [
        ('', ArgumentState.EMPTY),
        (' \n', ArgumentState.EMPTY),
        ('{', ArgumentState.OPEN),
        ('{"a": "}', ArgumentState.OPEN),
        ('{"a": "\\"}', ArgumentState.OPEN),
        ('"x', ArgumentState.OPEN),
        (' {"a": [{}], "b": "\\\\"} ', ArgumentState.CLOSED),
        ('[{"a": 1}]', ArgumentState.CLOSED),
        ('"x"', ArgumentState.CLOSED),
        ('null', ArgumentState.OTHER),
        ('{} x', ArgumentState.OTHER),
        ('}', ArgumentState.OTHER),
    ],
)
def test_the_state_of_a_text_does_not_depend_on_how_it_is_cut(text: str, state: ArgumentState) -> None:
    """Whole, in two, and in single characters."""
    assert state_of(text) is state
    assert state_of(*text) is state
    assert all(state_of(text[:n], text[n:]) is state for n in range(len(text)))


@generated()
@given(JSON_OBJECTS, st.booleans())
def test_every_beginning_of_an_object_is_open_and_can_go_on(value: dict[str, Any], ascii_only: bool) -> None:
    """The whole is closed; nothing can follow it."""
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert all(state_of(text[:n]) is ArgumentState.OPEN and continues_json(text[:n]) for n in range(1, len(text)))
    assert state_of(text) is ArgumentState.CLOSED
    assert continues_json(text) and not continues_json(text + '{')
    assert decode_object(text) == value


@pytest.mark.parametrize('text', ['{{', '{"a"{', '{"a": null{', '{"a": 1}}', '[1] x', '{"a": nul,', '{"a": "\\x"'])
def test_what_can_never_become_json_is_told(text: str) -> None:
    """It decides whether a piece of arguments is cumulative."""
    assert not continues_json(text)


def test_a_line_break_in_a_string_does_not_decide() -> None:
    """Models write them, though JSON wants them escaped."""
    assert continues_json('{"a": "x\ny')


def test_nesting_without_end_does_not_crash() -> None:
    """It is read once, and refused where it is parsed."""
    deep = '{"a":' * 100_000
    assert state_of(deep) is ArgumentState.OPEN
    assert continues_json(deep)
    assert decode_object(deep + '1' + '}' * 100_000) is None


@pytest.mark.parametrize(
    ('text', 'once', 'twice'),
    [
        ('{"a":1}', {'a': 1}, {'a': 1}),
        (' "{\\"a\\":1}"', None, {'a': 1}),
        ('"x"', None, None),
        ('"x', None, None),
        ('[1]', None, None),
        ('', None, None),
    ],
)
def test_an_object_is_decoded_once_or_twice(text: str, once: object, twice: object) -> None:
    """Summary chunks hold arguments that were encoded twice."""
    assert (decode_object(text), decode_twice(text)) == (once, twice)


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [(None, ''), ('{ }', '{ }'), ({'é': [1, None]}, '{"é":[1,null]}'), ([1], '[1]'), (False, 'false')],
)
def test_arguments_become_text(arguments: object, text: str) -> None:
    """A string stays as it is, byte for byte."""
    assert argument_text(arguments) == text
