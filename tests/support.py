"""An endpoint in the process, the payloads that a server sends, and checks that several tests share."""

from __future__ import annotations as _annotations

import importlib.util
import json
import os
from collections import deque
from typing import Any, cast

import httpx2
import jsonschema
import pytest
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from pydantic_ai_compat import OpenAICompatibleModel

GLM_VARIANT = """\
model_variants:
  glm-5:
    type: import
    model: pydantic_ai_compat.OpenAICompatibleModel
    kw_args:
      model_name: "glm-5"
      base_url: "https://open.bigmodel.cn/api/paas/v4/"
      api_key: "${ZAI_API_KEY}"
      tool_return_as_list: "true"
      openai_system_prompt_role: "developer"
      openai_supports_strict_tool_definition: "false"
"""
"""A GLM at its own host, every value but the name of the class a text in quotes, as agentpool's users write them."""


def completion(**message: Any) -> dict[str, Any]:
    """A chat completion as a server sends it, with `message` as its one choice's message."""
    finish_reason = 'tool_calls' if message.get('tool_calls') else 'stop'
    return {
        'id': 'cmpl-1',
        'object': 'chat.completion',
        'created': 1790000000,
        'model': 'm',
        'choices': [
            {
                'index': 0,
                'finish_reason': finish_reason,
                'message': {'role': 'assistant', 'content': None, **message},
            }
        ],
        'usage': {'prompt_tokens': 1, 'completion_tokens': 1, 'total_tokens': 2},
    }


def tool_call(name: str, call_id: str = 'c1', /, **arguments: Any) -> dict[str, Any]:
    """A tool call as a server sends it."""
    return {'id': call_id, 'type': 'function', 'function': {'name': name, 'arguments': json.dumps(arguments)}}


class Wire:
    """An endpoint in the process: answers from a queue, then with `done`, and keeps what it was sent."""

    def __init__(self) -> None:
        self.requests: list[httpx2.Request] = []
        self.answers: deque[httpx2.Response | dict[str, Any]] = deque()
        self.client = httpx2.AsyncClient(transport=httpx2.MockTransport(self._answer))

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self.answers.popleft() if self.answers else completion(content='done')
        return answer if isinstance(answer, httpx2.Response) else httpx2.Response(200, json=answer)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [cast('dict[str, Any]', json.loads(request.content)) for request in self.requests]

    @property
    def provider(self) -> OpenAICompatibleProvider:
        return OpenAICompatibleProvider('wire', base_url='http://wire/v1', api_key='k', http_client=self.client)

    def model(self, **options: Any) -> OpenAICompatibleModel:
        return OpenAICompatibleModel('m', provider=self.provider, **options)

    def stock(self, **options: Any) -> OpenAIChatModel:
        return OpenAIChatModel('m', provider=self.provider, **options)


class SchemaValidator:
    """Checks values against a JSON schema of draft 7."""

    def __init__(self, schema: dict[str, Any]) -> None:
        validator = cast(Any, jsonschema).Draft7Validator
        validator.check_schema(schema)
        self._validator = validator(schema)

    def errors(self, value: object) -> list[str]:
        return [error.message for error in self._validator.iter_errors(value)]

    def is_valid(self, value: object) -> bool:
        return not self.errors(value)


def require_llama_cpp() -> None:
    """Skip without the extra `demo`; on a build server, where a skip would go unseen, fail."""
    if importlib.util.find_spec('xllamacpp') is None:
        reason = 'llama.cpp is not installed: pip install "pydantic-ai-compat[demo]"'
        if os.environ.get('CI'):
            pytest.fail(reason)
        pytest.skip(reason)
