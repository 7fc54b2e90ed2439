"""The dialects whose calls are JSON with the name inside.

Read from vLLM 0.32, SGLang 0.5.22 and the chat templates of the models; `docs/calls-in-text.md` shows each.
"""

from __future__ import annotations as _annotations

from dataclasses import replace

from .table import Dialect

__all__ = ('JSON_DIALECTS',)

_HERMES = Dialect(
    name='hermes',
    family='json',
    models='Hermes 2 to 4, Qwen2.5, Qwen3, QwQ, Granite 4, MiMo-VL, Ling v2, EXAONE 4',
    aliases=('qwen', 'qwen25', 'qwen3_json', 'granite4', 'trinity'),
    open=('<tool_call>\n',),
    close=('\n</tool_call>',),
    between='\n',
)
_LLAMA_JSON = Dialect(
    name='llama3_json',
    family='json',
    models='Llama 3.1 to 3.3, Llama 4, Qwen2.5-Coder, small models that answer in bare JSON',
    aliases=('llama4_json', 'llama3'),
    anchor='message',
    several='objects',
    between='; ',
    arguments_key='parameters',
)
_XLAM = Dialect(
    name='xlam',
    family='json',
    models='xLAM-2, Hammer',
    anchor='message',
    several='array',
)
_FENCE = Dialect(
    name='json_fence',
    family='json',
    models='Qwen2.5-Coder, Gemma 3 and small models that are told to call tools in a prompt',
    open=('```json\n',),
    close=('\n```',),
    between='\n',
    anchor='line',
    whole=True,
)
_HUNYUAN = Dialect(
    name='hunyuan_a13b',
    family='json',
    models='Hunyuan-A13B, Apriel 1.5',
    result='<tool_response>{result}</tool_response>',
    open=('<tool_calls>',),
    close=('</tool_calls>',),
    several='array',
    id_key='id',
)
_INTERNLM = Dialect(
    name='internlm',
    family='json',
    models='InternLM2, InternLM2.5, Intern-S1',
    aliases=('interns1',),
    open=('<|action_start|><|plugin|>\n',),
    close=('<|action_end|>',),
    special=True,
)

JSON_DIALECTS = (
    _HERMES,
    replace(_HERMES, name='ernie45', models='Ernie 4.5', aliases=()),
    Dialect(
        name='granite',
        family='json',
        models='Granite 3.0 and 3.1, Phi-4-mini',
        open=('<|tool_call|>',),
        other_close=('<|/tool_call|>',),
        several='array',
        indent=4,
        special=True,
    ),
    Dialect(
        name='granite-20b-fc',
        family='json',
        models='Granite 20B function calling',
        open=('<function_call> ',),
        between='\n',
    ),
    _HUNYUAN,
    replace(
        _HUNYUAN,
        name='jamba',
        result=Dialect.result,
        models='Jamba 1.6',
        item_lines=True,
        special=True,
        id_key=None,
    ),
    Dialect(
        name='minimax',
        family='json',
        models='MiniMax M1',
        open=('<tool_calls>\n',),
        close=('\n</tool_calls>',),
        between='\n',
        several='objects',
    ),
    Dialect(
        name='nemotron_json',
        family='json',
        models='Nemotron Nano v2',
        result='<TOOL_RESPONSE>[{result}]</TOOL_RESPONSE>',
        open=('<TOOLCALL>',),
        close=('</TOOLCALL>',),
        several='array',
    ),
    Dialect(
        name='mistral',
        family='json',
        thinking=('[THINK]', '[/THINK]'),
        models='Mistral 7B v0.3, Nemo, Small 3.0 and 3.1, Ministral 8B',
        result='[TOOL_RESULTS] {result}[/TOOL_RESULTS]',
        open=('[TOOL_CALLS] ',),
        several='array',
        id_key='id',
        special=True,
    ),
    Dialect(
        name='phi4_mini_json',
        family='json',
        models='Phi-4-mini, Firefunction v2',
        open=('functools',),
        several='array',
    ),
    replace(_INTERNLM, forms=(_INTERNLM.respelled({'><': '> <'}),)),
    Dialect(
        name='longcat',
        family='json',
        thinking=('<longcat_think>', '</longcat_think>'),
        models='LongCat-Flash',
        open=('<longcat_tool_call>\n',),
        close=('\n</longcat_tool_call>',),
        between='\n',
    ),
    Dialect(
        name='apertus',
        family='json',
        thinking=('<|inner_prefix|>', '<|inner_suffix|>'),
        models='Apertus 8B and 70B',
        aliases=('apertus2509',),
        open=('<|tools_prefix|>',),
        close=('<|tools_suffix|>',),
        several='array',
        single_key=True,
        special=True,
    ),
    _LLAMA_JSON,
    replace(
        _LLAMA_JSON,
        name='llama_python_tag',
        models='Llama 3.1 with built-in tools',
        aliases=(),
        open=('<|python_tag|>',),
        anchor='anywhere',
        special=True,
    ),
    replace(
        _XLAM,
        forms=(
            replace(_XLAM, open=('[TOOL_CALLS]',), anchor='anywhere'),
            replace(_XLAM, open=('<tool_call>',), close=('</tool_call>',), anchor='anywhere'),
            replace(_XLAM, open=('```json',), close=('```',), anchor='line'),
        ),
    ),
    replace(_FENCE, forms=(_FENCE.respelled({'json': ''}),)),
    Dialect(
        name='cohere_command3',
        family='json',
        thinking=('<|START_THINKING|>', '<|END_THINKING|>'),
        models='Command R7B, Command A',
        result='<|START_TOOL_RESULT|>{result}<|END_TOOL_RESULT|>',
        aliases=('cohere_command4',),
        open=('<|START_ACTION|>',),
        close=('<|END_ACTION|>',),
        several='array',
        item_lines=True,
        name_key='tool_name',
        arguments_key='parameters',
        id_key='tool_call_id',
        special=True,
    ),
    Dialect(
        name='command_r',
        family='json',
        models='Command R and R+',
        result='<results>\n{result}</results>',
        open=('Action:', '\n```json\n'),
        close=('```',),
        several='array',
        indent=4,
        name_key='tool_name',
        arguments_key='parameters',
        anchor='line',
    ),
)
"""The tables."""
