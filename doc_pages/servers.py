"""The servers that have a page, and of each what neither the code nor a recording knows: how it is reached and set up."""

from __future__ import annotations as _annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ('PAGES', 'ServerPage')


@dataclass(frozen=True, kw_only=True)
class ServerPage:
    """One page under `docs/servers`."""

    name: str
    """The file's name, and that of the variant."""

    title: str
    base_url: str
    model: str
    """A model's name as an example."""

    key: str = ''
    """The environment variable with the key; empty for a server that asks for none."""

    start: str = ''
    """How it is started, for one that runs on a machine of one's own."""

    options: Mapping[str, str] = field(default_factory=dict[str, str])
    """The options that fit, each with the value to write."""

    policy: str = ''
    """The policy to name, where the host does not name it already."""

    view: str = ''
    """Its name in `templates.SERVERS`."""

    recording: str = ''
    """The file under `tests/probing/recordings`, without `.json`."""

    seen: str
    """The version or the day that the facts are from, and how they are known."""

    known_as: tuple[str, ...]
    """What tables of rules and of quirks call it."""

    notes: tuple[str, ...] = ()
    """Sentences about what to know before the first request."""


_OWN = {'tool_return_as_list': 'true', 'openai_chat_tool_return_list_format': 'messages'}
_HOSTED = {'tool_return_as_list': 'true', 'openai_chat_tool_return_list_format': 'text'}

