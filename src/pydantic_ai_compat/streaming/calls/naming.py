"""How the pieces of a tool's name come together."""

from __future__ import annotations as _annotations

from collections.abc import Collection

__all__ = ('can_be_one_name', 'joined_name', 'starts_another_call', 'undecorated_name')

_NAMESPACE = 'functions.'
"""Models that were trained on OpenAI's own prompt format write it before the name."""


def joined_name(name: str, piece: str, tool_names: Collection[str]) -> str:
    """The name after one more piece of it arrived; it always begins with the name so far.

    Some servers repeat the whole name in each chunk
    (<https://github.com/ggml-org/llama.cpp/issues/13774>), others send it in pieces
    (<https://github.com/continuedev/continue/pull/5849>). The same text again is a repeat, anything else is appended,
    unless only another reading gives a declared tool.

    Args:
        name: The name so far.
        piece: What the next delta carries as the name.
        tool_names: The tools that the request declares; may be empty.
    """
    if piece == name and (name in tool_names or not can_be_one_name(name, piece, tool_names)):
        return name
    appended = name + piece
    if not name or can_be_one_name(name, piece, tool_names):
        return appended
    if piece.startswith(name) and any(tool.startswith(piece) for tool in tool_names):
        return piece
    return name if name in tool_names else appended


def starts_another_call(name: str, piece: str, tool_names: Collection[str]) -> bool:
    """Whether a name is that of another declared tool and cannot belong to the name so far."""
    return piece != name and {name, piece} <= set(tool_names) and not can_be_one_name(name, piece, tool_names)


def can_be_one_name(name: str, piece: str, tool_names: Collection[str]) -> bool:
    """Whether the name so far and a piece together begin the name of a declared tool."""
    return any(tool.startswith(name + piece) for tool in tool_names)


def undecorated_name(name: str, tool_names: Collection[str]) -> str:
    """A name without the white space, `functions.` or `()` that a model wrote around the name of a declared tool.

    A piece of a name loses what stands before the beginning of a declared name. Other names stay as they are.
    """
    if not name or name in tool_names or name.isidentifier():
        return name
    bare = name.strip().removeprefix(_NAMESPACE).removesuffix('()').strip()
    if bare in tool_names:
        return bare
    if tool_names and name.strip() == _NAMESPACE and not any(tool.startswith(_NAMESPACE) for tool in tool_names):
        return ''
    begun = name.lstrip().removeprefix(_NAMESPACE)
    return begun if begun and _begins(begun, tool_names) and not _begins(name, tool_names) else name


def _begins(name: str, tool_names: Collection[str]) -> bool:
    return any(tool.startswith(name) for tool in tool_names)
