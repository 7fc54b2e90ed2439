from __future__ import annotations as _annotations

import sys
import traceback
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import BaseModel
from pydantic_ai.models import Model
from pydantic_ai.models.test import TestModel
from support import GLM_VARIANT

from pydantic_ai_compat import ImportModelConfig, OpenAICompatibleModel, load_model_variants
from pydantic_ai_compat.errors import ConfigError

README_YAML = 'agents: {main: {model: glm-5}}\n' + GLM_VARIANT


def make_test_model(**keywords: Any) -> Model:
    made.append(keywords)
    return TestModel()


made: list[dict[str, Any]] = []


class Factories:
    make = staticmethod(make_test_model)


class Picked(BaseModel):
    number: int
    api_key: str


def picky(**keywords: Any) -> Model:
    """Stands for a factory of another library whose errors quote what they were given."""
    raise AssertionError(Picked(**keywords))


def make_text() -> str:
    return 'not a model'


def break_its_word() -> Model:
    return cast(Any, 'not a model')


value = 5


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    made.clear()
    monkeypatch.setitem(sys.modules, 'variant_factories', sys.modules[__name__])


def variant(path: str, **keywords: Any) -> ImportModelConfig:
    return ImportModelConfig(model=path, kw_args=keywords)


def test_the_variant_of_the_readme_makes_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('ZAI_API_KEY', 'sk-zai')
    variants = load_model_variants(README_YAML)
    model = variants['glm-5'].get_model()
    assert list(variants) == ['glm-5']
    assert isinstance(model, OpenAICompatibleModel)
    assert (model.model_name, model.base_url) == ('glm-5', 'https://open.bigmodel.cn/api/paas/v4/')
    assert model.client.api_key == 'sk-zai'
    options = ('openai_chat_tool_return_as_list', 'openai_system_prompt_role', 'openai_supports_strict_tool_definition')
    assert [model.profile.get(option) for option in options] == [True, 'developer', False]


@pytest.mark.parametrize('make_source', [str, Path])
def test_variants_are_read_from_a_file_by_its_path(tmp_path: Path, make_source: Any) -> None:
    file = tmp_path / 'models.yaml'
    file.write_text(README_YAML, encoding='utf-8')
    assert list(load_model_variants(make_source(file))) == ['glm-5']


def test_text_on_one_line_is_text() -> None:
    assert load_model_variants('{model_variants: {}}') == {}


def test_keywords_take_yaml_booleans_numbers_lists_and_maps() -> None:
    text = """
model_variants:
  m:
    type: import
    model: pydantic_ai_compat:OpenAICompatibleModel
    kw_args:
      model_name: m
      base_url: http://localhost:8000/v1
      timeout: 30
      openai_chat_include_usage: false
      openai_unsupported_model_settings: [seed, top_p]
      headers: {X-A: b}
      settings: {temperature: 0.5, extra_body: {top_k: 1}, parallel_tool_calls: "no"}
      profile: {supports_json_schema_output: "yes", thinking_tags: [<a>, </a>]}
"""
    model = load_model_variants(text)['m'].get_model()
    assert isinstance(model, OpenAICompatibleModel)
    assert model.client.timeout == 30
    assert model.settings == {'temperature': 0.5, 'extra_body': {'top_k': 1}, 'parallel_tool_calls': False}
    assert {key: model.profile.get(key) for key in ('openai_chat_include_usage', 'thinking_tags')} == {
        'openai_chat_include_usage': False,
        'thinking_tags': ('<a>', '</a>'),
    }
    assert model.profile.get('supports_json_schema_output') is True
    assert model.profile.get('openai_unsupported_model_settings') == ['seed', 'top_p']


@pytest.mark.parametrize(
    'path',
    ['variant_factories.make_test_model', 'variant_factories:make_test_model', 'variant_factories:Factories.make'],
)
def test_a_factory_is_called_with_the_keywords(path: str) -> None:
    assert isinstance(variant(path, a=1, b=['x']).get_model(), TestModel)
    assert made == [{'a': 1, 'b': ['x']}]