PAGES = (
    ServerPage(
        name='vllm',
        title='vLLM',
        base_url='http://localhost:8000/v1',
        model='Qwen/Qwen3-8B',
        start='vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser hermes --reasoning-parser qwen3',
        options=_OWN,
        policy='vllm',
        view='vllm',
        recording='vllm',
        seen='vLLM 0.32, run in November 2026; older versions from their sources',
        known_as=('vLLM',),
        notes=(
            'Without `--enable-auto-tool-choice` and a `--tool-call-parser` for the model, calls stay in the text.',
            (
                'Up to 0.19 GLM templates show the model a Python dict, or nothing, in place of a tool result; start the '
                'server with `--chat-template-content-format string` there.'
            ),
        ),
    ),
    ServerPage(
        name='sglang',
        title='SGLang',
        base_url='http://localhost:30000/v1',
        model='zai-org/GLM-4.6',
        start='python -m sglang.launch_server --model-path zai-org/GLM-4.6 --tool-call-parser glm45 --reasoning-parser glm45',
        options=_OWN,
        policy='sglang',
        view='sglang',
        seen='SGLang 0.5.23, read in its source',
        known_as=('SGLang',),
        notes=('Ids of Kimi models count over the whole history: leave them as they came, which is the default.',),
    ),
    ServerPage(
        name='llama-cpp',
        title='llama.cpp',
        base_url='http://localhost:8080/v1',
        model='qwen3-8b',
        start='llama-server -m qwen3-8b.gguf --jinja --port 8080',
        options={'chat_template': 'server'},
        policy='llamacpp',
        view='llama.cpp',
        recording='llamacpp',
        seen='llama.cpp b11549, run in November 2026',
        known_as=('llama.cpp',),
        notes=(
            (
                'It is the one server that tells its chat template, so `chat_template: server` takes up what fits it: the '
                'form of lists, the field of thoughts, the roles.'
            ),
            'A template that raises shows in the answer as `Unable to generate parser for this template`.',
        ),
    ),
    ServerPage(
        name='llama-cpp-python',
        title='llama-cpp-python',
        base_url='http://localhost:8000/v1',
        model='qwen3-8b',
        start='python -m llama_cpp.server --model qwen3-8b.gguf --chat_format chatml-function-calling',
        options={**_HOSTED, 'openai_chat_tool_call_content': 'empty', 'supports_json_schema_output': 'false'},
        policy='llama-cpp-python',
        recording='llama-cpp-python',
        seen='llama-cpp-python 0.3.36, run in November 2026',
        known_as=('llama-cpp-python',),
        notes=('It ignores `tool_choice`, and a model that writes calls as text is not read by it.',),
    ),
    ServerPage(
        name='ollama',
        title='Ollama',
        base_url='http://localhost:11434/v1',
        model='qwen3:8b',
        start='ollama serve',
        options=_HOSTED,
        policy='ollama',
        view='ollama',
        seen='Ollama of 2026-08-21, read in its source',
        known_as=('Ollama',),
        notes=(
            'Of a list of text parts it makes two tool messages without call id and name, so one text is the safe form.',
            'Its context is short unless `OLLAMA_CONTEXT_LENGTH` says otherwise; what goes beyond it is cut off in front.',
        ),
    ),
    ServerPage(
        name='lm-studio',
        title='LM Studio',
        base_url='http://localhost:1234/v1',
        model='qwen3-8b',
        start='lms server start',
        options=_HOSTED,
        policy='llamacpp',
        seen='reports of its users up to November 2026; its source is closed',
        known_as=('LM Studio',),
        notes=(
            'An error of the chat template comes with HTTP 200 as an event of the stream, and is raised here.',
            '`No user query found in messages.` is the template of Qwen3: the policy gives it a user turn.',
        ),
    ),
    ServerPage(
        name='tgi',
        title='Text Generation Inference',
        base_url='http://localhost:8080/v1',
        model='tgi',
        start='docker run --gpus all -p 8080:80 ghcr.io/huggingface/text-generation-inference --model-id Qwen/Qwen3-8B',
        options=_HOSTED,
        policy='tgi',
        view='tgi',
        seen='its archived source of 2026-01-08',
        known_as=('TGI', 'Text Generation Inference'),
        notes=('Streams with tools end without a finish reason; it is inferred.',),
    ),
    ServerPage(
        name='transformers-serve',
        title='transformers serve',
        base_url='http://localhost:8000/v1',
        model='Qwen/Qwen3-8B',
        start='transformers serve Qwen/Qwen3-8B',
        options={**_OWN, 'supports_json_schema_output': 'false', 'supports_json_object_output': 'false'},
        policy='vllm',
        view='transformers',
        recording='transformers-serve',
        seen='transformers 5.19, run in November 2026',
        known_as=('transformers serve',),
        notes=(
            'It closes a kept-alive connection after an error of its own.',
            'A cut call is dropped by the server, with the finish reason `stop` and no text.',
        ),
    ),
    ServerPage(
        name='litellm',
        title='LiteLLM',
        base_url='http://localhost:4000/v1',
        model='my-model',
        key='LITELLM_KEY',
        start='litellm --config litellm.yaml --port 4000',
        options=_HOSTED,
        policy='standard',
        view='litellm',
        recording='litellm',
        seen='LiteLLM 1.108 in front of llama.cpp, run in November 2026; other providers from the source of 1.110',
        known_as=('LiteLLM',),
        notes=(
            'It hides which server is behind it: name the policy of that one in `openai_chat_history_policy`.',
            'For DeepSeek, Moonshot, Mistral and SambaNova it glues text parts together; one text is the safe form.',
        ),
    ),
    ServerPage(
        name='zai',
        title='Z.AI (GLM)',
        base_url='https://api.z.ai/api/paas/v4',
        model='glm-5',
        key='ZAI_API_KEY',
        options=_HOSTED,
        seen='reports of its users up to November 2026',
        known_as=('Z.AI', 'GLM'),
        notes=(
            'In China the address is `https://open.bigmodel.cn/api/paas/v4`; the policy follows from either host.',
            'Arguments of a call stream in pieces only with `settings: {extra_body: {tool_stream: true}}`.',
        ),
    ),
    ServerPage(
        name='deepseek',
        title='DeepSeek',
        base_url='https://api.deepseek.com/v1',
        model='deepseek-chat',
        key='DEEPSEEK_API_KEY',
        options=_HOSTED,
        seen='reports of its users up to November 2026',
        known_as=('DeepSeek',),
        notes=(
            'A thinking model wants its thoughts back beside calls: policy `deepseek-thinking`.',
            'Lists of text parts were refused up to April 2026.',
        ),
    ),
    ServerPage(
        name='moonshot',
        title='Moonshot (Kimi)',
        base_url='https://api.moonshot.ai/v1',
        model='kimi-k2-0905-preview',
        key='MOONSHOT_API_KEY',
        options=_HOSTED,
        seen='reports of its users up to November 2026',
        known_as=('Moonshot', 'Kimi'),
        notes=('A thinking model wants its thoughts back beside calls: policy `moonshot-thinking`.',),
    ),
    ServerPage(
        name='dashscope',
        title='DashScope (Qwen)',
        base_url='https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
        model='qwen-plus',
        key='DASHSCOPE_API_KEY',
        options=_HOSTED,
        seen='reports of its users up to November 2026',
        known_as=('DashScope',),
        notes=('Models for text alone refuse content lists.',),
    ),
    ServerPage(
        name='minimax',
        title='MiniMax',
        base_url='https://api.minimax.io/v1',
        model='MiniMax-M2',
        key='MINIMAX_API_KEY',
        options=_HOSTED,
        seen='reports of its users up to November 2026',
        known_as=('MiniMax',),
        notes=('Refusals carry the code 2013 and few words; `pydantic-ai-compat explain` knows them.',),
    ),
    ServerPage(
        name='mistral',
        title='Mistral',
        base_url='https://api.mistral.ai/v1',
        model='mistral-medium-latest',
        key='MISTRAL_API_KEY',
        options=_HOSTED,
        seen='mistral-common 1.11, whose validator runs in our tests, and reports of its users',
        known_as=('Mistral', 'Mistral and Devstral'),
        notes=(
            'Ids of calls have nine letters and digits there; ids of another provider are mapped, the same way each time.',
            'For Devstral behind a server of your own, name the policy `mistral` yourself.',
        ),
    ),
    ServerPage(
        name='groq',
        title='Groq',
        base_url='https://api.groq.com/openai/v1',
        model='openai/gpt-oss-120b',
        key='GROQ_API_KEY',
        options=_HOSTED,
        seen='reports of its users up to November 2026',
        known_as=('Groq',),
        notes=('Lists of text parts in a tool message were refused in March 2025.',),
    ),
    ServerPage(
        name='openrouter',
        title='OpenRouter',
        base_url='https://openrouter.ai/api/v1',
        model='z-ai/glm-4.6',
        key='OPENROUTER_API_KEY',
        options=_HOSTED,
        policy='standard',
        seen='reports of its users up to November 2026',
        known_as=('OpenRouter',),
        notes=(
            (
                'The provider behind a model changes from request to request: name one in '
                '`settings: {extra_body: {provider: {only: [...]}}}`, and its policy beside it.'
            ),
        ),
    ),
)
