"""The dialects whose calls are Python's.

Read from vLLM 0.32, SGLang 0.5.22 and the chat templates of the models; `docs/calls-in-text.md` shows each.
"""

from __future__ import annotations as _annotations

from dataclasses import replace

from .table import Dialect

__all__ = ('PYTHON_DIALECTS',)

_PYTHONIC = Dialect(
    name='pythonic',
    family='python',
    models='Llama 3.2 1B and 3B, ToolACE, Gemma 3 by a prompt',
    anchor='message',
    several='array',
)
_LLAMA4_JSON = Dialect(name='llama4_pythonic', family='json', arguments_key='parameters', special=True)
_LFM = replace(
    _PYTHONIC,
    name='lfm2',
    models='LFM2, LFM2.5',
    result='<|tool_response_start|>{result}<|tool_response_end|>',
    open=('<|tool_call_start|>',),
    close=('<|tool_call_end|>',),
    anchor='anywhere',
    special=True,
)

PYTHON_DIALECTS = (
    replace(
        _PYTHONIC,
        forms=(
            replace(_PYTHONIC, open=('<|python_tag|>',), anchor='anywhere'),
            replace(_PYTHONIC, open=('```tool_code',), close=('```',), anchor='line'),
        ),
    ),
    replace(
        _PYTHONIC,
        name='llama4_pythonic',
        models='Llama 4 Scout and Maverick',
        open=('<|python_start|>',),
        close=('<|python_end|>',),
        anchor='anywhere',
        special=True,
        # The model's own template writes JSON behind both marks, and the model between them.
        # https://github.com/vllm-project/vllm/issues/16214
        forms=(
            _PYTHONIC,
            replace(_LLAMA4_JSON, open=('<|python_start|>',), close=('<|python_end|>',)),
            replace(_LLAMA4_JSON, open=('<|python_start|><|python_end|>',)),
        ),
    ),
    Dialect(
        name='olmo3',
        family='python',
        models='Olmo 3',
        open=('<function_calls>\n',),
        close=('\n</function_calls>',),
        between='\n',
        several='lines',
        brackets=False,
    ),
    replace(_LFM, forms=(replace(_LFM, family='json'),)),
    Dialect(
        name='minicpm3',
        family='python',
        thinking=('<|thought_start|>', '<|thought_end|>'),
        models='MiniCPM3-4B',
        open=('<|tool_call_start|>', '\n```python\n'),
        close=('\n```', '\n<|tool_call_end|>'),
        between='\n',
        several='lines',
        brackets=False,
        special=True,
    ),
)
"""The tables."""
