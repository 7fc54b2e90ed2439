"""The picture of the README: one tool result, through the four forms, as the model's prompt holds it."""

from __future__ import annotations as _annotations

from html import escape

from pydantic_ai_compat.demo.run import FORMS, ITEMS
from pydantic_ai_compat.templates import ChatTemplate
from pydantic_ai_compat.templates.compare import compare_forms

from .facts import ROOT

__all__ = ('picture',)

_NAMES = {'stock': 'json', 'text_parts': 'text_parts', 'messages': 'messages', 'text': 'text'}
_WIDTH, _LINE, _PANEL = 560, 19, 30
_STYLE = """\
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #24292f }
.name { font-weight: bold; fill: #0550ae } .option { fill: #57606a } .item { fill: #116329; font-weight: bold }
.escaped { fill: #9a6700; font-weight: bold } rect { fill: #f6f8fa; stroke: #d0d7de }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .name { fill: #79c0ff } .option { fill: #8b949e } .item { fill: #7ee787 }
.escaped { fill: #e3b341 } rect { fill: #161b22; stroke: #30363d } }"""


def _prompts() -> dict[str, list[str]]:
    """For each form, the lines of the tool turn in the prompt of the embedded server's template, behind llama.cpp."""
    template = ChatTemplate(
        (ROOT / 'src/pydantic_ai_compat/demo/chat_template.jinja').read_text('utf-8'), llama_cpp=True
    )
    call = {'id': 'c1', 'type': 'function', 'function': {'name': 'get_weather', 'arguments': '{"city": "Paris"}'}}
    messages = [
        {'role': 'user', 'content': 'Weather in Paris?'},
        {'role': 'assistant', 'content': None, 'tool_calls': [call]},
        {'role': 'tool', 'tool_call_id': 'c1', 'content': [{'type': 'text', 'text': item} for item in ITEMS]},
    ]
    renderings = compare_forms(
        template, messages, None, forms=['json', 'text_parts', 'messages', 'text'], server='llama.cpp'
    )
    prompts = {rendering.form: rendering.prompt for rendering in renderings}
    return {
        form: (
            '<tool_response>'
            + prompts[name].partition('<tool_response>')[2].rpartition('</tool_response>')[0]
            + '</tool_response>'
        ).split('\n')
        for form, name in _NAMES.items()
    }


def picture() -> str:
    """The picture as SVG."""
    y, parts = 10, list[str]()
    for form, lines in _prompts().items():
        height = _PANEL + len(lines) * _LINE
        # The last option is the one that tells the forms apart.
        name, value = list(FORMS[form].items())[-1]
        options = f'{name}: "{value}"'
        parts.append(f'<rect x="8" y="{y}" width="{_WIDTH - 16}" height="{height}" rx="6"/>')
        parts.append(
            f'<text x="20" y="{y + 20}"><tspan class="name">{form}</tspan>  <tspan class="option">{escape(options)}</tspan></text>'
        )
        for number, line in enumerate(lines, start=1):
            parts.append(f'<text x="20" y="{y + 20 + number * _LINE}" xml:space="preserve">{_marked(line)}</text>')
        y += height + 10
    title = 'One tool result in the prompt of a model, in each of the four forms'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" role="img" aria-label="{title}">\n'
        f'<title>{title}</title>\n<style>\n{_STYLE}\n</style>\n' + '\n'.join(parts) + '\n</svg>\n'
    )


def _marked(line: str) -> str:
    """The line with the items marked: as the tool returned them, or escaped."""
    shown = escape(line)
    for item in ITEMS:
        for text, mark in ((item, 'item'), (item.replace('"', '\\"'), 'escaped')):
            shown = shown.replace(escape(text), f'<tspan class="{mark}">{escape(text)}</tspan>')
    return shown
