"""A server that leaves calls in the text, because it has no parser for what its model writes: they are run all the same."""

from pydantic_ai import Agent

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.demo.server import LlamaCppServer

# A template that knows no tools, so the server looks for no calls.
TEMPLATE = """\
{%- for message in messages -%}
    {%- if message.role == 'tool' -%}
        {{- '<|im_start|>user\n<tool_response>\n' ~ message.content ~ '\n</tool_response><|im_end|>\n' -}}
    {%- else -%}
        {{- '<|im_start|>' ~ message.role ~ '\n' ~ message.content ~ '<|im_end|>\n' -}}
    {%- endif -%}
{%- endfor -%}
{{- '<|im_start|>assistant\n' -}}
"""

with LlamaCppServer(chat_template=TEMPLATE) as server:
    model = OpenAICompatibleModel(
        server.model_name,
        base_url=server.base_url,
        api_key='none',
        openai_chat_text_tool_calls=['hermes'],
    )
    agent = Agent(model)

    @agent.tool_plain
    def get_time(zone: str) -> str:
        """The time in a zone."""
        print(f'called for {zone}')
        return '12:00'

    print(agent.run_sync('What time is it? #texttool').output)

# Output:
# called for UTC
# Final answer after the tool result.
