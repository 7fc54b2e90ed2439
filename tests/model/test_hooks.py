"""A guard of the hooks that the model overrides, on the lowest and the newest pydantic-ai.

Some have no docstring that says so, such as `_map_json_schema`; each is a method of `OpenAIChatModel` or of its response.
"""

from __future__ import annotations as _annotations

import inspect
from typing import Any

import pytest
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIStreamedResponse

from pydantic_ai_compat import OpenAICompatibleModel

MODEL = OpenAICompatibleModel('m', base_url='http://x/v1', api_key='k')
RESPONSE: Any = MODEL._streamed_response_cls


def overridden() -> list[Any]:
    found: list[Any] = []
    for ours, upstream in ((OpenAICompatibleModel, OpenAIChatModel), (RESPONSE, OpenAIStreamedResponse)):
        own = ours.__mro__[: ours.__mro__.index(upstream)]
        for position, owner in enumerate(own):
            for name, value in vars(owner).items():
                if any(name in vars(above) for above in own[position + 1 :]):
                    continue  # Its own guard stands there.
                function = value.fget if isinstance(value, property) else getattr(value, 'func', value)
                if getattr(function, '__override__', False):
                    found.append(pytest.param(owner, name, upstream, id=f'{owner.__name__}.{name}'))
    return found


@pytest.mark.parametrize(('owner', 'name', 'upstream'), overridden())
def test_each_hook_that_is_overridden_is_one_that_pydantic_ai_has_with_these_parameters(
    owner: type, name: str, upstream: type
) -> None:
    """Without it, pydantic-ai would no longer call what the model does there, and nothing would say so."""
    ours, theirs = vars(owner)[name], inspect.getattr_static(upstream, name)
    assert isinstance(ours, property) == isinstance(theirs, property)
    if inspect.isfunction(ours) and name != '__init__':
        mine, stock = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
        passed_on = any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in mine.values())
        assert passed_on or len(mine) == len(stock)


def test_the_hook_for_the_schema_of_an_output_is_among_them() -> None:
    assert 'OpenAICompatibleModel._map_json_schema' in {param.id for param in overridden()}
