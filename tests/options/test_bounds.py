"""What others wrote is looked at, shown and refused at a cost that does not grow with what aliases make of it."""

from __future__ import annotations as _annotations

import traceback
from pathlib import Path
from typing import Any, cast

import pytest
from generated import generated
from hypothesis import given, strategies as st
from typer.testing import CliRunner

from pydantic_ai_compat import OpenAICompatibleModel, build_profile, load_model_variants
from pydantic_ai_compat.cli.app import app
from pydantic_ai_compat.config.yaml_text import read_yaml
from pydantic_ai_compat.errors import ConfigError, OptionError, UnknownOptionError, cut, shown
from pydantic_ai_compat.options.bounds import check_bounds

HOST = 'http://localhost:8000/v1'


def bomb(levels: int = 40, width: int = 9) -> list[Any]:
    """A list of a few lists that is, written out, larger than any memory."""
    value: list[Any] = ['x']
    for _ in range(levels):
        value = [value] * width
    return value


def bomb_yaml(option: str) -> str:
    """The same as a file of some 530 bytes: <https://en.wikipedia.org/wiki/Billion_laughs_attack>."""
    lists = [f'- &a{n} [{", ".join([f"*a{n - 1}"] * 9)}]' for n in range(1, 10)]
    return '\n'.join(
        [
            'lists:',
            '- &a0 [x]',
            *lists,
            'model_variants:',
            '  m:',
            '    model: pydantic_ai_compat.OpenAICompatibleModel',
            f'    kw_args: {{model_name: m, base_url: "{HOST}", {option}}}',
        ]
    )


OPTIONS = [
    'settings: {extra_body: {a: *a9}}',
    'settings: {anthropic_thinking: *a9}',
    'settings: {stop_sequences: *a9}',
    'profile: {google_supports_native_output_with_builtin_tools: *a9}',
    'headers: *a9',
    'openai_unsupported_model_settings: *a9',
    'unknown: *a9',
    'api_key: *a9',
    'model_name: *a9',
]


@pytest.mark.parametrize('option', OPTIONS[:-1])
def test_a_file_whose_aliases_multiply_is_refused_with_a_short_error(option: str, tmp_path: Path) -> None:
    text = bomb_yaml(option)
    with pytest.raises(ConfigError) as caught:
        load_model_variants(text)['m'].get_model()
    assert str(caught.value) == (
        'YAML text: model_variants.m: `kw_args` does not fit: allowed are 1,000,000 characters, '
        'with what aliases share written out.'
    )
    (tmp_path / 'models.yaml').write_text(text, 'utf-8')
    result = CliRunner().invoke(app, ['variants', str(tmp_path / 'models.yaml'), '--json'])
    assert (result.exit_code, len(result.output) < 1_000) == (1, True)


@pytest.mark.parametrize(
    'options',
    [
        {'settings': {'extra_body': bomb()}},
        {'settings': {'anthropic_thinking': bomb()}},
        {'settings': {'stop_sequences': bomb()}},
        {'settings': {'temperature': bomb()}},
        {'profile': {'google_x': bomb()}},
        {'profile': {'thinking_tags': bomb()}},
        {'openai_unsupported_model_settings': bomb()},
        {'openai_chat_history': bomb()},
        {'timeout': bomb()},
        {'model_name': bomb()},
        {'max_retries': bomb()},
        {'tool_return_as_list': bomb()},
        {'headers': {'X': bomb()}},
    ],
    ids=lambda options: next(iter(options)),
)
def test_the_model_refuses_such_a_value_from_any_loader(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError) as caught:
        OpenAICompatibleModel(**dict[str, Any](model_name='m', base_url=HOST) | options)
    assert len(str(caught.value)) < 600


def test_what_aliases_share_is_kept_while_it_is_small() -> None:
    lists = bomb(levels=3)
    model = OpenAICompatibleModel('m', base_url=HOST, settings={'extra_body': {'a': lists}})
    assert model.settings == {'extra_body': {'a': lists}}


LARGE = {
    'text': 'x' * 200_000,
    'list': ['x' * 500] * 1_000,
    'map': {'a' * 300: 1, 'b': 'c' * 90_000},
    'number': 10**5_000,
}


