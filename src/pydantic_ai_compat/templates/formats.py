"""How servers decide, from a template alone, whether it wants `content` as a string or as a list of parts."""

from __future__ import annotations as _annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, nodes
from jinja2.ext import loopcontrols

from ..lazy import TemplateFailure
from .conversations import TOOLS, Setting, tool_turn
from .deliveries import Needle
from .sandbox import GenerationTag
from .template import ChatTemplate

__all__ = ('ContentFormats', 'content_formats')


@dataclass(frozen=True)
class ContentFormats:
    """What each server would find out about one template."""

    vllm_parts: bool = False
    """vLLM's format is `openai`: some loop runs over the content of a message that comes from `messages`, or over a
    macro's parameter of that name.

    Source: `vllm/renderers/hf.py`, `_detect_content_format`."""

    sglang_parts: bool = False
    """SGLang's format is `openai`: the text names a medium, or a loop runs over `message.content` or the like.

    Source: `sglang/srt/parser/jinja_template_utils.py`, `detect_jinja_template_content_format`."""

    llamacpp_parts: bool = False
    """llama.cpp's `supports_typed_content`: a user's text arrives from a list of parts.

    llama.cpp finds it by watching its own interpreter; asking for the outcome instead agrees with `/props` of
    llama.cpp b11549 on 101 of 103 published templates (not on Llama 4's and Ministral 3's)."""

    llamacpp_strings: bool = True
    """llama.cpp's `supports_string_content`: a user's text arrives from a string."""

    llamacpp_system: bool = True
    """llama.cpp's `supports_system_role`: without it a system message is merged into the next one."""

    llamacpp_objects: bool = True
    """llama.cpp's `supports_object_arguments`: without it the arguments of calls stay strings."""


def content_formats(template: ChatTemplate, caps: Mapping[str, bool] | None = None) -> ContentFormats:
    """What each server would find out about a template; `caps` are llama.cpp's own, where a server told them."""
    vllm_parts, sglang_parts = _wanted_parts(template.source)
    needle = Needle(1).text
    user = {'role': 'user', 'content': 'Hello.'}
    given = caps or {}
    return ContentFormats(
        vllm_parts=vllm_parts,
        sglang_parts=sglang_parts,
        llamacpp_parts=given.get(
            'supports_typed_content',
            _arrives(template, [{'role': 'user', 'content': [{'type': 'text', 'text': needle}]}], needle),
        ),
        llamacpp_strings=given.get(
            'supports_string_content', _arrives(template, [{'role': 'user', 'content': needle}], needle)
        ),
        llamacpp_system=given.get(
            'supports_system_role', _arrives(template, [{'role': 'system', 'content': needle}, user], needle)
        ),
        llamacpp_objects=given.get(
            'supports_object_arguments',
            _arrives(template, tool_turn(Setting(), ['Qresultq']), 'Qargzq')
            or not _arrives(template, tool_turn(Setting(arguments='string'), ['Qresultq']), 'Qargzq'),
        ),
    )


def _arrives(template: ChatTemplate, messages: Sequence[Mapping[str, Any]], needle: str) -> bool:
    try:
        return needle in template.try_rendering(messages, TOOLS if messages[-1]['role'] == 'tool' else None)
    except TemplateFailure:
        return False


@functools.lru_cache(maxsize=256)
def _wanted_parts(source: str) -> tuple[bool, bool]:
    """Whether vLLM and SGLang take the template for one that wants parts; they look at its tree and its text."""
    tree = Environment(extensions=[loopcontrols, GenerationTag]).parse(source)
    vllm = _loops_over_content(tree, _message_names(tree)) or _macro_loops_over_content(tree)
    names_medium = bool(re.search('image|audio|video|vision', source))
    return vllm, names_medium or _loops_over_content(tree, {'message', 'msg', 'm'})


def _message_names(tree: nodes.Template) -> set[str]:
    """The names that stand for one message: targets of loops over `messages`, over a slice or another name of it."""
    lists = {'messages'}
    for _ in range(_NAMES_OF_NAMES):
        lists |= {name for name, value in _assignments(tree) if _base_name(value) in lists}
    return {
        loop.target.name
        for loop in tree.find_all(nodes.For)
        if isinstance(loop.target, nodes.Name) and _base_name(loop.iter) in lists
    }


_NAMES_OF_NAMES = 4
"""How often a list gets another name, at most; once or twice in published templates."""


def _loops_over_content(tree: nodes.Template, messages: set[str]) -> bool:
    return any(_is_content(loop.iter, messages) for loop in tree.find_all(nodes.For))


def _macro_loops_over_content(tree: nodes.Template) -> bool:
    """Whether a macro takes `content` and loops over it, as in `render_content(message.content)`."""
    return any(
        _base_name(loop.iter) == 'content'
        for macro in tree.find_all(nodes.Macro)
        if 'content' in {argument.name for argument in macro.args}
        for loop in macro.find_all(nodes.For)
    )


def _assignments(tree: nodes.Template) -> Iterator[tuple[str, nodes.Node]]:
    for assign in tree.find_all(nodes.Assign):
        if isinstance(assign.target, nodes.Name):
            yield assign.target.name, assign.node


def _is_content(node: nodes.Node, messages: set[str]) -> bool:
    inner = _without_filters(node)
    if isinstance(inner, nodes.Getattr):
        return inner.attr == 'content' and _base_name(inner.node) in messages
    if isinstance(inner, nodes.Getitem) and isinstance(inner.arg, nodes.Const):
        return inner.arg.value == 'content' and _base_name(inner.node) in messages
    return False


def _without_filters(node: nodes.Node | None) -> nodes.Node | None:
    while isinstance(node, (nodes.Filter, nodes.Test)) or (
        isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Slice)
    ):
        node = node.node
    return node


def _base_name(node: nodes.Node | None) -> str | None:
    inner = _without_filters(node)
    return inner.name if isinstance(inner, nodes.Name) else None
