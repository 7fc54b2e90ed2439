"""The dialects whose arguments stand in tags of their own.

Read from vLLM 0.32, SGLang 0.5.22 and the chat templates of the models; `docs/calls-in-text.md` shows each.
"""

from __future__ import annotations as _annotations

from dataclasses import replace

from .table import Dialect

__all__ = ('TAGGED_DIALECTS',)

_QWEN = Dialect(
    name='qwen3_coder',
    family='tagged',
    models='Qwen3-Coder, Qwen3.5 to 3.8, Nemotron 3, Step-3.5, Nanbeige',
    aliases=('qwen3_xml', 'step3p5', 'nemotron_v3', 'nanbeige'),
    section=(('<tool_call>\n',), ('\n</tool_call>',)),
    open=('<function=',),
    name_end=('>',),
    parameter_open=('<parameter=',),
    key_end=('>\n',),
    parameter_close=('\n</parameter>',),
    parameter_between='\n',
    close=('</function>',),
    between='\n',
    section_per_call=True,
    trims=True,
)
_GLM = Dialect(
    name='glm45',
    family='tagged',
    models='GLM-4.5, 4.5-Air, 4.6',
    aliases=('glm',),
    open=('<tool_call>',),
    parameter_open=('<arg_key>',),
    key_end=('</arg_key>', '\n<arg_value>'),
    parameter_close=('</arg_value>',),
    parameter_between='\n',
    close=('</tool_call>',),
    between='\n',
)
_HUNYUAN = Dialect(
    name='hy_v3',
    family='tagged',
    thinking=('<think:opensource>', '</think:opensource>'),
    models='Hunyuan Hy3',
    result='<tool_response:opensource>\n{result}\n</tool_response:opensource>',
    result_section=('<tool_responses:opensource>\n', '\n</tool_responses:opensource>'),
    aliases=('hunyuan',),
    section=(('<tool_calls:opensource>\n',), ('\n</tool_calls:opensource>',)),
    open=('<tool_call:opensource>',),
    name_end=('<tool_sep:opensource>',),
    parameter_open=('<arg_key:opensource>',),
    key_end=('</arg_key:opensource>', '\n<arg_value:opensource>'),
    parameter_close=('</arg_value:opensource>',),
    parameter_between='\n',
    close=('</tool_call:opensource>',),
    between='\n',
    special=True,
)
_INVOKE = Dialect(
    name='minimax_m2',
    family='tagged',
    models='MiniMax M2 to M2.7',
    result='<response>{result}</response>',
    aliases=('minimax-m2',),
    section=(('<minimax:tool_call>\n',), ('\n</minimax:tool_call>',)),
    open=('<invoke name=',),
    quote='"',
    name_end=('>',),
    parameter_open=('<parameter name=',),
    key_end=('>',),
    parameter_close=('</parameter>',),
    parameter_between='\n',
    close=('</invoke>',),
    between='\n',
)
_DSML = replace(
    _INVOKE,
    name='deepseek_v4',
    models='DeepSeek V4, V4.1',
    result='<tool_result>{result}</tool_result>',
    aliases=('deepseek_v41', 'deepseekv4', 'deepseekv41'),
    section=(('<｜DSML｜tool_calls>\n',), ('\n</｜DSML｜tool_calls>',)),
    open=('<｜DSML｜invoke name=',),
    parameter_open=('<｜DSML｜parameter name=',),
    parameter_close=('</｜DSML｜parameter>',),
    close=('</｜DSML｜invoke>',),
    attribute='string',
)
_M3 = Dialect(
    name='minimax_m3',
    family='tagged',
    models='MiniMax M3',
    aliases=('minimax-m3',),
    section=((']<]minimax[>[<tool_call>\n',), ('\n]<]minimax[>[</tool_call>',)),
    open=(']<]minimax[>[<invoke name=',),
    quote='"',
    name_end=('>',),
    parameter_open=(']<]minimax[>[<',),
    key_end=('>',),
    parameter_close=(']<]minimax[>[</{key}>',),
    close=(']<]minimax[>[</invoke>',),
    nested=']<]minimax[>[',
    between='\n',
    special=True,
)


