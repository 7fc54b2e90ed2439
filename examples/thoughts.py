"""A stream whose thoughts stand between tags in the text: they become a part of their own."""

import asyncio

from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelRequest, TextPart, ThinkingPart

from pydantic_ai_compat import OpenAICompatibleModel
from pydantic_ai_compat.demo.server import LlamaCppServer


async def main(server: LlamaCppServer) -> None:
    model = OpenAICompatibleModel(server.model_name, base_url=server.base_url, api_key='none')
    question = ModelRequest.user_text_prompt('A simple question. #thinktext')
    async with model, model_request_stream(model, [question]) as stream:
        async for _ in stream:
            pass
    for part in stream.get().parts:
        if isinstance(part, ThinkingPart | TextPart):
            print(part.part_kind, repr(part.content))


with LlamaCppServer() as server:
    asyncio.run(main(server))

# Output:
# thinking '\nSimple question.\n'
# text '\n\nThe answer is 42.'
