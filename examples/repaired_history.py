"""Two workers wrote a result for the same call: the history is repaired on the copy that is sent, and one warning says so."""

import warnings

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.demo.server import LlamaCppServer

stored: list[ModelMessage] = [
    ModelRequest.user_text_prompt('Weather in Paris?'),
    ModelResponse(parts=[ToolCallPart('get_weather', {'city': 'Paris'}, 'call_1')]),
    ModelRequest(
        parts=[ToolReturnPart('get_weather', 'sunny', 'call_1'), ToolReturnPart('get_weather', 'rain', 'call_1')]
    ),
    ModelResponse(parts=[TextPart('Sunny.')]),
]

with LlamaCppServer() as server, warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    model = OpenAICompatibleModel(server.model_name, base_url=server.base_url, api_key='none')
    answer = Agent(model).run_sync('And tomorrow?', message_history=stored)

print(answer.output)
for warning in caught:
    print(warning.category.__name__, str(warning.message).splitlines()[1].strip(), sep=': ')

# Output:
# Final answer after the tool result.
# HistoryRepairWarning: H05 at messages[3]: the call 'call_1' has a result already
