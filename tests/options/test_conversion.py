from __future__ import annotations as _annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NotRequired

import httpx2
import pytest
from pydantic_ai.models.openai import OpenAIChatModelSettings
from typing_extensions import TypedDict

from pydantic_ai_compat import OpenAICompatibleModelProfile
from pydantic_ai_compat.errors import OptionError, UnknownOptionError
from pydantic_ai_compat.options.conversion import convert, convert_known, describe, key_annotations, nearest_name


class Plain(TypedDict):
    word: str


@dataclass
class Pair:
    names: list[str]


Words = Literal['auto', 'field', False]
Efforts = Literal['none', 'low', 'high']


@pytest.mark.parametrize('text', ['true', 'TRUE', ' True ', '1', 'yes', 'on', 'y', 't', True, 1])
def test_a_boolean_takes_every_word_for_true(text: object) -> None:
    assert convert('flag', text, bool) is True


@pytest.mark.parametrize('text', ['false', 'FALSE', ' false ', '0', 'no', 'off', 'n', 'f', '', '  ', False, 0])
def test_a_boolean_takes_every_word_for_false(text: object) -> None:
    """The words of <https://github.com/NousResearch/hermes-agent/pull/54419>."""
    assert convert('flag', text, bool) is False


@pytest.mark.parametrize(
    ('value', 'annotation', 'typed'),
    [
        ('auto', Words, 'auto'),
        (' AUTO ', Words, 'auto'),
        ('false', Words, False),
        ('No', Words, False),
        (False, Words, False),
        ('null', Literal['a'] | None, None),
        ('null', Literal['a', None], None),  # noqa: PYI061 - as the OpenAI SDK writes some
        ('NULL', int | None, None),
        ('12', int | None, 12),
        (None, int | None, None),
        ('null', str, 'null'),
        ('a, b ,,c', Sequence[str], ['a', 'b', 'c']),
        ('["a", "b, c"]', Sequence[str], ['a', 'b, c']),
        (['a'], Sequence[str], ['a']),
        ('low,high', frozenset[Efforts], frozenset({'low', 'high'})),
        (['low'], frozenset[Efforts], frozenset({'low'})),
        ('<a>, </a>', tuple[str, str], ('<a>', '</a>')),
        ('a', tuple[str, ...], ('a',)),
        ('', tuple[str, ...], ()),
        ('1, 2', list[int], [1, 2]),
        ('1, 2', Iterable[int], [1, 2]),
        ('{"a": "1"}', dict[str, int], {'a': 1}),
        ({'a': '1'}, Mapping[str, int], {'a': 1}),
        ('{"word": 1, "more": [2]}', Plain, {'word': 1, 'more': [2]}),
        ('{"a": [1]}', object, {'a': [1]}),
        ('[1]', Any, [1]),
        ('plain', object, 'plain'),
        ('{cut', object, '{cut'),
        ('30', float | httpx2.Timeout, 30.0),
        ('auto', list[str] | Literal['auto'] | None, 'auto'),
        ('a, b', list[str] | Literal['auto'] | None, ['a', 'b']),
        ({'names': ['a']}, Pair, Pair(['a'])),
        ('true', NotRequired[bool], True),
    ],
)
def test_text_becomes_what_the_annotation_says(value: object, annotation: Any, typed: object) -> None:
    converted = convert('option', value, annotation)
    assert (converted, type(converted)) == (typed, type(typed))


@pytest.mark.parametrize(
    ('value', 'annotation', 'message'),
    [
        ('maybe', bool, "`option`='maybe' does not fit: allowed is true or false."),
        (2, bool, '`option`=2 does not fit: allowed is true or false.'),
        ('true', Words, "`option`='true' does not fit: allowed is 'auto', 'field', false."),
        ('word', Words, "`option`='word' does not fit: allowed is 'auto', 'field', false."),
        ('x', int | None, "`option`='x' does not fit: allowed is a whole number or null."),
        (5, Sequence[str], '`option`=5 does not fit: allowed is a list of text.'),
        (5, list, '`option`=5 does not fit: allowed is a list.'),
        ('{"a":', dict[str, Any], '`option`=\'{"a":\' does not fit: allowed is a map.'),
        ('[' * 100_000, dict[str, Any], 'does not fit: allowed is a map.'),
        ('x', httpx2.Timeout, "`option`='x' does not fit: allowed is Timeout."),
        ('x', type[int] | None, 'allowed is a class, which only Python code can give (`profile=`) or null.'),
    ],
)
def test_a_value_that_does_not_fit_names_option_value_and_what_is_allowed(
    value: object, annotation: Any, message: str
) -> None:
    with pytest.raises(OptionError) as caught:
        convert('option', value, annotation)
    assert message in str(caught.value)


