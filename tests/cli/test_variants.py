from __future__ import annotations as _annotations

import json
from pathlib import Path

import pytest
from support import GLM_VARIANT
from typer.testing import CliRunner

from pydantic_ai_compat.cli.app import app

GOOD = f"""\
{GLM_VARIANT}\
      openai_supports_tool_choice_required: "false"
  test:
    model: pydantic_ai.models.test.TestModel
    kw_args: {{custom_output_text: "Grüße"}}
other_section: ignored
"""
BAD = """\
  typo:
    model: pydantic_ai_compat.OpenAICompatibleModel
    kw_args: {model_name: m, base_url: "http://host", tool_retrun_as_list: "true"}
  unset:
    model: pydantic_ai_compat.OpenAICompatibleModel
    kw_args: {model_name: m, api_key: "${NO_SUCH_KEY}"}
  field:
    modle: x
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv('ZAI_API_KEY', 'sk-local')
    monkeypatch.setenv('COLUMNS', '120')
    monkeypatch.delenv('FORCE_COLOR', raising=False)
    path = tmp_path / 'models.yaml'
    path.write_text(GOOD, encoding='utf-8')
    return path


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ['variants', *arguments], catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


WARNING = (
    '`ModelProfile` key `openai_supports_tool_choice_required` is deprecated, '
    'use `supports_forced_tool_choice` instead.'
)
NOTE = "`openai_system_prompt_role`='developer' is set, so H33 of the history policy 'zai' does not hold."


def test_a_pipe_gets_each_variant_with_what_its_options_became(file: Path):
    expected = (
        'glm-5  pydantic_ai_compat.OpenAICompatibleModel\n'
        '  model_name: "glm-5" (text)\n'
        '  base_url: "https://open.bigmodel.cn/api/paas/v4" (text)\n'
        '  api_key: "***" (text)\n'
        '  openai_chat_tool_return_as_list: true (boolean)\n'
        '  openai_system_prompt_role: "developer" (text)\n'
        '  openai_supports_strict_tool_definition: false (boolean)\n'
        '  supports_forced_tool_choice: false (boolean)\n'
        f'  note: {NOTE}\n'
        f'  warning: {WARNING}\n'
        '\n'
        'test  pydantic_ai.models.test.TestModel\n'
        '  custom_output_text: "Grüße" (text)\n'
        '\n'
    )
    assert run(str(file)) == (0, expected, '')


def test_json_is_one_document(file: Path):
    status, output, errors = run(str(file), '--json')
    document = json.loads(output)
    assert (status, errors, document['errors']) == (0, '', [])
    assert document['variants'][1] == {
        'name': 'test',
        'model': 'pydantic_ai.models.test.TestModel',
        'options': [{'name': 'custom_output_text', 'value': 'Grüße', 'type': 'text'}],
        'warnings': [],
        'notes': [],
    }
    assert 'sk-local' not in output


def test_a_rule_that_an_option_overrules_is_a_note(file: Path):
    status, output, _ = run(str(file))
    assert (status, f'  note: {NOTE}\n' in output) == (0, True)


def test_a_terminal_gets_a_table(file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv('FORCE_COLOR', '1')
    status, output, _ = run(str(file))
    assert status == 0
    assert '\x1b[' in output
    assert 'openai_chat_tool_return_as_list' in output


@pytest.mark.parametrize('as_json', [False, True])
def test_all_errors_of_a_file_are_printed_beside_the_variants_that_work(file: Path, as_json: bool):
    file.write_text(GOOD.replace('other_section: ignored\n', BAD), encoding='utf-8')
    status, output, errors = run(str(file), *(['--json'] if as_json else []))
    lines = errors.removeprefix('error: ').splitlines()
    at = f'{file}: model_variants.'
    assert status == 1
    assert [line.partition(': ')[2].partition(': ')[0] for line in lines] == [
        'model_variants.field',
        'model_variants.field',
        'model_variants.typo',
        'model_variants.unset',
    ]
    assert lines[2] == f"{at}typo: kw_args: unknown option 'tool_retrun_as_list', did you mean 'tool_return_as_list'?"
    assert 'NO_SUCH_KEY' in lines[3]
    assert 'Grüße' in output
    if as_json:
        assert json.loads(output)['errors'] == lines


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path):
    file = tmp_path / 'no.yaml'
    status, output, errors = run(str(file))
    assert (status, output, f"'{file}' does not exist." in errors) == (2, '', True)
    file.write_text('model_variants: [', encoding='utf-8')
    status, output, errors = run(str(file))
    assert (status, output) == (1, '')
    assert errors.startswith(f'error: {file}: ')
