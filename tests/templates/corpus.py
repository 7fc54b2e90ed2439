"""The published templates, each read and tried once in a run of the tests, whichever test asks first."""

from __future__ import annotations as _annotations

from functools import cache

from templates.conversation import corpus_folder

from pydantic_ai_compat.templates import Abilities, ChatTemplate, Recommendation, abilities, recommend

__all__ = ('abilities_of', 'recommendation_of', 'template_of')


@cache
def template_of(name: str) -> ChatTemplate:
    folder = corpus_folder()
    assert folder is not None
    tokens = {'bos_token': '<BOS>', 'eos_token': '<EOS>'}  # as in the recording
    return ChatTemplate((folder / name).read_bytes().decode(), name=name, special_tokens=tokens)


@cache
def abilities_of(name: str) -> Abilities:
    return abilities(template_of(name))


@cache
def recommendation_of(name: str, server: str) -> Recommendation:
    return recommend(template_of(name), server, found=abilities_of(name))
