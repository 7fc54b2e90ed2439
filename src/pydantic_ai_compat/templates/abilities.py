"""What there is to know about a chat template, and the words for it."""

from __future__ import annotations as _annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .conversations import ContentForm, Setting
from .deliveries import Delivery

__all__ = ('Abilities', 'Outcome')

Outcome = Literal['kept', 'dropped', 'leaked', 'encoded twice', 'raises']
"""What becomes of something in a conversation: in the prompt, not in it, written as Python shows it, or as a JSON
string of a JSON string; or the template refuses the conversation."""


@dataclass(frozen=True, kw_only=True)
class Abilities:
    """What a chat template does with each part of a conversation.

    A template that renders no tool turn in any setting has `setting` `None`, and `tool_returns` says why.
    """

    setting: Setting | None
    """What the template wants of a conversation before it renders a tool turn."""

    changes_lists: bool
    """Whether it renders only where a template may change lists: on llama.cpp, and not in transformers."""

    tool_returns: Mapping[ContentForm, Delivery]
    """How the items of a tool's result arrive, for each form that they can be handed over in."""

    parallel_returns: Mapping[ContentForm, Delivery]
    """The same for the lists of two calls in one turn, which have to stay with their calls."""

    arguments: Mapping[Literal['object', 'string'], Outcome]
    """What becomes of a call's arguments, given as an object and as a string of JSON."""

    call_content: Mapping[Literal['null', 'empty', 'absent'], Outcome]
    """What becomes of a turn that holds only tool calls, by what its `content` is."""

    parallel_calls: Outcome
    tool_call_ids: Literal['shown', 'invented', 'absent']
    """Whether the ids of tool calls are in the prompt, or numbers that the template counts itself."""

    tool_names: bool
    """Whether a tool's name stands beside its result."""

    roles: Mapping[str, Outcome]
    """What becomes of `system`, `several systems`, `later system`, `developer`, `user after user`,
    `assistant after assistant`, `user after tool` and `no user`."""

    thinking: Mapping[Literal['last turn', 'earlier turn'], Outcome]
    """What becomes of `reasoning_content`: in the turn whose tool calls were just answered, and before a later user."""

    thinking_tags: tuple[str, str] | None
    """What encloses a thought."""

    dialect: str | None
    """The name of the dialect in which calls are written as text; `None` if they are not, or in an unknown one."""

    call_text: str
    """A call as the template writes it."""

    generation_prompt: str
    """What the prompt ends in where the model's answer begins."""

    errors: Mapping[str, str] = field(default_factory=dict[str, str])
    """The template's own words, by what it raised on."""
