"""One file for several loaders: llmling-models, agentpool and wolfharness read the same `model_variants`."""

from __future__ import annotations as _annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import yaml
from generated import generated
from hypothesis import given, strategies as st
from pydantic import TypeAdapter
from support import SchemaValidator
from typer.testing import CliRunner

from pydantic_ai_compat import OpenAICompatibleModel, load_model_variants
from pydantic_ai_compat.cli.app import app
from pydantic_ai_compat.config.schema import model_variants_schema
from pydantic_ai_compat.errors import ConfigError, NoVariantError

MANIFEST = """\
agents:
  coder: {type: native, model: glm}
model_variants:
  fast:
    type: string
    identifier: openai:gpt-5-nano
  thinking:
    type: anthropic
    identifier: claude-sonnet-4-5
  either:
    type: fallback
    models: [fast, glm]
  scripted: {type: test}
  glm:
    type: import
    model: pydantic_ai_compat.OpenAICompatibleModel
    kw_args:
      model_name: "glm-4.7"
      base_url: "http://localhost:8000/v1"
      tool_return_as_list: "true"
  test:
    model: pydantic_ai.models.test.TestModel
"""
BAD = '  broken: {type: import, modle: x}\n  slip: {type: imports, model: x.y}\n'
FOREIGN = {'fast': 'string', 'thinking': 'anthropic', 'either': 'fallback', 'scripted': 'test'}


def test_ours_are_loaded_and_the_others_left_alone() -> None:
    variants = load_model_variants(MANIFEST)
    assert (list(variants), variants.foreign, variants.problems) == (['glm', 'test'], FOREIGN, {})
    assert isinstance(variants['glm'].get_model(), OpenAICompatibleModel)


def test_one_bad_entry_does_not_take_the_others_down() -> None:
    variants = load_model_variants(MANIFEST + BAD)
    assert list(variants) == ['glm', 'test']
    assert variants.problems == {
        'broken': [
            'YAML text: model_variants.broken: model: Field required',
            "YAML text: model_variants.broken: unknown field 'modle', did you mean 'model'?",
        ],
        'slip': ["YAML text: model_variants.slip: type: 'imports' is not known, did you mean 'import'?"],
    }


@pytest.mark.parametrize(
    ('name', 'message'),
    [
        ('thinking', 'YAML text: model_variants.thinking: `type: anthropic` belongs to another loader of this file, such as'),
        ('broken', "model_variants.broken: unknown field 'modle', did you mean 'model'?"),
        ('glmm', "YAML text: has no variant 'glmm', did you mean 'glm'?"),
    ],
)  # fmt: skip
def test_asking_for_what_cannot_be_had_says_why(name: str, message: str) -> None:
    variants = load_model_variants(MANIFEST + BAD)
    with pytest.raises(NoVariantError) as caught:
        variants[name]
    assert message in str(caught.value)
    assert isinstance(caught.value, KeyError)
    assert (name in variants, variants.get(name)) == (False, None)


def test_a_file_with_mistakes_alone_cannot_be_loaded() -> None:
    with pytest.raises(ConfigError, match='broken'):
        load_model_variants(f'model_variants:\n{BAD}')


def test_the_listing_names_the_others_and_whose_they_are(tmp_path: Path) -> None:
    file = tmp_path / 'models.yaml'
    file.write_text(MANIFEST, 'utf-8')
    result = CliRunner().invoke(app, ['variants', str(file)])
    assert (result.exit_code, result.stderr) == (0, '')
    for name, kind in FOREIGN.items():
        assert f'{name}  type: {kind}, which another loader of the file reads\n' in result.stdout
    document = json.loads(CliRunner().invoke(app, ['variants', str(file), '--json']).stdout)
    assert (document['foreign'], document['errors']) == (FOREIGN, [])


def test_the_schema_takes_the_file_and_still_checks_ours() -> None:
    validator = SchemaValidator(model_variants_schema())
    assert validator.is_valid(yaml.safe_load(MANIFEST))
    assert not validator.is_valid(yaml.safe_load(MANIFEST + BAD))
    assert not validator.is_valid(yaml.safe_load(MANIFEST.replace('tool_return_as_list', 'tool_retrun_as_list')))


@generated()
@given(
    st.dictionaries(
        st.text('abcdef', min_size=1), st.sampled_from(['string', 'gemini', 'user-select', 'own']), max_size=4
    ),
    st.recursive(st.none() | st.text() | st.integers(), lambda inner: st.lists(inner, max_size=3), max_leaves=5),
)
def test_whatever_another_loader_reads_is_left_alone(kinds: dict[str, str], data: object) -> None:
    others = {name: {'type': kind, 'data': data} for name, kind in kinds.items()}
    ours = yaml.safe_load(MANIFEST)['model_variants']['glm']
    # JSON is YAML, but for the DEL that YAML wants spelled.
    text = json.dumps({'model_variants': {**others, 'ours': ours}}).replace('\x7f', r'\u007f')
    variants = load_model_variants(text)
    assert (list(variants), variants.foreign, variants.problems) == (['ours'], kinds, {})


@pytest.mark.skipif(sys.version_info < (3, 13), reason='llmling-models is for Python 3.13 and newer')
def test_the_loader_of_llmling_models_takes_the_same_file() -> None:
    """Its discriminated union reads each entry by its `type`, which it needs; it calls classes, with texts."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # of pydantic, about classes of that package
        config: Any = pytest.importorskip('llmling_models_config')

    manifest: dict[str, Any] = yaml.safe_load(MANIFEST)['model_variants']
    del manifest['test']  # without `type`, which is ours to leave out
    theirs: dict[str, Any] = {
        name: TypeAdapter[Any](config.AnyModelConfig).validate_python(entry) for name, entry in manifest.items()
    }
    ours = load_model_variants(MANIFEST)['glm'].get_model()
    model = theirs['glm'].get_model()
    assert isinstance(model, OpenAICompatibleModel)
    assert isinstance(ours, OpenAICompatibleModel)
    assert (model.profile, model.base_url) == (ours.profile, ours.base_url)
    assert {name: entry.type for name, entry in theirs.items() if name != 'glm'} == FOREIGN
