"""Rules on the tools of a request: which hosts take none, and which take only some ways to ask for a call."""

from __future__ import annotations as _annotations

from ..rule import ErrorText, HistoryRule

__all__ = ('TOOL_RULES',)

TOOL_RULES = (
    HistoryRule(
        'R07',
        'The server and the model take tools.',
        (
            ErrorText('Ollama', 'does not support tools', 'https://github.com/ollama/ollama/issues/14795'),
            ErrorText(
                'llama.cpp',
                'tools param requires --jinja flag',
                'https://github.com/containers/ramalama/issues/988',
                fix="openai_chat_tools='text', or start the server with `--jinja`",
            ),
            ErrorText(
                'llama.cpp before 2025',
                'Unsupported param: tools',
                'https://github.com/ggml-org/llama.cpp/issues/10920',
            ),
            ErrorText(
                'vLLM, NVIDIA NIM, Azure AI',
                '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
                'https://github.com/vllm-project/vllm/issues/9986',
                fix="openai_chat_tools='text', or start the server with both flags",
            ),
            ErrorText(
                'vLLM of 2024, RunPod',
                'ChatCompletionRequest tool_choice Extra inputs are not permitted',
                'https://github.com/runpod-workers/worker-vllm/issues/85',
            ),
            ErrorText(
                'Azure AI inference',
                'Request included unsupported tool use',
                'https://github.com/deepseek-ai/DeepSeek-R1/issues/662',
            ),
            ErrorText(
                'Azure OpenAI',
                'Functions are not supported for this API version or this model version.',
                'https://github.com/MicrosoftDocs/azure-docs/issues/121504',
            ),
            ErrorText(
                'OpenAI', 'tools is not supported in this model.', 'https://github.com/sbintuitions/flexeval/pull/242'
            ),
            ErrorText(
                'OpenRouter, Kilo',
                'No endpoints found that support tool use.',
                'https://github.com/evalstate/fast-agent/issues/122',
            ),
            ErrorText(
                'Groq', '`tool calling` is not supported with this model', 'https://github.com/vercel/ai/pull/11516'
            ),
            ErrorText(
                'xAI',
                'The model does not support tool use or function calling but tools or tool_choice have been specified on the request.',
                'https://github.com/google/adk-python/issues/952',
            ),
            ErrorText(
                'DeepSeek',
                'does not support Function Calling',
                'https://github.com/spring-projects/spring-ai/pull/2643',
            ),
            ErrorText(
                'Perplexity',
                'Tool calling is not supported for this model',
                'https://github.com/pipecat-ai/pipecat/pull/4862',
            ),
            ErrorText(
                'Bedrock',
                "This model doesn't support tool use.",
                'https://github.com/langchain-ai/langchain-aws/issues/447',
            ),
            ErrorText(
                'Bedrock',
                "This model doesn't support tool use in streaming mode.",
                'https://github.com/earendil-works/pi/issues/3739',
            ),
            ErrorText(
                'LiteLLM',
                'UnsupportedParamsError: {} does not support parameters: {}tools',
                'https://github.com/BerriAI/litellm/issues/10124',
            ),
            ErrorText(
                'LiteLLM of 2024',
                'Function calling is not supported by {} To add it to the prompt, set litellm.add_function_to_prompt',
                'https://github.com/BerriAI/litellm/issues/1827',
            ),
            ErrorText('watsonx', 'model_no_support_for_function', 'https://github.com/BerriAI/litellm/issues/7213'),
            ErrorText(
                'Baidu Wenxin',
                'function calling is not supported yet',
                'https://github.com/langgenius/dify/issues/7259',
            ),
            ErrorText(
                'Hugging Face router',
                'The following parameters are not supported for this model: tools',
                'https://github.com/huggingface/smolagents/issues/1808',
            ),
            ErrorText(
                'Xinference', 'Only [{}] support tool calls', 'https://github.com/xorbitsai/inference/issues/2146'
            ),
        ),
        "openai_chat_tools='text'",
    ),
    HistoryRule(
        'R08',
        'A forced choice of tool is one that the host takes.',
        (
            ErrorText(
                'LM Studio',
                "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
                'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/670',
            ),
            ErrorText(
                'DeepSeek',
                'Thinking mode does not support this tool_choice',
                'https://github.com/deepseek-ai/DeepSeek-V3/issues/1376',
            ),
            ErrorText(
                'DashScope',
                'The tool_choice parameter does not support being set to required or object in thinking mode',
                'https://github.com/cloudwego/eino/issues/994',
            ),
            ErrorText(
                'OpenRouter',
                "No endpoints found that support the provided 'tool_choice' value.",
                'https://github.com/zed-industries/zed/issues/36094',
            ),
            ErrorText(
                'Bedrock',
                "This model doesn't support the toolConfig.toolChoice.any field.",
                'https://github.com/strands-agents/harness-sdk/issues/1241',
            ),
            ErrorText(
                'mlx-openai-server',
                "Tool choice must be 'auto' when tools are provided.",
                'https://github.com/cubist38/mlx-openai-server/issues/49',
            ),
        ),
        "profile={'supports_forced_tool_choice': False}, which sends `auto` instead",
    ),
    HistoryRule(
        'R09',
        'The host takes `parallel_tool_calls`.',
        (
            ErrorText(
                'OpenAI, Azure',
                "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
                'https://github.com/evalstate/fast-agent/issues/279',
            ),
        ),
        "openai_unsupported_model_settings=['parallel_tool_calls']",
    ),
    HistoryRule(
        'R10',
        'The host takes `strict` in tool definitions, and takes tools that differ in it.',
        (
            ErrorText(
                'Cerebras',
                "Tools with mixed values for 'strict' are not allowed.",
                'https://github.com/RooCodeInc/Roo-Code/issues/10334',
            ),
            ErrorText(
                'Cerebras',
                'Tools with strict=True are not supported by this model',
                'https://github.com/livekit/agents/pull/3134',
            ),
            ErrorText(
                'Cohere',
                "unknown field: parameter 'strict' is not a valid field.",
                'https://github.com/OpenRouterTeam/openrouter-examples/issues/71',
            ),
        ),
        'openai_supports_strict_tool_definition=False',
    ),
    HistoryRule(
        'R11',
        'Tools do not go with a JSON response format.',
        (
            ErrorText(
                'Groq',
                'response_format json_object cannot be combined with tool/function calling',
                'https://github.com/agno-agi/agno/issues/1065',
            ),
        ),
        "openai_chat_tools='text', which asks for the JSON in the prompt",
    ),
)