@pytest.mark.parametrize('kind', LARGE)
@pytest.mark.parametrize('option', ['timeout', 'openai_chat_history', 'base_url', 'model_name', 'tool_return_as_list'])
def test_an_error_shows_at_most_200_characters_of_a_value(option: str, kind: str) -> None:
    """One wrong value made an error text of 34 MB."""
    options: dict[str, Any] = {'model_name': 'm', 'base_url': HOST, option: LARGE[kind]}
    if (option, kind) == ('model_name', 'text'):
        options['timeout'] = 'x' * 200_000  # any text is a name
    with pytest.raises((OptionError, UnknownOptionError)) as caught:
        OpenAICompatibleModel(**options)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    'text',
    [
        'model_variants: {a: {model: x.y, ? KEY : 1}}',
        'model_variants: {? KEY : {}}',
        'model_variants: {a: {? KEY : {}}}',
        'model_variants: {? KEY : 1, ? KEY : 1}',
        'model_variants: {a: {type: import, model: "KEY"}}',
        'model_variants: {a: {type: imporKEY, model: "KEY"}}',
        'model_variants: {a: {model: os.KEY}}',
        'model_variants: {a: {model: KEY.b}}',
        'model_variants: {a: {model: pydantic_ai_compat.KEY}}',
        'model_variants: {a: {model: pydantic_ai_compat.OpenAICompatibleModel, kw_args: {? KEY : 1}}}',
        'model_variants: {a: {model: pydantic_ai.models.test.TestModel, kw_args: {? KEY : 1}}}',
        '? KEY : 1',
        'a: !KEY x',
        'a: *KEY',
    ],
)
def test_an_error_about_a_file_shows_at_most_200_characters_of_a_name(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_model_variants('{' + text.replace('KEY', 'k' * 5_000) + '}')['a'].get_model()
    assert len(''.join(traceback.format_exception_only(caught.value))) < 1_500


def test_merge_keys_that_multiply_are_refused() -> None:
    """Each map merges the one before fifty times: <https://yaml.org/type/merge.html>."""
    keys = ', '.join(f'k{n}: 1' for n in range(1_000))
    lines = [f'a0: &a0 {{{keys}}}', *(f'a{n}: &a{n} {{<<: [{", ".join([f"*a{n - 1}"] * 50)}]}}' for n in range(1, 24))]
    with pytest.raises(ConfigError, match='bring in more than 1,000,000 values'):
        read_yaml('\n'.join(lines))


def test_merge_keys_are_resolved_as_yaml_does() -> None:
    """A map's own value wins, then that of the map that is named first: <https://yaml.org/type/merge.html>."""
    text = """
a: &a {x: 1, y: 1}
b: &b {<<: *a, y: 2}
c: {<<: [*b, *a], z: 3}
d: {<<: *b, x: 4}
"""
    with pytest.raises(ConfigError, match='not YAML: found unhashable key'):
        read_yaml(f'{text}? {{}}\n: 5\n')
    assert read_yaml(text) == {
        'a': {'x': 1, 'y': 1},
        'b': {'x': 1, 'y': 2},
        'c': {'x': 1, 'y': 2, 'z': 3},
        'd': {'x': 4, 'y': 2},
    }


def test_a_map_that_merges_what_is_no_map_is_not_yaml() -> None:
    with pytest.raises(ConfigError, match='not YAML: expected a mapping'):
        read_yaml('a: {<<: [1]}')


JSON_DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=50) | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=5)
        | st.tuples(inner)
        | st.tuples(inner, inner)
    ),
    max_leaves=20,
)


@generated()
@given(JSON_DATA)
def test_a_shown_value_is_the_beginning_of_its_repr(value: object) -> None:
    assert shown(value) == cut(repr(value))


def test_what_cannot_show_itself_is_named_by_its_type() -> None:
    circle: list[Any] = []
    circle.append(circle)
    assert shown(10**5_000) == '<int>'
    assert shown(circle) == '[' * 200 + '…'


@generated()
@given(st.integers(0, 60), st.integers(1, 9))
def test_what_is_refused_is_what_is_larger_written_out(levels: int, width: int) -> None:
    size = 2
    for _ in range(levels + 1):
        size = 1 + size * (width if size > 2 else 1)
    value = bomb(levels, width)
    if size > 1_000_000:
        with pytest.raises(OptionError, match='1,000,000 characters'):
            check_bounds('o', value)
    else:
        check_bounds('o', value)


@pytest.mark.parametrize('holder', [dict, list])
def test_a_value_that_holds_itself_or_is_very_deep_is_refused(holder: type) -> None:
    circle: Any = holder()
    if isinstance(circle, dict):
        circle['a'] = cast(Any, circle)
    else:
        circle.append(circle)
    deep: list[Any] = []
    for _ in range(3_000):
        deep = [deep]
    values: list[Any] = [circle, deep]
    for value in values:
        with pytest.raises(OptionError, match='allowed are 100 levels'):
            OpenAICompatibleModel('m', base_url=HOST, settings={'extra_body': value})


def test_a_repr_shows_no_more_of_a_setting_than_an_error_does() -> None:
    model = OpenAICompatibleModel('m', base_url=HOST, settings={'stop_sequences': ['x' * 100_000], 'seed': 3})
    assert len(repr(model)) < 2_000
    assert "'seed': 3" in repr(model)


def test_a_profile_is_bounded_like_the_options() -> None:
    with pytest.raises(OptionError, match='1,000,000 characters'):
        build_profile({'openai_chat_text_events': bomb()})
