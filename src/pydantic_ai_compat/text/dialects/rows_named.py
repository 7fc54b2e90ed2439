"""The dialects with the name before a literal that holds the arguments.

Read from vLLM 0.32, SGLang 0.5.22 and the chat templates of the models; `docs/calls-in-text.md` shows each.
"""

from __future__ import annotations as _annotations

from dataclasses import replace

from .table import Dialect

__all__ = ('NAMED_DIALECTS',)

_MISTRAL = Dialect(
    name='mistral_v13',
    family='named',
    thinking=('[THINK]', '[/THINK]'),
    models='Magistral 1.1 and later, Devstral 2, Ministral 3, Mistral Medium 3 and Large 3',
    result='[TOOL_RESULTS]{result}[/TOOL_RESULTS]',
    open=('[TOOL_CALLS]',),
    name_end=('[ARGS]',),
    other_name_ends=(('',),),
    special=True,
)
_DEEPSEEK = Dialect(
    name='deepseek_v3',
    family='named',
    models='DeepSeek V3, R1 and their distillations',
    result='<｜tool▁output▁begin｜>{result}<｜tool▁output▁end｜>',
    result_section=('<｜tool▁outputs▁begin｜>', '<｜tool▁outputs▁end｜>'),
    aliases=('deepseekv3',),
    section=(('<｜tool▁calls▁begin｜>',), ('<｜tool▁calls▁end｜>',)),
    open=('<｜tool▁call▁begin｜>', 'function', '<｜tool▁sep｜>'),
    name_end=('\n```json\n',),
    other_name_ends=(('',),),
    close=('\n```', '<｜tool▁call▁end｜>'),
    between='\n',
    special=True,
)
_DEEPSEEK_31 = Dialect(
    name='deepseek_v31',
    family='named',
    models='DeepSeek V3.1, V3.1-Terminus',
    result='<｜tool▁output▁begin｜>{result}<｜tool▁output▁end｜>',
    aliases=('deepseekv31',),
    section=(('<｜tool▁calls▁begin｜>',), ('<｜tool▁calls▁end｜>',)),
    open=('<｜tool▁call▁begin｜>',),
    name_end=('<｜tool▁sep｜>',),
    close=('<｜tool▁call▁end｜>',),
    special=True,
)
_KIMI = Dialect(
    name='kimi_k2',
    family='named',
    models='Kimi K2, K2-Thinking, K2.5, K2.6',
    section=(('<|tool_calls_section_begin|>',), ('<|tool_calls_section_end|>',)),
    open=('<|tool_call_begin|>',),
    name_prefix='functions.',
    name_is_id=True,
    name_end=('<|tool_call_argument_begin|>',),
    close=('<|tool_call_end|>',),
    special=True,
)
_HARMONY = Dialect(
    name='openai',
    family='named',
    models='gpt-oss 20B and 120B',
    aliases=('gpt-oss', 'harmony'),
    open=('<|channel|>', 'commentary to=functions.'),
    name_end=(' <|constrain|>', 'json', '<|message|>'),
    close=('<|call|>',),
    between='<|start|>assistant',
    channels=True,
    special=True,
)
_FUNCTIONARY = Dialect(
    name='functionary_v32',
    family='named',
    models='Functionary v3.2',
    open=('>>>',),
    name_end=('\n',),
    other_name_ends=(('',),),
)

NAMED_DIALECTS = (
    replace(
        _MISTRAL,
        name='mistral_v11',
        models='Mistral Small 3.2, Magistral 1.0, Devstral 2507',
        result='[TOOL_RESULTS]{id}[TOOL_CONTENT]{result}[/TOOL_RESULTS]',
        id_open='[CALL_ID]',
    ),
    replace(_MISTRAL, forms=(replace(_MISTRAL, id_open='[CALL_ID]'),)),
    replace(_DEEPSEEK, forms=(_DEEPSEEK.respelled({'▁': '_'}),)),
    replace(_DEEPSEEK_31, forms=(_DEEPSEEK_31.respelled({'▁': '_'}),)),
    replace(_KIMI, forms=(_KIMI.respelled({'calls_section': 'call_section'}),)),
    Dialect(
        name='functionary_v31',
        family='named',
        models='Functionary v3.1, Llama 3.1 with custom tools',
        open=('<function=',),
        name_end=('>',),
        close=('</function>',),
    ),
    replace(_FUNCTIONARY, forms=(replace(_FUNCTIONARY, open=(), anchor='message'),)),
    # The template puts the recipient behind the role, and a server gives the text from there on.
    replace(_HARMONY, forms=(replace(_HARMONY, open=(), anchor='message'),)),
    Dialect(
        name='solar',
        family='named',
        models='Solar-Open 100B',
        section=(('<|tool_calls|>',), ('<|calls|>',)),
        open=('<|tool_call:begin|>',),
        id_end='<|tool_call:name|>',
        name_end=('<|tool_call:args|>',),
        close=('<|tool_call:end|>',),
        special=True,
    ),
    Dialect(
        name='functiongemma',
        family='named',
        models='FunctionGemma 270M',
        open=('<start_function_call>', 'call:'),
        close=('<end_function_call>',),
        string_mark='<escape>',
        typed_strings=True,
        special=True,
    ),
    Dialect(
        name='gemma4',
        family='named',
        thinking=('<|channel>thought', '<channel|>'),
        models='Gemma 4',
        result='<|tool_response>response:{name}{value:<|"|>{result}<|"|>}<tool_response|>',
        open=('<|tool_call>', 'call:'),
        close=('<tool_call|>',),
        string_mark='<|"|>',
        special=True,
    ),
)
"""The tables."""