def _spelled_dsml(block: str, other: str) -> tuple[Dialect, ...]:
    """The names of the block, and the bars, that models write for those of the template."""
    blocks = (block, other, 'toolcalls')
    bars = ('｜', '|', '｜｜', '‖', '||', ' | ', ' ｜ ')
    return tuple(
        _DSML.respelled({'tool_calls': name, '｜': bar})
        for bar in bars
        for name in blocks
        if (bar, name) != ('｜', block)
    )


TAGGED_DIALECTS = (
    _QWEN,
    replace(
        _QWEN,
        name='mimo',
        models='MiMo-7B RL, MiMo-V2',
        aliases=(),
        key_end=('>',),
        parameter_close=('</parameter>',),
        trims=False,
    ),
    replace(
        _QWEN.respelled({'<tool_call>': '<seed:tool_call>', '</tool_call>': '</seed:tool_call>'}),
        name='seed_oss',
        thinking=('<seed:think>', '</seed:think>'),
        models='Seed-OSS 36B',
        aliases=(),
        key_end=('>',),
        parameter_close=('</parameter>',),
    ),
    _GLM,
    replace(
        _GLM,
        name='glm47',
        models='GLM-4.7, 5, Ling 3, Laguna, IQuest-Q1',
        result='<tool_response>{result}</tool_response>',
        aliases=('ling3', 'poolside_v1', 'iquest_q1'),
        key_end=('</arg_key>', '<arg_value>'),
        parameter_between='',
        between='',
        forms=(replace(_GLM, open=('<iquest_tool_call>',), close=('</iquest_tool_call>',)),),
    ),
    replace(_HUNYUAN, forms=(_HUNYUAN.respelled({':opensource': ''}),)),
    _INVOKE,
    replace(_M3, forms=(_M3.respelled({']<]minimax[>[': ''}),)),
    replace(
        _INVOKE,
        name='dots',
        result=Dialect.result,
        models='dots.llm',
        aliases=(),
        section=(('<dots_function_call>\n',), ('\n</dots_function_call>',)),
    ),
    Dialect(
        name='step3',
        family='tagged',
        models='Step3 321B',
        section=(('<｜tool_calls_begin｜>\n',), ('\n<｜tool_calls_end｜>',)),
        open=('<｜tool_call_begin｜>', 'function', '<｜tool_sep｜>', '<steptml:invoke name='),
        quote='"',
        name_end=('>',),
        parameter_open=('<steptml:parameter name=',),
        key_end=('>',),
        parameter_close=('</steptml:parameter>',),
        close=('</steptml:invoke>', '<｜tool_call_end｜>'),
        between='\n',
        special=True,
    ),
    replace(
        _DSML.respelled({'tool_calls': 'function_calls'}),
        name='deepseek_v32',
        models='DeepSeek V3.2',
        result='<result>{result}</result>',
        result_section=('<function_results>\n', '\n</function_results>'),
        aliases=('deepseekv32',),
        forms=_spelled_dsml('function_calls', 'tool_calls'),
    ),
    replace(_DSML, forms=_spelled_dsml('tool_calls', 'function_calls')),
    Dialect(
        name='kimi_k3',
        family='tagged',
        models='Kimi K3',
        section=(('<|open|>tools<|sep|>',), ('<|close|>tools<|sep|>',)),
        open=('<|open|>call tool=',),
        quote='"',
        number_attribute='index',
        name_end=('<|sep|>',),
        parameter_open=('<|open|>argument key=',),
        attribute='type',
        key_end=('<|sep|>',),
        parameter_close=('<|close|>argument<|sep|>',),
        close=('<|close|>call<|sep|>',),
        special=True,
    ),
)
"""The tables."""
