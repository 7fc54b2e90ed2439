"""A tool returns a list, and the model gets each item as a result of its own."""

from pydantic_ai import Agent

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.demo.server import LlamaCppServer

with LlamaCppServer() as server:  # stands in for your server
    model = OpenAICompatibleModel(
        server.model_name,
        base_url=server.base_url,
        api_key='none',
        tool_return_as_list=True,
        openai_chat_tool_return_list_format='messages',
    )
    agent = Agent(model)

    @agent.tool_plain
    def get_weather(city: str, days: int) -> list[str]:
        """The weather of a city, an entry for each day."""
        print(f'called for {days} days in {city}')
        return ['sunny, 18 °C', 'rain, 11 °C']

    print(agent.run_sync('Weather in Paris?').output)

# Output:
# called for 2 days in Paris
# Final answer after the tool result.
