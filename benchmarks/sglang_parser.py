"""SGLang's parsers of calls in the text, on texts in pieces; run by a Python that has `llm-router-utils`.

It reads a list of `{parser, tools, pieces, limit}` as JSON and writes a line with `{cpu, done, version}` for
each. Nothing of this package is imported, since `llm-router-utils` wants an `openai` of its own.
"""

from __future__ import annotations as _annotations

import importlib
import importlib.metadata
import json
import sys
import time
from typing import Any

_PACKAGE = 'llm-router-utils'
_ROOM = 'llm_router_utils.sglang.srt'


def parse(parser: str, tools: list[dict[str, Any]], pieces: list[str], limit: float) -> dict[str, Any]:
    """What the pieces cost.

    Args:
        parser: The name that SGLang has for the parser.
        tools: The declared tools, in the API's own form.
        pieces: The text.
        limit: CPU seconds after which no further piece is fed.

    Returns:
        CPU seconds, the part of the pieces that was fed, and the version of the package.
    """
    tool: Any = importlib.import_module(f'{_ROOM}.entrypoints.openai.protocol').Tool
    module: Any = importlib.import_module(f'{_ROOM}.function_call.function_call_parser')
    reader = module.FunctionCallParser([tool.model_validate(one) for one in tools], parser)
    spent: list[float] = []
    start = time.process_time()
    for piece in pieces:
        reader.parse_stream_chunk(piece)
        spent.append(time.process_time() - start)
        if spent[-1] > limit:
            break
    return {'cpu': spent[-1], 'done': len(spent) / len(pieces), 'version': importlib.metadata.version(_PACKAGE)}


if __name__ == '__main__':
    for asked in json.load(sys.stdin):
        print(json.dumps(parse(**asked)), flush=True)
