"""Rules on the JSON schemas of tools and of structured output, as far as hosts refuse what JSON Schema allows."""

from __future__ import annotations as _annotations

from ..rule import ErrorText, HistoryRule

__all__ = ('SCHEMA_RULES',)

_INLINE = "profile={'json_schema_transformer': 'inline_defs'}"
_GOOGLE = "profile={'json_schema_transformer': 'google_openapi'}"
_STRICT = (
    "profile={'json_schema_transformer': 'openai'} and strict=True on the tool, which writes what a grammar cannot hold "
    'into the description'
)
_GEMINI_DEFS = 'https://github.com/openswarm-ai/openswarm/issues/24'

SCHEMA_RULES = (
    HistoryRule(
        'R12',
        'The schema of a tool or of an output holds only the keywords and forms that the host reads.',
        (
            ErrorText(
                'Moonshot',
                'tools.function.parameters is not a valid moonshot flavored json schema, details: <{}>',
                'https://github.com/MoonshotAI/kimi-cli/issues/2061',
            ),
            ErrorText(
                'Fireworks',
                'JSON Schema not supported: could not understand the instance',
                'https://github.com/earendil-works/pi/issues/5352',
            ),
            ErrorText(
                'TGI',
                'Input validation error: grammar is not valid: {}',
                'https://github.com/huggingface/text-generation-inference/pull/2309',
            ),
            ErrorText(
                'llama.cpp',
                'JSON schema conversion failed:',
                'https://github.com/ggml-org/llama.cpp/issues/14227',
            ),
            ErrorText(
                'llama.cpp',
                "JSON schema conversion failed: Pattern must start with '^' and end with '$'",
                'https://github.com/ggml-org/llama.cpp/issues/26930',
                fix=_STRICT,
            ),
            ErrorText(
                'llama.cpp',
                'Failed to initialize samplers: failed to parse grammar',
                'https://github.com/ggml-org/llama.cpp/issues/26596',
                fix=_STRICT,
            ),
            ErrorText(
                'Gemini',
                "Invalid JSON payload received. Unknown name '{}' at 'tools[{}].function_declarations[{}]",
                _GEMINI_DEFS,
                fix=_GOOGLE,
            ),
            ErrorText(
                'Gemini',
                'GenerateContentRequest.tools[{}].function_declarations[{}].parameters',
                'https://github.com/danny-avila/LibreChat/issues/6971',
                fix=_GOOGLE,
            ),
            ErrorText(
                'Gemini',
                'functionDeclaration `parameters{}` schema',
                'https://github.com/google-gemini/gemini-cli/issues/2282',
                fix=_GOOGLE,
            ),
        ),
        _INLINE,
    ),
    HistoryRule(
        'R13',
        'The limit of an answer has the name `max_tokens`.',
        (
            ErrorText(
                'Mistral, vLLM before 0.6',
                '"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted"',
                'https://github.com/editor-code-assistant/eca/issues/231',
            ),
        ),
        'openai_chat_supports_max_completion_tokens=False',
    ),
)
