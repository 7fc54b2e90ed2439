"""A recorded stream becomes a test with one line: pip install 'pydantic-ai-compat[testing]', then pytest.

The fixture `recorded_openai` answers the model's requests with the recordings, here cut after every byte.
"""

import asyncio
from typing import Any

from pydantic_ai import Agent


def test_both_calls_of_the_stream_are_run(recorded_openai: Any) -> None:
    agent = Agent(recorded_openai('recordings/two_calls.sse', 'recordings/answer.sse', cut='bytes'))
    called: list[str] = []

    @agent.tool_plain
    def get_weather(city: str, days: int) -> str:
        """The weather of a city."""
        called.append(city)
        return 'sunny'

    @agent.tool_plain
    def get_time(zone: str) -> str:
        """The time in a zone."""
        called.append(zone)
        return '12:00'

    async def run() -> str:
        async with agent.run_stream('Weather and time?') as result:
            return await result.get_output()

    assert asyncio.run(run()) == 'Hello, this is a plain answer without tools.'
    assert sorted(called) == ['CET', 'Rome']