def test_variables_are_expanded_in_every_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('A', 'value-of-a')
    monkeypatch.setenv('B', '${A}')
    keywords = {'a': '${A}', 'b': [{'c': 'x-${A}'}], 'd': '$${A}', 'e': '${B}', 'f': 1, 'g': True}
    variant('variant_factories.make_test_model', **keywords).get_model()
    assert made == [{'a': 'value-of-a', 'b': [{'c': 'x-value-of-a'}], 'd': '${A}', 'e': '${A}', 'f': 1, 'g': True}]


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('a: 1\nb: [', "YAML text: not YAML: expected the node content, but found '<stream end>' (line 2, column 5)."),
        ('a: \x07\n', 'YAML text: not YAML: special characters are not allowed.'),
        ('a: 2026-99-99\n', 'YAML text: not YAML: month must be in 1..12.'),
        ('a: !!python/object/apply:os.system [id]\n', 'YAML text: not YAML: could not determine a constructor'),
        ('{' * 1_000, 'YAML text: nested too deeply.'),
        ('- a\n', 'YAML text: holds no map with a key `model_variants`.'),
        ('models: {}\n', 'YAML text: has no `model_variants`'),
        ('model_variant: {}\n', "YAML text: has no `model_variants`, did you mean 'model_variant'?"),
        ('model_variants: []\n', 'YAML text: `model_variants` does not fit: allowed is a map of names to variants.'),
        ('model_variants: {4.7: {}}\n', 'YAML text: `model_variants`: the name 4.7 is not text, write it in quotes.'),
        ('model_variants:\n  a: {}\n  a: {}\n', "YAML text: the key 'a' stands in one map twice (lines 2 and 3)."),
        ('model_variants:\n  a:\n', 'YAML text: model_variants.a: Input should be'),
        ('model_variants: {a: {model: x.y, kwargs: {}}}\n', "model_variants.a: unknown field 'kwargs', did you mean 'kw_args'?"),
        ('model_variants: {a: {}}\n', 'YAML text: model_variants.a: model: Field required'),
        ('model_variants: {a: {model: x}}\n', 'model_variants.a: model: Value error, allowed is a path such as'),
        ('model_variants: {a: {model: "x.y z"}}\n', 'model_variants.a: model: Value error, allowed is a path such as'),
        ('model_variants: {a: {model: x.y, kw_args: []}}\n', 'model_variants.a: kw_args: Input should be'),
        ('model_variants: {a: {model: x.y, type: imprt}}\n', "a: type: 'imprt' is not known, did you mean 'import'?"),
        ('model_variants: {a: {model: x.y, type: [1]}}\n', "model_variants.a: type: Input should be 'import'"),
        ('model_variants: {a: {model: x.__init__.y}}\n', "Value error, '__init__' is a name of Python itself"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_file_names_the_place(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_model_variants(text)
    assert message in str(caught.value)


def test_merge_keys_may_be_overridden() -> None:
    text = """
base: &base {model_name: m, base_url: http://h/v1}
model_variants:
  m: {model: variant_factories.make_test_model, kw_args: {<<: *base, model_name: n}}
"""
    load_model_variants(text)['m'].get_model()
    assert made == [{'model_name': 'n', 'base_url': 'http://h/v1'}]


def test_every_mistake_of_a_file_has_a_line() -> None:
    with pytest.raises(ConfigError) as caught:
        load_model_variants('model_variants: {a: {}, b: {model: x.y, z: 1}}\n')
    assert [line.partition(': ')[2].partition(':')[0] for line in str(caught.value).splitlines()] == [
        'model_variants.a',
        'model_variants.b',
    ]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    missing, latin = tmp_path / 'missing.yaml', tmp_path / 'latin.yaml'
    latin.write_bytes(b'a: \xff\n')
    with pytest.raises(ConfigError, match=r'missing\.yaml: cannot be read: No such file'):
        load_model_variants(missing)
    with pytest.raises(ConfigError, match=r'latin\.yaml: not UTF-8 text \(byte 3\)'):
        load_model_variants(latin)
    with pytest.raises(ConfigError, match='cannot be read: Is a directory'):
        load_model_variants(tmp_path)


@pytest.mark.parametrize(
    ('path', 'message'),
    [
        ('no_such_package.Model', "model: cannot import 'no_such_package' of 'no_such_package.Model'"),
        ('variant_factories.make_test_mode', "has no 'make_test_mode', did you mean 'make_test_model'?"),
        ('variant_factories.sys', "model: 'variant_factories.sys' is a module: name the class or factory in it."),
        ('variant_factories.value', "model: 'variant_factories.value' is neither a class nor a function."),
        (
            'variant_factories.make_text',
            "'variant_factories.make_text' is neither a class of models nor a function that",
        ),
        ('variant_factories.break_its_word', "model: 'variant_factories.break_its_word' made a str, not a `Model`."),
        ('os.system', "model: 'os.system' is in Python's standard library, which holds no model."),
        ('variant_factories.Path', "model: 'variant_factories.Path' is in Python's standard library"),
        ('pydantic_ai_compat.OpenAICompatibleModel', 'kw_args: '),
    ],
)
def test_a_path_that_makes_no_model_names_file_variant_and_field(path: str, message: str) -> None:
    """`os.system` as a model: <https://github.com/google/adk-python/issues/5278>"""
    text = f'model_variants:\n  bad: {{type: import, model: "{path}"}}\n'
    with pytest.raises(ConfigError) as caught:
        load_model_variants(text)['bad'].get_model()
    assert str(caught.value).startswith('YAML text: model_variants.bad: ')
    assert message in str(caught.value)


def test_imports_can_be_limited_to_modules() -> None:
    text = """
model_variants:
  ours: {model: pydantic_ai_compat.model.OpenAICompatibleModel, kw_args: {model_name: m, base_url: http://h/v1}}
  other: {model: variant_factories.make_test_model}
"""
    variants = load_model_variants(text, allowed_modules=['pydantic_ai_compat'])
    assert isinstance(variants['ours'].get_model(), OpenAICompatibleModel)
    with pytest.raises(ConfigError, match=r'is outside `allowed_modules` \(pydantic_ai_compat\)'):
        variants['other'].get_model()
    with pytest.raises(ConfigError, match=r'is outside `allowed_modules` \(none\)'):
        load_model_variants(text, allowed_modules=[])['ours'].get_model()
    one_name = load_model_variants(text, allowed_modules='pydantic_ai_compat')
    assert isinstance(one_name['ours'].get_model(), OpenAICompatibleModel)
    assert made == []


def test_an_unset_variable_names_file_variant_field_and_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('ZAI_API_KEY', raising=False)
    with pytest.raises(ConfigError) as caught:
        load_model_variants(README_YAML)['glm-5'].get_model()
    assert str(caught.value).startswith(
        'YAML text: model_variants.glm-5: `kw_args.api_key` refers to the environment variable ZAI_API_KEY'
    )


@pytest.mark.parametrize(
    ('keywords', 'message'),
    [
        ({'model_name': 4.7}, 'kw_args: `model_name`=4.7 does not fit'),
        ({'openai_system_prompt_role': 'boss'}, "kw_args: `openai_system_prompt_role`='boss' does not fit"),
        ({'openai_sistem_prompt_role': 'user'}, "kw_args: unknown option 'openai_sistem_prompt_role', did you mean"),
    ],
)
def test_a_keyword_that_does_not_fit_names_the_option(keywords: dict[str, Any], message: str) -> None:
    config = variant(
        'pydantic_ai_compat.OpenAICompatibleModel', **{'model_name': 'm', 'base_url': 'http://h', **keywords}
    )
    with pytest.raises(ConfigError) as caught:
        config.located('models.yaml: model_variants.m').get_model()
    assert str(caught.value).startswith(f'models.yaml: model_variants.m: {message}')


def test_no_key_is_in_a_repr_or_in_the_error_of_a_foreign_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pydantic model quotes its input, and a traceback prints the whole chain of errors."""
    monkeypatch.setenv('TOKEN', 'SECRET-1')
    config = variant('variant_factories.picky', number='${TOKEN}', api_key='SECRET-2', empty='${EMPTY:-}')
    with pytest.raises(ConfigError) as caught:
        config.get_model()
    shown = [repr(config), str(config), *traceback.format_exception(caught.value)]
    assert '***' in str(caught.value)
    assert 'SECRET' not in ''.join(shown)


@pytest.mark.skipif(sys.version_info < (3, 13), reason='llmling-models is for Python 3.13 and newer')
def test_the_loader_of_agentpool_makes_the_same_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """agentpool and its relatives pass keywords only, every value text, and expand no variable."""
    import yaml

    config_class = pytest.importorskip('llmling_models_config').ImportModelConfig
    monkeypatch.setenv('ZAI_API_KEY', 'sk-zai')
    entry = yaml.safe_load(README_YAML)['model_variants']['glm-5']
    theirs = config_class.model_validate(entry).get_model()
    ours = load_model_variants(README_YAML)['glm-5'].get_model()
    assert isinstance(ours, OpenAICompatibleModel)
    assert isinstance(theirs, OpenAICompatibleModel)
    assert (theirs.profile, theirs.base_url, theirs.client.api_key) == (ours.profile, ours.base_url, 'sk-zai')
