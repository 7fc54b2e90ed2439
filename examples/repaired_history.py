"""A run was cancelled between a call and its result: the history is repaired on the copy that is sent."""

import warnings

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.demo.server import LlamaCppServer

stored: list[ModelMessage] = [
    ModelRequest.user_text_prompt('Weather in Paris?'),
    ModelResponse(parts=[ToolCallPart('get_weather', {'city': 'Paris'}, 'call_1')]),
    ModelRequest.user_text_prompt('Are you there?'),
]

with LlamaCppServer() as server, warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    model = OpenAICompatibleModel(server.model_name, base_url=server.base_url, api_key='none')
    answer = Agent(model).run_sync('Go on.', message_history=stored)

print(answer.output)
print(*(str(warning.message).partition('. ')[0] for warning in caught), sep='\n')