def test_the_value_of_a_secret_option_stays_out_of_the_error() -> None:
    with pytest.raises(OptionError) as caught:
        convert('extra_headers', 'Bearer sk-SECRET', dict[str, str])
    assert str(caught.value) == '`extra_headers` does not fit: allowed is a map of names to text.'
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(('annotation', 'value'), [(int, True), (float, False), (dict[str, int], {'a': True})])
def test_a_boolean_is_no_number(annotation: Any, value: object) -> None:
    """Pydantic would read `max_tokens: yes` as one token."""
    with pytest.raises(OptionError):
        convert('option', value, annotation)


@pytest.mark.parametrize(
    ('annotation', 'value', 'word'),
    [
        (Literal['repair', 'check', 'off'], False, 'off'),
        (Literal['null', 'empty', 'omit'], None, 'null'),
        (Literal['auto', 'on'], True, 'on'),
        (Literal['off', 'auto', False], False, False),
        (Literal['off', 'auto'] | None, None, None),
    ],
)
def test_a_word_that_yaml_takes_for_a_value_need_not_be_quoted(annotation: Any, value: object, word: object) -> None:
    """YAML 1.1 reads `off` as false and `null` as nothing. <https://yaml.org/type/bool.html>"""
    assert convert('option', value, annotation) is word or convert('option', value, annotation) == word


def test_a_key_that_is_no_text_is_unknown() -> None:
    """YAML has keys of any type, and pydantic-ai's profile takes each in silence."""
    with pytest.raises(UnknownOptionError) as caught:
        convert_known({1: 'x'}, OpenAIChatModelSettings)  # pyright: ignore[reportArgumentType]
    assert str(caught.value) == 'unknown option 1: the name of an option is text.'


def test_every_key_of_the_profile_and_of_the_settings_can_be_described() -> None:
    """A key that pydantic-ai adds later has an error message without a change here."""
    for typed_dict in (OpenAICompatibleModelProfile, OpenAIChatModelSettings):
        for key, annotation in key_annotations(typed_dict).items():
            assert describe(annotation), key


def test_every_key_of_the_profile_and_of_the_settings_refuses_or_converts_text() -> None:
    """No annotation is one that the conversion cannot be derived from."""
    for typed_dict in (OpenAICompatibleModelProfile, OpenAIChatModelSettings):
        for key, annotation in key_annotations(typed_dict).items():
            try:
                convert(key, 'some text', annotation)
            except OptionError as error:
                assert key in str(error)


def test_a_key_of_another_provider_comes_through_untouched() -> None:
    """pydantic-ai prefixes keys with the provider's name so that one dict serves several models."""
    settings = {'temperature': '0.5', 'anthropic_thinking': {'type': 'enabled'}, 'zai_clear_thinking': 'true'}
    assert convert_known(settings, OpenAIChatModelSettings) == {
        'temperature': 0.5,
        'anthropic_thinking': {'type': 'enabled'},
        'zai_clear_thinking': 'true',
    }


@pytest.mark.parametrize(
    ('key', 'message'),
    [
        ('temprature', "unknown option 'temprature', did you mean 'temperature'?"),
        ('openai_usr', "unknown option 'openai_usr', did you mean 'openai_user'?"),
        ('no-name_x', "unknown option 'no-name_x'"),
        ('zzz', "unknown option 'zzz'"),
    ],
)
def test_a_key_of_nobody_is_refused_with_the_nearest_name(key: str, message: str) -> None:
    with pytest.raises(UnknownOptionError) as caught:
        convert_known({key: 1}, OpenAIChatModelSettings)
    assert str(caught.value).startswith(message)
    assert isinstance(caught.value, TypeError)


def test_nothing_is_suggested_where_nothing_is_near() -> None:
    assert nearest_name('zzzzzz', ['api_key']) == ''
