"""The demo on the embedded server, as a user runs it first."""

from __future__ import annotations as _annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pydantic_ai_compat.cli.app import app
from pydantic_ai_compat.demo.run import FORMS, ITEMS
from pydantic_ai_compat.demo.server import LlamaCppServer

MON, TUE = ITEMS
FINAL = 'Final answer after the tool result.'

GLM_LIKE = """\
{%- for message in messages -%}
    <|{{ message.role }}|>
    {%- if message.role == 'tool' and message.content is string -%}
        <tool_response>{{ message.content }}</tool_response>
    {%- elif message.role == 'tool' -%}
        {%- for item in message.content -%}<tool_response>{{ item.output }}</tool_response>{%- endfor -%}
    {%- elif message.content is string -%}
        {{ message.content }}
    {%- elif message.content is iterable and message.content is not mapping -%}
        {%- for item in message.content -%}{{ item.text }}{%- endfor -%}
    {%- endif -%}
{%- endfor -%}
<|assistant|>
"""
"""A template that reads a list as GLM's do: a user's items are text parts, a tool's are results with an `output`.

llama.cpp hands lists on because the template asks whether a content is iterable."""


def run_json(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, ['demo', '--json', *arguments], catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, '')
    document = json.loads(result.stdout)
    assert [form['form'] for form in document['forms']] == list(FORMS)
    return document


@pytest.mark.usefixtures('llama_server')
def test_the_demo_needs_nothing_and_shows_each_form_as_it_reached_the_model():
    document = run_json()
    assert document['server'] == 'llama.cpp, embedded, with a scripted model'
    assert {form['form']: form['prompt'] for form in document['forms']} == {
        'stock': '<tool_response>\n["Mon: \\"sunny\\", 18 °C","Tue: \\"rain\\", 11 °C"]\n</tool_response>',
        'text_parts': f'<tool_response>\n{MON}\n{TUE}\n</tool_response>',
        'messages': f'<tool_response>\n{MON}\n</tool_response>\n<tool_response>\n{TUE}\n</tool_response>',
        'text': f'<tool_response>\n{MON}\n{TUE}\n</tool_response>',
    }
    assert [(form['called'], form['answer']) for form in document['forms']] == [(True, FINAL)] * 4


@pytest.mark.usefixtures('llama_server')
def test_a_template_that_reads_lists_as_glm_does_shows_empty_blocks_and_separate_ones(tmp_path: Path):
    """Measured with GLM-4.6 and GLM-4.7-Flash on llama.cpp: text parts arrive as empty results."""
    file = tmp_path / 'template.jinja'
    file.write_text(GLM_LIKE, encoding='utf-8')
    document = run_json('--chat-template', str(file))
    assert document['chat template'] == str(file)
    assert {form['form']: form['prompt'] for form in document['forms']} == {
        'stock': '<|tool|><tool_response>["Mon: \\"sunny\\", 18 °C","Tue: \\"rain\\", 11 °C"]</tool_response>',
        'text_parts': '<|tool|><tool_response></tool_response><tool_response></tool_response>',
        'messages': f'<|tool|><tool_response>{MON}</tool_response><|tool|><tool_response>{TUE}</tool_response>',
        'text': f'<|tool|><tool_response>{MON}\n{TUE}</tool_response>',
    }
    assert [(form['called'], form['answer']) for form in document['forms']] == [(False, FINAL)] * 4


def test_the_demo_runs_on_an_endpoint_like_any_other(llama_server: LlamaCppServer):
    document = run_json('--base-url', llama_server.base_url, '--model', 'scripted')
    assert (document['endpoint'], 'server' in document) == (llama_server.base_url, False)
    assert [(form['called'], form['answer']) for form in document['forms']] == [(True, FINAL)] * 4


@pytest.mark.usefixtures('llama_server')
def test_a_broken_chat_template_ends_the_demo_with_llama_cpps_words(tmp_path: Path):
    file = tmp_path / 'template.jinja'
    file.write_text('{{ broken', encoding='utf-8')
    result = CliRunner().invoke(app, ['demo', '--chat-template', str(file)], catch_exceptions=False)
    assert (result.exit_code, result.stdout) == (1, '')
    assert result.stderr.startswith('error: llama.cpp exited with status 1; it printed last:\n')
    assert 'Parser Error' in result.stderr


@pytest.mark.usefixtures('llama_server')
def test_the_output_on_the_page_is_what_the_demo_prints():
    """`...` on the page stands for what differs each time, or is left out."""
    page = (Path(__file__).parents[2] / 'docs' / 'command-line.md').read_text('utf-8')
    block = re.search(r'^```console\n\$ pydantic-ai-compat demo\n(.*?)^```$', page, re.MULTILINE | re.DOTALL)
    assert block is not None
    pattern = re.escape(block[1]).replace(re.escape('...'), r'[\s\S]*?')
    result = CliRunner().invoke(app, ['demo'], catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, '')
    assert re.fullmatch(pattern + r'[\s\S]*', result.stdout)
